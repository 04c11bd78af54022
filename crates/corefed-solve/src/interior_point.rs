//! Primal-dual interior-point iterates for a maximin program.
//!
//! Maximise the level `t` subject to `c_i - L_i(x) >= t s_i` and `x` in the ball. For a barrier weight
//! `mu` the best level is a function of `x` alone, the root of `sum_i mu s_i / slack_i = 1`, so the barrier
//! becomes a smooth convex function of `x`: a soft minimum of the ratios. Newton minimises that
//! function with the ball kept in its model; a level that moved along the tangent, or a barrier for
//! the sphere, would cut steps short where constraints curve.

use corefed_core::linalg::{axpy, dot};

use crate::ball_step::ball_step;
use crate::maximin::{Maximin, MaximinBounds};
use crate::outer::add_outer;
use crate::rise::Slope;

/// Share of the way to zero that multipliers may go.
const TO_BOUNDARY: f64 = 0.99;
/// Relative damping of directions that redundant features leave flat.
const DAMPING: f64 = 1e-12;
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
}

/// The soft minimum at some utilities: the best level for `mu`, and what it leaves.
struct Centre {
    slacks: Vec<f64>,
    /// The barrier function, to be minimised.
    merit: f64,
}

impl Iterate {
    /// Starts near `start`, and says with which `mu`.
    pub(crate) fn start(program: &Maximin<'_>, start: &[f64]) -> (Self, f64) {
        let params = program.ball.project(start);
        let (utilities, gradients) = program.evaluate(&params);
        let ratios = || utilities.iter().zip(program.scales).map(|(u, s)| u / s);
        let least = ratios().fold(f64::INFINITY, f64::min);
        let most = ratios().fold(f64::NEG_INFINITY, f64::max);
        let mu = 0.1 * (most - least) + 0.01 * (1.0 + least.abs());
        let mut here = Self { params, utilities, gradients, multipliers: Vec::new() };
        let centre = here.centre(program, mu);
        here.multipliers = centre.slacks.iter().map(|y| mu / y).collect();
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
                low = depth;
            } else {
                high = depth;
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
        let logs = slacks.iter().map(|y| y.ln()).sum::<f64>();
        Centre { slacks, merit: depth - least - mu * logs }
    }

    /// Improves the bounds with what this iterate proves, and returns its own gap (ledger E10, E44).
    pub(crate) fn tighten(&self, program: &Maximin<'_>, best: &mut MaximinBounds) -> f64 {
        let ratios = self.utilities.iter().zip(program.scales).map(|(u, s)| u / s);
        let lower = ratios.fold(f64::INFINITY, f64::min);
        if lower > best.lower {
            best.lower = lower;
            best.params.clone_from(&self.params);
        }
        let mass = dot(&self.multipliers, program.scales);
        let value = dot(&self.multipliers, &self.utilities) / mass;
        let dim = self.params.len();
        let lambda: Vec<f64> = self.multipliers.iter().map(|l| l / mass).collect();
        let mut gradient = vec![0.0; dim];
        for (lambda, row) in lambda.iter().zip(self.gradients.chunks_exact(dim)) {
            axpy(*lambda, row, &mut gradient);
        }
        let slope = Slope {
            losses: program.losses,
            members: program.members,
            lambda: &lambda,
            gradient: &gradient,
            at: &self.params,
        };
        let rise = slope.rise(program.ball, value);
        let upper = value + rise.bound;
        if upper < best.upper {
            best.upper = upper;
            best.sphere = rise.sphere;
            best.point.clone_from(&self.params);
            best.multipliers = lambda.iter().zip(program.scales).map(|(l, s)| l * s).collect();
        }
        upper - lower
    }

    /// One primal-dual step towards the centre for `mu`; `None` when rounding stops progress.
    pub(crate) fn step(&self, program: &Maximin<'_>, mu: f64) -> Option<Self> {
        let dim = self.params.len();
        let here = self.centre(program, mu);
        // How strongly slack k reacts: multiplier over slack.
        let stiffness: Vec<f64> =
            self.multipliers.iter().zip(&here.slacks).map(|(l, y)| l / y).collect();
        let (mut cross, mut curvature) = (vec![0.0; dim], 0.0);
        let mut gradient = vec![0.0; dim];
        for (k, row) in self.gradients.chunks_exact(dim).enumerate() {
            let scale = program.scales[k];
            axpy(stiffness[k] * scale, row, &mut cross);
            curvature += stiffness[k] * scale * scale;
            axpy(mu / here.slacks[k], row, &mut gradient);
        }
        // Eliminating the level leaves the spread of the gradients about their weighted mean.
        let mean: Vec<f64> = cross.iter().map(|h| h / curvature).collect();
        let mut hessian = vec![0.0; dim * dim];
        program.losses.add_hessian(&self.params, program.members, &self.multipliers, &mut hessian);
        let mut spread = vec![0.0; dim];
        for (k, row) in self.gradients.chunks_exact(dim).enumerate() {
            spread.copy_from_slice(row);
            axpy(-program.scales[k], &mean, &mut spread);
            add_outer(&mut hessian, dim, stiffness[k], &spread);
        }
        let end = ball_step(&hessian, &gradient, &self.params, program.ball, DAMPING)?;
        let dx: Vec<f64> = end.iter().zip(&self.params).map(|(e, x)| e - x).collect();
        let slope = dot(&gradient, &dx);
        let dlevel = -dot(&mean, &dx);

        let (mut next, there) = self.search(program, &dx, &here, slope, mu)?;
        let rows = self.gradients.chunks_exact(dim).enumerate();
        let dual: Vec<f64> = rows
            .map(|(k, row)| {
                let dslack = -dot(row, &dx) - program.scales[k] * dlevel;
                mu / here.slacks[k] - stiffness[k] * dslack - self.multipliers[k]
            })
            .collect();
        let dual_length = (TO_BOUNDARY * longest(&self.multipliers, &dual)).min(1.0);
        next.multipliers = (0..dual.len())
            .map(|k| {
                let centred = mu / there.slacks[k];
                (self.multipliers[k] + dual_length * dual[k])
                    .clamp(centred / DUAL_SPREAD, centred * DUAL_SPREAD)
            })
            .collect();
        Some(next)
    }

    /// Backtracks until the soft minimum improves enough.
    fn search(
        &self,
        program: &Maximin<'_>,
        dx: &[f64],
        here: &Centre,
        slope: f64,
        mu: f64,
    ) -> Option<(Self, Centre)> {
        let noise = 64.0 * f64::EPSILON * (1.0 + here.merit.abs());
        let mut length = 1.0;
        while length > 1e-10 {
            let mut params = self.params.clone();
            axpy(length, dx, &mut params);
            // Between two points of the ball, but for rounding.
            let params = program.ball.project(&params);
            let (utilities, gradients) = program.evaluate(&params);
            let next = Self { params, utilities, gradients, multipliers: Vec::new() };
            let there = next.centre(program, mu);
            if there.merit <= here.merit + 1e-4 * length * slope.min(0.0) + noise {
                return Some((next, there));
            }
            length *= 0.5;
        }
        None
    }
}

/// Largest `t` that keeps `values + t changes` non-negative.
fn longest(values: &[f64], changes: &[f64]) -> f64 {
    let limit = |(v, d): (&f64, &f64)| if *d < 0.0 { -v / d } else { f64::INFINITY };
    values.iter().zip(changes).map(limit).fold(f64::INFINITY, f64::min)
}
