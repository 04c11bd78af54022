//! Two models on the same held-out rows of one agent.
//!
//! The rows must be independent draws that were used neither for training nor in the search for
//! the rival or its coalition; then what is said here is about the distribution they come from.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{SampleError, Samples};

/// What a held-out row is worth to its agent. A mean can only be bounded when this is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RowUtility {
    /// `M - l`, where every loss is known beforehand to lie in `0..=bound`. An infinite bound, as
    /// cross-entropy has, is refused.
    LossUpTo(f64),
    /// `max(0, M - l)` in `0..=M`, for losses without a bound: a row that costs more than the
    /// ceiling counts as one that costs the ceiling.
    ///
    /// This is another utility, never smaller than the plain one. A statement made with it is about
    /// truncated utilities on both sides.
    TruncatedUtility,
}

/// Per-row losses of incumbent and rival on one agent's held-out rows, row by row the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOut<'a> {
    /// The agent's ceiling, `M > 0`.
    pub ceiling: f64,
    /// Losses of the incumbent.
    pub incumbent: &'a [f64],
    /// Losses of the rival.
    pub rival: &'a [f64],
}

/// Held-out losses from which nothing can be concluded.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HeldOutError {
    /// A loss that the chosen utility does not allow.
    #[error(
        "row {row} of agent {agent} has the loss `{loss}` under the {model}; losses must lie in \
         `0..={most}`"
    )]
    Loss {
        /// Index of the agent.
        agent: usize,
        /// Position of the row, from zero.
        row: usize,
        /// `incumbent` or `rival`.
        model: &'static str,
        /// The loss.
        loss: f64,
        /// The largest that is allowed.
        most: f64,
    },
    /// The two models were not evaluated on the same rows.
    #[error(
        "agent {agent} has {incumbent} losses of the incumbent and {rival} of the rival; both \
         models must be evaluated on the same rows"
    )]
    Unpaired {
        /// Index of the agent.
        agent: usize,
        /// Rows under the incumbent.
        incumbent: usize,
        /// Rows under the rival.
        rival: usize,
    },
    /// A ceiling that leaves nothing to gain.
    #[error("the ceiling of agent {agent} is `{ceiling}`; it must be positive and finite")]
    Ceiling {
        /// Index of the agent.
        agent: usize,
        /// The ceiling.
        ceiling: f64,
    },
    /// No interval exists.
    #[error("agent {agent}: {source}")]
    Samples {
        /// Index of the agent.
        agent: usize,
        /// Why not.
        source: SampleError,
    },
    /// The coalition is empty or names an agent twice or one that does not exist.
    #[error("`{members:?}` is not a coalition of {agents} agents")]
    Coalition {
        /// The members given.
        members: Vec<usize>,
        /// How many agents there are.
        agents: usize,
    },
    /// Held-out losses for another number of agents than asked for.
    #[error("{given} agents have held-out losses and {expected} need them")]
    Agents {
        /// How many were given.
        given: usize,
        /// How many are needed.
        expected: usize,
    },
}

/// The utilities of one agent's rows under both models, and the range they lie in.
pub(crate) struct PairedUtilities {
    agent: usize,
    now: Vec<f64>,
    then: Vec<f64>,
    least: f64,
    most: f64,
}

impl RowUtility {
    /// Checks the losses of one agent and turns them into utilities.
    pub(crate) fn pair(
        self,
        agent: usize,
        rows: &HeldOut<'_>,
    ) -> Result<PairedUtilities, HeldOutError> {
        let (incumbent, rival) = (rows.incumbent.len(), rows.rival.len());
        if incumbent != rival {
            return Err(HeldOutError::Unpaired { agent, incumbent, rival });
        }
        let ceiling = rows.ceiling;
        if !(ceiling > 0.0 && ceiling.is_finite()) {
            return Err(HeldOutError::Ceiling { agent, ceiling });
        }
        let (most_loss, least) = match self {
            Self::LossUpTo(bound) if bound.is_finite() => (bound, ceiling - bound),
            Self::LossUpTo(_) => {
                return Err(HeldOutError::Samples { agent, source: SampleError::NotBounded });
            }
            Self::TruncatedUtility => (f64::MAX, 0.0),
        };
        let worth = |model: &'static str, losses: &[f64]| {
            let each = losses.iter().enumerate().map(|(row, &loss)| {
                if loss >= 0.0 && loss <= most_loss {
                    Ok((ceiling - loss).max(least))
                } else {
                    Err(HeldOutError::Loss { agent, row, model, loss, most: most_loss })
                }
            });
            each.collect::<Result<Vec<f64>, HeldOutError>>()
        };
        Ok(PairedUtilities {
            agent,
            now: worth("incumbent", rows.incumbent)?,
            then: worth("rival", rows.rival)?,
            least,
            most: ceiling,
        })
    }
}

