//! The outcome of a session, from where its audit ended.

use crate::audit::Audit;
use crate::case::Case;
use crate::draft::draft;
use crate::outcome::{Ended, Outcome};
use crate::state::State;

/// What came of it, once an audit ended.
pub(crate) fn conclude(state: &State, case: &Case, audit: &Audit, ended: Ended) -> Outcome {
    let utilities =
        (0..case.agents()).map(|agent| (!audit.absent.contains(&agent)).then(|| audit.now[agent]));
    Outcome {
        verdict: audit.factors.verdict(case.accuracy.tolerance()),
        kappa: audit.factors.kappa,
        everybody: audit.factors.everybody,
        witness: audit.best.witness(&audit.now),
        improvement: audit.best.improvement(&audit.now),
        parameters: state.bundle.point(audit.theta).to_vec(),
        training_gap: None,
        utilities: utilities.collect(),
        ended,
        rounds: state.round,
        training_rounds: 0,
        verdict_round: None,
        points: state.bundle.points().len(),
        programs: audit.programs,
        traffic: state.traffic.clone(),
        absent: audit.absent.clone(),
        draft: draft(&state.setup, case, &state.bundle, audit),
    }
}
