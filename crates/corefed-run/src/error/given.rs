//! What is wrong with something read from disk.

use std::path::PathBuf;

use thiserror::Error;

/// Why a predictor or a table from disk cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GivenError {
    /// The file is not JSON.
    #[error("`{}` is not JSON", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What JSON said.
        source: serde_json::Error,
    },
    /// The file holds no predictor.
    #[error("`{}` holds no predictor", path.display())]
    NoPredictor {
        /// The file.
        path: PathBuf,
    },
    /// The file holds parameters without an encoding.
    #[error("`{}` has no encoding", path.display())]
    NoEncoding {
        /// The file.
        path: PathBuf,
    },
    /// The predictor of a file is not one.
    #[error("`{}`: {reason}", path.display())]
    Predictor {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A table of utilities has one row.
    #[error("{file}: the table has no rivals")]
    NoRivals {
        /// The table.
        file: String,
        /// The audited row.
        incumbent: String,
    },
    /// Weights by samples were asked of a table of utilities.
    #[error("a table of utilities does not say how many samples there are")]
    NoSamples,
}

impl GivenError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Predictor { hint, .. } => return hint.clone(),
            Self::NoRivals { incumbent, .. } => {
                return Some(format!("add a row for every model to compare `{incumbent}` with"));
            }
            Self::NotJson { .. } | Self::NoPredictor { .. } => {
                "expected the JSON of `corefed solve --json`, or {\"parameters\": {\"age\": 0.3, ...}}"
            }
            Self::NoEncoding { .. } => {
                "predict with the JSON of `corefed solve --json` or a run's predictor"
            }
            Self::NoSamples => "give the weights in a CSV file with columns `agent,weight`",
        };
        Some(hint.to_owned())
    }
}
