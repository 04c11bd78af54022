//! Known tangents as planes above the gains of members, and the largest gain below them.

use corefed_core::linalg::{axpy, dot};
use corefed_model::ConvexLosses;
use corefed_solve::{Maximin, MaximinBounds, Until};

use crate::bundle::{Bundle, distance};
use crate::case::Case;

/// How close the bounds of a program are asked to be.
const GAP: f64 = 1e-9;
/// Interior-point steps of a program.
const MAX_STEPS: usize = 80;

/// One tangent, as a bound on the gain of a member: `(c - <g, x>)/s`, less its curvature.
pub(crate) struct Plane<'a> {
    /// By its place among the members.
    pub(crate) member: usize,
    pub(crate) place: usize,
    at: &'a [f64],
    loss: f64,
    gradient: &'a [f64],
}

/// All tangents of some members.
pub(crate) struct Planes<'a> {
    pub(crate) tangents: Vec<Plane<'a>>,
    ceilings: Vec<f64>,
    scales: Vec<f64>,
    l2: f64,
}

impl<'a> Planes<'a> {
    pub(crate) fn of(case: &Case, bundle: &'a Bundle, scale: &[f64], members: &[usize]) -> Self {
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
        Self { tangents: planes, ceilings: pick(&case.ceilings), scales: pick(scale), l2: case.l2 }
    }

    /// What a tangent leaves its member at `x`.
    pub(crate) fn value(&self, plane: usize, x: &[f64]) -> f64 {
        let member = self.tangents[plane].member;
        (self.ceilings[member] - self.tangents[plane].loss(x, self.l2)) / self.scales[member]
    }

    /// The largest gain that the tangents in use leave all members at once: a cone program.
    pub(crate) fn solve(
        &self,
        case: &Case,
        active: &[usize],
        start: &[f64],
        enough: f64,
    ) -> MaximinBounds {
        let pick = |values: &[f64]| -> Vec<f64> {
            active.iter().map(|&k| values[self.tangents[k].member]).collect()
        };
        let losses = Active { all: self, used: active, dim: start.len() };
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
    all: &'a Planes<'a>,
    used: &'a [usize],
    dim: usize,
}

impl Active<'_> {
    fn plane(&self, member: usize) -> &Plane<'_> {
        &self.all.tangents[self.used[member]]
    }
}

impl ConvexLosses for Active<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn agents(&self) -> usize {
        self.used.len()
    }

    fn strong_convexity(&self) -> f64 {
        self.all.l2
    }

    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]) {
        for (&member, loss) in members.iter().zip(losses) {
            *loss = self.plane(member).loss(params, self.all.l2);
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
            axpy(self.all.l2, params, row);
            axpy(-self.all.l2, plane.at, row);
        }
    }

    fn add_hessian(
        &self,
        _params: &[f64],
        _members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        let curvature = self.all.l2 * coefficients.iter().sum::<f64>();
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
        let curvature = self.all.l2 * coefficients.iter().sum::<f64>();
        for (out, value) in product.iter_mut().zip(direction) {
            *out = curvature * value;
        }
    }
}
