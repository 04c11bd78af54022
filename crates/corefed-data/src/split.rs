//! Held-out rows for testing, agent by agent.
//!
//! Which of its rows an agent holds out depends on its name, on how many rows it has and on
//! the seed, and on nothing else, so a federation and its partition split alike. Split before
//! rows are duplicated: otherwise a copy may be trained on and its original tested.

mod groups;
mod times;

use thiserror::Error;

pub use groups::split_groups;
pub use times::split_times;

use crate::{AgentRows, Partition};
use corefed_core::Seed;
use corefed_core::choose;

/// What to train on, and what to test on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<T> {
    /// What models learn from; every agent is here.
    pub train: T,
    /// When rows of agents are held out, those with a single row are not here.
    pub test: T,
}

/// Why nothing can be held out.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SplitError {
    /// All or nothing is not a split.
    #[error("the share of rows to test on must lie between `0` and `1`, not `{share}`")]
    Share {
        /// The share asked for.
        share: f64,
    },
    /// One agent would train on what another is measured by.
    #[error("group `{group}` has rows of both `{}` and `{}`", agents[0], agents[1])]
    SharedGroup {
        /// The group.
        group: String,
        /// Two of its agents.
        agents: [String; 2],
    },
    /// No agent has a row to spare.
    #[error("all `{agents}` agents have a single row, so none can be tested on")]
    NothingToTest {
        /// Number of agents.
        agents: usize,
    },
}

impl SplitError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Share { .. } => "0.2 keeps a fifth of every agent's rows",
            Self::SharedGroup { .. } => {
                "a group must belong to one agent; if the same name means different groups, make names unique, such as `north-17`"
            }
            Self::NothingToTest { .. } => "is the agent column right?",
        };
        Some(hint.to_owned())
    }
}

/// Holds out a share of every agent's rows, rounded, but at least one and not all.
pub fn split_partition(
    partition: &Partition,
    test_share: f64,
    seed: Seed,
) -> Result<Split<Partition>, SplitError> {
    let agents = partition.agents();
    check(test_share, agents.iter().map(|agent| agent.rows.len()))?;
    let part = |test: bool| {
        let own = |agent: &AgentRows| {
            let kept = kept_back(&agent.name, agent.rows.len(), test_share, seed);
            let rows = agent.rows.iter().zip(kept).filter(|row| row.1 == test);
            AgentRows { name: agent.name.clone(), rows: rows.map(|row| *row.0).collect() }
        };
        partition.of_some(agents.iter().map(own).filter(|agent| !agent.rows.is_empty()).collect())
    };
    Ok(Split { train: part(false), test: part(true) })
}

fn check(share: f64, sizes: impl ExactSizeIterator<Item = usize>) -> Result<(), SplitError> {
    if !(share > 0.0 && share < 1.0) {
        return Err(SplitError::Share { share });
    }
    let agents = sizes.len();
    if sizes.max().unwrap_or(0) < 2 {
        return Err(SplitError::NothingToTest { agents });
    }
    Ok(())
}

