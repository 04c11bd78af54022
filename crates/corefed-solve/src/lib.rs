//! Exact answers for convex losses: the three rules, coalition programs, fixed points, ceilings.
//!
//! A [`Problem`] is losses with ceilings, weights and a ball. [`solve()`] finds the optimum of a [`Rule`] and
//! says how far from it the answer may be. [`Maximin`] finds what a coalition can have at most, with bounds
//! from both sides at every step, so that it stops as soon as a question is decided.
//!
//! ```
//! use corefed_core::Weights;
//! use corefed_model::{Quadratic, QuadraticLosses};
//! use corefed_solve::{Problem, Rule, solve};
//!
//! // (t - 1)^2 twice and (t + 1)^2 once, with ceilings of 4: two agents pull harder than one.
//! let parabola = |at| Quadratic { matrix: vec![1.0], linear: vec![at], constant: 1.0 };
//! let losses = QuadraticLosses::new(1, [1.0, 1.0, -1.0].map(parabola).to_vec(), 2.0);
//! let problem = Problem::new(&losses, vec![4.0; 3], Weights::equal(3), 3.0);
//! let core = solve(&problem, Rule::Core, 1e-10)?;
//! assert!(core.converged && core.params[0] > 0.0 && core.params[0] < 1.0);
//! # Ok::<(), corefed_solve::Infeasible>(())
//! ```

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
pub use problem::{Halt, Problem};
pub use rise::{Rise, Slope};
pub use rule::{Rule, Solution, solve, solve_from};
pub use served::{ServedFrom, served_from};
