//! What is wrong with the predictions of models that are not ours.

use corefed_core::setting;
use thiserror::Error;

/// Why models cannot be judged by their predictions.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// Something must be said about predictions.
    #[error("`@predictions` needs `{setting}`")]
    Missing {
        /// How it is said.
        setting: &'static str,
    },
    /// A target is named where rows come with their losses.
    #[error("`@target` has no effect: rows come with their losses")]
    UnusedTarget,
    /// Something is said of probabilities where there are none.
    #[error("`{setting}` has no effect on the loss `{loss}`")]
    OnlyLog {
        /// How it is said.
        setting: &'static str,
        /// The name of the loss.
        loss: &'static str,
    },
    /// Probabilities cannot be raised that far.
    #[error("`@clip` is `{clip}`")]
    Clip {
        /// What was asked for.
        clip: f64,
    },
    /// Nothing says what a ceiling could be.
    #[error("losses that rows come with do not say what a ceiling could be")]
    NoCeiling,
    /// There is nothing to compare with.
    #[error("there {} to audit, and an audit compares one with others", match models {
        0 => "is not a model",
        _ => "is one model",
    })]
    NoRivals {
        /// How many there are.
        models: usize,
    },
    /// A weight is not positive.
    #[error("the weight of agent `{agent}` is not a positive number")]
    Weight {
        /// Its name.
        agent: String,
    },
    /// A model does not speak of all rows.
    #[error(
        "model `{model}` has {found} prediction{} for {expected} rows",
        if *found == 1 { "" } else { "s" }
    )]
    Rows {
        /// Its name.
        model: String,
        /// Predictions.
        found: usize,
        /// Rows of data.
        expected: usize,
    },
    /// A prediction has no loss.
    #[error("model `{model}`, {place}: `{value}` has no {loss} loss, which takes {wanted}")]
    Prediction {
        /// Its name.
        model: String,
        /// The row.
        place: String,
        /// What was predicted.
        value: String,
        /// The name of the loss.
        loss: &'static str,
        /// What it takes for a prediction.
        wanted: &'static str,
    },
    /// Numbers are not probabilities.
    #[error("model `{model}`, {place}: {shares:?} are not probabilities that sum to one")]
    Shares {
        /// Its name.
        model: String,
        /// The row.
        place: String,
        /// What was predicted.
        shares: Vec<f64>,
    },
    /// What happened had no probability.
    #[error("model `{model}`, {place}: the true class has probability 0, so the loss is infinite")]
    Impossible {
        /// Its name.
        model: String,
        /// The row.
        place: String,
    },
    /// The files have different numbers of rows.
    #[error("`{predictions}` has {found} rows, `{data}` has {expected}")]
    Length {
        /// The predictions.
        predictions: String,
        /// The data.
        data: String,
        /// Rows of predictions.
        found: usize,
        /// Rows of data.
        expected: usize,
    },
    /// A column that both files have differs.
    #[error(
        "{place}: `{found}` where the data have `{expected}`: the rows are not in the same order"
    )]
    Order {
        /// The cell of the predictions.
        place: String,
        /// What it holds.
        found: String,
        /// What the data hold.
        expected: String,
    },
    /// A cell is not what the loss needs.
    #[error("{place}: `{cell}` is not {wanted}")]
    Cell {
        /// Where it is.
        place: String,
        /// What it holds.
        cell: String,
        /// What was expected.
        wanted: &'static str,
    },
    /// The target has too few or too many classes.
    #[error(
        "column `{column}` of `{file}` has {count} different values, which cannot be used as classes"
    )]
    Classes {
        /// The data.
        file: String,
        /// The target.
        column: String,
        /// How many values.
        count: usize,
    },
    /// Nobody said which class probabilities are of.
    #[error("probabilities of which class? column `{target}` has {}", quoted(classes))]
    Positive {
        /// The target.
        target: String,
        /// Its values.
        classes: Vec<String>,
    },
    /// No row has the named class.
    #[error("no row has the class `{positive}`; column `{target}` has {}", quoted(classes))]
    NoSuchClass {
        /// The target.
        target: String,
        /// What was named.
        positive: String,
        /// Its values.
        classes: Vec<String>,
    },
    /// Probabilities of some classes are missing.
    #[error("model `{model}` has no column `{model}:{class}`")]
    NoShare {
        /// Its name.
        model: String,
        /// The class.
        class: String,
    },
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl ForeignError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { setting: "@loss" } => {
                "the losses are `squared`, `absolute`, `log`, `zero-one`, `poisson` and `given`"
            }
            Self::Missing { setting: "@agent COLUMN" } => {
                "name the column of the data that says whose a row is"
            }
            Self::Missing { .. } => "name the column of the data that was predicted",
            Self::UnusedTarget => "drop `@target`, or name another `@loss`",
            Self::OnlyLog { .. } => "drop it; it goes with probabilities, `@loss log`",
            Self::Clip { .. } => "give a small probability, such as 0.001",
            Self::NoCeiling => {
                "give `@ceiling`: a number, or a CSV file with columns `agent,ceiling`"
            }
            Self::NoRivals { .. } => {
                "add a column, or an entry, for every rival; a constant prediction is one, too"
            }
            Self::Weight { .. } => "weights must be positive and finite; only their ratios matter",
            Self::Rows { .. } | Self::Length { .. } => {
                "predict every row of the data, in their order"
            }
            Self::Prediction { loss: "given", .. } => {
                "losses that can be negative need a constant added, the same for every row and model"
            }
            Self::Prediction { .. } => "correct the prediction, or choose another loss",
            Self::Shares { .. } => "give probabilities, or per-row losses with the loss `given`",
            Self::Impossible { .. } => {
                "raise small probabilities with `@clip`, such as 0.001, the same for every model"
            }
            Self::Order { .. } => "write predictions in the order of the data",
            Self::Cell { .. } => "correct the cell, or choose another loss",
            Self::Classes { .. } => {
                "a loss of numbers is `squared`, `absolute` or `poisson`; per-row losses are `given`"
            }
            Self::Positive { classes, .. } => {
                let class = classes.last().map_or("CLASS", String::as_str);
                return format!("name it, as in {}", setting("positive", class));
            }
            Self::NoSuchClass { .. } => "name one of these classes",
            Self::NoShare { .. } => {
                "give one column per class, named `MODEL:CLASS`; with two classes, `@positive` and one \
                 column per model will do"
            }
        }
        .to_owned()
    }
}
