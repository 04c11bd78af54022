//! Models of other rules on the same data are rivals, too.

use corefed_core::{Factors, Number, Weights};
use corefed_documents::{ComparedRun, DeviationLine};
use serde_json::Value;

use crate::audit::gains;

/// Judges the models of one seed again, each with all others as rivals.
pub(super) fn cross_examine(
    runs: &mut [ComparedRun],
    agents: &[String],
    weights: &Weights,
    tolerance: f64,
) {
    let all: Vec<(String, Vec<f64>)> =
        runs.iter().map(|run| (run.rule.clone(), run.training.utilities.clone())).collect();
    for run in runs {
        let known = Factors { kappa: run.kappa, everybody: run.everybody };
        let before = run.kappa.lo.0;
        let rivals = all.iter().map(|(_, utilities)| utilities.as_slice());
        let judged = known.judge(&run.training.utilities, rivals, weights, tolerance);
        (run.kappa, run.everybody) = (judged.factors.kappa, judged.factors.everybody);
        run.verdict = judged.verdict;
        let Some(best) = judged.strongest.as_ref().filter(|best| best.kappa > before) else {
            continue;
        };
        let rival = &all[best.rival].0;
        run.rival = Some(rival.clone());
        run.deviation = judged.deviation().map(|leaving| {
            let mut members: Vec<(usize, f64)> =
                leaving.coalition.iter().copied().zip(leaving.gains.iter().copied()).collect();
            members.sort_unstable_by_key(|(agent, _)| *agent);
            let coalition: Vec<String> = members.iter().map(|(k, _)| agents[*k].clone()).collect();
            let numbers: Vec<Number> = members.iter().map(|(_, gain)| Number(*gain)).collect();
            let gains = gains(&coalition, &numbers);
            DeviationLine { rival: Value::from(rival.as_str()), round: None, coalition, gains }
        });
    }
}
