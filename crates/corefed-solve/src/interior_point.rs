//! Primal-dual interior-point iterates for a maximin program.
//!
//! Maximise the level `t` subject to `c_i - L_i(x) >= t s_i` and `|x| <= R`. Each slack gets a
//! multiplier; Newton's method follows the central path on which slack times multiplier is `mu`.

use corefed_core::dual_bound;
use corefed_core::linalg::{axpy, dot, norm_l2};

use crate::cholesky::{Cholesky, add_outer};
use crate::maximin::{Maximin, MaximinBounds};

/// Share of the way to the boundary that a step may go.
const TO_BOUNDARY: f64 = 0.99;
/// Dual and primal estimates of a multiplier may differ by at most this factor.
const DUAL_SPREAD: f64 = 1e8;

/// A strictly feasible point with positive multipliers.
pub(crate) struct Iterate {
    params: Vec<f64>,
    /// The level that every `(c_i - L_i)/s_i` exceeds.
    level: f64,
    /// `c_i - L_i`.
    utilities: Vec<f64>,
    gradients: Vec<f64>,
    /// On `c_i - L_i - level s_i`.
    multipliers: Vec<f64>,
    /// On `(R^2 - |x|^2) / 2`.
    ball_multiplier: f64,
}

impl Iterate {
    pub(crate) fn start(program: &Maximin<'_>, start: &[f64]) -> Self {
        // Away from the sphere, where the barrier would dominate.
        let params = program.ball.pull(start, 0.9);
        let (utilities, gradients) = program.evaluate(&params);
        let ratios = || utilities.iter().zip(program.scales).map(|(u, s)| u / s);
        let (least, most) =
            (ratios().fold(f64::INFINITY, f64::min), ratios().fold(f64::MIN, f64::max));
        let level = least - 0.1 * (most - least) - 0.01 * (1.0 + least.abs());
        let mut here = Self {
            params,
            level,
            utilities,
            gradients,
            multipliers: Vec::new(),
            ball_multiplier: 0.0,
        };
        let slacks = here.slacks(program);
        let mu = 1.0 / slacks.iter().zip(program.scales).map(|(y, s)| s / y).sum::<f64>();
        here.multipliers = slacks.iter().map(|y| mu / y).collect();
        here.ball_multiplier = mu / here.ball_slack(program);
        here
    }

    fn slacks(&self, program: &Maximin<'_>) -> Vec<f64> {
        self.utilities.iter().zip(program.scales).map(|(u, s)| u - self.level * s).collect()
    }

