//! Bounds on coalitions from tangents that agents have answered: a small cone program.

use corefed_audit::{Bounding, Coalition};
use corefed_core::linalg::{axpy, dot};
use corefed_core::{KnownTangent, Tangent, TangentConflict, tangents_bound};
use corefed_model::ConvexLosses;
use corefed_solve::{Maximin, MaximinBounds, Until};

use crate::bundle::{Bundle, distance};
use crate::case::Case;

/// Tangents of each member that a program starts with.
const FIRST: usize = 2;
/// Times that a program is given more tangents.
const REFINEMENTS: usize = 15;
/// How close the bounds of a program are asked to be.
const GAP: f64 = 1e-9;
/// Interior-point steps of a program.
const MAX_STEPS: usize = 80;
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
            (0..all.planes.len()).filter(|&k| all.planes[k].member == member).collect();
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
        let proven = all.proven(case, bundle, scale, members, (&active, &bounds));
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
            let own = (0..all.planes.len()).filter(|&k| all.planes[k].member == member);
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

/// One tangent, as a bound on the gain of a member: `(c - <g, x>)/s`, less its curvature.
struct Plane<'a> {
    /// By its place among the members.
    member: usize,
    place: usize,
    at: &'a [f64],
    loss: f64,
    gradient: &'a [f64],
}

/// All tangents of some members.
struct Planes<'a> {
    planes: Vec<Plane<'a>>,
    ceilings: Vec<f64>,
    scales: Vec<f64>,
    l2: f64,
}

impl<'a> Planes<'a> {
    fn of(case: &Case, bundle: &'a Bundle, scale: &[f64], members: &[usize]) -> Self {
        let mut planes = Vec::new();
        for (member, &agent) in members.iter().enumerate() {
            for (place, known) in bundle.of(agent) {
                if let Some(gradient) = &known.gradient {
                    let (at, loss) = (bundle.point(place), known.loss);
                    planes.push(Plane { member, place, at, loss, gradient });
                }
            }
        }
        let pick = |values: &[f64]| members.iter().map(|&i| values[i]).collect();
        Self { planes, ceilings: pick(&case.ceilings), scales: pick(scale), l2: case.l2 }
    }

    /// What a tangent leaves its member at `x`.
    fn value(&self, plane: usize, x: &[f64]) -> f64 {
        let member = self.planes[plane].member;
        (self.ceilings[member] - self.planes[plane].loss(x, self.l2)) / self.scales[member]
    }

    fn solve(&self, case: &Case, active: &[usize], start: &[f64], enough: f64) -> MaximinBounds {
        let pick = |values: &[f64]| -> Vec<f64> {
            active.iter().map(|&k| values[self.planes[k].member]).collect()
        };
        let losses = Active { planes: self, active, dim: start.len() };
        let everybody: Vec<usize> = (0..active.len()).collect();
        let program = Maximin {
            losses: &losses,
            members: &everybody,
            ceilings: &pick(&self.ceilings),
            scales: &pick(&self.scales),
            ball: &case.ball,
        };
        // Bounds are computed again from the multipliers, so a little less than enough is asked for.
        let threshold = enough - GAP * enough.abs();
        program.solve(start, Until::Threshold { threshold, gap: GAP }, MAX_STEPS)
    }

    /// The multipliers of a program as a conflict, with as few tangents as possible.
    fn proven(
        &self,
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
                let Plane { member, place, .. } = self.planes[k];
                let agent = members[member];
                Tangent { agent, point: place, multiplier: p / (mass * scale[agent]) }
            });
            prove(case, bundle, scale, kept.collect())
        };
        let all = keep(0.0)?;
        let limit = all.0.bound + COST_OF_TRIMMING * all.0.bound.abs();
        let few = NEGLIGIBLE.into_iter().filter_map(keep).find(|few| few.0.bound <= limit);
        Some(few.unwrap_or(all))
    }
}

impl Plane<'_> {
    fn loss(&self, x: &[f64], l2: f64) -> f64 {
        let slope = dot(self.gradient, x) - dot(self.gradient, self.at);
        let bend = if l2 > 0.0 { 0.5 * l2 * distance(x, self.at) } else { 0.0 };
        self.loss + slope + bend
    }
}

/// The tangents in use, each as an agent of its own.
struct Active<'a> {
    planes: &'a Planes<'a>,
    active: &'a [usize],
    dim: usize,
}

impl Active<'_> {
    fn plane(&self, member: usize) -> &Plane<'_> {
        &self.planes.planes[self.active[member]]
    }
}

impl ConvexLosses for Active<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn agents(&self) -> usize {
        self.active.len()
    }

    fn strong_convexity(&self) -> f64 {
        self.planes.l2
    }

    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]) {
        for (&member, loss) in members.iter().zip(losses) {
            *loss = self.plane(member).loss(params, self.planes.l2);
        }
    }

    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        self.losses(params, members, losses);
        for (&member, row) in members.iter().zip(gradients.chunks_exact_mut(self.dim)) {
            let plane = self.plane(member);
            row.copy_from_slice(plane.gradient);
            axpy(self.planes.l2, params, row);
            axpy(-self.planes.l2, plane.at, row);
        }
    }

    fn add_hessian(
        &self,
        _params: &[f64],
        _members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        let curvature = self.planes.l2 * coefficients.iter().sum::<f64>();
        for k in 0..self.dim {
            hessian[k * self.dim + k] += curvature;
        }
    }

    fn hessian_vector(
        &self,
        _params: &[f64],
        _members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        let curvature = self.planes.l2 * coefficients.iter().sum::<f64>();
        for (out, value) in product.iter_mut().zip(direction) {
            *out = curvature * value;
        }
    }
}
