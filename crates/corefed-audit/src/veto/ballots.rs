//! What each agent thinks of each model: places in an order, nothing more.

use std::cmp::Ordering;

use corefed_core::Prefer;

/// The order of models of every agent, with ties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballots {
    /// `places[agent][model]`; a larger place is better, equal places are ties.
    places: Vec<Vec<usize>>,
}

impl Ballots {
    /// Orders the models of a table `values[model][agent]`; rows are of equal length.
    ///
    /// Values are compared exactly; nothing counts as a tie that is not equal.
    #[must_use]
    pub fn new<N: Ord>(values: &[Vec<N>], prefer: Prefer) -> Self {
        let agents = values.first().map_or(0, Vec::len);
        let places = (0..agents).map(|agent| {
            let better = |a: usize, b: usize| -> Ordering {
                let order = values[a][agent].cmp(&values[b][agent]);
                if prefer == Prefer::Larger { order } else { order.reverse() }
            };
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| better(a, b));
            let mut places = vec![0; values.len()];
            for pair in order.windows(2) {
                let step = usize::from(better(pair[0], pair[1]) == Ordering::Less);
                places[pair[1]] = places[pair[0]] + step;
            }
            places
        });
        Self { places: places.collect() }
    }

    /// Whether an agent strictly prefers one model to another.
    #[must_use]
    pub fn prefers(&self, agent: usize, model: usize, to: usize) -> bool {
        self.places[agent][model] > self.places[agent][to]
    }

    /// The place of a model; larger is better.
    pub(super) fn place(&self, agent: usize, model: usize) -> usize {
        self.places[agent][model]
    }

    /// The worst of some models to an agent; among ties, the last listed.
    pub(super) fn worst(&self, agent: usize, of: impl Iterator<Item = usize>) -> Option<usize> {
        let places = &self.places[agent];
        of.min_by_key(|&model| (places[model], std::cmp::Reverse(model)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_a_place_and_losses_turn_the_order() {
        let table = [vec![3, 1], vec![5, 1], vec![3, 0]];
        let larger = Ballots::new(&table, Prefer::Larger);
        assert_eq!(larger.places, [[0, 1, 0], [1, 1, 0]]);
        assert!(larger.prefers(0, 1, 0) && !larger.prefers(1, 1, 0) && !larger.prefers(0, 0, 2));
        let smaller = Ballots::new(&table, Prefer::Smaller);
        assert_eq!(smaller.places, [[1, 0, 1], [0, 0, 1]]);
        assert_eq!(larger.worst(0, 0..3), Some(2));
    }
}
