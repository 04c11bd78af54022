//! Convex predictors with hand-written derivatives: the losses of every [`corefed_core::Family`] on a federation.
//!
//! [`ConvexLosses`] is all that solvers and audits ask of a model: every agent's loss, gradient and
//! Hessian. [`FederationLosses`] answers from rows, [`QuadraticLosses`] from Gram matrices; a loss of your
//! own is another implementation. Sums are taken in a fixed order, so bits do not depend on the number of
//! threads. [`worst_losses`] bounds every agent's loss over a ball.
//!
//! ```
//! use corefed_model::{ConvexLosses, Quadratic, QuadraticLosses};
//!
//! // (t - 1)^2 and (t + 1)^2, as t A t - 2 b t + c.
//! let parabola = |at| Quadratic { matrix: vec![1.0], linear: vec![at], constant: 1.0 };
//! let losses = QuadraticLosses::new(1, vec![parabola(1.0), parabola(-1.0)], 2.0);
//! let mut found = [0.0; 2];
//! losses.losses(&[0.5], &[0, 1], &mut found);
//! assert_eq!(found, [0.25, 2.25]);
//! ```

mod about_zero;
mod accumulate;
mod ball;
mod cholesky;
mod chunks;
mod coalition_losses;
mod convex_losses;
mod factor;
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
pub use coalition_losses::CoalitionLosses;
pub use convex_losses::convex_losses;
pub use federation_losses::FederationLosses;
pub use losses::ConvexLosses;
pub use margin_overflow::{MarginOverflow, check_margins};
pub use quadratic::QuadraticLosses;
pub use quadratic_form::Quadratic;
pub use reference::{constant_losses, pooled_constant_losses, target_summaries, zero_losses};
pub use worst::{worst_loss_of_norms, worst_losses};
