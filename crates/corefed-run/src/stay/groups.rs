//! The groups that are trained.

use std::collections::{BTreeMap, BTreeSet};

use corefed_core::Seed;
use corefed_game::permutations;

use super::settings::Which;
use crate::StayError;

/// Most agents whose groups are all trained unless told, and the most whose may be: 4,095 groups.
pub const MOST_LISTED: usize = 12;

/// Groups of agents, by size and then in the order of agents; everybody is the last.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    pub(crate) list: Vec<Vec<usize>>,
    index: BTreeMap<Vec<usize>, usize>,
    /// Whether these are all that there are.
    pub(crate) all: bool,
    /// Orders of arrival whose beginnings are among the groups.
    pub(crate) orders: Vec<Vec<usize>>,
}

impl Groups {
    /// All groups of few agents. Of more: each alone, pairs, everybody but one, the groups of questions, and
    /// as many beginnings of random orders as asked for.
    pub(crate) fn new(
        agents: usize,
        which: Which,
        asked: &[Vec<usize>],
        seed: Seed,
    ) -> Result<Self, StayError> {
        let all = agents <= MOST_LISTED;
        if which == Which::All && !all {
            return Err(StayError::ManyGroups { agents, most: MOST_LISTED });
        }
        if all && matches!(which, Which::Sampled(_)) {
            return Err(StayError::AllTrained { agents, most: MOST_LISTED });
        }
        let mut list: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
        let mut orders = Vec::new();
        let mut add = |members: Vec<usize>| {
            if !members.is_empty() {
                list.insert((members.len(), members));
            }
        };
        if all {
            (1_usize..1 << agents).for_each(|mask| add(corefed_game::members(mask).collect()));
        } else {
            let but = |left: &[usize]| (0..agents).filter(|k| !left.contains(k)).collect();
            for i in 0..agents {
                add(vec![i]);
                (0..i).for_each(|j| add(vec![j, i]));
                add(but(&[i]));
            }
            for members in asked {
                add(members.clone());
                add(but(members));
            }
            if let Which::Sampled(count) = which {
                // A beginning of one agent, or of all but one, is trained anyway.
                orders = permutations(agents, count.div_ceil(agents - 3), seed);
                for order in &orders {
                    for length in 1..agents {
                        let mut members = order[..length].to_vec();
                        members.sort_unstable();
                        add(members);
                    }
                }
            }
            add((0..agents).collect());
        }
        let list: Vec<Vec<usize>> = list.into_iter().map(|(_, members)| members).collect();
        let index = list.iter().cloned().zip(0..).collect();
        Ok(Self { list, index, all, orders })
    }

    /// Everybody alone.
    pub(crate) fn everybody_of(agents: usize) -> Self {
        let list: Vec<Vec<usize>> = vec![(0..agents).collect()];
        let index = list.iter().cloned().zip(0..).collect();
        Self { list, index, all: false, orders: Vec::new() }
    }

    /// Where a group is, if it is trained.
    pub(crate) fn find(&self, members: &[usize]) -> Option<usize> {
        self.index.get(members).copied()
    }

    /// Where everybody is.
    pub(crate) fn everybody(&self) -> usize {
        self.list.len() - 1
    }

    /// A trained group with one member less, whose model is a good start.
    pub(crate) fn before(&self, members: &[usize]) -> Option<usize> {
        (0..members.len()).rev().find_map(|left| {
            let mut rest = members.to_vec();
            rest.remove(left);
            self.find(&rest)
        })
    }

    /// Groups of one size, as a range of the list.
    pub(crate) fn sizes(&self) -> Vec<std::ops::Range<usize>> {
        let mut ranges = Vec::new();
        let mut first = 0;
        for k in 1..=self.list.len() {
            if k == self.list.len() || self.list[k].len() != self.list[first].len() {
                ranges.push(first..k);
                first = k;
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(agents: usize, which: Which) -> Groups {
        Groups::new(agents, which, &[], Seed(1)).unwrap()
    }

    #[test]
    fn few_agents_have_all_groups_by_size() {
        let found = groups(3, Which::Usual);
        let expected: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
        assert_eq!(found.list, expected);
        assert_eq!(found.sizes(), [0..3, 3..6, 6..7]);
        assert_eq!(found.before(&[0, 2]), Some(0));
        assert_eq!((found.everybody(), found.all), (6, true));
        assert_eq!(groups(12, Which::All).list.len(), 4095);
    }

    #[test]
    fn many_agents_have_singles_pairs_complements_and_what_was_asked() {
        let found = groups(14, Which::Usual);
        assert_eq!(found.list.len(), 14 + 91 + 14 + 1);
        assert!(!found.all);
        let asked = Groups::new(14, Which::Usual, &[vec![0, 1, 2]], Seed(1)).unwrap();
        assert_eq!(asked.list.len(), 14 + 91 + 14 + 1 + 2);
        assert!(asked.find(&[0, 1, 2]).is_some());
        let refused = Groups::new(14, Which::All, &[], Seed(1)).unwrap_err();
        assert!(refused.to_string().contains("16383"), "{refused}");
        let refused = Groups::new(12, Which::Sampled(5), &[], Seed(1)).unwrap_err();
        assert!(refused.to_string().contains("12 agents"), "{refused}");
    }

    #[test]
    fn orders_have_all_of_their_beginnings() {
        let found = groups(14, Which::Sampled(30));
        assert_eq!(found.orders.len(), 3);
        for order in &found.orders {
            for length in 1..=14 {
                let mut members = order[..length].to_vec();
                members.sort_unstable();
                assert!(found.find(&members).is_some());
            }
        }
    }
}
