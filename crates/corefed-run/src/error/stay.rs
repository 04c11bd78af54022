//! What cannot be asked of `stay`.

use corefed_evidence::LevelError;
use thiserror::Error;

use super::NoModel;

/// Why the question of staying cannot be asked this way.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StayError {
    /// All groups of too many agents were asked for.
    #[error(
        "{agents} agents have {} groups; all are trained for at most {most} agents",
        groups(*agents)
    )]
    ManyGroups {
        /// How many agents there are.
        agents: usize,
        /// How many there may be.
        most: usize,
    },
    /// More groups were asked for than there are.
    #[error(
        "`@coalitions` has no effect: all groups of {agents} agents are trained anyway, as of up to {most}"
    )]
    AllTrained {
        /// How many agents there are.
        agents: usize,
        /// Up to how many all groups are trained.
        most: usize,
    },
    /// The share of rows to hold out is not a share.
    #[error("the share of rows to hold out is `{share}`; it must lie between 0 and 1")]
    Share {
        /// The share.
        share: f64,
    },
    /// A rule of optima was asked for, and the spec trains by another.
    #[error("`@rule` is for optima, and this spec trains by `{rule}`")]
    RuleOfTraining {
        /// The rule of the training.
        rule: String,
    },
    /// Rows are not held out like this.
    #[error("`{text}` is not `rows`, `group:COLUMN` or `time:COLUMN`")]
    Split {
        /// As it was written.
        text: String,
    },
    /// Intervals cannot be so sure.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// The margin is not a part of a loss.
    #[error("the margin is `{margin}`; it must be at least 0 and less than 1")]
    Margin {
        /// The margin.
        margin: f64,
    },
    /// Too few rows would do.
    #[error("the minimum support is `{support}`; it must be at least 4")]
    Support {
        /// The minimum.
        support: usize,
    },
    /// The time limit is not a time.
    #[error("`@time-limit` is `{seconds}`")]
    TimeLimit {
        /// What was asked for.
        seconds: f64,
    },
    /// The time was up before every group had its model.
    #[error("not every group has its model within {seconds} s")]
    Unanswered {
        /// The limit.
        seconds: f64,
    },
    /// No split was asked for.
    #[error("no split was asked for")]
    NoSplit,
    /// Splits by time do not differ.
    #[error("splits by time are the same each time, so there is nothing to repeat")]
    RepeatedTime {
        /// The column of times.
        column: String,
    },
    /// A question about somebody who is not there.
    #[error("no agent is called `{name}`")]
    UnknownAgent {
        /// The name.
        name: String,
        /// The agents there are.
        present: Vec<String>,
    },
    /// Everybody together has no model.
    #[error("there is no shared model: {error}")]
    NotTrained {
        /// Why.
        error: NoModel,
    },
    /// A question about everybody.
    #[error("the question is about everybody, so nobody is left to compare with")]
    NobodyLeft,
}

impl StayError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::ManyGroups { .. } => {
                "leave `@all` out for singles, pairs and complements, or draw more with `@coalitions N`"
                    .to_owned()
            }
            Self::AllTrained { .. } => "drop `@coalitions`".to_owned(),
            Self::Share { .. } => "0.3 holds out three tenths of every agent's rows".to_owned(),
            Self::RuleOfTraining { .. } => "change it with `@set train.rule=...`".to_owned(),
            Self::Split { .. } => {
                "hold out rows at random, all rows of a patient, say, or the latest of every agent"
                    .to_owned()
            }
            Self::Level(_) => "0.9 is the usual level".to_owned(),
            Self::Margin { .. } => {
                "0.05 says that gains up to five per cent of a loss do not count".to_owned()
            }
            Self::Support { .. } => "30 rows are the usual minimum".to_owned(),
            Self::TimeLimit { .. } => "give seconds, not fewer than none".to_owned(),
            Self::Unanswered { .. } => {
                "an answer rests on all groups: raise `@time-limit`, or ask for fewer splits or rounds"
                    .to_owned()
            }
            Self::NoSplit => "`repeats` must be at least 1".to_owned(),
            Self::RepeatedTime { .. } => "leave `@repeats` out, or split by rows".to_owned(),
            Self::UnknownAgent { present, .. } => {
                let names: Vec<String> = present.iter().take(20).map(|n| format!("`{n}`")).collect();
                let more = present.len().saturating_sub(names.len());
                let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("there are {}{rest}", names.join(", "))
            }
            Self::NotTrained { error } => error.hint().unwrap_or_else(|| {
                "train the spec with `@corefed run` first and see why it fails".to_owned()
            }),
            Self::NobodyLeft => "name fewer agents".to_owned(),
        }
    }
}

/// `2^n - 1`, in digits where these are few.
fn groups(agents: usize) -> String {
    if agents < 64 { ((1_u64 << agents) - 1).to_string() } else { format!("2^{agents} - 1") }
}
