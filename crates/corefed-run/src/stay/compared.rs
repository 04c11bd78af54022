//! Every group's model beside the shared one, on everybody's held-out rows.

use corefed_documents::{GainLine, LossAndQuality};
use corefed_evidence::{Level, PairedMean};
use rayon::prelude::*;

use super::frame::Frame;
use super::groups::Groups;
use super::parts::Parts;
use super::row_shares::RowShares;
use crate::group_training::Models;
use crate::measure::{OnRows, Ruler};
use crate::{NoModel, RunError};

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

/// Models that are measured at once: enough for every thread, while the rows of all need not be kept.
const AT_ONCE: usize = 128;

/// Everything that is measured on one split.
pub(crate) struct Compared {
    pub(crate) names: Vec<String>,
    pub(crate) groups: Groups,
    /// By group, then by agent; the reason where the group has no model.
    pub(crate) beside: Vec<Result<Vec<Beside>, NoModel>>,
    /// The shared model on every agent's rows.
    pub(crate) shared: Vec<OnRows>,
    pub(crate) parts: Parts,
    /// What every row adds to what each agent brings.
    pub(crate) row_shares: RowShares,
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
        let shared = ruler.measure(shared)?;
        let rows: Vec<usize> = shared.iter().map(|rows| rows.losses.len()).collect();
        let row_shares = RowShares::new(&groups, &rows);
        let mut compared = Self {
            names,
            groups,
            beside: Vec::with_capacity(models.len()),
            shared,
            parts,
            row_shares,
            support,
            level,
            margin,
        };
        for models in models.chunks(AT_ONCE) {
            let measured = models.par_iter().map(|model| on_rows(ruler, model));
            compared.add(&measured.collect::<Result<Vec<_>, RunError>>()?);
        }
        Ok(compared)
    }

    /// The next groups, in their order.
    fn add(&mut self, measured: &[Result<Vec<OnRows>, NoModel>]) {
        let first = self.beside.len();
        let one = |found: &Result<Vec<OnRows>, NoModel>| match found {
            Ok(rows) => Ok(rows.iter().enumerate().map(|(k, rows)| self.beside(k, rows)).collect()),
            Err(error) => Err(error.clone()),
        };
        let beside: Vec<Result<Vec<Beside>, NoModel>> = measured.par_iter().map(one).collect();
        self.beside.extend(beside);
        let groups = self.groups.list[first..].iter().zip(measured);
        let known: Vec<(&[usize], &[OnRows])> = groups
            .filter_map(|(members, found)| Some((&members[..], &found.as_ref().ok()?[..])))
            .collect();
        self.row_shares.add(&known);
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

/// A model on everybody's held-out rows, or why it has no losses there.
fn on_rows(
    ruler: &dyn Ruler,
    model: &Result<Vec<f64>, NoModel>,
) -> Result<Result<Vec<OnRows>, NoModel>, RunError> {
    let params = match model {
        Ok(params) => params,
        Err(error) => return Ok(Err(error.clone())),
    };
    let rows = ruler.measure(params)?;
    if rows.iter().flat_map(|rows| &rows.losses).any(|loss| !loss.is_finite()) {
        return Ok(Err(NoModel::Losses));
    }
    Ok(Ok(rows))
}

/// A gain with its two-sided interval.
pub(crate) fn gain_line(gain: &PairedMean, level: Level) -> GainLine {
    let (lo, hi) = gain.interval(level);
    GainLine { mean: gain.mean, lo, hi, units: gain.units }
}
