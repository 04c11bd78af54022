//! What ends a training.

use std::path::PathBuf;

use corefed_log::DeviceHeader;
use corefed_sim::TrainError;
use corefed_spec::Change;
use thiserror::Error;

/// Why a training cannot begin, continue or end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// The spec does not train.
    #[error("`{spec}` has no `[train]`")]
    NoTraining {
        /// Its name.
        spec: String,
    },
    /// The spec trains nothing that could be compared.
    #[error("`{spec}` trains nothing that could be compared")]
    NothingToCompare {
        /// Its name.
        spec: String,
    },
    /// Settings cannot be chosen: no agent has rows to choose by.
    #[error("no agent of `{spec}` has rows to choose settings by")]
    NothingToChooseBy {
        /// Its name.
        spec: String,
    },
    /// Every rule of a comparison exploded.
    #[error("no rule left a model; the first: {failure}")]
    NoModel {
        /// What ended the first training.
        failure: String,
    },
    /// The training could not begin: its device failed.
    #[error("{error}")]
    NotStarted {
        /// Why.
        error: TrainError,
    },
    /// The training could not continue.
    #[error("{error}")]
    Stopped {
        /// Why.
        error: TrainError,
        /// Where the last good model is.
        model: PathBuf,
    },
    /// The checkpoint is of something else.
    #[error("the checkpoint is not one of this training")]
    Checkpoint,
    /// The folder was made by another spec.
    #[error("`{}` was made by other settings{}", path.display(), listed(changes))]
    OtherSettings {
        /// The folder.
        path: PathBuf,
        /// What differs, where that is known.
        changes: Vec<Change>,
        /// Whether the caller brought the settings, not the folder.
        asked: bool,
    },
    /// `spec.toml` is not the one by which the checkpoint was made.
    #[error("`{}` was changed since the run stopped{}", path.join("spec.toml").display(), listed(changes))]
    ChangedSpec {
        /// The folder.
        path: PathBuf,
        /// What differs.
        changes: Vec<Change>,
    },
    /// The data are not those the run began with.
    #[error("the data of `{}` have changed: digest {then} is now {now}", path.display())]
    DataChanged {
        /// The folder.
        path: PathBuf,
        /// The beginning of the digest when the run began.
        then: String,
        /// The beginning of the digest now.
        now: String,
    },
    /// The run was started on a device that computes differently.
    #[error("`{}` was started on {then} and cannot be resumed on {now}", path.display())]
    OtherDevice {
        /// The folder.
        path: PathBuf,
        /// What it began on.
        then: Box<DeviceHeader>,
        /// What it would continue on.
        now: Box<DeviceHeader>,
    },
    /// A folder that is complete has no record to judge.
    #[error("the run in `{}` has no evaluated round", path.display())]
    NoRound {
        /// The folder.
        path: PathBuf,
    },
}

impl TrainingError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Stopped { error, model } => {
                return Some(format!("{}; it is in `{}`", error.hint(), model.display()));
            }
            Self::NotStarted { error } => return Some(error.hint().to_owned()),
            Self::NoTraining { .. } => {
                "add `[train]` with a `rule`, or use `@corefed run` to solve it exactly"
            }
            Self::NothingToCompare { .. } => "add `[train]` to the spec",
            Self::NothingToChooseBy { .. } => "raise `validation`: a share of every agent's rows",
            Self::NoModel { .. } => "lower `train.local.learning_rate`",
            Self::Checkpoint => "was `spec.toml` edited? start a new run instead",
            Self::OtherSettings { asked: true, .. } => {
                "use those, or write to another folder; was its `spec.toml` or `.unfinished` edited?"
            }
            Self::OtherSettings { asked: false, .. } => {
                "was `run.json`, `spec.toml` or a file it names edited? start a new run instead"
            }
            Self::ChangedSpec { .. } => {
                "undo the change, start a new run, or let this one resume with the changed spec with \
                 `@changed-spec`, which its summary and report will say"
            }
            Self::DataChanged { .. } => {
                "a run continues only on the very data that its `run.json` names; start a new one"
            }
            Self::OtherDevice { .. } => {
                "rounds of one run are computed alike: use the same device and precision, or start a new run"
            }
            Self::NoRound { .. } => return None,
        };
        Some(hint.to_owned())
    }
}

/// Changes as the end of a sentence.
fn listed(changes: &[Change]) -> String {
    let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
    if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) }
}
