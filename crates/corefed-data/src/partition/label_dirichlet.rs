//! Label skew: every class is shared out by its own Dirichlet draw.
//!
//! For each class, shares over the agents are drawn from the symmetric Dirichlet distribution
//! and the shuffled rows of the class are cut accordingly (Hsu, Qi and Brown, arXiv
//! 1909.06335; Li et al., NIID-Bench, arXiv 2102.02079). The code of the latter also stops
//! giving to agents that have their even share; its paper does not say so, and neither do we.

use super::redraw::{Request, cut};
use super::{Partition, PartitionError};
use corefed_core::Seed;
use corefed_core::{dirichlet, shuffle};

/// Divides rows by label; the smaller `alpha`, the fewer classes an agent sees.
///
/// Redraws, deterministically, until every agent has at least `min_samples` rows, and gives up
/// after a thousand attempts (fewer for very many agents and classes).
pub fn label_dirichlet(
    labels: &[u32],
    classes: u32,
    agents: usize,
    alpha: f64,
    min_samples: usize,
    seed: Seed,
) -> Result<Partition, PartitionError> {
    let request = Request { rows: labels.len(), agents, alpha, min_samples };
    request.check()?;
    if let Some(row) = labels.iter().position(|&label| label >= classes) {
        return Err(PartitionError::Label { row, label: labels[row], classes });
    }
    let seed = seed.derive("label-dirichlet");
    let mut by_class = rows_by_class(labels);
    let mut shares = vec![0.0; agents];
    let sizes = request.satisfy(by_class.len(), seed.derive("shares"), |attempt| {
        let share_out = |(class, rows): &(u32, Vec<u32>)| {
            let mut rng = attempt.derive_index(u64::from(*class)).rng();
            dirichlet(alpha, &mut shares, &mut rng);
            cut(rows.len(), &shares)
        };
        by_class.iter().map(share_out).collect()
    })?;
    let mut owners = vec![0; labels.len()];
    for ((class, rows), sizes) in by_class.iter_mut().zip(&sizes) {
        let mut rng = seed.derive("rows").derive_index(u64::from(*class)).rng();
        shuffle(rows, &mut rng);
        let mut rows = rows.iter();
        for (owner, &size) in (0..).zip(sizes) {
            for &row in rows.by_ref().take(size) {
                owners[row as usize] = owner;
            }
        }
    }
    Ok(Partition::of_owners(&owners, agents))
}

/// The classes that occur, ascending, with their rows.
fn rows_by_class(labels: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let mut order: Vec<u32> = (0..).take(labels.len()).collect();
    order.sort_by_key(|&row| labels[row as usize]);
    let same = |a: &u32, b: &u32| labels[*a as usize] == labels[*b as usize];
    order.chunk_by(same).map(|rows| (labels[rows[0] as usize], rows.to_vec())).collect()
}
