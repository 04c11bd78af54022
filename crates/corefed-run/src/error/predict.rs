//! What is wrong with a prediction.

use std::path::PathBuf;

use corefed_core::{setting, shell_word};
use thiserror::Error;

/// Why rows cannot be predicted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PredictError {
    /// A folder without a model.
    #[error("`{}` holds no finished run", path.display())]
    NoModel {
        /// The folder.
        path: PathBuf,
    },
    /// The model takes images.
    #[error("the model of `{}` takes images, not columns of a table", path.display())]
    Images {
        /// The folder.
        path: PathBuf,
    },
    /// A run without that rule.
    #[error("`{}` has no predictor of the rule `{rule}`", path.display())]
    NoRule {
        /// The folder.
        path: PathBuf,
        /// What was asked for.
        rule: String,
    },
    /// A rule was named beside a file.
    #[error("`@rule` has no effect: `{}` is a file with one predictor", path.display())]
    RuleOfFile {
        /// The file.
        path: PathBuf,
    },
    /// Parameters without their columns.
    #[error("`{}` has no encoding", path.display())]
    NoColumns {
        /// The file.
        path: PathBuf,
    },
    /// Arguments in the wrong order.
    #[error("`{}` is a table and `{}` a predictor", first.display(), second.display())]
    Swapped {
        /// What was given as the predictor.
        first: PathBuf,
        /// What was given as the table.
        second: PathBuf,
    },
    /// Intervals of something that is not a quantity.
    #[error("there are no intervals for a {family} predictor")]
    NoIntervals {
        /// Its family.
        family: String,
    },
    /// A level out of range.
    #[error("`@level` is `{level}`")]
    Level {
        /// What was asked for.
        level: f64,
    },
    /// Too few rows to calibrate on.
    #[error("{rows} rows are too few for intervals at level {level}")]
    FewRows {
        /// How many there are.
        rows: usize,
        /// What was asked for.
        level: f64,
    },
    /// A target that is not a number.
    #[error("{place}: the target is `{cell}`, not a finite number")]
    Target {
        /// Where it is.
        place: String,
        /// What it holds.
        cell: String,
    },
}

impl PredictError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoModel { .. } => {
                "give the folder of a run that is finished, or a predictor such as \
                 `RUN/core.predictor.json`; `@corefed run --resume RUN` finishes a training"
            }
            Self::Images { .. } => "its weights are in `model.safetensors`",
            Self::NoRule { .. } => {
                "exact runs have `core`, `utilitarian` and `egalitarian`; a training has one model"
            }
            Self::RuleOfFile { .. } => "drop it, or give the folder of an exact run",
            Self::NoColumns { .. } => {
                "predict with the JSON of `@corefed solve --json` or a run's predictor"
            }
            Self::Swapped { first, second } => {
                let [first, second] = [first, second].map(|path| path.display().to_string());
                let words = format!("predict {} {}", shell_word(&second), shell_word(&first));
                return format!("the predictor comes first: {}", setting("corefed", words));
            }
            Self::NoIntervals { .. } => {
                "drop `@calibrate`; classes have probabilities, which are printed anyway"
            }
            Self::Level { .. } => "give a share between zero and one, such as 0.9",
            Self::FewRows { level, .. } => {
                // n >= level / (1 - level), up to rounding.
                let least = (level / (1.0 - level) - 1e-9).ceil();
                return format!("calibrate on {least} rows or more, or lower the level");
            }
            Self::Target { .. } => "calibrate on rows whose targets are known",
        }
        .to_owned()
    }
}
