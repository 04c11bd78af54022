//! Quantity skew: agents see the same distribution, in very different amounts.

use super::redraw::{Request, cut};
use super::{Partition, PartitionError, numbered};
use corefed_core::Seed;
use corefed_core::{dirichlet, shuffle};

/// Divides shuffled rows into sizes drawn from the symmetric Dirichlet distribution, redrawn
/// until every agent has at least `min_samples`.
pub fn quantity_skew(
    rows: usize,
    agents: usize,
    alpha: f64,
    min_samples: usize,
    seed: Seed,
) -> Result<Partition, PartitionError> {
    let request = Request { rows, agents, alpha, min_samples };
    request.check()?;
    let seed = seed.derive("quantity-skew");
    let mut shares = vec![0.0; agents];
    let sizes = request.satisfy(1, seed.derive("shares"), |attempt| {
        dirichlet(alpha, &mut shares, &mut attempt.rng());
        vec![cut(rows, &shares)]
    })?;
    let mut order = numbered(rows);
    shuffle(&mut order, &mut seed.derive("rows").rng());
    let mut owners = vec![0; rows];
    let mut order = order.iter();
    for (owner, &size) in (0..).zip(sizes.iter().flatten()) {
        for &row in order.by_ref().take(size) {
            owners[row as usize] = owner;
        }
    }
    Ok(Partition::of_owners(&owners, agents))
}
