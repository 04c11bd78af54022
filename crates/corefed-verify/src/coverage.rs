//! Coverage: is every coalition bounded by some conflict?
//!
//! A conflict bounds the common gain of every coalition that contains its agents, so it proves
//! `kappa <= hi` for those whose share is small enough. A coalition that no conflict bounds would
//! make the whole claim worthless, so all of them are accounted for: by cases on who belongs.
//! Everybody together is not asked about, and neither is a coalition with a hopeless member.

use crate::enclosed::Enclosed;
use crate::sum::sum;

/// Coalitions are bit masks.
pub(crate) const MOST_AGENTS: usize = 128;
/// Comparisons of a coalition with a conflict before the check is given up: some seconds.
pub(crate) const MOST_TESTS: u64 = 5_000_000_000;

/// Why coverage is not established.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unproven {
    /// No conflict bounds this coalition.
    Uncovered(Vec<usize>),
    /// Undecided after this many comparisons.
    GivenUp(u64),
}

/// Checks that every non-empty coalition `S` of `candidates`, except everybody, contains the agents of a
/// conflict with `(w(S)/W) bound <= limit` (ledger E11). Needs `limit >= 0`, and at most
/// [`MOST_AGENTS`] agents.
///
/// Cost: exponential in the worst case, so it is given up after `budget` comparisons.
pub(crate) fn check_coverage(
    conflicts: &[Bounded],
    weights: &[f64],
    candidates: &[usize],
    limit: f64,
    budget: u64,
) -> Result<(), Unproven> {
    let everybody = mask(0..weights.len());
    let limit = sum(weights.iter().copied()) * Enclosed::exact(limit);
    let mut cases = Cases { weights, everybody, limit, budget, tests: 0 };
    cases.cover(0, mask(candidates.iter().copied()), conflicts)
}

/// A conflict as coverage sees it, whatever it was proven from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded {
    /// Every coalition that contains these agents ...
    agents: u128,
    /// ... has a common gain of at most this.
    pub(crate) bound: f64,
}

impl Bounded {
    /// Needs agents below [`MOST_AGENTS`]; the same may come several times.
    pub(crate) fn new(agents: impl IntoIterator<Item = usize>, bound: f64) -> Self {
        Self { agents: mask(agents), bound }
    }
}

fn mask(agents: impl IntoIterator<Item = usize>) -> u128 {
    agents.into_iter().fold(0, |set, i| set | 1 << i)
}

struct Cases<'a> {
    weights: &'a [f64],
    everybody: u128,
    /// `W` times the limit: without a division ties stay exact.
    limit: Enclosed,
    budget: u64,
    tests: u64,
}

impl Cases<'_> {
    /// Covers every non-empty coalition, except everybody, that contains `inside` and otherwise only
    /// agents of `undecided`.
    fn cover(
        &mut self,
        inside: u128,
        mut undecided: u128,
        conflicts: &[Bounded],
    ) -> Result<(), Unproven> {
        loop {
            if inside | undecided == 0 || inside == self.everybody {
                return Ok(());
            }
            // Adding up a share costs about as much as comparing this many conflicts.
            self.tests += (conflicts.len() + MOST_AGENTS) as u64;
            if self.tests > self.budget {
                return Err(Unproven::GivenUp(self.tests));
            }
            // The largest coalition left has the largest share: what bounds it bounds the others.
            let largest = self.largest(inside, undecided);
            let weight = self.weight(largest);
            let usable = |conflict: &&Bounded| {
                conflict.agents & !(inside | undecided) == 0
                    && (weight * Enclosed::exact(conflict.bound) - self.limit).hi() <= 0.0
            };
            let mut cannot_belong = 0;
            let mut nearest: Option<u128> = None;
            for conflict in conflicts.iter().filter(usable) {
                let missing = conflict.agents & !inside;
                match missing.count_ones() {
                    0 => return Ok(()),
                    1 => cannot_belong |= missing,
                    count if nearest.is_none_or(|other| count < other.count_ones()) => {
                        nearest = Some(missing);
                    }
                    _ => {}
                }
            }
            if cannot_belong != 0 {
                // An agent that completes a conflict is covered with it; continue without.
                undecided &= !cannot_belong;
                continue;
            }
            let Some(missing) = nearest else {
                return Err(Unproven::Uncovered(members(largest)));
            };
            let agent = 1 << missing.trailing_zeros();
            let rest = undecided & !agent;
            let reachable: Vec<Bounded> = conflicts
                .iter()
                .filter(|conflict| conflict.agents & !(inside | undecided) == 0)
                .copied()
                .collect();
            self.cover(inside | agent, rest, &reachable)?;
            return self.cover(inside, rest, &reachable);
        }
    }

    /// The coalition in question with the largest share: all together, less the lightest where
    /// somebody has to be left behind.
    fn largest(&self, inside: u128, undecided: u128) -> u128 {
        let all = inside | undecided;
        if all != self.everybody {
            return all;
        }
        let weight = |i: &usize| self.weights[*i];
        let free = members(undecided);
        let lightest = free.iter().min_by(|a, b| weight(a).total_cmp(&weight(b)));
        all & !lightest.map_or(0, |i| 1 << i)
    }

    /// `w(S)`.
    fn weight(&self, coalition: u128) -> Enclosed {
        sum(members(coalition).into_iter().map(|i| self.weights[i]))
    }
}