/// For each of an agent's rows, whether it is held out.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count lies between zero and the count"
)]
fn kept_back(name: &str, rows: usize, share: f64, seed: Seed) -> Vec<bool> {
    let mut kept = vec![false; rows];
    if rows >= 2 {
        let count = ((rows as f64 * share).round() as usize).clamp(1, rows - 1);
        let mut order: Vec<usize> = (0..rows).collect();
        choose(&mut order, count, &mut seed.derive("split").derive(name).rng());
        order[..count].iter().for_each(|&row| kept[row] = true);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, Design, Federation, iid, quantity_skew};

    /// The same for encoded rows, told apart by their values.
    fn split_federation(
        federation: &Federation,
        test_share: f64,
        seed: Seed,
    ) -> Result<Split<Federation>, SplitError> {
        let agents = federation.agents();
        check(test_share, agents.iter().map(Agent::samples))?;
        let part = |test: bool| {
            federation.select(agents.iter().map(|agent| {
                let kept = kept_back(&agent.name, agent.samples(), test_share, seed);
                let rows = agent.rows.clone().zip(kept);
                (agent.name.as_str(), rows.filter(|row| row.1 == test).map(|row| row.0).collect())
            }))
        };
        Ok(Split { train: part(false), test: part(true) })
    }

    /// One column, which is the number of the row.
    fn numbered(sizes: &[usize]) -> Federation {
        let rows: usize = sizes.iter().sum();
        let numbers: Vec<f64> = (0..rows).map(|row| row as f64).collect();
        let mut start = 0;
        let mut agent = |(i, &size): (usize, &usize)| {
            start += size;
            Agent { name: format!("agent-{i}"), rows: start - size..start }
        };
        let agents = sizes.iter().enumerate().map(&mut agent).collect();
        Federation::new(Design::dense(rows, 1, numbers.clone()).unwrap(), numbers, agents)
    }

    #[test]
    fn every_agent_keeps_back_its_share_and_every_row_is_somewhere() {
        let federation = numbered(&[1, 2, 3, 10, 100]);
        let Split { train, test } = split_federation(&federation, 0.2, Seed(1)).unwrap();
        let sizes =
            |f: &Federation| f.agents().iter().map(crate::Agent::samples).collect::<Vec<_>>();
        assert_eq!(sizes(&train), [1, 1, 2, 8, 80]);
        assert_eq!(sizes(&test), [1, 1, 2, 20]);
        assert_eq!(test.agents()[0].name, "agent-1");
        let mut rows: Vec<f64> = [train.target(), test.target()].concat();
        rows.sort_by(f64::total_cmp);
        assert_eq!(rows, federation.target());
        assert_eq!(train.design().dense_rows(0..92), train.target());
    }

    #[test]
    fn a_partition_and_its_federation_split_alike() {
        let partition = quantity_skew(200, 5, 0.5, 1, Seed(3)).unwrap();
        let federation = numbered(&[200]).divided(&partition).unwrap();
        let of_rows = split_partition(&partition, 0.3, Seed(4)).unwrap();
        let of_data = split_federation(&federation, 0.3, Seed(4)).unwrap();
        let flat = |p: &Partition| -> Vec<f64> {
            p.agents().iter().flat_map(|a| a.rows.iter().map(|&row| f64::from(row))).collect()
        };
        assert_eq!(flat(&of_rows.train), of_data.train.target());
        assert_eq!(flat(&of_rows.test), of_data.test.target());
        assert_eq!(of_rows.train.owned() + of_rows.test.owned(), 200);
    }

    #[test]
    fn one_agents_rows_do_not_decide_what_another_keeps_back() {
        let tests = [[50, 40], [50, 7]].map(|sizes| {
            let split = split_federation(&numbered(&sizes), 0.5, Seed(2)).unwrap();
            split.test.target()[..25].to_vec()
        });
        assert_eq!(tests[0], tests[1]);
        let other = split_federation(&numbered(&[50, 40]), 0.5, Seed(3)).unwrap();
        assert_ne!(tests[0], other.test.target()[..25]);
    }

    #[test]
    fn shares_that_split_nothing_are_refused() {
        let partition = iid(10, 2, Seed(1)).unwrap();
        for share in [0.0, 1.0, -0.1, 2.0, f64::NAN, f64::INFINITY] {
            let error = split_partition(&partition, share, Seed(1)).unwrap_err();
            assert!(matches!(error, SplitError::Share { .. }), "{error}");
            assert!(split_federation(&numbered(&[3]), share, Seed(1)).is_err());
        }
        let error = split_federation(&numbered(&[1, 1]), 0.5, Seed(1)).unwrap_err();
        assert_eq!(error, SplitError::NothingToTest { agents: 2 });
        // The least share still holds out one row, and the largest leaves one.
        for share in [1e-9, 1.0 - 1e-9] {
            let split = split_partition(&partition, share, Seed(1)).unwrap();
            assert!(split.train.agents().len() == 2 && split.test.agents().len() == 2);
        }
    }
}
