//! The least core: payments that leave the most tempted coalition as little to gain as possible.

use crate::nearest::nearest;
use crate::{Game, simplex};

/// The least core of a game, with what proves its excess.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastCore {
    /// The smallest `e` such that payments exist that sum to `v(N)` and leave no coalition more than `e`
    /// short of its value. Positive: no payments keep everybody.
    pub excess: f64,
    /// Of the payments that reach it, those nearest to the Shapley value.
    pub payments: Vec<f64>,
    /// Coalitions by mask and weights that sum to one and cover every agent equally: their mean value is the
    /// excess above what equal cover of everybody is worth.
    pub proof: Vec<(usize, f64)>,
}

impl Game {
    /// `min e` with `x(S) >= v(S) - e` for every coalition but nobody and everybody, and `x(N) = v(N)`
    /// (ledger E54).
    ///
    /// The excess of a single agent is that of the empty family of coalitions, minus infinity, so games of
    /// one agent have no least core.
    #[must_use]
    pub fn least_core(&self) -> Option<LeastCore> {
        if self.agents() < 2 {
            return None;
        }
        let found = simplex::solve(self);
        let payments = nearest(self, &self.shapley(), found.excess, &found.payments);
        Some(LeastCore { excess: found.excess, payments, proof: found.weights })
    }
}
