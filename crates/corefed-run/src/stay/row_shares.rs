//! What every held-out row adds to what each agent brings, so that contributions have intervals.

use corefed_evidence::{PairedMean, SumOfMeans, Units};
use corefed_game::SizeWeights;
use rayon::prelude::*;

use super::groups::Groups;
use crate::measure::OnRows;

/// Contributions are linear in the values of groups, and these in losses of rows: so they are sums over
/// agents of means over its rows (ledger E65).
pub(crate) struct RowShares {
    /// By the owner of the rows.
    owners: Vec<OwnRows>,
    shapley: SizeWeights,
    banzhaf: SizeWeights,
    /// Whether every group is trained; if not, only leave-one-out is known.
    all: bool,
}

/// The rows of one agent; each list has one entry per agent that contributes, with a number per row.
struct OwnRows {
    /// Losses of its own model, once they are known.
    alone: Option<Vec<f64>>,
    missed: Vec<Vec<f64>>,
    shapley: Vec<Vec<f64>>,
    banzhaf: Vec<Vec<f64>>,
}

/// Which contribution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Share {
    LeaveOneOut,
    Shapley,
    Banzhaf,
}

impl RowShares {
    /// Nothing yet, for owners of this many held-out rows.
    pub(crate) fn new(groups: &Groups, rows: &[usize]) -> Self {
        let agents = rows.len();
        let owner = |&rows: &usize| {
            let zeros = |agents: usize| vec![vec![0.0; rows]; agents];
            let listed = if groups.all { agents } else { 0 };
            OwnRows {
                alone: None,
                missed: zeros(agents),
                shapley: zeros(listed),
                banzhaf: zeros(listed),
            }
        };
        Self {
            owners: rows.iter().map(owner).collect(),
            shapley: SizeWeights::shapley(agents),
            banzhaf: SizeWeights::banzhaf(agents),
            all: groups.all,
        }
    }

    /// Adds measured groups in their order, in which each agent alone comes before its larger groups.
    pub(crate) fn add(&mut self, measured: &[(&[usize], &[OnRows])]) {
        let Self { owners, shapley, banzhaf, all } = self;
        owners.par_iter_mut().enumerate().for_each(|(owner, own)| {
            for (members, rows) in measured.iter().filter(|(members, _)| members.contains(&owner)) {
                let losses = &rows[owner].losses;
                if members.len() == 1 {
                    own.alone = Some(losses.clone());
                }
                let Some(alone) = &own.alone else { continue };
                let saved: Vec<f64> = alone.iter().zip(losses).map(|(a, b)| a - b).collect();
                own.add(members, &saved, all.then_some((&*shapley, &*banzhaf)));
            }
        });
    }

    /// What an agent brings, as its owners' rows say; none where some owner has fewer than two units.
    pub(crate) fn of(
        &self,
        share: Share,
        agent: usize,
        units: &[Units],
        weights: &[f64],
    ) -> Option<SumOfMeans> {
        let part = |((own, units), weight): ((&OwnRows, &Units), &f64)| {
            let lists = match share {
                Share::LeaveOneOut => &own.missed,
                Share::Shapley => &own.shapley,
                Share::Banzhaf => &own.banzhaf,
            };
            Some((*weight, units.mean(lists.get(agent)?)?))
        };
        let owners = self.owners.iter().zip(units).zip(weights);
        let parts: Option<Vec<(f64, PairedMean)>> = owners.map(part).collect();
        parts.map(|parts| SumOfMeans::of(&parts))
    }
}

impl OwnRows {
    /// One group's part of every contribution; the rows' owner is a member.
    fn add(
        &mut self,
        members: &[usize],
        saved: &[f64],
        sizes: Option<(&SizeWeights, &SizeWeights)>,
    ) {
        let (agents, size) = (self.missed.len(), members.len());
        for agent in 0..agents {
            let member = members.contains(&agent);
            if let Some((shapley, banzhaf)) = sizes {
                accumulate(&mut self.shapley[agent], shapley.factor(size, member), saved);
                accumulate(&mut self.banzhaf[agent], banzhaf.factor(size, member), saved);
            }
            if size == agents {
                accumulate(&mut self.missed[agent], 1.0, saved);
            } else if size + 1 == agents && !member {
                accumulate(&mut self.missed[agent], -1.0, saved);
            }
        }
    }
}

