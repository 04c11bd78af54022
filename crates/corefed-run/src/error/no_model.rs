//! Why a group has no model, which is an outcome: the others are still compared.

use corefed_sim::{EngineError, TrainError};
use corefed_solve::Infeasible;
use thiserror::Error;

/// Why a group of agents has no model, or none that can be compared.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NoModel {
    /// Its training could not begin.
    #[error(transparent)]
    Settings(#[from] EngineError),
    /// Its training broke off.
    #[error(transparent)]
    Training(#[from] TrainError),
    /// Not all of its members can be served, which is proven.
    #[error(
        "no model gives {} a positive utility under these ceilings; they are too low by {:.4}",
        agents.join(", "),
        shortfall.max(0.0)
    )]
    Infeasible {
        /// The members of the proof.
        agents: Vec<String>,
        /// By how much the ceilings are too low at least.
        shortfall: f64,
    },
    /// Its optimum was not found.
    #[error(transparent)]
    NotFound(Infeasible),
    /// Its optimum is beyond numbers.
    #[error("its parameters are not finite")]
    Parameters,
    /// Its losses are beyond numbers.
    #[error("its losses on held-out rows are not finite")]
    Losses,
    /// Nothing was computed.
    #[error("the {rule} rule has no model")]
    Nothing {
        /// The rule of an optimum.
        rule: String,
    },
    /// The model is the one to compare with.
    #[error("the rule is FedAvg itself")]
    Itself,
    /// By another rule than the one asked for.
    #[error("{by}: {error}")]
    By {
        /// The other rule.
        by: String,
        /// Why it has no model.
        error: Box<NoModel>,
    },
}

impl NoModel {
    /// The same, of a model by another rule.
    pub(crate) fn by(self, by: impl Into<String>) -> Self {
        Self::By { by: by.into(), error: Box::new(self) }
    }

    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Infeasible { shortfall, .. } => {
                Some(format!("raise the ceilings by more than {:.4}", shortfall.max(0.0)))
            }
            Self::By { error, .. } => error.hint(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_cannot_be_served_is_named_with_what_is_missing() {
        let agents = vec!["north".to_owned(), "south".to_owned()];
        let error = NoModel::Infeasible { agents, shortfall: 0.25 }.by("the core rule");
        assert_eq!(
            error.to_string(),
            "the core rule: no model gives north, south a positive utility under these ceilings; they are \
             too low by 0.2500"
        );
        assert_eq!(error.hint().as_deref(), Some("raise the ceilings by more than 0.2500"));
    }
}
