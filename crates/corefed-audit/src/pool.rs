//! Every conflict proven so far, searchable by coalition.

use corefed_core::Conflict;

use crate::coalition::Coalition;

/// Conflicts found so far. A conflict bounds every coalition that contains its agents, so one solved
/// program prunes many branches.
#[derive(Default)]
pub(crate) struct Pool {
    conflicts: Vec<Conflict>,
    /// `(bound, agents, index)`, ascending by bound: the first match is the tightest.
    by_bound: Vec<(f64, Coalition, usize)>,
    used: Vec<bool>,
}

/// The tightest known bound on the common gain of a coalition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KnownBound {
    pub(crate) bound: f64,
    /// The conflict that proves it.
    pub(crate) index: usize,
}

impl Pool {
    pub(crate) fn insert(&mut self, conflict: Conflict) {
        let key = Coalition::from_members(&conflict.agents);
        let at = self.by_bound.partition_point(|(bound, ..)| *bound <= conflict.bound);
        self.by_bound.insert(at, (conflict.bound, key, self.conflicts.len()));
        self.conflicts.push(conflict);
        self.used.push(false);
    }

    /// The tightest bound on the gain that all of `members` can have at once.
    pub(crate) fn bound(&self, members: Coalition) -> Option<KnownBound> {
        self.by_bound
            .iter()
            .find(|(_, agents, _)| members.contains_all(*agents))
            .map(|&(bound, _, index)| KnownBound { bound, index })
    }

    /// Remembers that the proof rests on this conflict.
    pub(crate) fn use_conflict(&mut self, index: usize) {
        self.used[index] = true;
    }

    /// The conflicts that the proof rests on, in the order they were found.
    pub(crate) fn into_used(self) -> Vec<Conflict> {
        let pairs = self.conflicts.into_iter().zip(self.used);
        pairs.filter_map(|(conflict, used)| used.then_some(conflict)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(agents: &[usize], bound: f64) -> Conflict {
        let multipliers = vec![1.0 / agents.len() as f64; agents.len()];
        let (agents, point) = (agents.to_vec(), vec![0.0]);
        Conflict { agents, multipliers, point, correction: None, bound, sphere: None }
    }

    #[test]
    fn the_tightest_conflict_inside_a_coalition_counts() {
        let mut pool = Pool::default();
        pool.insert(conflict(&[0], 3.0));
        pool.insert(conflict(&[0, 1], 1.5));
        pool.insert(conflict(&[2], 1.2));
        let bound = |members: &[usize]| pool.bound(Coalition::from_members(members));
        assert_eq!(bound(&[0, 1]), Some(KnownBound { bound: 1.5, index: 1 }));
        assert_eq!(bound(&[0, 3]), Some(KnownBound { bound: 3.0, index: 0 }));
        assert_eq!(bound(&[1]), None);
        pool.use_conflict(2);
        assert_eq!(pool.into_used(), [conflict(&[2], 1.2)]);
    }
}
