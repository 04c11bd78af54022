//! Why a server refuses to exist, or to take a step.

use corefed_core::Range;
use thiserror::Error;

use crate::Rejected;

/// What is wrong with a setting, or with what `apply` was given.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ServerError {
    /// The rule sends derivatives instead of updates.
    #[error("the Newton rule averages no updates")]
    NotAnAverage,
    /// A knob is out of its range.
    #[error("`{name}` is `{value}`; it must be {range}")]
    Setting {
        /// The knob.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: Range,
    },
    /// A ceiling is not usable.
    #[error("the ceiling of agent {agent} is `{value}`; ceilings must be between 1e-30 and 1e300")]
    Ceiling {
        /// Index of the agent.
        agent: usize,
        /// Its ceiling.
        value: f64,
    },
    /// Two lists that should be as long as each other are not.
    #[error("{what} has length {found}, but {expected} is expected")]
    Length {
        /// Which list.
        what: What,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// Everybody was left out; the model and the state are as they were.
    #[error("nobody is left in the cohort: {}", listed(rejected))]
    NobodyLeft {
        /// Who, and why.
        rejected: Vec<Rejected>,
    },
}

/// A list whose length can be wrong.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum What {
    /// One ceiling per agent.
    #[error("the list of ceilings")]
    Ceilings,
    /// The weights of a warm-up.
    #[error("the list of warm-up weights")]
    Weights,
    /// An update, by agent.
    #[error("the update of agent {0}")]
    Update(usize),
    /// The parts of an update, by agent.
    #[error("the list of parts of agent {0}'s update")]
    Parts(usize),
    /// The multipliers or ceilings of the state.
    #[error("the state")]
    State,
    /// The velocity of the state.
    #[error("the velocity")]
    Velocity,
}

impl ServerError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotAnAverage => Some("Newton's step is taken by the solver, not by averaging"),
            Self::NobodyLeft { .. } => {
                Some("a smaller learning rate, or a finite `clip`, keeps local training finite")
            }
            Self::Length { what: What::State | What::Velocity, .. } => {
                Some("this state belongs to another federation or model; start from `Server::init`")
            }
            Self::Setting { .. } | Self::Ceiling { .. } | Self::Length { .. } => None,
        }
    }
}

fn listed(rejected: &[Rejected]) -> String {
    if rejected.is_empty() {
        return "nobody reported".to_owned();
    }
    let reasons = rejected.iter().map(|r| format!("agent {} ({})", r.agent, r.reason));
    reasons.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    #[test]
    fn messages_name_agents_and_reasons() {
        let rejected = vec![
            Rejected { agent: 2, reason: Reason::LossNegative },
            Rejected { agent: 5, reason: Reason::UpdateNotFinite },
        ];
        assert_eq!(
            ServerError::NobodyLeft { rejected }.to_string(),
            "nobody is left in the cohort: agent 2 (its loss is negative), \
             agent 5 (its update is not finite)"
        );
        let nobody = ServerError::NobodyLeft { rejected: Vec::new() };
        assert_eq!(nobody.to_string(), "nobody is left in the cohort: nobody reported");
        let length = ServerError::Length { what: What::Update(3), found: 9, expected: 10 };
        assert_eq!(length.to_string(), "the update of agent 3 has length 9, but 10 is expected");
    }
}
