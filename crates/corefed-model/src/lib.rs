//! Convex predictors with hand-written derivatives: the losses of every [`corefed_core::Family`] on a federation.

mod about_zero;
mod accumulate;
mod ball;
mod cholesky;
mod chunks;
mod convex_losses;
mod federation_losses;
mod fit;
mod gradient;
mod gram;
mod hessian;
mod link;
mod losses;
mod margin_overflow;
mod margins;
mod ordered_sums;
mod product;
mod quadratic;
mod quadratic_form;
mod reference;
mod residual;
mod rows;
mod tile;
mod vectors;
mod worst;

pub use about_zero::least_squares_about_zero;
pub use ball::{BallMaximum, maximum_on_ball};
pub use cholesky::{Cholesky, damped};
pub use convex_losses::convex_losses;
pub use federation_losses::FederationLosses;
pub use losses::ConvexLosses;
pub use margin_overflow::{MarginOverflow, check_margins};
pub use quadratic::QuadraticLosses;
pub use quadratic_form::Quadratic;
pub use reference::{constant_losses, zero_losses};
pub use worst::{worst_loss_of_norms, worst_losses};
