//! Exact answers for convex losses: the three rules, coalition programs, fixed points, ceilings.

mod ball;
mod ball_step;
mod ceiling;
mod central_path;
mod egalitarian;
mod fixed_point;
mod interior_point;
mod maximin;
mod newton;
mod objective;
mod outer;
mod own_model;
mod phase_one;
mod problem;
mod rise;
mod rule;
mod served;

pub use ball::{Ball, ball_for};
pub use ceiling::TableReferences;
pub use fixed_point::{Residual, fixed_point_residual};
pub use maximin::{Maximin, MaximinBounds, Until};
pub use newton::{Minimum, NewtonSettings, minimise, newton_end};
pub use objective::Objective;
pub use outer::add_outer;
pub use own_model::own_models;
pub use phase_one::Infeasible;
pub use problem::Problem;
pub use rise::{Rise, Slope};
pub use rule::{Rule, Solution, solve, solve_from};
pub use served::{ServedFrom, served_from};
