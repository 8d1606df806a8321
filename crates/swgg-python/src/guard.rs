//! Panics, which would be mistakes of ours, become failures like others and print nothing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, PoisonError};

use crate::errors::{Failure, Outcome};

/// What threads of ours are called; see [`hush`].
pub const THREAD: &str = "swgg";

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Where the last panic was: the payload does not say.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics that [`guarded`] catches off the standard error; others are reported as before.
///
/// The hook is that of this library alone: other extension modules have a standard library of their own.
pub fn hush() {
    let before = take_hook();
    set_hook(Box::new(move |info| {
        let ours = || std::thread::current().name().is_some_and(|name| name.starts_with(THREAD));
        if !GUARDED.get() && !ours() {
            return before(info);
        }
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = info.location().map(ToString::to_string);
    }));
}

/// A panic becomes a failure like others.
pub fn guarded<R>(task: impl FnOnce() -> Outcome<R>) -> Outcome<R> {
    let outside = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(task));
    GUARDED.set(outside);
    outcome.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(ToString::to_string);
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        let said = said.unwrap_or_else(|| "a computation panicked".into());
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure::Panicked(place.map_or(said.clone(), |place| format!("{said} ({place})"))))
    })
}
