//! What is wrong with weights, ceilings, ball or limits.

use corefed_core::setting;
use corefed_solve::Rule;
use thiserror::Error;

/// Why a problem cannot be posed or solved under the terms asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TermsError {
    /// The model has no largest loss that could be a ceiling.
    #[error("`{model}` has no largest loss")]
    NoWorstLoss {
        /// The model.
        model: String,
    },
    /// The ball has no radius.
    #[error("the radius is `{radius}`; it must be positive")]
    Radius {
        /// The radius.
        radius: f64,
    },
    /// The ridge penalty is negative or not a number.
    #[error("l2 is `{l2}`; it must not be negative")]
    Ridge {
        /// The penalty.
        l2: f64,
    },
    /// A tolerance with which `stable` means nothing.
    #[error("`@tolerance` is `{tolerance}`")]
    Tolerance {
        /// The tolerance.
        tolerance: f64,
        /// Whether zero would be allowed.
        exact: bool,
    },
    /// A time that makes no sense is better refused than obeyed.
    #[error("`@time-limit` is `{seconds}`")]
    TimeLimit {
        /// The limit.
        seconds: f64,
    },
    /// More agents than exact solvers take.
    #[error("`{file}`: column `{column}` names {agents} agents; exact solvers take at most {most}")]
    ManyAgents {
        /// The data.
        file: String,
        /// The column of owners.
        column: String,
        /// How many there are.
        agents: usize,
        /// How many there may be.
        most: usize,
    },
    /// More parameters than exact solvers take.
    #[error("{file}: the model has {parameters} parameters; exact solvers take at most {most}{}", widest_of(widest.as_ref()))]
    ManyParameters {
        /// The data.
        file: String,
        /// How many there are.
        parameters: usize,
        /// How many there may be.
        most: usize,
        /// The column of text with most levels, and how many it has.
        widest: Option<(String, usize)>,
    },
    /// The data have one agent.
    #[error("{file}: the data have a single agent")]
    SingleAgent {
        /// The data.
        file: String,
    },
    /// No predictor serves these agents together, which is proven.
    #[error("{}", infeasible(file, agents, *bound))]
    Infeasible {
        /// The data.
        file: String,
        /// Their names.
        agents: Vec<String>,
        /// What a weighted mean of their utilities is at most.
        bound: f64,
        /// By how much the ceilings are too low at least.
        shortfall: f64,
    },
    /// No predictor was found that serves everybody.
    #[error("`{file}`: {reason}")]
    NotFound {
        /// The data.
        file: String,
        /// What the solver said.
        reason: String,
    },
    /// The optimum of a rule was not found in time.
    #[error("`{file}`: the {rule} predictor was not found within {seconds} s")]
    FitTime {
        /// The data.
        file: String,
        /// The rule.
        rule: Rule,
        /// How long it was looked for.
        seconds: f64,
    },
    /// The parameters lie outside the ball.
    #[error("{what} have norm {norm:.6}, outside the ball of radius {radius}")]
    OutsideBall {
        /// What they are called.
        what: String,
        /// Their norm.
        norm: f64,
        /// The radius.
        radius: f64,
    },
}

impl TermsError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Infeasible { shortfall, .. } => {
                let least = shortfall.max(0.0);
                return Some(format!(
                    "raise the ceilings by more than {least:.4}, or enlarge the ball with `radius`"
                ));
            }
            Self::Tolerance { exact, .. } => {
                let range = if *exact { "[0, 0.1]" } else { "(0, 0.1]" };
                return Some(format!(
                    "gains up to the tolerance do not count in a verdict; it must lie in {range}"
                ));
            }
            Self::TimeLimit { .. } => "give seconds, zero or more",
            Self::NoWorstLoss { .. } => {
                "set `network.smoothing` above zero, or choose another `ceiling`"
            }
            Self::Radius { .. } => {
                "parameters are searched in a ball; its `radius` is 10 unless told"
            }
            Self::Ridge { .. } => "use zero or a small positive number",
            Self::FitTime { .. } => {
                "raise `@time-limit`, or leave out columns with `@column NAME=ignore`"
            }
            Self::ManyAgents { .. } => {
                "does the column identify rows instead of owners? name another with `agent`"
            }
            Self::ManyParameters { widest: Some((column, _)), .. } => {
                let ignored = setting("column", format!("{column}=ignore"));
                return Some(format!("is `{column}` an identifier? leave it out with {ignored}"));
            }
            Self::ManyParameters { .. } => "leave out columns with `@column NAME=ignore`",
            Self::SingleAgent { .. } => {
                "a coalition needs somebody to leave: give data of at least two agents"
            }
            Self::NotFound { .. } => "raise the ceilings, or enlarge the ball with `radius`",
            Self::OutsideBall { .. } => {
                "choose a larger `radius`; rivals are searched in the same ball"
            }
        };
        Some(hint.to_owned())
    }
}

fn widest_of(widest: Option<&(String, usize)>) -> String {
    widest
        .map(|(column, levels)| format!("; column `{column}` alone has {levels} different texts"))
        .unwrap_or_default()
}

fn infeasible(file: &str, agents: &[String], bound: f64) -> String {
    let names: Vec<String> = agents.iter().map(|name| format!("`{name}`")).collect();
    let (who, what) = match names.as_slice() {
        [one] => (format!("agent {one} cannot have a positive utility"), "its utility"),
        _ => (
            format!("agents {} cannot all have a positive utility", names.join(", ")),
            "a weighted mean of their utilities",
        ),
    };
    format!(
        "`{file}`: {who} under these ceilings: whatever the predictor, {what} is at most {bound:.6}"
    )
}
