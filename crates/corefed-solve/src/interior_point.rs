//! Primal-dual interior-point iterates for a maximin program.
//!
//! Maximise the level `t` subject to `c_i - L_i(x) >= t s_i` and `|x| <= R`. For a barrier weight `mu`
//! the best level is a function of `x` alone, the root of `sum_i mu s_i / slack_i = 1`, so the barrier
//! becomes a smooth convex function of `x`: a soft minimum of the ratios. Steps are judged by that
//! function; a level that moved with `x` along the tangent would leave the curved constraints.

use corefed_core::dual_bound;
use corefed_core::linalg::{axpy, dot, norm_l2};

use crate::cholesky::{Cholesky, add_outer};
use crate::maximin::{Maximin, MaximinBounds};

/// Share of the way to the sphere that a step may go.
const TO_BOUNDARY: f64 = 0.99;
/// Multipliers stay within this factor of `mu / slack`, or the next system would be hopeless.
const DUAL_SPREAD: f64 = 1e3;

/// Parameters inside the ball with positive multipliers.
pub(crate) struct Iterate {
    params: Vec<f64>,
    /// `c_i - L_i`.
    utilities: Vec<f64>,
    gradients: Vec<f64>,
    /// On `c_i - L_i - level s_i`.
    multipliers: Vec<f64>,
    /// On `(R^2 - |x|^2) / 2`.
    ball_multiplier: f64,
}

/// The soft minimum at some utilities: the best level for `mu`, and what it leaves.
struct Centre {
    slacks: Vec<f64>,
    ball_slack: f64,
    /// The barrier function, to be minimised.
    merit: f64,
}

impl Iterate {
    /// Starts near `start`, and says with which `mu`.
    pub(crate) fn start(program: &Maximin<'_>, start: &[f64]) -> (Self, f64) {
        // Away from the sphere, where the barrier would dominate.
        let params = program.ball.pull(start, 0.9);
        let (utilities, gradients) = program.evaluate(&params);
        let ratios = || utilities.iter().zip(program.scales).map(|(u, s)| u / s);
        let least = ratios().fold(f64::INFINITY, f64::min);
        let most = ratios().fold(f64::NEG_INFINITY, f64::max);
        let mu = 0.1 * (most - least) + 0.01 * (1.0 + least.abs());
        let mut here =
            Self { params, utilities, gradients, multipliers: Vec::new(), ball_multiplier: 0.0 };
        let centre = here.centre(program, mu);
        here.multipliers = centre.slacks.iter().map(|y| mu / y).collect();
        here.ball_multiplier = mu / centre.ball_slack;
        (here, mu)
    }

    /// The best level for `mu`. In ratios `r_i` it solves `sum_i mu / (r_i - t) = 1`, whose left side
    /// grows from at most one to at least one between `min r - m mu` and `min r - mu`.
    fn centre(&self, program: &Maximin<'_>, mu: f64) -> Centre {
        let ratios: Vec<f64> =
            self.utilities.iter().zip(program.scales).map(|(u, s)| u / s).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (mu, mu * ratios.len() as f64);
        // Newton in the depth `least - t`, where the function is convex and decreasing: from the
        // shallow end it never overshoots.
        let mut depth = low;
        for _ in 0..60 {
            let (mut sum, mut slope) = (-1.0, 0.0);
            for r in &ratios {
                let term = mu / (r - least + depth);
                sum += term;
                slope -= term * term / mu;
            }
            if sum > 0.0 {
                low = depth
            } else {
                high = depth
            }
            let next = (depth - sum / slope).clamp(low, high);
            let settled = (next - depth).abs() <= 1e-15 * depth;
            depth = next;
            if settled {
                break;
            }
        }
        let slacks: Vec<f64> =
            ratios.iter().zip(program.scales).map(|(r, s)| (r - least + depth) * s).collect();
        let (radius, norm) = (program.ball.radius(), norm_l2(&self.params));
        let ball_slack = 0.5 * (radius - norm) * (radius + norm);
        let logs = slacks.iter().map(|y| y.ln()).sum::<f64>() + ball_slack.ln();
        Centre { slacks, ball_slack, merit: depth - least - mu * logs }
    }

    /// Improves the bounds with what this iterate proves (ledger E10).
    pub(crate) fn tighten(&self, program: &Maximin<'_>, best: &mut MaximinBounds) {
        let ratios = self.utilities.iter().zip(program.scales).map(|(u, s)| u / s);
        let lower = ratios.fold(f64::INFINITY, f64::min);
        if lower > best.lower {
            best.lower = lower;
            best.params.clone_from(&self.params);
        }
        let mass = dot(&self.multipliers, program.scales);
        let value = dot(&self.multipliers, &self.utilities) / mass;
        let dim = self.params.len();
        let mut gradient = vec![0.0; dim];
        for (lambda, row) in self.multipliers.iter().zip(self.gradients.chunks_exact(dim)) {
            axpy(lambda / mass, row, &mut gradient);
        }
        let upper = dual_bound(value, &gradient, &self.params, program.ball.radius());
        if upper < best.upper {
            best.upper = upper;
            best.point.clone_from(&self.params);
            best.multipliers =
                self.multipliers.iter().zip(program.scales).map(|(l, s)| l * s / mass).collect();
        }
    }

