//! Independent and identically distributed: every agent a random sample of the same size.

use super::{Partition, PartitionError, check_counts, even_start, numbered};
use corefed_core::Seed;
use corefed_core::shuffle;

/// Deals shuffled rows to `agents` evenly; sizes differ by at most one.
pub fn iid(rows: usize, agents: usize, seed: Seed) -> Result<Partition, PartitionError> {
    check_counts(rows, agents)?;
    let mut order = numbered(rows);
    shuffle(&mut order, &mut seed.derive("iid").rng());
    let mut owners = vec![0; rows];
    for (owner, agent) in (0..).zip(0..agents) {
        let end = even_start(agent + 1, agents, rows);
        for &row in &order[even_start(agent, agents, rows)..end] {
            owners[row as usize] = owner;
        }
    }
    Ok(Partition::of_owners(&owners, agents))
}
