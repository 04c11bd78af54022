//! Federated training by rounds: local work, cohorts, rules, records.
//!
//! An [`Engine`] trains whatever is [`Federated`]: agents that can be evaluated and trained, such as the
//! linear models of a [`LinearFederation`] or networks on CPU or GPU. A round draws a cohort, asks for
//! losses, trains in groups, folds updates in the order of agents and takes the step of the rule. The
//! state is plain data: a checkpoint continues to the same bits.
//!
//! ```
//! use corefed_core::{Family, Seed, Weights};
//! use corefed_data::{EncodeOptions, Table, fit, hospitals_csv};
//! use corefed_sim::{Engine, LinearFederation, Samples, Terms};
//! use corefed_spec::Train;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let table = Table::parse("hospitals.csv", hospitals_csv(8).as_bytes())?;
//! let federation = fit(&table, &EncodeOptions::new("hospital", "disease", Family::Logistic))?.federation;
//! let agents = federation.agents();
//! let samples = Samples {
//!     rows: federation.design(),
//!     target: federation.target().to_vec(),
//!     offsets: Vec::new(),
//!     owned: agents.iter().map(|agent| agent.rows.clone()).collect(),
//! };
//! let terms = Terms {
//!     names: agents.iter().map(|agent| agent.name.clone()).collect(),
//!     weights: Weights::equal(agents.len()),
//!     average: Weights::equal(agents.len()),
//!     ceilings: vec![1.0; agents.len()],
//!     radius: 10.0,
//!     premise: false,
//!     nonnegative: Family::Logistic.nonnegative_loss(),
//! };
//! let own = LinearFederation::<_, f64>::new(Family::Logistic, 2, 0.01, samples);
//! let train = Train::default();
//! let mut engine = Engine::new(&own, None, &terms, &train, Seed(8))?;
//! let (mut state, first) = engine.start()?;
//! let later = engine.round(&mut state)?;
//! assert!(later.round.loss < first.round.loss);
//! # Ok(())
//! # }
//! ```

mod best;
mod candidates;
mod coalition;
mod cohort;
mod combine;
mod drift;
mod engine;
mod equity;
mod error;
mod federated;
mod folding;
mod linear;
mod local_training;
mod network;
mod newton;
mod objective;
mod round;
mod search;
mod standing;
mod state;
mod steadiness;
mod terms;
mod welfare;

pub use best::keeps_best;
pub use candidates::{Candidates, Temptation};
pub use coalition::Coalition;
pub use drift::{Walk, learn_control, mix_controls};
pub use engine::{Engine, EngineError, Outcome};
pub use equity::equity_gap;
pub use error::TrainError;
pub use federated::{DeviceFailure, Drift, Evaluation, Federated, Job, Part};
pub use linear::{Kernels, LinearFederation, Packed, PixelRows, Rows, Samples, Workspace};
pub use local_training::LocalTraining;
pub use network::{Channel, ImageSamples, NetworkFederation, NetworkWorkspace, Pixels};
pub use newton::{Exchange, NewtonState, Trial, newton_round};
pub use objective::Objective;
pub use search::Tried;
pub use standing::Standing;
pub use state::{Best, State};
pub use steadiness::{Steadiness, Unsteady};
pub use terms::Terms;
pub use welfare::FlooredWelfare;
