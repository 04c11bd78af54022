//! Convex predictors with hand-written derivatives: least squares, logistic, softmax.

mod accumulate;
mod chunks;
mod exponential;
mod federation_losses;
mod gradient;
mod gram;
mod hessian;
mod link;
mod losses;
mod margins;
mod ordered_sums;
mod product;
mod quadratic;
mod rows;
mod tile;
mod vectors;

pub use federation_losses::FederationLosses;
pub use losses::ConvexLosses;
pub use quadratic::{Quadratic, QuadraticLosses};
