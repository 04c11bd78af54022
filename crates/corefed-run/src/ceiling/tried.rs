//! Scales that were tried, in order, and brackets between them.

use corefed_core::{Number, Verdict};
use corefed_documents::{CeilingPoint, Threshold};
use corefed_solve::Rule;

use crate::{Audited, Case, Limits, Observers, RunError, Stop};

/// Halvings of a bracket; more than any precision needs that numbers have.
const HALVINGS: usize = 60;

/// Core predictors under scaled ceilings, audited.
pub(super) struct Tried<'a> {
    case: &'a Case,
    references: &'a [f64],
    limits: Limits,
    stop: &'a Stop,
    observers: &'a dyn Observers,
    /// Ascending, each with everybody's loss.
    found: Vec<(CeilingPoint, Vec<f64>)>,
}

impl<'a> Tried<'a> {
    pub(super) fn new(
        case: &'a Case,
        references: &'a [f64],
        limits: Limits,
        stop: &'a Stop,
        observers: &'a dyn Observers,
    ) -> Self {
        Self { case, references, limits, stop, observers, found: Vec::new() }
    }

    /// The core predictor at a scale; `None` when stopped, because an audit that was cut short decides nothing.
    pub(super) fn at(&mut self, scale: f64) -> Result<Option<CeilingPoint>, RunError> {
        let place = self.found.partition_point(|(point, _)| point.scale < scale);
        if let Some((point, _)) = self.found.get(place).filter(|(point, _)| point.scale == scale) {
            return Ok(Some(point.clone()));
        }
        let mut case = self.case.clone();
        case.ceilings = self.references.iter().map(|reference| scale * reference).collect();
        let losses = case.losses();
        let problem = case.problem(&*losses);
        let what = format!("scale {scale:.4}");
        let solution = case.solve_within(&problem, Rule::Core, self.limits.time_limit);
        let solution = solution.map_err(|error| error.at(&what))?;
        let audited = Audited::solution(&what, Rule::Core, &solution);
        let mut observer = self.observers.watch(&what);
        let (audit, _) = case.audit(&problem, &audited, self.limits, self.stop, &mut *observer)?;
        if self.stop.is_asked() {
            return Ok(None);
        }
        let utilities = audit.utilities();
        let point = CeilingPoint {
            scale,
            least: utilities.iter().copied().fold(f64::INFINITY, f64::min),
            most: utilities.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            kappa: audit.kappa,
            everybody: audit.everybody,
            headroom: audit.headroom.unwrap_or(Number(f64::INFINITY)),
            verdict: audit.verdict,
        };
        self.found.insert(place, (point.clone(), solution.losses));
        Ok(Some(point))
    }

    /// The last change from scales where something does not hold to scales where it does, halved until it is
    /// known to within a share of itself. It holds at every scale tried above; nothing is said of others.
    pub(super) fn narrow(
        &mut self,
        precision: f64,
        holds: impl Fn(&CeilingPoint) -> bool,
    ) -> Result<Option<Threshold>, RunError> {
        let mut bracket = self.bracket(&holds);
        for _ in 0..HALVINGS {
            let (Some(lo), Some(hi)) = (bracket.not_at, bracket.from) else { break };
            if hi - lo <= precision * hi {
                break;
            }
            if self.at(f64::midpoint(lo, hi))?.is_none() {
                return Ok(None);
            }
            bracket = self.bracket(&holds);
        }
        Ok(Some(bracket))
    }

    /// The last change among the scales tried so far.
    pub(super) fn bracket(&self, holds: &impl Fn(&CeilingPoint) -> bool) -> Threshold {
        let last = self.found.iter().rposition(|(point, _)| !holds(point));
        let next = last.map_or(0, |last| last + 1);
        Threshold {
            not_at: last.map(|last| self.found[last].0.scale),
            from: self.found.get(next).map(|(point, _)| point.scale),
            proven_from: None,
        }
    }

    /// Whether the user asked to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }

    /// Whether a point is worth recommending: certified, and about something.
    pub(super) fn answers(point: &CeilingPoint) -> bool {
        point.verdict == Verdict::Stable && point.headroom.0 > 1.0
    }

    /// Everybody's loss under every core predictor met.
    pub(super) fn losses(&self) -> impl Iterator<Item = &[f64]> {
        self.found.iter().map(|(_, losses)| losses.as_slice())
    }

    pub(super) fn into_points(self) -> Vec<CeilingPoint> {
        self.found.into_iter().map(|(point, _)| point).collect()
    }
}
