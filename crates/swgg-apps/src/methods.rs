//! Methods that an application offers by name: those it has words for, and those of the engine, of which the registry is the list.

use swgg::solver::{METHODS, Method, PlanKind};

/// A method that an application has words for: itself, its name, and a line of help.
pub(crate) type Own<T> = (T, &'static str, &'static str);

/// Every method: its name, and a line of help. Those of the engine that have a plan between any two clouds come after the application's own.
pub(crate) fn all<T>(own: &[Own<T>]) -> Vec<(&'static str, String)> {
    let of_engine = of_engine(own).map(|method| (method.name, format!("As in solve: {}", method.about)));
    own.iter().map(|(_, name, about)| (*name, (*about).to_string())).chain(of_engine).collect()
}

/// A method by its name, where `registered` makes one of the engine's.
pub(crate) fn find<T: Copy>(own: &[Own<T>], name: &str, registered: fn(&'static str) -> T) -> Option<T> {
    let known = own.iter().find(|(_, own, _)| *own == name).map(|(method, _, _)| *method);
    known.or_else(|| of_engine(own).find(|method| method.name == name).map(|method| registered(method.name)))
}

fn of_engine<T>(own: &[Own<T>]) -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| {
        let is_own = own.iter().any(|(_, name, _)| *name == method.name);
        method.plan == PlanKind::Plan && !method.is_closed_form && !is_own
    })
}
