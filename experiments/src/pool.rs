//! Models of one seed, and what they cost everybody: every one is a rival of every other.

use corefed_core::{Factors, Number, Weights, utilities};
use corefed_evidence::{BlockConclusion, HeldOut, Level, Method, RowUtility, claim_block};
use serde::Serialize;

use crate::ReproduceError;
use corefed_documents::HeldOutUtility;
use corefed_run::held_out_utility;

/// A model with its losses.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) name: String,
    /// Mean training loss of every agent.
    pub(crate) losses: Vec<f64>,
    /// Loss of every held-out row, by agent.
    pub(crate) held_out: Vec<Vec<f64>>,
}

/// The best rival that was found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Witness {
    pub(crate) kappa: Number,
    pub(crate) rival: String,
    pub(crate) coalition: Vec<usize>,
    /// Whether held-out rows say so too, at the level of the intervals; absent where somebody of the
    /// coalition kept no rows back.
    pub(crate) holds_out: Option<bool>,
}

/// What all models of a pool reach against one, and the strongest of them.
pub(crate) fn strongest(
    incumbent: &Candidate,
    pool: &[Candidate],
    ceilings: &[f64],
    weights: &Weights,
) -> (Factors, Option<Witness>) {
    let now = utilities(ceilings, &incumbent.losses);
    let others: Vec<&Candidate> =
        pool.iter().filter(|rival| rival.name != incumbent.name).collect();
    let reached: Vec<Vec<f64>> =
        others.iter().map(|rival| utilities(ceilings, &rival.losses)).collect();
    let rivals = reached.iter().map(Vec::as_slice);
    let judged = Factors::staying(&now, weights).judge(&now, rivals, weights, 0.0);
    let witness = judged.strongest.map(|best| {
        let rival = others[best.rival];
        Witness {
            kappa: Number(best.kappa),
            rival: rival.name.clone(),
            holds_out: holds_out(incumbent, rival, &best.coalition, ceilings, weights),
            coalition: best.coalition,
        }
    });
    (judged.factors, witness)
}

/// Whether held-out rows confirm that a coalition blocks, for truncated utilities.
fn holds_out(
    incumbent: &Candidate,
    rival: &Candidate,
    coalition: &[usize],
    ceilings: &[f64],
    weights: &Weights,
) -> Option<bool> {
    let rows: Vec<HeldOut<'_>> = coalition
        .iter()
        .map(|&k| HeldOut {
            ceiling: ceilings[k],
            incumbent: &incumbent.held_out[k],
            rival: &rival.held_out[k],
        })
        .collect();
    let utility = RowUtility::TruncatedUtility;
    let claim = claim_block(coalition, &rows, weights, utility, Level::default(), Method::Betting);
    claim.ok().map(|claim| claim.conclusion == BlockConclusion::Blocks)
}

/// What held-out rows say about every agent's utility; `None` for an agent that kept none back.
pub(crate) fn held_out(
    candidate: &Candidate,
    ceilings: &[f64],
) -> Result<Vec<Option<HeldOutUtility>>, ReproduceError> {
    let one = |(losses, ceiling): (&Vec<f64>, &f64)| {
        held_out_utility(losses, *ceiling, Level::default())
            .map_err(|error| ReproduceError::HeldOut { model: candidate.name.clone(), error })
    };
    candidate.held_out.iter().zip(ceilings).map(one).collect()
}
