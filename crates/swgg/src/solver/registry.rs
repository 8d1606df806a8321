//! The list of methods: everything else that names methods reads it from here.

use super::Solver;
use super::ground::COST;
use crate::error::{ErrorKind, Result};
use crate::number::scalar::{Holder, Scalar};
use crate::setting::{Setting, Settings};

/// What a method is called, what it is good for, and what it may be told.
#[derive(Debug)]
pub struct Method {
    /// Its name on the command line, in Python and in reports.
    pub name: &'static str,
    /// The first words of a summary.
    pub title: &'static str,
    /// A line of help.
    pub about: &'static str,
    /// The settings it has.
    pub settings: &'static [&'static Setting],
    /// Whether it has a plan between the points.
    pub plan: PlanKind,
    /// Whether comparisons run it unless told otherwise.
    pub is_compared: bool,
    /// Whether it looks for prices that prove its plan, which takes a while.
    pub is_proved_by_prices: bool,
    /// Whether it is a formula, done before anybody could stop it.
    pub is_closed_form: bool,
}

/// What a method has to offer beside a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanKind {
    /// A plan between the points.
    Plan,
    /// Only a map of the source.
    Map,
    /// Only the cost.
    Neither,
}

impl Method {
    /// A method with a plan that takes part in comparisons.
    pub(crate) const fn new(name: &'static str, title: &'static str, about: &'static str) -> Self {
        Method {
            name,
            title,
            about,
            settings: &[],
            plan: PlanKind::Plan,
            is_compared: true,
            is_proved_by_prices: false,
            is_closed_form: false,
        }
    }

    /// Whether it takes other costs than squared distances.
    pub fn takes_costs(&self) -> bool {
        self.settings.iter().any(|setting| setting.is(&COST))
    }

    /// Refuses settings of other methods.
    pub fn check(&self, settings: &Settings) -> Result<()> {
        settings.check(("method", self.name), self.settings, methods_with)
    }
}

/// A solver that can be made from its name and settings.
pub trait Builder: Sized {
    /// Its line in the list.
    const METHOD: Method;
    /// The solver with these settings, which belong to it.
    fn build(settings: &Settings) -> Result<Self>;
}

/// A method by its name.
pub fn find(name: &str) -> Result<&'static Method> {
    let known = || METHODS.iter().map(|method| method.name).collect();
    let unknown = || ErrorKind::UnknownName { what: "method", name: name.to_string(), known: known() };
    METHODS.iter().find(|method| method.name == name).ok_or_else(|| unknown().into())
}

/// The methods that have a setting.
pub fn methods_with(setting: &Setting) -> Vec<&'static str> {
    let has = |method: &&Method| method.settings.iter().any(|own| own.is(setting));
    METHODS.iter().filter(has).map(|method| method.name).collect()
}

macro_rules! methods {
    ($($solver:ty),+ $(,)?) => {
        /// Every method there is, the default first.
        pub const METHODS: &[Method] = &[$(<$solver>::METHOD),+];

        fn made<T: Scalar>(method: &Method, settings: &Settings) -> Result<Box<dyn Solver<T>>> {
            method.check(settings)?;
            $(
                if method.name == <$solver>::METHOD.name {
                    return Ok(Box::new(<$solver>::build(settings)?));
                }
            )+
            Err(ErrorKind::UnknownName { what: "method", name: method.name.to_string(), known: vec![] }.into())
        }
    };
}

methods! {
    super::Auto,
    super::Trees,
    super::Merged,
    super::MinSwgg,
    super::ClosedForm,
    super::Exact,
    super::Sinkhorn,
    super::GaussianFit,
    super::Factored,
    super::SubspaceRobust,
    super::SubspaceDetour,
    super::LinearTransport,
    super::ExpectedSliced,
}

/// A solver that was made or not, for points of either precision.
struct MadeHolder;

impl Holder for MadeHolder {
    type Of<T: Scalar> = Result<Box<dyn Solver<T>>>;
}

/// The solver of a method with these settings; refuses settings of other methods.
pub fn build<T: Scalar>(method: &Method, settings: &Settings) -> Result<Box<dyn Solver<T>>> {
    T::made::<MadeHolder>(|| made_single(method, settings), || made_double(method, settings))
}

// These two are compiled in this crate, and with them all solvers: a generic function is compiled anew in every crate that calls it.

fn made_single(method: &Method, settings: &Settings) -> Result<Box<dyn Solver<f32>>> {
    made(method, settings)
}

fn made_double(method: &Method, settings: &Settings) -> Result<Box<dyn Solver<f64>>> {
    made(method, settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Sizes;
    use crate::run::Run;
    use crate::setting::Value;
    use crate::solver::settings::EFFORT;

    #[test]
    fn every_method_is_built_by_its_name() {
        let sizes = Sizes { n: 1000, m: 900, d: 3 };
        for method in METHODS {
            let solver = build::<f32>(find(method.name).unwrap(), &Settings::new()).unwrap();
            assert_eq!(solver.method().name, method.name);
            solver.validate(sizes).unwrap();
            let estimate = solver.estimate(sizes, &Run::default());
            assert!(estimate.seconds > 0.0 && estimate.bytes >= 0.0, "{}: {estimate:?}", method.name);
        }
        assert_eq!(
            find("nope").unwrap_err().to_string().split(';').next(),
            Some("there is no method \"nope\"")
        );
    }

    #[test]
    fn settings_of_others_are_refused() {
        let mut settings = Settings::new();
        settings.set(&EFFORT, Value::Count(3)).unwrap();
        assert!(build::<f64>(find("auto").unwrap(), &settings).is_ok());
        let refusal = build::<f64>(find("exact").unwrap(), &settings).err().unwrap().to_string();
        assert_eq!(refusal, "effort is not a setting of method exact; leave it out, or use method auto");
        assert!(settings.set(&EFFORT, Value::Count(11)).is_err());
    }
}
