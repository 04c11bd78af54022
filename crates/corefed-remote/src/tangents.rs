//! Bounds on coalitions from tangents that agents have answered: a small cone program.

use corefed_audit::{Bounding, Coalition};
use corefed_core::{KnownTangent, Tangent, TangentConflict, tangents_bound};
use corefed_solve::MaximinBounds;

use crate::bundle::Bundle;
use crate::case::Case;
use crate::planes::{Plane, Planes};

/// Tangents of each member that a program starts with.
const FIRST: usize = 2;
/// Times that a program is given more tangents.
const REFINEMENTS: usize = 15;
/// Tangents below this share of the largest multiplier are left out when that costs next to nothing.
const NEGLIGIBLE: [f64; 2] = [1e-3, 1e-6];
/// How much a bound may grow, relatively, for fewer tangents.
const COST_OF_TRIMMING: f64 = 1e-8;

/// A proven bound, as the pool keeps it. Places are those of the bundle.
#[derive(Clone, Debug)]
pub(crate) struct Proven(pub(crate) TangentConflict);

impl Bounding for Proven {
    fn agents(&self) -> Coalition {
        let agents: Vec<usize> = self.0.tangents.iter().map(|tangent| tangent.agent).collect();
        Coalition::from_members(&agents)
    }

    fn bound(&self) -> f64 {
        self.0.bound
    }
}

/// What tangents with multipliers on utilities prove (ledger E78). `scale` is what each agent has now.
pub(crate) fn prove(
    case: &Case,
    bundle: &Bundle,
    scale: &[f64],
    tangents: Vec<Tangent>,
) -> Option<Proven> {
    let known: Vec<KnownTangent<'_>> = tangents
        .iter()
        .map(|tangent| {
            let known = bundle.at(tangent.agent, tangent.point)?;
            Some(KnownTangent {
                multiplier: tangent.multiplier,
                utility: case.ceilings[tangent.agent] - known.loss,
                gradient: known.gradient.as_deref()?,
                point: bundle.point(tangent.point),
            })
        })
        .collect::<Option<_>>()?;
    let mass: f64 = tangents.iter().map(|tangent| tangent.multiplier * scale[tangent.agent]).sum();
    let bound = tangents_bound(&known, case.l2, case.radius()) / mass;
    bound.is_finite().then_some(Proven(TangentConflict { tangents, bound }))
}

/// The best bound on some agents' common gain that known tangents prove, or one that is at most
/// `enough`. `near` is where the bound is expected to bind.
pub(crate) fn tightest(
    case: &Case,
    bundle: &Bundle,
    scale: &[f64],
    members: &[usize],
    near: &[f64],
    enough: f64,
) -> Option<Proven> {
    let all = Planes::of(case, bundle, scale, members);
    let mut active: Vec<usize> = Vec::new();
    for member in 0..members.len() {
        let mut own: Vec<usize> =
            (0..all.tangents.len()).filter(|&k| all.tangents[k].member == member).collect();
        own.sort_by(|&a, &b| all.value(a, near).total_cmp(&all.value(b, near)));
        if own.is_empty() {
            return None;
        }
        active.extend(own.into_iter().take(FIRST));
    }
    let (mut best, mut at): (Option<Proven>, Vec<f64>) = (None, near.to_vec());
    for _ in 0..=REFINEMENTS {
        active.sort_unstable();
        let bounds = all.solve(case, &active, &at, enough);
        let proven = few(&all, case, bundle, scale, members, (&active, &bounds));
        if let Some(proven) = proven
            && best.as_ref().is_none_or(|best| proven.0.bound < best.0.bound)
        {
            best = Some(proven);
        }
        if best.as_ref().is_some_and(|best| best.0.bound <= enough) {
            break;
        }
        at = bounds.params;
        let lowest = |member: usize| {
            let own = (0..all.tangents.len()).filter(|&k| all.tangents[k].member == member);
            own.min_by(|&a, &b| all.value(a, &at).total_cmp(&all.value(b, &at)))
        };
        let more: Vec<usize> = (0..members.len())
            .filter_map(lowest)
            .filter(|k| !active.contains(k) && all.value(*k, &at) < bounds.lower)
            .collect();
        if more.is_empty() {
            break;
        }
        active.extend(more);
    }
    best
}

/// The multipliers of a program as a conflict, with as few tangents as possible.
fn few(
    all: &Planes<'_>,
    case: &Case,
    bundle: &Bundle,
    scale: &[f64],
    members: &[usize],
    (active, bounds): (&[usize], &MaximinBounds),
) -> Option<Proven> {
    let largest = bounds.multipliers.iter().copied().fold(0.0, f64::max);
    let mass: f64 = bounds.multipliers.iter().sum();
    let keep = |least: f64| {
        let pairs = active.iter().zip(&bounds.multipliers);
        let kept = pairs.filter(|(_, p)| **p > least * largest).map(|(&k, p)| {
            let Plane { member, place, .. } = all.tangents[k];
            let agent = members[member];
            Tangent { agent, point: place, multiplier: p / (mass * scale[agent]) }
        });
        prove(case, bundle, scale, kept.collect())
    };
    let whole = keep(0.0)?;
    let limit = whole.0.bound + COST_OF_TRIMMING * whole.0.bound.abs();
    let few = NEGLIGIBLE.into_iter().filter_map(keep).find(|few| few.0.bound <= limit);
    Some(few.unwrap_or(whole))
}
