//! Why rows cannot be divided as asked.

use thiserror::Error;

use super::MOST_AGENTS;

/// Why rows cannot be divided as asked, or an assignment is not a partition.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PartitionError {
    /// Nobody to divide among.
    #[error("there are no agents")]
    NoAgents,
    /// More agents than anything here is made for.
    #[error("`{agents}` agents are more than the `{MOST_AGENTS}` that are possible")]
    TooManyAgents {
        /// Agents asked for, or values of a column.
        agents: usize,
    },
    /// Rows are numbered by 32 bits.
    #[error("`{rows}` rows are more than a partition can number")]
    TooManyRows {
        /// Rows of the data.
        rows: usize,
    },
    /// No division can give every agent its minimum.
    #[error("`{agents}` agents with at least `{minimum}` rows each need more than `{rows}` rows")]
    TooFewRows {
        /// Agents asked for.
        agents: usize,
        /// Rows each must have.
        minimum: usize,
        /// Rows there are.
        rows: usize,
    },
    /// An agent may not be empty.
    #[error("the least number of rows must be at least `1`, not `0`")]
    NoMinimum,
    /// The concentration is not a positive number.
    #[error("alpha must be a finite number of at least `1e-9`, not `{alpha}`")]
    Alpha {
        /// The number given.
        alpha: f64,
    },
    /// A row of a class that is not there.
    #[error("row `{row}` has label `{label}` but there are only `{classes}` classes")]
    Label {
        /// Index of the row from zero.
        row: usize,
        /// Its label.
        label: u32,
        /// Number of classes.
        classes: u32,
    },
    /// No draw gave every agent its minimum.
    #[error(
        "no split in `{attempts}` attempts gave every agent `{minimum}` rows; \
         in the best, the smallest agent had `{best}`"
    )]
    Unlucky {
        /// Splits drawn.
        attempts: u64,
        /// Rows each agent must have.
        minimum: usize,
        /// Rows of the smallest agent, in the split where it had most.
        best: usize,
    },
    /// Not even one shard per agent, or more shards than rows.
    #[error("`{agents}` agents with `{shards_per_agent}` shards each cannot share `{rows}` rows")]
    Shards {
        /// Agents asked for.
        agents: usize,
        /// Shards each is dealt.
        shards_per_agent: usize,
        /// Rows there are.
        rows: usize,
    },
    /// A column that names a single owner.
    #[error("all `{rows}` rows belong to agent `{agent}`")]
    OneGroup {
        /// The only name.
        agent: String,
        /// Rows there are.
        rows: usize,
    },
    /// A row without owner in the column that names owners.
    #[error("row `{row}` names no agent")]
    UnnamedGroup {
        /// Index of the row from zero.
        row: usize,
    },
    /// An agent without a name.
    #[error("agent number `{agent}` has no name")]
    Unnamed {
        /// Index of the agent from zero.
        agent: usize,
    },
    /// Two agents with one name.
    #[error("two agents are called `{agent}`")]
    TwinAgents {
        /// The repeated name.
        agent: String,
    },
    /// An agent with nothing to learn from.
    #[error("agent `{agent}` has no rows")]
    NoRowsOf {
        /// Its name.
        agent: String,
    },
    /// A row that the data do not have.
    #[error("agent `{agent}` is given row `{row}` but there are only `{rows}` rows")]
    OutOfRange {
        /// Its name.
        agent: String,
        /// The row, counted from zero.
        row: u32,
        /// Rows there are.
        rows: usize,
    },
    /// The rows at hand are not those that were divided.
    #[error("the partition divides `{drawn}` rows but there are `{present}`")]
    OtherRows {
        /// Rows the partition was drawn for.
        drawn: usize,
        /// Rows of the data at hand.
        present: usize,
    },
    /// A row that is listed twice.
    #[error("row `{row}` is given to agent `{first}` and again to agent `{second}`")]
    TwoOwners {
        /// The row, counted from zero.
        row: u32,
        /// Who has it first.
        first: String,
        /// Who has it again; may be the same.
        second: String,
    },
}

impl PartitionError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::TooManyAgents { .. } => "does the column name owners, or does it number rows?",
            Self::TooFewRows { .. } => "ask for fewer agents or a smaller minimum",
            Self::Alpha { .. } => "0.1 is very uneven, 1 is uneven, 100 is nearly even",
            Self::Label { .. } => "labels count from zero",
            Self::Unlucky { .. } => "try a larger alpha, fewer agents, or a smaller minimum",
            Self::Shards { .. } => "every agent needs a shard and every shard a row",
            Self::OneGroup { .. } => "is the agent column right? a federation has two or more",
            Self::NoMinimum => "an agent without rows has no utility to speak of",
            Self::UnnamedGroup { .. } => "fill in the owner or remove the row",
            Self::OutOfRange { .. } | Self::OtherRows { .. } => {
                "was the partition drawn from other data?"
            }
            Self::NoAgents
            | Self::TooManyRows { .. }
            | Self::Unnamed { .. }
            | Self::TwinAgents { .. }
            | Self::NoRowsOf { .. }
            | Self::TwoOwners { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
