//! What can go wrong between a folder and its page.

use std::io;
use std::path::PathBuf;

use corefed_documents::DocumentError;
use corefed_log::LogError;
use thiserror::Error;

/// Why a page could not be made, written or shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A document of the folder cannot be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A record of the folder cannot be read, or a file cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// There is nothing under the path.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path asked for.
        path: PathBuf,
    },
    /// The folder holds neither a run nor a comparison nor a sweep.
    #[error("`{}` holds nothing to report", path.display())]
    Nothing {
        /// The folder asked for.
        path: PathBuf,
    },
    /// A comparison names a training that is not beside it.
    #[error("`{}` names the training `{name}`, which is not in its folder", path.display())]
    NoTraining {
        /// The document.
        path: PathBuf,
        /// The folder that it names.
        name: String,
    },
    /// A comparison has more or fewer numbers of a training than agents.
    #[error("`{}` does not have one utility and one loss per agent for `{name}`", path.display())]
    Uneven {
        /// The document.
        path: PathBuf,
        /// The folder of the training.
        name: String,
    },
    /// The folder of an exact run has lost its predictors.
    #[error("`{}` holds no predictor", path.display())]
    NoPredictor {
        /// The folder.
        path: PathBuf,
    },
    /// The audit is of version 0.1.0, which left agents to the records of the run.
    #[error("`{}` names no agents", path.display())]
    NoAgents {
        /// The document.
        path: PathBuf,
    },
    /// A folder cannot be created.
    #[error("cannot create `{}`", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A table cannot be written as CSV.
    #[error("cannot write CSV: {reason}")]
    Csv {
        /// What the writer said.
        reason: String,
    },
    /// A chart cannot be drawn.
    #[error("cannot draw `{figure}`: {reason}")]
    Draw {
        /// Name of the chart.
        figure: String,
        /// What the renderer said.
        reason: String,
    },
    /// The live page has no port.
    #[error("cannot listen on {host} port {port}")]
    Listen {
        /// The address asked for.
        host: std::net::IpAddr,
        /// The port asked for.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The live page cannot be protected by a token.
    #[error("the system has no randomness: {reason}")]
    Randomness {
        /// What the system said.
        reason: String,
    },
}

impl ReportError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Document(error) => return error.hint().map(str::to_owned),
            Self::Log(error) => return error.hint(),
            Self::Nothing { .. } => {
                "give the folder of `@corefed run`, `compare` or `sweep`, or a file that `corefed solve \
                 --json` or `corefed audit --json` printed"
            }
            Self::Missing { .. } => {
                "give the folder of `@corefed run`, `compare` or `sweep`; they are below `runs/` unless `@out` \
                 named another"
            }
            Self::NoTraining { .. } | Self::Uneven { .. } => {
                "one of the two was renamed or edited: restore it from a copy, or compare again"
            }
            Self::NoAgents { .. } => {
                "the audit of a training needs the records beside it: give the run folder instead"
            }
            Self::Listen { .. } => "choose another port with `--port`, or 0 for any that is free",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

impl From<csv::Error> for ReportError {
    fn from(error: csv::Error) -> Self {
        Self::Csv { reason: error.to_string() }
    }
}