    fn ball_slack(&self, program: &Maximin<'_>) -> f64 {
        let (radius, norm) = (program.ball.radius(), norm_l2(&self.params));
        0.5 * (radius - norm) * (radius + norm)
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
        let mut gradient = vec![0.0; self.params.len()];
        for (lambda, row) in
            self.multipliers.iter().zip(self.gradients.chunks_exact(gradient.len()))
        {
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

    /// One primal-dual step; `None` when rounding stops progress.
    pub(crate) fn step(&self, program: &Maximin<'_>, damping: f64) -> Option<(Self, f64)> {
        let dim = self.params.len();
        let slacks = self.slacks(program);
        let ball_slack = self.ball_slack(program);
        let complementarity = dot(&self.multipliers, &slacks) + self.ball_multiplier * ball_slack;
        let mu = damping * complementarity / (slacks.len() + 1) as f64;

        let direction = self.direction(program, &slacks, ball_slack, mu)?;
        let (dx, dlevel) = (&direction[..dim], direction[dim]);
        let dslacks: Vec<f64> = self
            .gradients
            .chunks_exact(dim)
            .zip(program.scales)
            .map(|(g, s)| -dot(g, dx) - s * dlevel)
            .collect();
        let dball = -dot(&self.params, dx);

        let mut length = TO_BOUNDARY * longest(&slacks, &dslacks);
        length = length.min(TO_BOUNDARY * self.to_sphere(program, dx)).min(1.0);
        let merit = |level: f64, slacks: &[f64], ball_slack: f64| {
            -level - mu * (slacks.iter().map(|y| y.ln()).sum::<f64>() + ball_slack.ln())
        };
        let now = merit(self.level, &slacks, ball_slack);
        let pulls = self.gradients.chunks_exact(dim).zip(&slacks);
        let slope = -dlevel
            + mu * pulls
                .zip(program.scales)
                .map(|((g, y), s)| (dot(g, dx) + s * dlevel) / y)
                .sum::<f64>()
            - mu * dball / ball_slack;
        let noise = 64.0 * f64::EPSILON * (1.0 + now.abs());
        let mut next = None;
        while length > 1e-10 {
            let mut params = self.params.clone();
            axpy(length, dx, &mut params);
            let level = self.level + length * dlevel;
            let (utilities, gradients) = program.evaluate(&params);
            let trial = Self {
                params,
                level,
                utilities,
                gradients,
                multipliers: Vec::new(),
                ball_multiplier: 0.0,
            };
            let (y, y_ball) = (trial.slacks(program), trial.ball_slack(program));
            let inside = y_ball > 0.0 && y.iter().all(|y| *y > 0.0);
            if inside && merit(level, &y, y_ball) <= now + 1e-4 * length * slope.min(0.0) + noise {
                next = Some((trial, y, y_ball));
                break;
            }
            length *= 0.5;
        }
        let (mut next, y, y_ball) = next?;

        let wanted = |lambda: f64, y: f64, dy: f64| (mu - lambda * dy) / y - lambda;
        let dual: Vec<f64> = self
            .multipliers
            .iter()
            .zip(&slacks)
            .zip(&dslacks)
            .map(|((l, y), dy)| wanted(*l, *y, *dy))
            .collect();
        let dual_ball = wanted(self.ball_multiplier, ball_slack, dball);
        let dual_length = longest(&self.multipliers, &dual)
            .min(longest(&[self.ball_multiplier], &[dual_ball]))
            .mul_add(TO_BOUNDARY, 0.0)
            .min(1.0);
        // Multipliers must stay within reach of mu / slack, or the next system is hopeless.
        let keep = |l: f64, y: f64| l.clamp(mu / y / DUAL_SPREAD, mu / y * DUAL_SPREAD);
        next.multipliers = self
            .multipliers
            .iter()
            .zip(&dual)
            .zip(&y)
            .map(|((l, d), y)| keep(l + dual_length * d, *y))
            .collect();
        next.ball_multiplier = keep(self.ball_multiplier + dual_length * dual_ball, y_ball);
        Some((next, length.min(dual_length)))
    }

    /// Solves the reduced Newton system in `(x, level)`, which is positive definite.
    fn direction(
        &self,
        program: &Maximin<'_>,
        slacks: &[f64],
        ball_slack: f64,
        mu: f64,
    ) -> Option<Vec<f64>> {
        let dim = self.params.len();
        let size = dim + 1;
        let mut hessian = vec![0.0; dim * dim];
        program.losses.add_hessian(&self.params, program.members, &self.multipliers, &mut hessian);
        let mut matrix = vec![0.0; size * size];
        for row in 0..dim {
            matrix[row * size..][..=row].copy_from_slice(&hessian[row * dim..][..=row]);
            matrix[row * size + row] += self.ball_multiplier;
        }
        add_outer(&mut matrix, size, self.ball_multiplier / ball_slack, &self.params);
        let mut rhs = vec![0.0; size];
        rhs[dim] = 1.0;
        axpy(-mu / ball_slack, &self.params, &mut rhs[..dim]);
        let mut normal = vec![0.0; size];
        for (k, row) in self.gradients.chunks_exact(dim).enumerate() {
            normal[..dim].copy_from_slice(row);
            normal[dim] = program.scales[k];
            add_outer(&mut matrix, size, self.multipliers[k] / slacks[k], &normal);
            axpy(-mu / slacks[k], &normal, &mut rhs);
        }
        let largest = (0..size).map(|k| matrix[k * size + k]).fold(0.0, f64::max);
        // Inactive balls leave flat directions of redundant features undetermined.
        let factor = [1e-15, 1e-12, 1e-9]
            .iter()
            .find_map(|shift| Cholesky::new(&matrix, size, shift * largest))?;
        factor.solve(&mut rhs);
        rhs.iter().all(|v| v.is_finite()).then_some(rhs)
    }

    /// Largest `t` with `|x + t dx| <= R`.
    fn to_sphere(&self, program: &Maximin<'_>, dx: &[f64]) -> f64 {
        let (a, b) = (dot(dx, dx), dot(&self.params, dx));
        let c = 2.0 * self.ball_slack(program);
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
