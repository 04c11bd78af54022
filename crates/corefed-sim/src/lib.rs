//! Federated training by rounds: local work, cohorts, rules, records.

mod candidates;
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

pub use candidates::{Candidates, Temptation};
pub use cohort::{Attendance, Fate, draw_cohort};
pub use engine::{Engine, EngineError, Outcome};
pub use equity::equity_gap;
pub use error::TrainError;
pub use federated::{DeviceFailure, Drift, Evaluation, Federated, Job, Part};
pub use linear::{LinearFederation, Packed, PixelRows, Rows, Samples, Workspace};
pub use local_training::LocalTraining;
pub use network::{Channel, ImageSamples, NetworkFederation, NetworkWorkspace, Pixels};
pub use newton::{Exchange, NewtonState, Trial, newton_round};
pub use standing::Standing;
pub use state::State;
pub use steadiness::{Steadiness, Unsteady};
pub use terms::Terms;
pub use welfare::FlooredWelfare;
