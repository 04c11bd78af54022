//! What a run depends on: data, terms, and how to train, checked before anything runs.

mod ceiling;
mod compare;
mod data_source;
mod local_work;
mod participation;
mod partition;
mod schedule;
mod spec;
mod train;
mod weights_by;

pub use ceiling::Ceiling;
pub use compare::{Compare, Contender};
pub use data_source::DataSource;
pub use local_work::{Amount, LocalWork};
pub use participation::{Cohort, Draw, Participation};
pub use partition::PartitionSpec;
pub use schedule::Schedule;
pub use spec::Spec;
pub use train::{Record, Stop, Train};
pub use weights_by::WeightsBy;
