//! A set of coalitions that a search has not told apart yet.

use std::sync::Arc;

use corefed_solve::Problem;

use crate::coalition::Coalition;

/// Coalitions that contain `inside` and otherwise only agents of `undecided`.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) inside: Coalition,
    pub(crate) undecided: Coalition,
    /// What the program of `inside` is known to reach; absent before it is solved.
    pub(crate) reached: Option<Reached>,
    /// Parameters to start its program from.
    pub(crate) start: Arc<Vec<f64>>,
    /// A single coalition whose program was asked for one last time.
    pub(crate) settled: bool,
}

/// A solved program, as far as later branches need it.
#[derive(Clone)]
pub(crate) struct Reached {
    pub(crate) lower: f64,
    /// Whether the bounds met, so that solving again would not help.
    pub(crate) tight: bool,
    pub(crate) params: Arc<Vec<f64>>,
}

impl Node {
    /// Everybody is not among a node's coalitions. With one agent undecided and nobody outside, taking
    /// that one in would make it everybody, so it stays out.
    pub(crate) fn leave_somebody(&mut self, problem: &Problem<'_>) {
        if self.reaches_everybody(problem) && self.undecided.members().count() == 1 {
            self.undecided = Coalition::EMPTY;
        }
    }

    /// The largest share of one of its coalitions (ledger E11).
    pub(crate) fn share(&self, problem: &Problem<'_>) -> f64 {
        let weights = &problem.weights;
        let share = self.inside.union(self.undecided).share(weights);
        if !self.reaches_everybody(problem) {
            return share;
        }
        let lightest =
            self.undecided.members().map(|agent| weights.values()[agent]).reduce(f64::min);
        // Rounded up, so that no sum of the weights of a coalition comes out larger.
        lightest.map_or(share, |w| (share - w / weights.total()) * (1.0 + 4.0 * f64::EPSILON))
    }

    fn reaches_everybody(&self, problem: &Problem<'_>) -> bool {
        self.inside.union(self.undecided) == Coalition::everybody(problem.agents())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::Weights;
    use corefed_model::{Quadratic, QuadraticLosses};

    #[test]
    fn where_nobody_is_outside_the_lightest_undecided_agent_stays_behind() {
        let flat = Quadratic { matrix: vec![1.0], linear: vec![0.0], constant: 0.0 };
        let losses = QuadraticLosses::new(1, vec![flat; 3], 0.0);
        let weights = Weights::new(vec![1.0, 2.0, 5.0]).unwrap();
        let problem = Problem::new(&losses, vec![1.0; 3], weights, 1.0);
        let node = |inside: &[usize], undecided: &[usize]| Node {
            inside: Coalition::from_members(inside),
            undecided: Coalition::from_members(undecided),
            reached: None,
            start: Arc::new(vec![0.0]),
            settled: false,
        };
        let close = |node: &Node, share: f64| (node.share(&problem) - share).abs() < 1e-14;
        assert!(close(&node(&[0], &[1, 2]), 6.0 / 8.0));
        assert!(close(&node(&[0], &[2]), 6.0 / 8.0));
        let mut last = node(&[0, 1], &[2]);
        assert!(close(&last, 3.0 / 8.0));
        last.leave_somebody(&problem);
        assert!(last.undecided.is_empty() && close(&last, 3.0 / 8.0));
        let mut open = node(&[0], &[2]);
        open.leave_somebody(&problem);
        assert!(!open.undecided.is_empty());
    }
}
