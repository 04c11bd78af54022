//! What is wrong with something read from disk.

use std::path::PathBuf;

use thiserror::Error;

use super::PredictorFault;

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
    #[error("`{}`: {fault}", path.display())]
    Predictor {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: PredictorFault,
    },
    /// Something is said about a predictor that its file says otherwise.
    #[error("{claim}, but `{}` {holds}", path.display())]
    Contradicted {
        /// The file.
        path: PathBuf,
        /// What is said.
        claim: String,
        /// What the file says.
        holds: String,
    },
    /// A table of utilities has one row.
    #[error("{file}: the table has no rivals")]
    NoRivals {
        /// The table.
        file: String,
        /// The audited row.
        incumbent: String,
    },
    /// A utility that floating-point numbers cannot hold.
    #[error("{file}: the utility of `{agent}` under `{model}` is beyond floating-point numbers")]
    NoFloat {
        /// The table.
        file: String,
        /// The row.
        model: String,
        /// The column.
        agent: String,
    },
    /// A table of utilities was not audited in time.
    #[error("{file}: not all of {rivals} rivals were compared within {seconds} s")]
    TimeLimit {
        /// The table.
        file: String,
        /// How many there are.
        rivals: usize,
        /// The limit.
        seconds: f64,
    },
    /// There is nothing to choose between.
    #[error("{file}: the table has one model")]
    OneModel {
        /// The table.
        file: String,
    },
    /// A table of models is too large to choose from.
    #[error("{file}: {models} models of {agents} agents are too many to choose from")]
    ManyModels {
        /// The table.
        file: String,
        /// Rows.
        models: usize,
        /// Columns.
        agents: usize,
    },
    /// A certificate is asked for, and not the table that it speaks of.
    #[error("a certificate speaks of a file with the utilities of all models")]
    NoUtilities,
    /// A folder has no losses to choose by.
    #[error("`{}` has no models that every agent was asked about", path.display())]
    NothingToChoose {
        /// The folder.
        path: PathBuf,
    },
    /// A comparison has no training of a seed.
    #[error("`{}` has no seed {seed}", path.display())]
    NoSuchSeed {
        /// The folder.
        path: PathBuf,
        /// The seed asked for.
        seed: u64,
        /// The seeds there are.
        known: Vec<u64>,
    },
    /// A seed was named, and models are in a table.
    #[error("`@seed` chooses among the seeds of a comparison")]
    SeedOfTable,
    /// A column of groups was named, and models are in a folder.
    #[error("a folder has no columns to group models by")]
    GroupsOfFolder,
    /// A folder was said to hold losses.
    #[error("`@losses` has no effect: a folder has losses anyway")]
    LossesOfFolder,
    /// A ceiling that follows from rows, of a table that has none.
    #[error("the ceiling `{ceiling}` follows from rows, and a cross-site evaluation has none")]
    CeilingOfRows {
        /// As it was written.
        ceiling: String,
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
            Self::Predictor { fault, .. } => return fault.hint(),
            Self::NoRivals { incumbent, .. } => {
                return Some(format!("add a row for every model to compare `{incumbent}` with"));
            }
            Self::Contradicted { .. } => {
                "leave it out: the file says itself how its predictor was fitted"
            }
            Self::NotJson { .. } | Self::NoPredictor { .. } => {
                "expected the JSON of `@corefed solve --json`, or {\"parameters\": {\"age\": 0.3, ...}}"
            }
            Self::NoEncoding { .. } => {
                "predict with the JSON of `@corefed solve --json` or a run's predictor"
            }
            Self::NoFloat { .. } => {
                "only ratios matter to each agent: scale its column to be around one"
            }
            Self::TimeLimit { .. } => {
                "raise `@time-limit`, or leave out rivals that nobody would take"
            }
            Self::OneModel { .. } => "add a row for every model that could be taken",
            Self::ManyModels { .. } => {
                "keep the models that somebody would take: models times models times agents may be 25,000,000"
            }
            Self::NoUtilities => "name one with `@utilities FILE.csv`",
            Self::NothingToChoose { .. } => {
                "expected a training, or the folder of `@corefed compare`"
            }
            Self::NoSuchSeed { known, .. } => {
                let known: Vec<String> = known.iter().map(u64::to_string).collect();
                return Some(format!("it has {}", known.join(", ")));
            }
            Self::SeedOfTable => "drop it, or give the folder of `@corefed compare`",
            Self::GroupsOfFolder => {
                "drop `@group`: a comparison has one model per rule, a training one per round"
            }
            Self::LossesOfFolder => "drop it; it says that a table holds losses",
            Self::CeilingOfRows { .. } => {
                "give a number, or a CSV file with columns `agent,ceiling`"
            }
            Self::NoSamples => "give the weights in a CSV file with columns `agent,weight`",
        };
        Some(hint.to_owned())
    }
}
