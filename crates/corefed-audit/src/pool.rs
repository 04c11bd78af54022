//! Every bound proven so far, searchable by coalition.

use corefed_core::Conflict;

use crate::coalition::Coalition;

/// What bounds the common gain of some agents, and so of every coalition that contains them.
pub trait Bounding {
    /// The agents.
    fn agents(&self) -> Coalition;
    /// What they gain at most, all at once.
    fn bound(&self) -> f64;
}

impl Bounding for Conflict {
    fn agents(&self) -> Coalition {
        Coalition::from_members(&self.agents)
    }

    fn bound(&self) -> f64 {
        self.bound
    }
}

/// Bounds found so far. One bounds every coalition that contains its agents, so one solved program
/// prunes many branches.
#[derive(Clone, Debug)]
pub struct Pool<C> {
    found: Vec<C>,
    /// `(bound, agents, index)`, ascending by bound: the first match is the tightest.
    by_bound: Vec<(f64, Coalition, usize)>,
    used: Vec<bool>,
}

/// The tightest known bound on the common gain of a coalition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownBound {
    /// The bound.
    pub bound: f64,
    /// What proves it, by its place in the pool.
    pub index: usize,
}

impl<C> Default for Pool<C> {
    fn default() -> Self {
        Self { found: Vec::new(), by_bound: Vec::new(), used: Vec::new() }
    }
}

impl<C: Bounding> Pool<C> {
    /// Adds a bound.
    pub fn insert(&mut self, found: C) {
        let (bound, key) = (found.bound(), found.agents());
        let at = self.by_bound.partition_point(|(known, ..)| *known <= bound);
        self.by_bound.insert(at, (bound, key, self.found.len()));
        self.found.push(found);
        self.used.push(false);
    }

    /// The tightest bound on the gain that all of `members` can have at once.
    #[must_use]
    pub fn bound(&self, members: Coalition) -> Option<KnownBound> {
        self.by_bound
            .iter()
            .find(|(_, agents, _)| members.contains_all(*agents))
            .map(|&(bound, _, index)| KnownBound { bound, index })
    }

    /// Remembers that the proof rests on this bound.
    pub fn use_bound(&mut self, index: usize) {
        self.used[index] = true;
    }

    /// Forgets what was used: another proof begins.
    pub fn use_none(&mut self) {
        self.used.fill(false);
    }

    /// The bounds that the proof rests on, in the order they were found.
    pub fn used(&self) -> impl Iterator<Item = &C> {
        self.found.iter().zip(&self.used).filter_map(|(found, used)| used.then_some(found))
    }

    /// The same, without the others.
    #[must_use]
    pub fn into_used(self) -> Vec<C> {
        let pairs = self.found.into_iter().zip(self.used);
        pairs.filter_map(|(found, used)| used.then_some(found)).collect()
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
        pool.use_bound(2);
        assert_eq!(pool.into_used(), [conflict(&[2], 1.2)]);
    }
}
