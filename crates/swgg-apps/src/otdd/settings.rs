//! Settings of the distance between data sets, and their checks.

use swgg::Solver;
use swgg::cost::Power;
use swgg::setting::Settings as OwnSettings;
use swgg::solver::{METHODS, build};

use super::error::{Error, Result};
use super::label_distance::LabelDistance;

/// How data sets are compared.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The distance between labels.
    pub label_distance: LabelDistance,
    /// 1 for the root of squared distances as in the paper, 2 for the sum itself.
    pub power: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { label_distance: LabelDistance::Auto, power: 1.0 }
    }
}

impl Settings {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    ///
    /// Another power than 1 or 2, and an epsilon that is none.
    pub fn validate(&self) -> Result<()> {
        self.power()?;
        self.label_distance.validate()
    }

    pub(super) fn power(&self) -> Result<Power> {
        match self.power {
            1.0 => Ok(Power::PLAIN),
            2.0 => Ok(Power::SQUARED),
            found => Err(Error::BadPower { found }),
        }
    }
}

/// Names of the methods that find plans at costs between labelled points.
pub fn outer_methods() -> Vec<&'static str> {
    METHODS.iter().filter(|method| method.takes_costs()).map(|method| method.name).collect()
}

/// One of them with its settings.
///
/// # Errors
///
/// A method that takes no such costs, and settings that it does not have.
pub fn outer_solver(name: &str, settings: &OwnSettings) -> Result<Box<dyn Solver<f64>>> {
    let known = outer_methods();
    let method = METHODS.iter().find(|method| method.name == name && known.contains(&method.name));
    let method = method.ok_or_else(|| Error::OtherMethod { found: name.to_string(), known })?;
    Ok(build::<f64>(method, settings)?)
}
