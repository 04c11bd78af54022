//! Held-out rows by time: every agent is measured on its latest rows.

use super::{Split, SplitError, check};
use crate::{AgentRows, Partition};

/// Holds out the latest rows of every agent, at least a share of them; rows of one moment stay together.
/// An agent whose rows are all of one moment keeps none back. `times` has the time of every row.
pub fn split_times(
    partition: &Partition,
    times: &[f64],
    test_share: f64,
) -> Result<Split<Partition>, SplitError> {
    let agents = partition.agents();
    check(test_share, agents.iter().map(|agent| agent.rows.len()))?;
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for agent in agents {
        let time = |row: &u32| times[*row as usize];
        let mut moments: Vec<f64> = agent.rows.iter().map(time).collect();
        moments.sort_by(f64::total_cmp);
        let first = first_kept(&moments, test_share);
        let (kept, rest): (Vec<u32>, Vec<u32>) =
            agent.rows.iter().partition(|row| first.is_some_and(|first| time(row) >= first));
        train.push(AgentRows { name: agent.name.clone(), rows: rest });
        test.push(AgentRows { name: agent.name.clone(), rows: kept });
    }
    test.retain(|agent| !agent.rows.is_empty());
    Ok(Split { train: partition.of_some(train), test: partition.of_some(test) })
}

/// The moment from which on rows are held out; the earliest is trained on.
fn first_kept(moments: &[f64], share: f64) -> Option<f64> {
    let earliest = *moments.first()?;
    let latest = *moments.last()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    let count = ((moments.len() as f64 * share).round() as usize).clamp(1, moments.len());
    let wanted = moments[moments.len() - count];
    // Where the share would take all rows, all but the earliest.
    let after_earliest = moments.iter().copied().find(|moment| *moment > earliest);
    (latest > earliest)
        .then(|| if wanted > earliest { wanted } else { after_earliest.unwrap_or(latest) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_groups;

    #[test]
    fn the_latest_rows_of_each_agent_are_kept_back() {
        let owners = by_groups(&["a", "b", "a", "b", "a", "a"]).unwrap();
        let times = [3.0, 100.0, 1.0, 200.0, 2.0, 4.0];
        let split = split_times(&owners, &times, 0.5).unwrap();
        assert_eq!(split.train.agents()[0].rows, [2, 4]);
        assert_eq!(split.test.agents()[0].rows, [0, 5]);
        assert_eq!((split.train.agents()[1].rows[0], split.test.agents()[1].rows[0]), (1, 3));
    }

    #[test]
    fn rows_of_one_moment_stay_together_and_somebody_always_trains() {
        let owners = by_groups(&["a", "a", "a", "a", "b", "b"]).unwrap();
        // Half of a's rows would cut through the moment 2; b has a single moment.
        let split = split_times(&owners, &[1.0, 2.0, 2.0, 2.0, 7.0, 7.0], 0.5).unwrap();
        assert_eq!(split.train.agents()[0].rows, [0]);
        assert_eq!(split.test.agents()[0].rows, [1, 2, 3]);
        assert_eq!(split.train.agents()[1].rows, [4, 5]);
        assert_eq!(split.test.agents().len(), 1);
    }
}