fn accumulate(sums: &mut [f64], factor: f64, rows: &[f64]) {
    for (sum, row) in sums.iter_mut().zip(rows) {
        *sum += factor * row;
    }
}

#[cfg(test)]
mod tests {
    use corefed_core::{Seed, uniform};
    use corefed_game::{Game, members};

    use super::*;
    use crate::stay::settings::Which;

    /// Losses of every group's model on everybody's rows, drawn.
    fn drawn(groups: &Groups, rows: &[usize]) -> Vec<Vec<OnRows>> {
        let mut rng = Seed(65).rng();
        let mut one = |count: usize| OnRows {
            losses: (0..count).map(|_| uniform(&mut rng)).collect(),
            quality: None,
        };
        groups.list.iter().map(|_| rows.iter().map(|&count| one(count)).collect()).collect()
    }

    fn mean(rows: &OnRows) -> f64 {
        rows.losses.iter().sum::<f64>() / rows.losses.len() as f64
    }

    #[test]
    fn rows_add_up_to_what_each_agent_brings() {
        let (rows, weights) = ([3, 5, 2, 4], [0.5, 1.5, 1.0, 1.0]);
        let groups = Groups::new(4, Which::Usual, &[], Seed(1)).unwrap();
        let measured = drawn(&groups, &rows);
        let mut shares = RowShares::new(&groups, &rows);
        let listed: Vec<(&[usize], &[OnRows])> =
            groups.list.iter().zip(&measured).map(|(m, r)| (&m[..], &r[..])).collect();
        // In pieces, as they are measured.
        listed.chunks(4).for_each(|piece| shares.add(piece));
        let of =
            |group: &[usize], agent: usize| mean(&measured[groups.find(group).unwrap()][agent]);
        let value = |mask: usize| -> f64 {
            let group: Vec<usize> = members(mask).collect();
            group.iter().map(|&i| weights[i] * (of(&[i], i) - of(&group, i))).sum()
        };
        let game = Game::new(4, (0..16).map(value).collect()).unwrap();
        let units = rows.map(Units::rows);
        for (share, expected) in [
            (Share::Shapley, game.shapley()),
            (Share::Banzhaf, game.banzhaf()),
            (Share::LeaveOneOut, game.leave_one_out()),
        ] {
            for (agent, expected) in expected.iter().enumerate() {
                let found = shares.of(share, agent, &units, &weights).unwrap();
                assert!((found.value - expected).abs() < 1e-12, "{share:?} {agent}");
                assert!(found.error > 0.0);
            }
        }
        // A single row shows no spread.
        let bare = [Units::rows(3), Units::rows(5), Units::rows(2), Units::groups(&[0; 4])];
        assert_eq!(shares.of(Share::Shapley, 0, &bare, &weights), None);
    }

    #[test]
    fn groups_that_were_not_all_trained_have_leave_one_out_alone() {
        let rows = [2; 13];
        let groups = Groups::new(13, Which::Usual, &[], Seed(1)).unwrap();
        let measured = drawn(&groups, &rows);
        let mut shares = RowShares::new(&groups, &rows);
        for (members, rows) in groups.list.iter().zip(&measured) {
            shares.add(&[(members, rows)]);
        }
        let (units, weights) = (vec![Units::rows(2); 13], [1.0; 13]);
        assert_eq!(shares.of(Share::Shapley, 0, &units, &weights), None);
        let found = shares.of(Share::LeaveOneOut, 12, &units, &weights).unwrap();
        let everybody: Vec<usize> = (0..13).collect();
        let of =
            |group: &[usize], agent: usize| mean(&measured[groups.find(group).unwrap()][agent]);
        let mut expected = of(&[12], 12) - of(&everybody, 12);
        for agent in 0..12 {
            expected += of(&everybody[..12], agent) - of(&everybody, agent);
        }
        assert!((found.value - expected).abs() < 1e-12);
    }
}
