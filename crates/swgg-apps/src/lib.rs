//! What transport plans are good for.

pub mod registration;

/// The example of the page on registration runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/registration.md")]
struct RegistrationPage;
