//! What can go wrong while tables are reproduced.

use std::io;
use std::path::PathBuf;

use corefed_documents::DocumentError;
use corefed_evidence::SampleError;
use corefed_log::LogError;
use corefed_report::ReportError;
use corefed_run::RunError;
use corefed_spec::SpecErrors;
use thiserror::Error;

/// Why a table could not be reproduced.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// A training failed.
    #[error("{}", .0.message())]
    Run(#[from] RunError),
    /// A setting is not what it should be.
    #[error(transparent)]
    Spec(#[from] SpecErrors),
    /// The numbers could not be written.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A table or a page could not be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file could not be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A folder could not be created.
    #[error("cannot create `{}`", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An experiment has no preset.
    #[error("there is no preset `{name}`")]
    NoPreset {
        /// The name it should have.
        name: &'static str,
    },
    /// A precision of GPUs was asked of a processor.
    #[error("`--{precision}` is for GPUs, and `--device` is `{device}`")]
    Precision {
        /// What was asked for.
        precision: String,
        /// Where networks would be trained.
        device: String,
    },
    /// A GPU was asked for where no network is trained.
    #[error("`--device {device}` has no effect on `adult`, which trains no network")]
    NoNetwork {
        /// Where networks would be trained.
        device: String,
    },
    /// Held-out rows say nothing about a utility.
    #[error("{model}: {error}")]
    HeldOut {
        /// The model.
        model: String,
        /// Why not.
        error: SampleError,
    },
}

impl ReproduceError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Run(error) => error.hint(),
            Self::Spec(errors) => errors.hint(),
            Self::Report(error) => error.hint(),
            Self::Log(error) => error.hint(),
            Self::NoNetwork { .. } => Some("drop `--device`".to_owned()),
            Self::Precision { precision, .. } => {
                Some(format!("add `--device cuda`, or leave out `--{precision}`"))
            }
            _ => None,
        }
    }
}
