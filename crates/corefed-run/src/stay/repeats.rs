//! Averages over several splits.

use corefed_documents::{RepeatedAgent, RepeatedGroup, Repeats, Spread, StayVerdict};

use super::compared::Compared;
use crate::NoModel;

/// Tempted groups that are listed.
const MOST_TEMPTED: usize = 5;

/// What is kept of one split.
pub(crate) struct Glance {
    verdict: StayVerdict,
    /// Shared loss, loss alone and gain of every agent.
    agents: Vec<[Option<f64>; 3]>,
    /// Gains of every group's members.
    groups: Vec<Option<Vec<f64>>>,
}

impl Compared {
    /// What is kept of this split.
    pub(crate) fn glance(&self) -> Glance {
        let agent = |k: usize| {
            let shared = self.shared[k].measured().map(|shared| shared.loss);
            let alone = self.of(&[k], k).and_then(|beside| beside.measured).map(|own| own.loss);
            [shared, alone, shared.zip(alone).map(|(shared, alone)| shared - alone)]
        };
        let gains = |(members, beside): (&Vec<usize>, &Result<Vec<_>, NoModel>)| {
            let beside: &Vec<super::compared::Beside> = beside.as_ref().ok()?;
            members.iter().map(|&k| Some(beside[k].gain?.mean)).collect()
        };
        let pairs = self.groups.list.iter().zip(&self.beside);
        Glance {
            verdict: self.leaving().verdict,
            agents: (0..self.names.len()).map(agent).collect(),
            groups: pairs.map(gains).collect(),
        }
    }

    /// Averages over splits of the same groups.
    pub(crate) fn repeated(&self, glances: &[Glance]) -> Repeats {
        let verdicts = |verdict| glances.iter().filter(|glance| glance.verdict == verdict).count();
        let agent = |(k, name): (usize, &String)| {
            let of = |which: usize| spread(glances.iter().map(|glance| glance.agents[k][which]));
            RepeatedAgent { name: name.clone(), shared: of(0), alone: of(1), gain: of(2) }
        };
        let least = |gains: &[Spread]| gains.iter().map(|g| g.mean).fold(f64::INFINITY, f64::min);
        let mut tempted: Vec<(usize, Vec<Spread>)> = (0..self.groups.everybody())
            .filter_map(|group| Some((group, self.spreads(glances, group)?)))
            .filter(|(_, gains)| least(gains) > 0.0)
            .collect();
        tempted.sort_by(|a, b| least(&b.1).total_cmp(&least(&a.1)).then(a.0.cmp(&b.0)));
        let group = |(group, gains): (usize, Vec<Spread>)| RepeatedGroup {
            members: self.named(&self.groups.list[group]),
            gains,
        };
        Repeats {
            splits: glances.len(),
            stable: verdicts(StayVerdict::Stable),
            leave: verdicts(StayVerdict::Leave),
            open: verdicts(StayVerdict::Open),
            agents: self.names.iter().enumerate().map(agent).collect(),
            tempted: tempted.into_iter().take(MOST_TEMPTED).map(group).collect(),
        }
    }

    /// What each member of a group gains over the splits; none where a split could not say.
    fn spreads(&self, glances: &[Glance], group: usize) -> Option<Vec<Spread>> {
        let member = |k: usize| {
            spread(glances.iter().map(|glance| glance.groups[group].as_ref().map(|gains| gains[k])))
        };
        (0..self.groups.list[group].len()).map(member).collect()
    }
}

/// Mean and deviation, if every split has a value.
fn spread(values: impl Iterator<Item = Option<f64>>) -> Option<Spread> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(Spread { mean, deviation: (squares / (count - 1.0).max(1.0)).sqrt() })
}
