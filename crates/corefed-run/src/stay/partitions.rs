//! Who should train with whom.

use corefed_documents::PartitionLines;
use corefed_game::{HedonicGame, MOST_PARTITIONED, members};

use super::compared::Compared;

/// Partitions that are listed; their number is said for all.
const MOST_LISTED: usize = 10;

impl Compared {
    /// Partitions that no group would leave, as measured: an agent prefers the group under whose model its
    /// held-out loss is lower. `None` for too many agents, or where somebody cannot be measured.
    pub(crate) fn partitions(&self) -> Option<PartitionLines> {
        let n = self.names.len();
        if n > MOST_PARTITIONED || !self.groups.all {
            return None;
        }
        let loss = |mask: usize, agent: usize| {
            let group: Vec<usize> = members(mask).collect();
            Some(self.of(&group, agent)?.measured?.loss)
        };
        let worth =
            |mask: usize, agent: usize| loss(mask, agent).map_or(f64::NEG_INFINITY, |loss| -loss);
        let game = HedonicGame::new(n, worth).ok()?;
        let shared = |agent: usize| self.shared[agent].measured().map(|shared| shared.loss);
        let slack: Vec<f64> =
            (0..n).map(|agent| Some(self.margin * shared(agent)?)).collect::<Option<_>>()?;
        let mut strict = game.core_stable(&vec![0.0; n]);
        let close = game.core_stable(&slack);
        let total = |partition: &Vec<usize>| -> f64 {
            let each = partition.iter().flat_map(|&mask| members(mask).map(move |k| (mask, k)));
            each.map(|(mask, agent)| -worth(mask, agent)).sum()
        };
        strict.sort_by(|a, b| total(a).total_cmp(&total(b)));
        let together = vec![(1 << n) - 1];
        let named = |partition: &Vec<usize>| {
            let groups = partition.iter();
            groups.map(|&mask| self.named(&members(mask).collect::<Vec<_>>())).collect()
        };
        Some(PartitionLines {
            count: strict.len(),
            stable: strict.iter().take(MOST_LISTED).map(named).collect(),
            within_margin: close.len(),
            everybody: strict.contains(&together),
            everybody_within_margin: close.contains(&together),
        })
    }
}