    /// One primal-dual step towards the centre for `mu`, and the share of it that was taken; `None`
    /// when rounding stops progress.
    pub(crate) fn step(&self, program: &Maximin<'_>, mu: f64) -> Option<(Self, f64)> {
        let dim = self.params.len();
        let here = self.centre(program, mu);
        let direction = self.direction(program, &here, mu)?;
        let (dx, dlevel) = (&direction[..dim], direction[dim]);
        let rows = self.gradients.chunks_exact(dim).zip(program.scales);
        let dslacks: Vec<f64> = rows.map(|(g, s)| -dot(g, dx) - s * dlevel).collect();
        let dball = -dot(&self.params, dx);
        // The level is optimal, so the merit's slope is its partial derivative along x.
        let pulls = dslacks.iter().zip(&here.slacks).map(|(dy, y)| dy / y).sum::<f64>();
        let slope = -dlevel - mu * (pulls + dball / here.ball_slack);

        let (mut next, there, length) = self.search(program, dx, &here, slope, mu)?;
        let wanted = |lambda: f64, y: f64, dy: f64| (mu - lambda * dy) / y - lambda;
        let dual: Vec<f64> = (0..dslacks.len())
            .map(|k| wanted(self.multipliers[k], here.slacks[k], dslacks[k]))
            .collect();
        let dual_ball = wanted(self.ball_multiplier, here.ball_slack, dball);
        let room =
            longest(&self.multipliers, &dual).min(longest(&[self.ball_multiplier], &[dual_ball]));
        let dual_length = (TO_BOUNDARY * room).min(1.0);
        let keep = |lambda: f64, y: f64| lambda.clamp(mu / y / DUAL_SPREAD, mu / y * DUAL_SPREAD);
        next.multipliers = (0..dual.len())
            .map(|k| keep(self.multipliers[k] + dual_length * dual[k], there.slacks[k]))
            .collect();
        next.ball_multiplier =
            keep(self.ball_multiplier + dual_length * dual_ball, there.ball_slack);
        Some((next, length))
    }

    /// Backtracks until the soft minimum improves enough.
    fn search(
        &self,
        program: &Maximin<'_>,
        dx: &[f64],
        here: &Centre,
        slope: f64,
        mu: f64,
    ) -> Option<(Self, Centre, f64)> {
        let noise = 64.0 * f64::EPSILON * (1.0 + here.merit.abs());
        let mut length = (TO_BOUNDARY * self.to_sphere(here, dx)).min(1.0);
        while length > 1e-10 {
            let mut params = self.params.clone();
            axpy(length, dx, &mut params);
            let (utilities, gradients) = program.evaluate(&params);
            let next = Self {
                params,
                utilities,
                gradients,
                multipliers: Vec::new(),
                ball_multiplier: 0.0,
            };
            let there = next.centre(program, mu);
            if there.merit <= here.merit + 1e-4 * length * slope.min(0.0) + noise {
                return Some((next, there, length));
            }
            length *= 0.5;
        }
        None
    }

    /// Solves the reduced Newton system in `(x, level)`, which is positive definite.
    fn direction(&self, program: &Maximin<'_>, here: &Centre, mu: f64) -> Option<Vec<f64>> {
        let dim = self.params.len();
        let size = dim + 1;
        let mut hessian = vec![0.0; dim * dim];
        program.losses.add_hessian(&self.params, program.members, &self.multipliers, &mut hessian);
        let mut matrix = vec![0.0; size * size];
        for row in 0..dim {
            matrix[row * size..][..=row].copy_from_slice(&hessian[row * dim..][..=row]);
            matrix[row * size + row] += self.ball_multiplier;
        }
        add_outer(&mut matrix, size, self.ball_multiplier / here.ball_slack, &self.params);
        let mut rhs = vec![0.0; size];
        rhs[dim] = 1.0;
        axpy(-mu / here.ball_slack, &self.params, &mut rhs[..dim]);
        let mut normal = vec![0.0; size];
        for (k, row) in self.gradients.chunks_exact(dim).enumerate() {
            normal[..dim].copy_from_slice(row);
            normal[dim] = program.scales[k];
            add_outer(&mut matrix, size, self.multipliers[k] / here.slacks[k], &normal);
            axpy(-mu / here.slacks[k], &normal, &mut rhs);
        }
        let largest = (0..size).map(|k| matrix[k * size + k]).fold(0.0, f64::max);
        // Redundant features leave flat directions that an inactive ball hardly determines.
        let factor = [1e-15, 1e-12, 1e-9]
            .iter()
            .find_map(|shift| Cholesky::new(&matrix, size, shift * largest))?;
        factor.solve(&mut rhs);
        rhs.iter().all(|v| v.is_finite()).then_some(rhs)
    }

    /// Largest `t` with `|x + t dx| <= R`.
    fn to_sphere(&self, here: &Centre, dx: &[f64]) -> f64 {
        let (a, b) = (dot(dx, dx), dot(&self.params, dx));
        let c = 2.0 * here.ball_slack;
        let root = (b * b + a * c).sqrt();
        // The form without cancellation for the sign of b.
        if b > 0.0 { c / (b + root) } else { (root - b) / a.max(f64::MIN_POSITIVE) }
    }
}

/// Largest `t` that keeps `values + t changes` non-negative.
fn longest(values: &[f64], changes: &[f64]) -> f64 {
    let limit = |(v, d): (&f64, &f64)| if *d < 0.0 { -v / d } else { f64::INFINITY };
    values.iter().zip(changes).map(limit).fold(f64::INFINITY, f64::min)
}
