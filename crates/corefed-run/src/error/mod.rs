//! What can go wrong between a spec and its documents.

mod foreign;
mod given;
mod keys;
mod mail;
mod no_model;
mod predict;
mod predictor;
mod prepare;
mod stay;
mod terms;
mod training;

use std::io;
use std::path::PathBuf;

use corefed_core::{CeilingError, WeightingError};
use corefed_data::source::FolderError;
use corefed_data::source::catalogue::UnknownSet;
use corefed_data::{DataError, nearest};
use corefed_documents::DocumentError;
use corefed_log::LogError;
use corefed_model::MarginOverflow;
use corefed_nn::NetworkError;
use corefed_report::ReportError;
use corefed_sim::{DeviceFailure, EngineError, TrainError, Unsteady};
use corefed_spec::SpecErrors;
use corefed_verify::VerifyError;
use thiserror::Error;

pub use foreign::ForeignError;
pub use given::GivenError;
pub use keys::KeyError;
pub use mail::MailError;
pub use no_model::NoModel;
pub use predict::PredictError;
pub use predictor::PredictorFault;
pub use prepare::PrepareError;
pub use stay::StayError;
pub use terms::TermsError;
pub use training::TrainingError;

/// Why a run could not be prepared, solved, trained, audited or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The data are not what they should be.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The spec is not what it should be.
    #[error(transparent)]
    Spec(#[from] SpecErrors),
    /// The run folder could not be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A document could not be read or written.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The page could not be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The settings of a training do not fit together.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The certificate that was made does not hold.
    #[error("certificate refused")]
    Refused(#[from] VerifyError),
    /// A ceiling is not positive.
    #[error(transparent)]
    Ceiling(#[from] CeilingError),
    /// A loss could overflow in the ball.
    #[error(transparent)]
    Margins(#[from] MarginOverflow),
    /// A weight is not positive.
    #[error(transparent)]
    Weights(#[from] WeightingError),
    /// The folder of published data is not known.
    #[error(transparent)]
    DataFolder(#[from] FolderError),
    /// There is no published set of that name.
    #[error(transparent)]
    UnknownSet(#[from] UnknownSet),
    /// The network cannot be built.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A GPU is missing or did not do its part.
    #[error("{}", .0.reason)]
    Device(DeviceFailure),
    /// Neither a preset nor a spec file.
    #[error("`{what}` is neither a preset nor a .toml file")]
    UnknownSpec {
        /// What was asked for.
        what: String,
        /// The presets there are.
        presets: Vec<&'static str>,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder cannot be created.
    #[error("cannot create `{}`", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Rows cannot be written as CSV.
    #[error("cannot write CSV: {reason}")]
    Csv {
        /// What the writer said.
        reason: String,
    },
    /// Threads could not be started.
    #[error("cannot start threads: {reason}")]
    Threads {
        /// What the system said.
        reason: String,
    },
    /// It happened at one setting of several.
    #[error("at {setting}: {}", chain(error))]
    At {
        /// Which setting.
        setting: String,
        /// What happened.
        error: Box<RunError>,
    },
    /// Data and model do not make a federation.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The terms cannot be met.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// A predictor or a table from disk cannot be used.
    #[error(transparent)]
    Given(#[from] GivenError),
    /// Models cannot be judged by their predictions.
    #[error(transparent)]
    Foreign(#[from] ForeignError),
    /// Rows cannot be predicted.
    #[error(transparent)]
    Predict(#[from] PredictError),
    /// A training cannot begin, continue or end.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// The question of staying cannot be asked this way.
    #[error(transparent)]
    Stay(#[from] StayError),
    /// A group has no model.
    #[error(transparent)]
    NoModel(#[from] NoModel),
    /// A key cannot be made or used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A federation by mail cannot continue.
    #[error(transparent)]
    Mail(#[from] MailError),
}

impl RunError {
    /// Names the setting of several at which it happened.
    #[must_use]
    pub fn at(self, setting: &str) -> Self {
        Self::At { setting: setting.to_owned(), error: Box::new(self) }
    }

    /// Whether a training exploded: an outcome, for code that compares trainings.
    #[must_use]
    pub fn is_diverged(&self) -> bool {
        match self {
            // A device that fails says nothing about the rule.
            Self::Training(TrainingError::Stopped { error, .. }) => {
                !matches!(error, TrainError::Device { .. })
            }
            Self::At { error, .. } => error.is_diverged(),
            _ => false,
        }
    }

    /// Whether its message has several lines: a list of all mistakes in a spec, in which names are shown.
    #[must_use]
    pub fn is_list(&self) -> bool {
        match self {
            Self::Spec(_) => true,
            Self::At { error, .. } => error.is_list(),
            _ => false,
        }
    }

    /// What to do about it, where that is known. Settings are written `` `@name` ``, as readers of
    /// different kinds call them differently: [`corefed_core::as_flags`] shows those of the command.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Prepare(error) => error.hint(),
            Self::Terms(error) => error.hint(),
            Self::Given(error) => error.hint(),
            Self::Foreign(error) => Some(error.hint()),
            Self::Predict(error) => Some(error.hint()),
            Self::Training(error) => error.hint(),
            Self::Stay(error) => Some(error.hint()),
            Self::NoModel(error) => error.hint(),
            Self::Key(error) => error.hint(),
            Self::Mail(error) => error.hint(),
            Self::Data(error) => error.hint(),
            Self::Spec(errors) => errors.hint(),
            Self::Log(error) => error.hint(),
            Self::Document(error) => error.hint().map(str::to_owned),
            Self::Report(error) => error.hint(),
            Self::Engine(error) => Some(engine(error).to_owned()),
            Self::Refused(error) => error.hint().map(ToOwned::to_owned),
            Self::DataFolder(error) => Some(error.hint().to_owned()),
            Self::UnknownSet(error) => Some(error.hint()),
            Self::Network(error) => Some(error.hint()),
            Self::Device(failure) => Some(failure.hint.clone()),
            Self::At { error, .. } => error.hint(),
            Self::Ceiling(error) => Some(error.hint().to_owned()),
            Self::Margins(error) => Some(error.hint().to_owned()),
            Self::Weights(error) => Some(error.hint().to_owned()),
            Self::UnknownSpec { what, presets } => {
                if let Some(name) = nearest(what, presets) {
                    return Some(format!("did you mean `{name}`?"));
                }
                let ending =
                    std::path::Path::new(what).extension().and_then(|ending| ending.to_str());
                if matches!(ending, Some("yaml" | "yml" | "json")) {
                    return Some(
                        "specs are written in TOML: `@corefed run hospitals --out x` leaves an example in \
                         x/spec.toml, and docs/spec.md has every key"
                            .to_owned(),
                    );
                }
                let names: Vec<String> = presets.iter().map(|name| format!("`{name}`")).collect();
                let names = names.join(", ");
                Some(format!("the presets are {names}; for a CSV file see `@corefed solve`"))
            }
            Self::Threads { .. } => Some("run fewer trainings at a time".to_owned()),
            Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("check the path: it is seen from the current folder".to_owned())
            }
            Self::Read { .. } | Self::Create { .. } | Self::Csv { .. } => None,
        }
    }

    /// The error with its causes, on one line.
    #[must_use]
    pub fn message(&self) -> String {
        chain(self)
    }
}

impl From<DeviceFailure> for RunError {
    fn from(failure: DeviceFailure) -> Self {
        Self::Device(failure)
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}

fn engine(error: &EngineError) -> &'static str {
    match error {
        EngineError::NoHessians => "use rule `corefed` instead",
        EngineError::NotEverybody => {
            "set `train.participation.cohort = \"all\"`, without dropout and stragglers"
        }
        EngineError::Unsteady(Unsteady::Uncorrected { .. }) => {
            "leave `train.correction` at `auto`, or set it to `none`"
        }
        EngineError::Unsteady(Unsteady::Unsearched { .. }) => {
            "leave `train.search` at `auto`, or set it to `off`"
        }
        EngineError::Unsteady(Unsteady::SearchOfSome) => {
            "leave out `[train.participation]`, or set `train.search = \"off\"`"
        }
        EngineError::Unsteady(Unsteady::SearchWithMomentum) => {
            "set `train.server_momentum = 0`, or `train.search = \"off\"`"
        }
        EngineError::Stranger { .. } => "names are those of the agent column or the partition",
        _ => "see docs/spec.md",
    }
}
