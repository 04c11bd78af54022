//! Convex predictors with hand-written derivatives: least squares, logistic, softmax.

mod losses;

pub use losses::ConvexLosses;
