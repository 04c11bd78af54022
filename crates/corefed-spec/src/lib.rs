//! What a run depends on: data, terms, and how to train, checked before anything runs.
//!
//! A spec is a TOML file. [`Spec::parse`] reports all of its mistakes at once, each with its line,
//! its key, what is wrong and what would be right; what it accepts needs no further check that
//! could be made without the data.

mod ceiling;
mod ceiling_text;
mod ceiling_words;
mod changes;
mod compare;
mod data_source;
mod document;
mod errors;
mod fields;
mod json_schema;
mod key;
mod keys;
mod local_work;
mod mistake;
mod mistakes;
mod model;
mod names;
mod overrides;
mod participation;
mod partition;
mod preset;
mod read;
mod reference;
mod schedule;
mod settings;
mod spec;
mod steadiness;
mod takes;
mod text_error;
mod toml_text;
mod train;
mod tune;
mod value;
mod weights_by;
mod words;
mod write;

pub use ceiling::Ceiling;
pub use ceiling_words::{CEILING_WORDS, CeilingForm, CeilingWord};
pub use changes::Change;
pub use compare::{Compare, Contender};
pub use data_source::DataSource;
pub use errors::SpecErrors;
pub use local_work::{Amount, LocalWork};
pub use mistake::{Mistake, Problem};
pub use model::{Device, Layers, Model, NetworkAuditSpec, NetworkSpec, Precision};
pub use overrides::Overrides;
pub use participation::{Cohort, Draw, Participation};
pub use partition::PartitionSpec;
pub use preset::{Preset, presets};
pub use schedule::Schedule;
pub use settings::toml_list;
pub use spec::{Spec, TIME_LIMIT};
pub use steadiness::{Correction, Search};
pub use text_error::TextError;
pub use train::{Alone, Keep, Record, Stop, Train};
pub use tune::{Tune, TuneSeeds, TunedKey};
pub use weights_by::WeightsBy;
