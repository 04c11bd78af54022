//! What goes wrong with files by mail.

use std::path::PathBuf;

use thiserror::Error;

/// Why a federation by mail cannot continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MailError {
    /// A folder without anything to begin with.
    #[error("`{}` holds neither a session nor summaries", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// Terms were given for a session that has its own.
    #[error("the session in `{}` has begun; its terms cannot be changed", path.display())]
    Begun {
        /// The folder.
        path: PathBuf,
    },
    /// Two files say different things for one agent.
    #[error("`{}` and `{}` are both from `{agent}`, and differ", first.display(), second.display())]
    Twice {
        /// A file.
        first: PathBuf,
        /// Another.
        second: PathBuf,
        /// The agent.
        agent: String,
    },
    /// Summaries were made with different options.
    #[error("`{one}` and `{other}` summarised for different questions: {what}")]
    Differ {
        /// An agent.
        one: String,
        /// Another.
        other: String,
        /// What is different.
        what: &'static str,
    },
    /// A file is not from whom, or for what, it should be.
    #[error("answers of `{agent}` in `{}` are refused: {problem}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Who it says it is from.
        agent: String,
        /// What is wrong.
        problem: String,
    },
    /// Answers that cannot be true.
    #[error("answers of `{agent}` in `{}` are refused: {reason}", path.display())]
    BadAnswer {
        /// The file.
        path: PathBuf,
        /// Who they are from.
        agent: String,
        /// What is wrong.
        reason: String,
        /// What can be done.
        help: String,
    },
    /// Terms or questions that contradict themselves.
    #[error("`{}` is refused: {problem}", path.display())]
    Questions {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: &'static str,
    },
    /// A ceiling that nobody can compute this way.
    #[error("ceiling `{policy}` needs averages of counts, which a summary does not have")]
    Ceiling {
        /// As it was given.
        policy: String,
    },
    /// No model beats an own one on the rows that it was fitted to.
    #[error(
        "ceiling `alone:{factor}` leaves nobody anything: agents answer about the rows that their own models fit"
    )]
    Alone {
        /// As it was given.
        factor: f64,
    },
    /// A budget that means nothing.
    #[error("`@budget` is `{budget}`")]
    Budget {
        /// As it was given.
        budget: f64,
    },
    /// A file without a whole predictor, or flags that the predictor decides.
    #[error("{} `{}`", if *asked { "the ball, ridge and intercept are those of" } else { "there is no predictor in" }, path.display())]
    Predictor {
        /// The file.
        path: PathBuf,
        /// Whether the flags are wrong, not the file.
        asked: bool,
    },
    /// Nobody of that name takes part.
    #[error("no agent is called `{name}`")]
    Stranger {
        /// The name.
        name: String,
        /// Who takes part.
        known: Vec<String>,
    },
    /// The key belongs to nobody in these terms.
    #[error("the key is not that of `{agent}` in these terms")]
    OtherKey {
        /// The agent.
        agent: String,
    },
    /// Answers would be about other rows than the summary was.
    #[error("`{}` has {found} rows, and the summary of `{agent}` told {told}", path.display())]
    Rows {
        /// The agent.
        agent: String,
        /// The file.
        path: PathBuf,
        /// Rows of the summary.
        told: usize,
        /// Rows of the file.
        found: usize,
    },
    /// The terms ask for something that cannot be.
    #[error("these terms cannot be asked about: {reason}")]
    Setup {
        /// What is wrong.
        reason: String,
        /// What can be done.
        help: String,
    },
    /// Summaries do not make one encoding.
    #[error(transparent)]
    Agree(#[from] corefed_data::AgreeError),
}

impl MailError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Nothing { .. } => {
                "put the agents' files of `@corefed summarise` there; docs/rows-stay.md tells the whole way"
            }
            Self::Begun { .. } => "leave the terms out, or begin a new folder with the summaries",
            Self::Twice { .. } => "keep the one that the agent stands for",
            Self::Differ { .. } => {
                "agents use the same `@model`, `@target`, `@agent-column`, `@exposure` and `@raw`"
            }
            Self::Foreign { .. } => "ask that agent for the file again",
            Self::Questions { .. } => "ask the coordinator for the file again",
            Self::BadAnswer { help, .. } | Self::Setup { help, .. } => help,
            Self::Ceiling { .. } => {
                "have agents summarise again with this version, or use a number, a .csv file, `initial:F`, \
                 `constant:F`, `alone:F` or `worst`"
            }
            Self::Alone { .. } => "give a factor above one, such as `alone:1.2`",
            Self::Budget { .. } => "give numbers per cell that you own, such as 0.5",
            Self::Predictor { asked: true, .. } => "leave out `@radius`, `@l2` and `@no-intercept`",
            Self::Predictor { .. } => {
                "give the JSON of `@corefed solve --json` or `@corefed audit --json`"
            }
            Self::Stranger { known, .. } => {
                return Some(format!("agents are {}", known.join(", ")));
            }
            Self::Rows { .. } => {
                "give the file that was summarised; if its rows have changed, begin again with a new summary"
            }
            Self::OtherKey { .. } => "use the key whose public half is in your summary",
            Self::Agree(_) => {
                "agents agree on columns and their types; `@column NAME=number|text|ignore` decides"
            }
        };
        Some(hint.to_owned())
    }
}
