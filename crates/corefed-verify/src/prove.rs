//! From a draft to a certificate: every number becomes what the checker proves.
//!
//! A solver proposes a rival, points and multipliers. What they prove, rounding included, is computed
//! here by the very functions that check it later, and the claim is read off: what is not proven is not
//! claimed, the interval widens or the verdict becomes `undecided`.

use std::ops::ControlFlow;

use corefed_core::{
    Certificate, Conflict, Evidence, Hopeless, KappaInterval, Number, Rival, Witness, WorstLoss,
};
use corefed_data::Federation;

use crate::claim::verdict_of;
use crate::conflict::Prover;
use crate::covered::{as_bounds, check_covered, everybody_bound};
use crate::deviation::{coalition_reach, gain_at_least, least_gain};
use crate::document::check_consistency;
use crate::enclosed::Enclosed;
use crate::evidence::frank_wolfe;
use crate::family::is_nonnegative;
use crate::first_order::gap;
use crate::headroom::headroom;
use crate::loss::Reading;
use crate::on_data::{read, utilities};
use crate::predictor::{check_parameters, check_place};
use crate::witness::staying;
use crate::worst_loss::worst_loss;
use crate::{VerifyError, parallel};

/// By how much the upper end of a draft is raised, relatively, until its conflicts cover it: rounding
/// makes every bound a little larger than a solver thinks.
const RAISES: [f64; 14] =
    [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];

/// Upper ends to try, from the proposed one on.
pub(crate) fn raised(proposed: f64) -> impl Iterator<Item = f64> {
    RAISES.iter().map(move |raise| proposed.max(0.0) * (1.0 + raise))
}

/// How many conflicts are proven between two calls of the observer, at least.
const BATCH: usize = 256;

/// Told how many conflicts of how many are proven; breaking gives them up.
pub type Watch<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// Replaces every claim of a draft by what the data proves. The result is consistent in itself; that it is what the
/// data proves is how it was made, by the functions that check it later.
///
/// A proof that `watch` breaks leaves what needs no conflicts: ceilings alone, or no upper end.
/// An error means that not even the weakest claim about this subject can be made: the parameters lie
/// outside the ball, say, or the data are others.
pub fn prove(
    mut draft: Certificate,
    federation: &Federation,
    data_digest: &str,
    watch: &mut Watch<'_>,
) -> Result<Certificate, VerifyError> {
    let proven = {
        let reading = read(&draft, federation, data_digest)?;
        check_parameters(reading.predictor, "subject.parameters", &reading.predictor.parameters)?;
        Proven::of(&draft, &reading, watch)
    };
    for (agent, utility) in draft.agents.iter_mut().zip(&proven.now) {
        (agent.utility, agent.margin) = (utility.value(), utility.error());
    }
    draft.witness = proven.witness;
    draft.improvement = proven.improvement;
    draft.evidence = proven.evidence;
    draft.claim.kappa = proven.kappa;
    draft.claim.everybody = proven.everybody;
    draft.claim.verdict = verdict_of(proven.kappa, proven.everybody, draft.claim.tolerance);
    check_consistency(&draft)?;
    Ok(draft)
}

/// What the data proves of a draft.
struct Proven {
    now: Vec<Enclosed>,
    witness: Option<Witness>,
    improvement: Option<Witness>,
    evidence: Evidence,
    kappa: KappaInterval,
    everybody: KappaInterval,
}

impl Proven {
    fn of(draft: &Certificate, reading: &Reading<'_>, watch: &mut Watch<'_>) -> Self {
        let now = utilities(draft, reading, &reading.predictor.parameters);
        let witness = gains(draft, reading, draft.witness.as_ref(), &now)
            .filter(|witness| witness.coalition.len() < now.len());
        let reached = witness
            .as_ref()
            .map(|w| coalition_reach(&draft.agents, (&w.coalition, &w.gains), &now));
        let (witness, lo) = match reached {
            Some(Ok(lo)) => (witness, lo.max(0.0)),
            _ => (None, 0.0),
        };
        let improvement = gains(draft, reading, draft.improvement.as_ref(), &now);
        let reached =
            improvement.as_ref().and_then(|w| least_gain((&w.coalition, &w.gains), &now).ok());
        let stay = staying(&now);
        let (improvement, together) = match reached {
            Some(reached) if reached > stay => (improvement, reached),
            _ => (None, stay),
        };
        let (evidence, hi, together_hi) = upper(draft, reading, &now, watch);
        Self {
            now,
            witness,
            improvement,
            evidence,
            kappa: KappaInterval::new(lo, hi),
            everybody: KappaInterval::new(together, together_hi),
        }
    }
}

/// A witness with the gains that are certain; `None` unless its rival lies in the ball and every gain is
/// certain.
fn gains(
    draft: &Certificate,
    reading: &Reading<'_>,
    witness: Option<&Witness>,
    now: &[Enclosed],
) -> Option<Witness> {
    let witness = witness?;
    let Rival::Parameters(rival) = &witness.rival else { return None };
    check_parameters(reading.predictor, "witness", rival).ok()?;
    let then = utilities(draft, reading, rival);
    let gains: Vec<f64> =
        witness.coalition.iter().map(|&i| gain_at_least(now[i], then[i])).collect();
    let certain = gains.iter().all(|gain| *gain >= 0.0);
    certain.then(|| Witness { gains: gains.into_iter().map(Number).collect(), ..witness.clone() })
}

