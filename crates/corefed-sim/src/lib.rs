//! Federated training by rounds: local work, cohorts, rules, records.

mod candidates;
mod cohort;
mod combine;
mod engine;
mod equity;
mod error;
mod federated;
mod linear;
mod local_training;
mod network;
mod newton;
mod round;
mod standing;
mod state;
mod terms;

pub use candidates::{Candidates, Temptation};
pub use cohort::{Attendance, Fate, draw_cohort};
pub use engine::{Engine, EngineError, Outcome};
pub use equity::equity_gap;
pub use error::TrainError;
pub use federated::{DeviceFailure, Evaluation, Federated, Job, Part};
pub use linear::{LinearFederation, Packed, PixelRows, Rows, Samples, Workspace};
pub use local_training::LocalTraining;
pub use network::{Channel, ImageSamples, NetworkFederation, NetworkWorkspace, Pixels};
pub use newton::{Exchange, FlooredWelfare, NewtonState, Trial, newton_round};
pub use standing::Standing;
pub use state::State;
pub use terms::Terms;
