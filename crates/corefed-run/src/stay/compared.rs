//! Every group's model beside the shared one, on everybody's held-out rows.

use corefed_documents::{GainLine, LossAndQuality};
use corefed_evidence::{Level, PairedMean};
use rayon::prelude::*;

use super::frame::Frame;
use super::groups::Groups;
use super::parts::Parts;
use crate::RunError;
use crate::group_training::Models;
use crate::measure::{OnRows, Ruler};

/// One group's model beside the shared one, for one agent. Gains are losses of the shared model minus those
/// of the group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Beside {
    pub(crate) measured: Option<LossAndQuality>,
    /// On all rows.
    pub(crate) gain: Option<PairedMean>,
    /// On the half by which groups are chosen.
    pub(crate) choosing: Option<PairedMean>,
    /// On the half by which they are tested.
    pub(crate) testing: Option<PairedMean>,
    /// On all rows, without the margin.
    pub(crate) beyond: Option<PairedMean>,
}

/// Everything that is measured on one split.
pub(crate) struct Compared {
    pub(crate) names: Vec<String>,
    pub(crate) groups: Groups,
    /// By group, then by agent; the reason where the group has no model.
    pub(crate) beside: Vec<Result<Vec<Beside>, String>>,
    /// The shared model on every agent's rows.
    pub(crate) shared: Vec<OnRows>,
    pub(crate) parts: Parts,
    /// Fewer units than this say nothing.
    pub(crate) support: usize,
    pub(crate) level: Level,
    pub(crate) margin: f64,
}

impl Compared {
    /// Measures every model; everybody's must be there.
    pub(crate) fn new(
        ruler: &dyn Ruler,
        models: &Models,
        shared: &[f64],
        frame: Frame,
    ) -> Result<Self, RunError> {
        let Frame { names, groups, parts, support, level, margin } = frame;
        let mut compared = Self {
            names,
            groups,
            beside: Vec::new(),
            shared: ruler.measure(shared)?,
            parts,
            support,
            level,
            margin,
        };
        let one =
            |model: &Result<Vec<f64>, String>| -> Result<Result<Vec<Beside>, String>, RunError> {
                let params = match model {
                    Ok(params) => params,
                    Err(reason) => return Ok(Err(reason.clone())),
                };
                let rows = ruler.measure(params)?;
                if rows.iter().flat_map(|rows| &rows.losses).any(|loss| !loss.is_finite()) {
                    return Ok(Err("its losses on held-out rows are not finite".to_owned()));
                }
                Ok(Ok(rows.iter().enumerate().map(|(k, rows)| compared.beside(k, rows)).collect()))
            };
        let beside = models.par_iter().map(one).collect::<Result<Vec<_>, RunError>>()?;
        compared.beside = beside;
        Ok(compared)
    }

    /// A model beside the shared one for one agent.
    pub(crate) fn beside(&self, agent: usize, rows: &OnRows) -> Beside {
        let shared = &self.shared[agent].losses;
        let gains: Vec<f64> = shared.iter().zip(&rows.losses).map(|(a, b)| a - b).collect();
        let kept: Vec<f64> =
            shared.iter().zip(&rows.losses).map(|(a, b)| (1.0 - self.margin) * a - b).collect();
        let [choosing, testing] = &self.parts.halves[agent];
        let units = &self.parts.units[agent];
        Beside {
            measured: rows.measured(),
            gain: units.mean(&gains),
            choosing: choosing.mean(&gains),
            testing: testing.mean(&gains),
            beyond: units.mean(&kept),
        }
    }

    /// Whether an agent has too few held-out rows to say anything.
    pub(crate) fn is_few(&self, agent: usize) -> bool {
        self.parts.units[agent].count() < self.support
    }

    /// Something about an agent, unless its rows are too few.
    pub(crate) fn enough<T>(&self, agent: usize, value: Option<T>) -> Option<T> {
        value.filter(|_| !self.is_few(agent))
    }

    /// The two-sided interval of a gain, unless rows are too few.
    pub(crate) fn line(&self, agent: usize, gain: Option<PairedMean>) -> Option<GainLine> {
        self.enough(agent, gain).map(|gain| gain_line(&gain, self.level))
    }

    /// What a group's model means for an agent.
    pub(crate) fn of(&self, members: &[usize], agent: usize) -> Option<&Beside> {
        let group = self.beside[self.groups.find(members)?].as_ref().ok()?;
        Some(&group[agent])
    }

    /// Names of some agents.
    pub(crate) fn named(&self, members: &[usize]) -> Vec<String> {
        members.iter().map(|&member| self.names[member].clone()).collect()
    }
}

/// A gain with its two-sided interval.
pub(crate) fn gain_line(gain: &PairedMean, level: Level) -> GainLine {
    let (lo, hi) = gain.interval(level);
    GainLine { mean: gain.mean, lo, hi, units: gain.units }
}