impl PairedUtilities {
    /// Whether a row may be worth less than nothing, so that differences alone do not say whether
    /// the agent gets anything (ledger E38).
    pub(crate) fn may_be_negative(&self) -> bool {
        self.least < 0.0
    }

    /// `u'`, row by row: what the rival gives.
    pub(crate) fn given(&self) -> Result<Samples, HeldOutError> {
        Samples::new(&self.then, self.least, self.most)
            .map_err(|source| HeldOutError::Samples { agent: self.agent, source })
    }

    /// `share * u' - u`, row by row: where utilities are not negative, positive in the mean iff the
    /// agent would join a coalition with that share (ledger E38). Rows that are hard under both models cancel, so its variance
    /// is far smaller than that of either utility.
    pub(crate) fn differences(&self, share: f64) -> Result<Samples, HeldOutError> {
        let pairs = self.then.iter().zip(&self.now);
        let values: Vec<f64> = pairs.map(|(then, now)| share * then - now).collect();
        // Rounding is monotone, so values computed like the ends of the range stay inside it.
        let (lo, hi) = (share * self.least - self.most, share * self.most - self.least);
        Samples::new(&values, lo, hi)
            .map_err(|source| HeldOutError::Samples { agent: self.agent, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(utility: RowUtility, rows: &HeldOut<'_>) -> Result<Samples, HeldOutError> {
        utility.pair(3, rows)?.differences(0.5)
    }

    #[test]
    fn differences_are_taken_row_by_row() {
        // M = 1, share 1/2: 0.5 * (1 - l') - (1 - l).
        let rows = HeldOut { ceiling: 1.0, incumbent: &[0.5, 1.0], rival: &[0.0, 2.0] };
        let plain = differences(RowUtility::LossUpTo(2.0), &rows).unwrap();
        assert_eq!(plain.range(), (-1.5, 1.5));
        assert!((plain.mean() - (0.0 - 0.5) / 2.0).abs() < 1e-15);
        // The second row of the rival is worth nothing instead of -1.
        let truncated = differences(RowUtility::TruncatedUtility, &rows).unwrap();
        assert_eq!(truncated.range(), (-1.0, 0.5));
        assert!(truncated.mean().abs() < 1e-15);
    }

    #[test]
    fn unbounded_losses_are_refused_unless_truncated() {
        let rows = HeldOut { ceiling: 1.0, incumbent: &[0.5], rival: &[1e300] };
        let refused = differences(RowUtility::LossUpTo(f64::INFINITY), &rows).unwrap_err();
        let not_bounded = HeldOutError::Samples { agent: 3, source: SampleError::NotBounded };
        assert_eq!(refused, not_bounded);
        assert!(refused.to_string().contains("truncated utility"), "{refused}");
        assert!(differences(RowUtility::TruncatedUtility, &rows).is_ok());
    }

    #[test]
    fn errors_name_the_agent_and_the_row() {
        let rows = HeldOut { ceiling: 1.0, incumbent: &[0.5, 0.5], rival: &[0.5, 3.0] };
        let refused = differences(RowUtility::LossUpTo(2.0), &rows).unwrap_err().to_string();
        assert!(
            refused.starts_with("row 1 of agent 3 has the loss `3` under the rival"),
            "{refused}"
        );
        for bad in [-0.5, f64::NAN, f64::INFINITY] {
            let rows = HeldOut { ceiling: 1.0, incumbent: &[bad], rival: &[0.5] };
            let refused = differences(RowUtility::TruncatedUtility, &rows).unwrap_err();
            assert!(matches!(refused, HeldOutError::Loss { row: 0, .. }), "{refused}");
        }
        let rows = HeldOut { ceiling: 1.0, incumbent: &[0.5], rival: &[] };
        let refused = differences(RowUtility::TruncatedUtility, &rows).unwrap_err();
        assert!(matches!(refused, HeldOutError::Unpaired { .. }), "{refused}");
        let rows = HeldOut { ceiling: 0.0, incumbent: &[0.5], rival: &[0.5] };
        let refused = differences(RowUtility::TruncatedUtility, &rows).unwrap_err();
        assert!(matches!(refused, HeldOutError::Ceiling { .. }), "{refused}");
    }
}
