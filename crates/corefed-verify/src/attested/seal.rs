//! From a draft to a certificate: every claim becomes what the stated answers prove.

use corefed_core::{
    AgentStatement, Attestation, AttestedCertificate, AttestedEvidence, AttestedWitness,
    KappaInterval, Number, Status, TangentConflict, TangentHopeless, attested_version,
};

use super::book::Book;
use super::check::check_attested;
use super::leaves::check_leaves;
use super::terms::check_terms;
use super::trim::trim;
use crate::VerifyError;
use crate::claim::verdict_of;
use crate::coverage::{Bounded, MOST_AGENTS};
use crate::covered::{check_covered, everybody_bound};
use crate::deviation::{coalition_reach, gain_at_least, least_gain};
use crate::enclosed::Enclosed;
use crate::evidence::frank_wolfe;
use crate::headroom::headroom;
use crate::prove::raised;
use crate::witness::staying;

/// An upper end for coalitions, one for everybody, and why.
type Upper = (AttestedEvidence, f64, f64);

/// Replaces every bound, gain, interval and verdict of a draft by what its answers prove, drops answers and
/// points that nothing uses, and checks the result. Signatures of a draft are dropped: they were of something
/// else.
///
/// An error means that not even the weakest claim can be made: a point lies outside the ball, say.
pub fn seal(mut draft: AttestedCertificate) -> Result<AttestedCertificate, VerifyError> {
    draft.claim.tolerance = draft.terms.tolerance;
    draft.version = attested_version(&draft.terms.predictor);
    for own in &mut draft.attestations {
        (own.rows, own.signature) = (None, None);
    }
    check_terms(&draft)?;
    drop_unanswered(&mut draft);
    check_leaves(&draft)?;
    let book = Book::of(&draft);
    let (agents, now) = (book.statements(), book.now());
    let witness = with_gains(book, draft.witness.as_ref(), &now)
        .filter(|witness| witness.coalition.len() < now.len());
    let reached = witness
        .as_ref()
        .and_then(|w| coalition_reach(&agents, (&w.coalition, &w.gains), &now).ok());
    let (witness, lo) = reached.map_or((None, 0.0), |lo| (witness, lo.max(0.0)));
    let improvement = with_gains(book, draft.improvement.as_ref(), &now)
        .filter(|witness| witness.coalition.len() == now.len());
    let reached =
        improvement.as_ref().and_then(|w| least_gain((&w.coalition, &w.gains), &now).ok());
    let stay = staying(&now);
    let (improvement, together) = match reached {
        Some(reached) if reached > stay => (improvement, reached),
        _ => (None, stay),
    };
    let (evidence, hi, together_hi) = upper(&draft, &agents, &now);
    draft.claim.kappa = KappaInterval::new(lo, hi);
    draft.claim.everybody = KappaInterval::new(together, together_hi);
    let (kappa, everybody) = (draft.claim.kappa, draft.claim.everybody);
    draft.claim.verdict = verdict_of(kappa, everybody, draft.claim.tolerance);
    (draft.witness, draft.improvement, draft.evidence) = (witness, improvement, evidence);
    let certificate = trim(draft);
    check_attested(&certificate)?;
    Ok(certificate)
}

/// Points that a search asked for and nobody answered are not part of a certificate.
fn drop_unanswered(draft: &mut AttestedCertificate) {
    let answered = |j: usize, own: &Attestation| own.leaves.iter().any(|leaf| leaf.point == j);
    let used = (0..draft.points.len())
        .map(|j| j == 0 || draft.attestations.iter().any(|own| answered(j, own)))
        .collect::<Vec<_>>();
    super::trim::keep_points(draft, &used);
}

/// A witness with the gains that are certain; `None` unless every one is.
fn with_gains(
    book: Book<'_>,
    witness: Option<&AttestedWitness>,
    now: &[Enclosed],
) -> Option<AttestedWitness> {
    let witness = witness?;
    let gain = |&i: &usize| Some(gain_at_least(*now.get(i)?, book.utility(i, witness.point)));
    let gains = witness.coalition.iter().map(gain).collect::<Option<Vec<f64>>>()?;
    let certain = gains.iter().all(|gain| *gain >= 0.0);
    let gains = gains.into_iter().map(Number).collect();
    certain.then(|| AttestedWitness { gains, ..witness.clone() })
}