fn members(set: u128) -> Vec<usize> {
    (0..MOST_AGENTS).filter(|i| set >> i & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn conflict(agents: &[usize], bound: f64) -> Bounded {
        Bounded::new(agents.iter().copied(), bound)
    }

    fn check(conflicts: &[Bounded], weights: &[f64], limit: f64) -> Result<(), Unproven> {
        let candidates: Vec<usize> = (0..weights.len()).collect();
        check_coverage(conflicts, weights, &candidates, limit, MOST_TESTS)
    }

    /// Coverage by its definition: every coalition but everybody against every conflict.
    fn every_coalition_is_covered(conflicts: &[Bounded], weights: &[f64], limit: f64) -> bool {
        let total: f64 = weights.iter().sum();
        (1_usize..(1 << weights.len()) - 1).all(|set| {
            let inside = |i: usize| set >> i & 1 == 1;
            let share = (0..weights.len()).filter(|&i| inside(i)).map(|i| weights[i]).sum::<f64>();
            conflicts.iter().any(|conflict| {
                members(conflict.agents).into_iter().all(inside)
                    && share * conflict.bound / total <= limit
            })
        })
    }

    #[test]
    fn the_gap_in_a_cover_is_named() {
        // Singles bound every agent alone; of the pairs only the one of 0 and 2 is bounded.
        let mut conflicts = vec![conflict(&[0], 2.0), conflict(&[1], 2.0), conflict(&[2], 2.0)];
        let weights = [1.0; 3];
        conflicts.push(conflict(&[0, 2], 1.0));
        assert_eq!(check(&conflicts, &weights, 1.0), Err(Unproven::Uncovered(vec![0, 1])));
        conflicts.push(conflict(&[1, 2], 1.5));
        conflicts.push(conflict(&[0, 1], 1.5));
        assert_eq!(check(&conflicts, &weights, 1.0), Ok(()), "everybody is not asked about");
        conflicts.remove(1);
        assert_eq!(check(&conflicts, &weights, 1.0), Err(Unproven::Uncovered(vec![1])));
        // A hopeless agent joins nobody.
        let others = check_coverage(&conflicts, &weights, &[0, 2], 1.0, MOST_TESTS);
        assert_eq!(others, Ok(()));
    }

    #[test]
    fn the_largest_federation_fits_its_masks() {
        let singles: Vec<Bounded> = (0..128).map(|i| conflict(&[i], 1.0)).collect();
        assert_eq!(check(&singles, &[1.0; 128], 1.0), Ok(()));
        let gap = check(&singles[..127], &[1.0; 128], 1.0);
        assert_eq!(gap, Err(Unproven::Uncovered(vec![127])));
    }

    #[test]
    fn a_search_that_takes_too_long_is_given_up() {
        // Any two of 40 agents clash, which takes a case per agent to see; 20 nodes do not do.
        let pairs = (0..40).flat_map(|i| (0..i).map(move |j| conflict(&[j, i], 1.0)));
        let singles = (0..40).map(|i| conflict(&[i], 40.0));
        let conflicts: Vec<Bounded> = pairs.chain(singles).collect();
        assert_eq!(check(&conflicts, &[1.0; 40], 1.0), Ok(()));
        let all: Vec<usize> = (0..40).collect();
        let given_up = check_coverage(&conflicts, &[1.0; 40], &all, 1.0, 10_000);
        assert!(matches!(given_up, Err(Unproven::GivenUp(tests)) if tests > 10_000));
    }

    proptest! {
        #[test]
        fn coverage_is_that_of_its_definition(
            sets in prop::collection::vec((1_usize..64, 0.0..8.0_f64), 0..24),
            weights in prop::collection::vec(0.5..2.0_f64, 6),
            limit in 0.9..2.0_f64,
        ) {
            let conflicts: Vec<Bounded> = sets
                .iter()
                .map(|&(set, bound)| {
                    let agents: Vec<usize> = (0..6).filter(|i| set >> i & 1 == 1).collect();
                    conflict(&agents, bound)
                })
                .collect();
            let covered = check(&conflicts, &weights, limit);
            prop_assert_eq!(
                covered.is_ok(),
                every_coalition_is_covered(&conflicts, &weights, limit),
                "{:?}", covered
            );
            if let Err(Unproven::Uncovered(coalition)) = covered {
                let share = coalition.iter().map(|&i| weights[i]).sum::<f64>()
                    / weights.iter().sum::<f64>();
                for conflict in &conflicts {
                    let inside = members(conflict.agents).iter().all(|i| coalition.contains(i));
                    prop_assert!(!inside || share * conflict.bound > limit);
                }
            }
        }
    }
}
