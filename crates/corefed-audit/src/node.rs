//! A set of coalitions that a search has not told apart yet.

use std::sync::Arc;

use corefed_core::Weights;

use crate::coalition::Coalition;

/// Coalitions that contain `inside` and otherwise only agents of `undecided`.
#[derive(Clone, Debug)]
pub struct Node {
    /// In all of its coalitions.
    pub inside: Coalition,
    /// In some of them.
    pub undecided: Coalition,
    /// What the program of `inside` is known to reach; absent before it is solved.
    pub reached: Option<Reached>,
    /// Parameters to start its program from.
    pub start: Arc<Vec<f64>>,
    /// A single coalition whose program was asked for one last time.
    pub settled: bool,
}

/// A solved program, as far as later branches need it.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The common gain that `params` give.
    pub lower: f64,
    /// Whether the bounds met, so that solving again would not help.
    pub tight: bool,
    /// The best parameters found.
    pub params: Arc<Vec<f64>>,
}

impl Node {
    /// Everybody is not among a node's coalitions. With one agent undecided and nobody outside, taking
    /// that one in would make it everybody, so it stays out.
    pub fn leave_somebody(&mut self, weights: &Weights) {
        if self.reaches_everybody(weights) && self.undecided.members().count() == 1 {
            self.undecided = Coalition::EMPTY;
        }
    }

    /// The largest share of one of its coalitions (ledger E11).
    #[must_use]
    pub fn share(&self, weights: &Weights) -> f64 {
        let share = self.inside.union(self.undecided).share(weights);
        if !self.reaches_everybody(weights) {
            return share;
        }
        let lightest =
            self.undecided.members().map(|agent| weights.values()[agent]).reduce(f64::min);
        // Rounded up, so that no sum of the weights of a coalition comes out larger.
        lightest.map_or(share, |w| (share - w / weights.total()) * (1.0 + 4.0 * f64::EPSILON))
    }

    fn reaches_everybody(&self, weights: &Weights) -> bool {
        self.inside.union(self.undecided) == Coalition::everybody(weights.values().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nobody_is_outside_the_lightest_undecided_agent_stays_behind() {
        let weights = Weights::new(vec![1.0, 2.0, 5.0]).unwrap();
        let node = |inside: &[usize], undecided: &[usize]| Node {
            inside: Coalition::from_members(inside),
            undecided: Coalition::from_members(undecided),
            reached: None,
            start: Arc::new(vec![0.0]),
            settled: false,
        };
        let close = |node: &Node, share: f64| (node.share(&weights) - share).abs() < 1e-14;
        assert!(close(&node(&[0], &[1, 2]), 6.0 / 8.0));
        assert!(close(&node(&[0], &[2]), 6.0 / 8.0));
        let mut last = node(&[0, 1], &[2]);
        assert!(close(&last, 3.0 / 8.0));
        last.leave_somebody(&weights);
        assert!(last.undecided.is_empty() && close(&last, 3.0 / 8.0));
        let mut open = node(&[0], &[2]);
        open.leave_somebody(&weights);
        assert!(!open.undecided.is_empty());
    }
}
