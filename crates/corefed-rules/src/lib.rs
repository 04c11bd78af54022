//! Server rules: how a cohort's losses and updates become one step of the model.
//!
//! In a round every agent `s` of a cohort reports its loss `L_s` at the model it received, trains,
//! and returns the update `D_s`, what training did to the parameters. Nearly every rule then has
//! the form
//!
//! ```text
//! step = scale * sum_s pull_s * D_s
//! ```
//!
//! where `pull_s` depends only on the losses reported *before* training, and `scale` only on scalars
//! known after it: norms, and who was accepted. So updates can be folded into one sum as they arrive,
//! and forgotten: memory does not grow with the cohort. Only rules whose
//! [`needs_gram`](RuleInfo::needs_gram) holds need all updates at once, for their inner products.
//!
//! A [`Server`] is a rule with its safeguards and what is fixed about the federation;
//! [`ServerState`] is what changes. A caller that folds calls [`Server::plan`], then [`Server::accept`]
//! and [`fold`] for each update, then [`Server::scale`] and [`Server::advance`]. A caller that holds all
//! updates calls [`Server::apply`], which gives the same bits in one pass. No loss makes a pull
//! negative or unbounded, and [`Applied`] says where a safeguard acted and who was left out.
//!
//! ```
//! use corefed_core::Weights;
//! use corefed_rules::{CoreStep, Report, Rule, Safety, Server, ServerStep, fold, norm_sqr};
//!
//! let rule = Rule::corefed(CoreStep::Normalised);
//! let weights = Weights::equal(2);
//! let server = Server::new(rule, Safety::default(), ServerStep::default(), &weights, vec![3.0; 2])?;
//! let mut state = server.init::<f32>();
//! let mut params = vec![1.0, 1.0];
//!
//! // Before training: who will pull how hard.
//! let report = |agent, loss| Report { agent, samples: 100, loss };
//! let plan = server.plan(&mut state, &[report(0, 1.0), report(1, 2.5)]);
//!
//! // While updates arrive: nothing is kept but one sum.
//! let mut direction = vec![0.0; params.len()];
//! let mut accepted = Vec::new();
//! for (index, update) in [[5.0, 0.0], [0.0, 5.0]].iter().enumerate() {
//!     match server.accept::<f32>(&plan, index, norm_sqr(update)) {
//!         Ok(taken) => {
//!             fold(&mut direction, taken.coefficient, update);
//!             accepted.push(taken);
//!         }
//!         Err(left_out) => eprintln!("agent {}: {}", left_out.agent, left_out.reason),
//!     }
//! }
//!
//! // When the last is in: the step. Utilities 2 and 1/2 give coefficients 1/5 and 4/5.
//! let scale = server.scale(&plan, &accepted, 0.1);
//! server.advance(&mut state, &mut params, &direction, scale);
//! assert_eq!(params, [2.0, 5.0]);
//! # Ok::<(), corefed_rules::ServerError>(())
//! ```
//!
//! `docs/rules.md` compares the rules; their formulas are in `docs/math.md`.

mod apply;
mod cholesky;
mod error;
mod kernel;
mod log_utility;
mod member;
mod min_norm;
mod outcome;
mod plan;
mod report;
mod rule;
mod safety;
mod scalar;
mod server;
mod settings;
mod simplex;
mod step;
#[cfg(test)]
mod testing;

pub use error::{ServerError, What};
pub use kernel::{combine, fold, gram, norm_sqr};
pub use log_utility::LogUtility;
pub(crate) use min_norm::min_norm_weights;
pub use outcome::{Applied, Interventions, Reason, Rejected};
pub use plan::{Accepted, Plan, Pull};
pub use report::{PartedUpdate, Report, Update};
pub use rule::{
    CeilingUse, Knob, KnobSlot, KnobValues, LocalObjective, RULES, Remembers, Rule, RuleInfo,
    SteadiedBy, Wants, WeighsBy,
};
pub use scalar::Scalar;
pub use server::{Server, ServerState};
pub use settings::{AtCeiling, CoreStep, Safety, ServerStep};
pub use simplex::project_simplex;
