//! Who takes part in a round, and whose work arrives.

use std::num::NonZeroUsize;

/// As `[train.participation]` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Participation {
    /// How many agents take part in a round; with [`Draw::Fixed`] always those it names.
    pub cohort: Cohort,
    /// Which.
    pub draw: Draw,
    /// Chance that an update never arrives, in [0, 1).
    pub dropout: f64,
    /// Chance that an agent finishes only part of its work, in [0, 1].
    pub stragglers: f64,
    /// That part, in (0, 1].
    pub straggler_work: f64,
}

/// How many agents take part in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cohort {
    /// Everybody.
    All,
    /// A number of agents.
    Count(NonZeroUsize),
    /// A fraction of the agents, in (0, 1).
    Fraction(f64),
}

/// Which agents take part in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Every cohort of that size is equally likely.
    Uniform,
    /// Agents with more rows are drawn more often, in proportion.
    Size,
    /// These, in every round; at least one, none twice.
    Fixed(Vec<String>),
}

impl Participation {
    /// Whether all work of the same agents arrives in every round: everybody's, or a fixed cohort's.
    #[must_use]
    pub fn is_constant(&self, agents: usize) -> bool {
        let same = matches!(self.draw, Draw::Fixed(_)) || self.cohort.size(agents) == agents;
        same && self.dropout == 0.0 && self.stragglers == 0.0
    }

    /// Whether all of everybody's work arrives in every round.
    #[must_use]
    pub fn is_whole(&self, agents: usize) -> bool {
        let chosen = match &self.draw {
            Draw::Fixed(names) => names.len(),
            Draw::Uniform | Draw::Size => self.cohort.size(agents),
        };
        chosen == agents && self.dropout == 0.0 && self.stragglers == 0.0
    }
}

impl Cohort {
    /// The cohort's size among `agents` agents: rounded, at least one, at most all.
    ///
    /// ```
    /// # use corefed_spec::Cohort;
    /// assert_eq!(Cohort::Fraction(0.25).size(10), 3);
    /// assert_eq!(Cohort::Fraction(0.01).size(10), 1);
    /// ```
    #[must_use]
    pub fn size(self, agents: usize) -> usize {
        let size = match self {
            Self::All => agents,
            Self::Count(count) => count.get(),
            Self::Fraction(fraction) => rounded(fraction * agents as f64),
        };
        size.max(1).min(agents)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a fraction of a count is neither negative nor larger than the count"
)]
fn rounded(count: f64) -> usize {
    count.round() as usize
}

impl Default for Participation {
    fn default() -> Self {
        Self {
            cohort: Cohort::All,
            draw: Draw::Uniform,
            dropout: 0.0,
            stragglers: 0.0,
            straggler_work: 0.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cohorts_have_somebody_and_no_more_than_there_are() {
        let count = |n| Cohort::Count(NonZeroUsize::new(n).unwrap());
        for (cohort, agents, expected) in [
            (Cohort::All, 7, 7),
            (count(3), 7, 3),
            (count(9), 7, 7),
            (Cohort::Fraction(0.5), 7, 4),
            (Cohort::Fraction(0.1), 4, 1),
            (Cohort::Fraction(0.99), 7, 7),
            (Cohort::Fraction(0.5), 0, 0),
        ] {
            assert_eq!(cohort.size(agents), expected, "{cohort:?} of {agents}");
        }
    }
}
