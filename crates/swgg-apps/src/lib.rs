//! What transport plans are good for.

pub mod barycenter;
pub mod color;
pub mod flow;
mod methods;
pub mod otdd;
pub mod pansharpen;
pub mod registration;
pub mod superpixels;
mod threads;

/// The example of the page on registration runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/registration.md")]
struct RegistrationPage;

/// And that of the page on flows.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/flows.md")]
struct FlowsPage;

/// And that of the page on distances between data sets.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/otdd.md")]
struct OtddPage;
