//! Gradient flows: particles that follow the gradient of a loss towards a target.
//!
//! ```text
//! x_i <- x_i - eta dL/dx_i (mu, nu),    mu = sum a_i delta(x_i)
//! ```
//!
//! The paper's section "Gradient Flows". Plans and directions are held fixed while a loss is differentiated, which is exact wherever
//! they do not change (the envelope theorem): for a plan `pi` the gradient in `x_i` is `2 sum_j pi_ij (x_i - y_j)`.
//!
//! | room | what it holds |
//! |---|---|
//! | `settings`, `loss` | how to flow, and along which loss |
//! | `slope` | the seam: a loss with its gradient in the particles, and what it remembers from step to step |
//! | `optimizer` | how a gradient becomes a step |
//! | `descent` | the loop |
//! | `judge` | exact distances on the way |
//! | `outcome` | what is told at the end |

mod descent;
mod error;
mod judge;
mod loss;
mod optimizer;
mod outcome;
mod settings;
mod slope;

pub use descent::{flow, flow_watched, gradient};
pub use error::{Error, Result};
pub use loss::{LOSSES, Loss, LossKind};
pub use optimizer::Optimizer;
pub use outcome::{Flow, Snapshot, Step};
pub use settings::Settings;