/// The best that the draft's evidence proves, or else headroom, or nothing: with both upper ends.
fn upper(
    draft: &Certificate,
    reading: &Reading<'_>,
    now: &[Enclosed],
    watch: &mut Watch<'_>,
) -> (Evidence, f64, f64) {
    let prover = Prover::new(*reading, &draft.agents);
    let proven = match &draft.evidence {
        Evidence::FrankWolfe { worst_losses, .. } => {
            first_order(draft, reading, &prover, now, worst_losses)
        }
        Evidence::Conflicts { conflicts, hopeless } => {
            covered(draft, &prover, now, (conflicts, hopeless), watch)
        }
        Evidence::Headroom | Evidence::Listed | Evidence::Unbounded => None,
    };
    proven.or_else(|| room(draft, reading, now)).unwrap_or((
        Evidence::Unbounded,
        f64::INFINITY,
        f64::INFINITY,
    ))
}

fn room(
    draft: &Certificate,
    reading: &Reading<'_>,
    now: &[Enclosed],
) -> Option<(Evidence, f64, f64)> {
    let positive = now.iter().all(|utility| utility.lo() > 0.0);
    let bounded = positive && is_nonnegative(reading.predictor.family);
    let (kappa, everybody) = bounded.then(|| headroom(&draft.agents, now))?;
    (kappa.is_finite() && everybody.is_finite()).then_some((Evidence::Headroom, kappa, everybody))
}

fn first_order(
    draft: &Certificate,
    reading: &Reading<'_>,
    prover: &Prover<'_>,
    now: &[Enclosed],
    worst_losses: &[WorstLoss],
) -> Option<(Evidence, f64, f64)> {
    let positive = now.iter().all(|utility| utility.lo() > 0.0);
    if !positive || worst_losses.len() != draft.agents.len() {
        return None;
    }
    let bounds = parallel::map(worst_losses.len(), reading.numbers(), |i| {
        worst_loss(reading, prover, i, &worst_losses[i])
    });
    let below = |(agent, bound): (&corefed_core::AgentStatement, &f64)| {
        agent.ceiling.is_some_and(|ceiling| *bound <= ceiling)
    };
    if !draft.agents.iter().zip(&bounds).all(below) {
        return None;
    }
    let worst_losses = worst_losses.iter().zip(bounds);
    let worst_losses = worst_losses.map(|(stated, bound)| WorstLoss { bound, ..*stated }).collect();
    let gap = gap(reading, &draft.agents, now);
    let hi = frank_wolfe(&draft.agents, gap);
    hi.is_finite().then_some((Evidence::FrankWolfe { gap, worst_losses }, hi, hi))
}

fn covered(
    draft: &Certificate,
    prover: &Prover<'_>,
    now: &[Enclosed],
    (conflicts, hopeless): (&[Conflict], &[Hopeless]),
    watch: &mut Watch<'_>,
) -> Option<(Evidence, f64, f64)> {
    let reading = prover.reading();
    let in_ball = |point: &[f64], correction: &Option<Vec<f64>>| {
        check_place(reading.predictor, "draft", point, correction.as_deref()).is_ok()
    };
    let proven = |entry: &Hopeless| now[entry.agent].hi() <= 0.0 && prover.most(entry) <= 0.0;
    if !hopeless.iter().all(|entry| in_ball(&entry.point, &entry.correction)) {
        return None;
    }
    let hopeless: Vec<Hopeless> =
        hopeless.iter().map(|entry| prover.sharpest_hopeless(entry)).collect();
    let without: Vec<usize> = hopeless.iter().map(|entry| entry.agent).collect();
    let settled = |i: usize| without.contains(&i) || now[i].lo() > 0.0;
    if !hopeless.iter().all(proven) || !(0..now.len()).all(settled) {
        return None;
    }
    let conflicts: Vec<&Conflict> = conflicts
        .iter()
        .filter(|conflict| in_ball(&conflict.point, &conflict.correction))
        .filter(|conflict| conflict.multipliers.iter().all(|p| *p > 0.0))
        .collect();
    let mut proven = Vec::with_capacity(conflicts.len());
    for batch in conflicts.chunks(BATCH) {
        let sharpest = |k: usize| prover.sharpest(batch[k], now);
        proven.extend(parallel::map(batch.len(), reading.numbers(), sharpest));
        if watch(proven.len(), conflicts.len()).is_break() && proven.len() < conflicts.len() {
            return None;
        }
    }
    let conflicts: Vec<Conflict> =
        proven.into_iter().filter(|conflict| conflict.bound.is_finite()).collect();
    let bounds = as_bounds(&conflicts);
    let everybody = everybody_bound(&bounds, &without);
    let proposed = draft.claim.kappa.hi.0;
    if !(proposed.is_finite() && everybody.is_finite()) {
        return None;
    }
    for hi in raised(proposed) {
        match check_covered(&draft.agents, &bounds, &without, hi) {
            Ok(()) => {
                return Some((Evidence::Conflicts { conflicts, hopeless }, hi, everybody));
            }
            Err(VerifyError::Uncovered { .. }) => {}
            Err(_) => return None,
        }
    }
    None
}
