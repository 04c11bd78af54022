//! Pathological shards: sorted by label, cut, and dealt like cards.
//!
//! With two shards each, most agents see at most two classes (`McMahan` et al., arXiv 1602.05629).

use super::{Partition, PartitionError, check_counts, even_start, numbered};
use corefed_core::Seed;
use corefed_core::shuffle;

/// Sorts rows by label, cuts them into `agents * shards_per_agent` shards whose sizes differ
/// by at most one, and deals each agent `shards_per_agent` of them at random.
///
/// Rows of one label are shuffled first, so that the order of a file does not show. All
/// agents together hold at most `classes - 1` label pieces more than there are shards, because
/// only as many shards have a boundary of labels inside.
pub fn shards(
    labels: &[u32],
    agents: usize,
    shards_per_agent: usize,
    seed: Seed,
) -> Result<Partition, PartitionError> {
    let rows = labels.len();
    check_counts(rows, agents)?;
    let shards = agents.checked_mul(shards_per_agent).filter(|shards| (1..=rows).contains(shards));
    let refused = PartitionError::Shards { agents, shards_per_agent, rows };
    let shards = shards.ok_or(refused)?;
    let seed = seed.derive("shards");
    let mut order = numbered(rows);
    shuffle(&mut order, &mut seed.derive("rows").rng());
    // Stable, so rows of one label stay shuffled.
    order.sort_by_key(|&row| labels[row as usize]);
    let mut deck: Vec<usize> = (0..shards).collect();
    shuffle(&mut deck, &mut seed.derive("deal").rng());
    let start = |shard| even_start(shard, shards, rows);
    let mut owners = vec![0; rows];
    for (owner, hand) in (0..).zip(deck.chunks(shards_per_agent)) {
        for &shard in hand {
            for &row in &order[start(shard)..start(shard + 1)] {
                owners[row as usize] = owner;
            }
        }
    }
    Ok(Partition::of_owners(&owners, agents))
}
