//! Models of one seed, and what they cost everybody: every one is a rival of every other.

use corefed_core::{Factors, Number, Weights, scan, utilities};
use corefed_evidence::{BlockConclusion, HeldOut, Level, Method, RowUtility, claim_block};
use serde::Serialize;

use crate::failure::Failure;
use crate::train::{HeldOutUtility, held_out_utility};

/// A model with its losses.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) name: String,
    /// Mean training loss of every agent.
    pub(super) losses: Vec<f64>,
    /// Loss of every held-out row, by agent.
    pub(super) held_out: Vec<Vec<f64>>,
}

/// The best rival that was found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Witness {
    pub(super) kappa: Number,
    pub(super) rival: String,
    pub(super) coalition: Vec<usize>,
    /// Whether held-out rows say so too, at the level of the intervals; absent where somebody of the
    /// coalition kept no rows back.
    pub(super) holds_out: Option<bool>,
}

/// What all models of a pool reach against one, and the strongest of them.
pub(super) fn strongest(
    incumbent: &Candidate,
    pool: &[Candidate],
    ceilings: &[f64],
    weights: &Weights,
) -> (Factors, Option<Witness>) {
    let now = utilities(ceilings, &incumbent.losses);
    let mut factors = Factors::staying(&now, weights);
    let mut best: Option<(f64, &Candidate, Vec<usize>)> = None;
    for rival in pool.iter().filter(|rival| rival.name != incumbent.name) {
        let then = utilities(ceilings, &rival.losses);
        let found = scan(&now, &then, weights.values(), &weights.total());
        factors.reach(&found);
        let kappa = found.kappa.value();
        if best.as_ref().is_none_or(|(known, ..)| kappa > *known) {
            best = Some((kappa, rival, found.coalition));
        }
    }
    let witness = best.map(|(kappa, rival, coalition)| Witness {
        kappa: Number(kappa),
        rival: rival.name.clone(),
        holds_out: holds_out(incumbent, rival, &coalition, ceilings, weights),
        coalition,
    });
    (factors, witness)
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
pub(super) fn held_out(
    candidate: &Candidate,
    ceilings: &[f64],
) -> Result<Vec<Option<HeldOutUtility>>, Failure> {
    let one = |(losses, ceiling): (&Vec<f64>, &f64)| {
        held_out_utility(losses, *ceiling, Level::default())
            .map_err(|error| Failure::new(format!("{}: {error}", candidate.name)))
    };
    candidate.held_out.iter().zip(ceilings).map(one).collect()
}