/// The best that the draft's evidence proves, or else headroom, or nothing.
fn upper(draft: &AttestedCertificate, agents: &[AgentStatement], now: &[Enclosed]) -> Upper {
    let book = Book::of(draft);
    let proven = match &draft.evidence {
        AttestedEvidence::Tangents { conflicts, hopeless } => {
            covered(draft, agents, now, conflicts, hopeless)
        }
        AttestedEvidence::FrankWolfe { .. } => first_order(draft, agents, now),
        AttestedEvidence::Headroom | AttestedEvidence::Unbounded => None,
    };
    let positive = now.iter().all(|utility| utility.lo() > 0.0);
    let room = || {
        let bounded = positive && book.nonnegative();
        let (kappa, everybody) = bounded.then(|| headroom(agents, now))?;
        let finite = kappa.is_finite() && everybody.is_finite();
        finite.then_some((AttestedEvidence::Headroom, kappa, everybody))
    };
    let nothing = (AttestedEvidence::Unbounded, f64::INFINITY, f64::INFINITY);
    proven.or_else(room).unwrap_or(nothing)
}

fn first_order(
    draft: &AttestedCertificate,
    agents: &[AgentStatement],
    now: &[Enclosed],
) -> Option<Upper> {
    let parties = draft.terms.agents.iter().zip(&draft.attestations);
    let premise = |(party, own): (&corefed_core::Party, &Attestation)| {
        own.worst_loss.is_some_and(|worst| worst <= party.ceiling)
    };
    let positive = now.iter().all(|utility| utility.lo() > 0.0);
    let violated = draft.assumptions.iter().any(|a| a.status == Status::Violated);
    if !positive || violated || !parties.into_iter().all(premise) {
        return None;
    }
    let gap = Book::of(draft).gap(now);
    let hi = frank_wolfe(agents, gap);
    hi.is_finite().then_some((AttestedEvidence::FrankWolfe { gap }, hi, hi))
}

fn covered(
    draft: &AttestedCertificate,
    agents: &[AgentStatement],
    now: &[Enclosed],
    conflicts: &[TangentConflict],
    hopeless: &[TangentHopeless],
) -> Option<Upper> {
    let book = Book::of(draft);
    let absent = book.absent();
    let proven = |entry: &TangentHopeless| {
        now.get(entry.agent).is_some_and(|utility| utility.hi() <= 0.0)
            && entry.tangents.iter().all(|tangent| tangent.agent == entry.agent)
            && !entry.tangents.is_empty()
            && book.most(&entry.tangents) <= 0.0
    };
    let mut hopeless: Vec<TangentHopeless> =
        hopeless.iter().filter(|entry| proven(entry)).cloned().collect();
    hopeless.sort_by_key(|entry| entry.agent);
    hopeless.dedup_by_key(|entry| entry.agent);
    let lost: Vec<usize> = hopeless.iter().map(|entry| entry.agent).collect();
    let without = [lost.as_slice(), &absent].concat();
    let settled = |i: usize| without.contains(&i) || now[i].lo() > 0.0;
    if agents.len() > MOST_AGENTS || !(0..now.len()).all(settled) {
        return None;
    }
    let usable = |conflict: &&TangentConflict| {
        !conflict.tangents.is_empty()
            && conflict.tangents.iter().all(|t| {
                t.agent < now.len()
                    && !without.contains(&t.agent)
                    && t.multiplier > 0.0
                    && t.multiplier.is_finite()
            })
    };
    let bounded = |conflict: &TangentConflict| TangentConflict {
        bound: book.bound(&conflict.tangents, now),
        tangents: conflict.tangents.clone(),
    };
    let conflicts: Vec<TangentConflict> = conflicts
        .iter()
        .filter(usable)
        .map(bounded)
        .filter(|conflict| conflict.bound.is_finite())
        .collect();
    let bounds: Vec<Bounded> = conflicts
        .iter()
        .map(|c| Bounded::new(c.tangents.iter().map(|tangent| tangent.agent), c.bound))
        .collect();
    let together = if absent.is_empty() { everybody_bound(&bounds, &lost) } else { f64::INFINITY };
    let proposed = draft.claim.kappa.hi.0;
    if !proposed.is_finite() || absent.is_empty() && !together.is_finite() {
        return None;
    }
    for hi in raised(proposed) {
        match check_covered(agents, &bounds, &without, hi) {
            Ok(()) => {
                return Some((AttestedEvidence::Tangents { conflicts, hopeless }, hi, together));
            }
            Err(VerifyError::Uncovered { .. }) => {}
            Err(_) => return None,
        }
    }
    None
}
