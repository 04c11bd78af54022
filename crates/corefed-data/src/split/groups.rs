//! Held-out rows group by group: all rows of a patient are on one side.

use std::collections::BTreeMap;

use corefed_core::{Seed, shuffle};

use super::{Split, SplitError, check};
use crate::names::excerpt;
use crate::{AgentRows, Partition};

/// Holds out whole groups of every agent until a share of its rows is reached, but never all of them; an
/// agent with one group keeps none. `groups` has the group of every row of the data.
///
/// A group may not be at two agents: one would train on what the other is measured by.
pub fn split_groups<S: AsRef<str>>(
    partition: &Partition,
    groups: &[S],
    test_share: f64,
    seed: Seed,
) -> Result<Split<Partition>, SplitError> {
    let agents = partition.agents();
    check(test_share, agents.iter().map(|agent| agent.rows.len()))?;
    let group = |row: u32| groups[row as usize].as_ref();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for agent in agents {
        for &row in &agent.rows {
            let owner = owners.entry(group(row)).or_insert(&agent.name);
            if *owner != agent.name {
                let agents = [excerpt(owner), excerpt(&agent.name)];
                return Err(SplitError::SharedGroup { group: excerpt(group(row)), agents });
            }
        }
    }
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for agent in agents {
        let mut own: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for &row in &agent.rows {
            own.entry(group(row)).or_default().push(row);
        }
        let mut order: Vec<Vec<u32>> = own.into_values().collect();
        shuffle(&mut order, &mut seed.derive("groups").derive(&agent.name).rng());
        let wanted = test_share * agent.rows.len() as f64;
        let mut kept: Vec<u32> = Vec::new();
        while (kept.len() as f64) < wanted && order.len() > 1 {
            kept.extend(order.pop().unwrap_or_default());
        }
        kept.sort_unstable();
        let rest = agent.rows.iter().copied().filter(|row| kept.binary_search(row).is_err());
        train.push(AgentRows { name: agent.name.clone(), rows: rest.collect() });
        test.push(AgentRows { name: agent.name.clone(), rows: kept });
    }
    test.retain(|agent| !agent.rows.is_empty());
    Ok(Split { train: partition.of_some(train), test: partition.of_some(test) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_groups;
    use proptest::prelude::*;

    #[test]
    fn a_group_at_two_agents_is_named_with_both() {
        let owners = by_groups(&["north", "north", "south"]).unwrap();
        let refused = split_groups(&owners, &["p1", "p2", "p2"], 0.3, Seed(1)).unwrap_err();
        let message = "group `p2` has rows of both `north` and `south`";
        assert!(refused.to_string().starts_with(message), "{refused}");
        assert!(refused.hint().is_some());
    }

    #[test]
    fn an_agent_with_one_group_keeps_none_of_it_back() {
        let owners = by_groups(&["a", "a", "b", "b"]).unwrap();
        let split = split_groups(&owners, &["p", "p", "q", "r"], 0.3, Seed(1)).unwrap();
        assert_eq!(split.train.agents()[0].rows, [0, 1]);
        let tested: Vec<&str> = split.test.agents().iter().map(|a| a.name.as_str()).collect();
        assert_eq!(tested, ["b"]);
    }

    proptest! {
        #[test]
        fn no_group_is_on_both_sides_and_every_row_on_one(
            labels in prop::collection::vec(0..6_u8, 2..60),
            share in 0.05..0.95_f64,
            seed in 0..50_u64,
        ) {
            // Two agents with groups of their own.
            let owner = |label: &u8| if label.is_multiple_of(2) { "even" } else { "odd" };
            let names: Vec<&str> = labels.iter().map(owner).collect();
            let groups: Vec<String> = labels.iter().map(u8::to_string).collect();
            prop_assume!(names.contains(&"even") && names.contains(&"odd"));
            prop_assume!(names.iter().filter(|name| **name == "odd").count() > 1);
            let owners = by_groups(&names).unwrap();
            let split = split_groups(&owners, &groups, share, Seed(seed)).unwrap();
            let rows = |part: &Partition| -> Vec<u32> {
                part.agents().iter().flat_map(|agent| agent.rows.clone()).collect()
            };
            let (train, test) = (rows(&split.train), rows(&split.test));
            prop_assert_eq!(train.len() + test.len(), labels.len());
            for row in &test {
                prop_assert!(train.iter().all(|other| labels[*other as usize] != labels[*row as usize]));
            }
            prop_assert_eq!(split.train.agents().len(), 2, "everybody trains");
        }
    }
}
