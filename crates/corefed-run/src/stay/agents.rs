//! What each agent has in each of its worlds.

use corefed_core::Weights;
use corefed_documents::{BestGroup, PriceOfFairness, StayAgent, StayGroup};

use super::compared::{Beside, Compared, gain_line};
use crate::NoModel;

/// One split, measured.
pub(crate) struct Measurement {
    pub(crate) compared: Compared,
    pub(crate) weights: Weights,
    pub(crate) ceilings: Vec<f64>,
    /// Training rows by agent.
    pub(crate) rows: Vec<usize>,
    /// Whether an agent trains on a single class.
    pub(crate) one_class: Vec<bool>,
    pub(crate) digest: String,
    pub(crate) rule: String,
    pub(crate) exact: bool,
    /// Or why it is not known.
    pub(crate) price: Result<PriceOfFairness, NoModel>,
}

impl Measurement {
    /// One entry per agent.
    pub(crate) fn agents(&self) -> Vec<StayAgent> {
        let compared = &self.compared;
        let agent = |(k, name): (usize, &String)| {
            let alone = compared.of(&[k], k);
            StayAgent {
                name: name.clone(),
                weight: self.weights.values()[k],
                ceiling: self.ceilings[k],
                rows: self.rows[k],
                held_out: compared.shared[k].losses.len(),
                units: compared.parts.units[k].count(),
                few: compared.is_few(k),
                one_class: self.one_class[k],
                shared: compared.shared[k].measured(),
                alone: alone.and_then(|beside| beside.measured),
                alone_gain: compared.line(k, alone.and_then(|beside| beside.gain)),
                best: compared.best(k),
            }
        };
        compared.names.iter().enumerate().map(agent).collect()
    }
}

impl Compared {
    /// The group that suits an agent best on one half of its rows, and what the other half says of it: the
    /// best of many looks better than it is on the rows that it was chosen by.
    fn best(&self, agent: usize) -> Option<BestGroup> {
        let mut best: Option<(f64, usize)> = None;
        for (k, members) in self.groups.list[..self.groups.everybody()].iter().enumerate() {
            let Ok(beside) = &self.beside[k] else { continue };
            let Some(gain) = beside[agent].choosing.filter(|_| members.contains(&agent)) else {
                continue;
            };
            if best.is_none_or(|(most, _)| gain.mean > most) {
                best = Some((gain.mean, k));
            }
        }
        let (_, k) = best?;
        let beside: &Beside = self.beside[k].as_ref().ok()?.get(agent)?;
        let gain = self.enough(agent, beside.testing);
        Some(BestGroup {
            members: self.named(&self.groups.list[k]),
            measured: beside.measured?,
            gain: gain.map(|gain| gain_line(&gain, self.level)),
        })
    }

    /// Every group with its numbers.
    pub(crate) fn listed(&self) -> Vec<StayGroup> {
        let trained = self.groups.list.iter().zip(&self.beside);
        let group = |(members, beside): (&Vec<usize>, &Result<Vec<Beside>, NoModel>)| {
            let beside = beside.as_ref().ok()?;
            let measured = |beside: &Beside| beside.measured;
            Some(StayGroup {
                members: members.clone(),
                loss: beside.iter().map(|b| measured(b).map(|m| m.loss)).collect(),
                quality: beside.iter().map(|b| measured(b).and_then(|m| m.quality)).collect(),
                gain: beside.iter().map(|b| b.gain.map(|gain| gain.mean)).collect(),
                error: beside.iter().map(|b| b.gain.map(|gain| gain.error)).collect(),
            })
        };
        trained.filter_map(group).collect()
    }
}
