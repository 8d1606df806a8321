//! The methods of the engine that an application can use: the registry is the list.

use swgg::solver::{METHODS, Method, PlanKind};

/// Methods that have a plan between any two clouds and are not among those the application has words for: the name and a line of
/// help.
pub(crate) fn with_plans_beside(own: &[&str]) -> Vec<(&'static str, String)> {
    let fits = |method: &&Method| {
        method.plan == PlanKind::Plan && !method.is_closed_form && !own.contains(&method.name)
    };
    METHODS
        .iter()
        .filter(fits)
        .map(|method| (method.name, format!("As in solve: {}", method.about)))
        .collect()
}
