//! One row of a table: a rule under a ceiling, from one seed, judged by everything that is known.

use corefed_core::{KappaInterval, Number, Verdict, Weights, headroom, utilities};
use serde::Serialize;

use crate::ReproduceError;
use crate::outcome::{Came, Exploded, Facts};
use crate::pool::{Candidate, Witness, held_out, strongest};
use corefed_documents::HeldOutUtility;
use corefed_run::FlooredWelfare;

/// What one training came to under one ceiling.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) rule: String,
    pub(crate) ceiling: f64,
    pub(crate) seed: u64,
    pub(crate) utilities: Vec<f64>,
    pub(crate) held_out: Vec<Option<HeldOutUtility>>,
    /// Weighted sum of log utilities, which are straight lines below the floor.
    pub(crate) floored_log_welfare: f64,
    /// The same on held-out rows, if everybody held some out.
    pub(crate) held_out_floored_log_welfare: Option<f64>,
    pub(crate) kappa: KappaInterval,
    pub(crate) everybody: KappaInterval,
    pub(crate) headroom: Number,
    pub(crate) verdict: Verdict,
    /// The rival behind the lower end, where one is better than staying.
    pub(crate) witness: Option<Witness>,
    /// What the upper end is: `headroom`, or an exact audit.
    pub(crate) upper: &'static str,
    pub(crate) accuracy: Option<f64>,
    /// On held-out rows, averaged as `accuracy` is.
    pub(crate) held_out_accuracy: Option<f64>,
    pub(crate) test_accuracy: Option<f64>,
    pub(crate) seconds: f64,
}

impl Row {
    /// Mean utilities on held-out rows, if everybody held some out.
    pub(crate) fn held_out_utilities(&self) -> Option<Vec<f64>> {
        means(&self.held_out)
    }
}

fn means(held_out: &[Option<HeldOutUtility>]) -> Option<Vec<f64>> {
    held_out.iter().map(|own| own.as_ref().map(|own| own.mean)).collect()
}

/// By what rows are judged, the same for all of a seed.
pub(crate) struct Yardstick<'a> {
    pub(crate) weights: &'a Weights,
    /// Gains up to this do not count in a verdict.
    pub(crate) tolerance: f64,
    /// Utility at which a log becomes a line, as a fraction of the ceiling.
    pub(crate) floor: f64,
}

/// Rows of one seed, and its trainings that came to nothing.
pub(crate) fn judge_all(
    came: Vec<Came>,
    ceilings: &[f64],
    yardstick: &Yardstick<'_>,
) -> Result<(Vec<Row>, Vec<Exploded>), ReproduceError> {
    let (mut pool, mut known, mut exploded) = (Vec::new(), Vec::new(), Vec::new());
    for came in came {
        match came {
            Came::Model(candidate, facts) => {
                pool.push(candidate);
                known.push(facts);
            }
            Came::Exploded(lost) => exploded.push(lost),
        }
    }
    let mut rows = Vec::new();
    for (model, known) in pool.iter().zip(&known) {
        let Some((facts, own)) = known else { continue };
        for &ceiling in ceilings.iter().filter(|ceiling| own.is_none_or(|own| own == **ceiling)) {
            // An exact audit knows its rivals itself.
            let rivals = if facts.exact.is_some() { &[][..] } else { &pool };
            rows.push(judge(facts, model, rivals, ceiling, yardstick)?);
        }
    }
    Ok((rows, exploded))
}

/// Judges a model against all others of its seed.
fn judge(
    facts: &Facts,
    model: &Candidate,
    pool: &[Candidate],
    ceiling: f64,
    &Yardstick { weights, tolerance, floor }: &Yardstick<'_>,
) -> Result<Row, ReproduceError> {
    let ceilings = vec![ceiling; model.losses.len()];
    let own = utilities(&ceilings, &model.losses);
    let room = headroom(&own, &ceilings, weights);
    let (mut factors, mut found) = strongest(model, pool, &ceilings, weights);
    // Exact programs know better than any list of rivals, whose members may lie outside the ball.
    let upper = if let Some((exact, leaving)) = &facts.exact {
        factors = *exact;
        found = (!leaving.is_empty()).then(|| Witness {
            kappa: exact.kappa.lo,
            rival: "a model of the ball".to_owned(),
            coalition: leaving.clone(),
            holds_out: None,
        });
        "exact audit"
    } else {
        factors.bound(room.kappa.value(), room.everybody.value());
        "headroom"
    };
    let welfare = FlooredWelfare { weights: weights.clone(), ceilings: ceilings.clone(), floor };
    let kept = held_out(model, &ceilings)?;
    // A mean utility is the ceiling less the mean loss.
    let losses = means(&kept).map(|means| means.iter().map(|mean| ceiling - mean).collect());
    Ok(Row {
        rule: facts.rule.clone(),
        ceiling,
        seed: facts.seed,
        floored_log_welfare: welfare.value(&model.losses),
        held_out_floored_log_welfare: losses.map(|losses: Vec<f64>| welfare.value(&losses)),
        held_out: kept,
        utilities: own,
        verdict: factors.verdict(tolerance),
        kappa: factors.kappa,
        everybody: factors.everybody,
        headroom: Number(room.kappa.value()),
        witness: found.filter(|witness| witness.kappa.0 > 1.0),
        upper,
        accuracy: facts.accuracy,
        held_out_accuracy: facts.held_out_accuracy,
        test_accuracy: facts.test_accuracy,
        seconds: facts.seconds,
    })
}
