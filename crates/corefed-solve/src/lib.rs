//! Exact answers for convex losses: the three rules, coalition programs, fixed points, ceilings.

mod ball;
mod ball_step;
mod ceiling;
mod cholesky;
mod fixed_point;
mod interior_point;
mod maximin;
mod newton;
mod objective;
mod problem;
mod rule;

pub use ball::Ball;
pub use ceiling::{CeilingError, CeilingPolicy};
pub use cholesky::add_outer;
pub use fixed_point::{Residual, fixed_point_residual};
pub use maximin::{Maximin, MaximinBounds, Until};
pub use newton::{Minimum, NewtonSettings, minimise, newton_end};
pub use objective::Objective;
pub use problem::Problem;
pub use rule::{Infeasible, Rule, Solution, solve};
