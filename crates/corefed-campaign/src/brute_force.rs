//! The best that a search over every coalition finds: a lower estimate of the truth.
//!
//! For a coalition, `max_x min_i r_i(x) = min_p max_x sum_i p_i r_i(x)`. Multipliers follow the gains by
//! exponential weights, and each takes a few Newton steps on the weighted sum.

use corefed_core::linalg::{axpy, dot, norm_l2};

use crate::instance::Instance;
use crate::losses::{local, loss};

/// Rounds of multipliers per coalition.
const ROUNDS: usize = 40;

/// What rivals were seen to reach.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// By a coalition that leaves somebody behind, and which.
    pub(crate) kappa: f64,
    pub(crate) coalition: Vec<usize>,
    /// By everybody.
    pub(crate) everybody: f64,
}

/// A model under attack.
pub(crate) struct BruteForce<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) now: Vec<f64>,
    pub(crate) radius: f64,
    pub(crate) found: Found,
}

impl<'a> BruteForce<'a> {
    pub(crate) fn new(instance: &'a Instance, incumbent: &[f64], radius: f64) -> Self {
        let mut brute = Self { instance, now: Vec::new(), radius, found: Found::default() };
        brute.now = brute.utilities(incumbent);
        brute
    }

    pub(crate) fn utilities(&self, params: &[f64]) -> Vec<f64> {
        let ceilings = &self.instance.ceilings;
        (0..ceilings.len()).map(|i| ceilings[i] - loss(self.instance, i, params)).collect()
    }

    /// Every coalition against one rival, by the definition.
    pub(crate) fn offer(&mut self, rival: &[f64]) {
        if norm_l2(rival) > self.radius {
            return;
        }
        let then = self.utilities(rival);
        let gains: Vec<f64> = (0..then.len()).map(|i| gain(self.now[i], then[i])).collect();
        let (weights, agents) = (self.instance.weights.values(), gains.len());
        let total: f64 = weights.iter().sum();
        for set in 1..1_usize << agents {
            let members: Vec<usize> = (0..agents).filter(|i| set >> i & 1 == 1).collect();
            let least = members.iter().map(|&i| gains[i]).fold(f64::INFINITY, f64::min);
            if members.len() == agents {
                self.found.everybody = self.found.everybody.max(least);
                continue;
            }
            let share = members.iter().map(|&i| weights[i]).sum::<f64>() / total;
            if share * least > self.found.kappa {
                (self.found.kappa, self.found.coalition) = (share * least, members);
            }
        }
    }

    /// Searches for rivals of every coalition: of members that all have something, and of every agent
    /// alone.
    pub(crate) fn search(&mut self, start: &[f64]) {
        let agents = self.now.len();
        for set in 1..1_usize << agents {
            let members: Vec<usize> = (0..agents).filter(|i| set >> i & 1 == 1).collect();
            if members.len() == 1 || members.iter().all(|&i| self.now[i] > 0.0) {
                self.climb(&members, start.to_vec());
            }
        }
    }

    fn climb(&mut self, members: &[usize], mut x: Vec<f64>) {
        let mut scores = vec![0.0; members.len()];
        for round in 1..=ROUNDS {
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let raw: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
            let mass: f64 = raw.iter().sum();
            let lambdas: Vec<(usize, f64)> = members
                .iter()
                .zip(&raw)
                .map(|(&i, p)| (i, p / mass / if self.now[i] > 0.0 { self.now[i] } else { 1.0 }))
                .collect();
            for _ in 0..if round == 1 { 30 } else { 3 } {
                let Some(next) = self.step(&lambdas, &x) else { break };
                x = next;
                self.offer(&x);
            }
            if members.len() == 1 {
                return;
            }
            let then = self.utilities(&x);
            let gains: Vec<f64> = members.iter().map(|&i| then[i] / self.now[i]).collect();
            let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
            let spread = gains.iter().copied().fold(least, f64::max) - least;
            if spread <= 1e-12 * least.abs() {
                return;
            }
            let pace = 2.0 / (spread * (round as f64).sqrt());
            for (score, gain) in scores.iter_mut().zip(&gains) {
                *score -= pace * (gain - least);
            }
        }
    }

    /// A Newton step on the weighted sum of utilities, held in the ball by its multiplier and
    /// shortened until it helps.
    fn step(&self, lambdas: &[(usize, f64)], x: &[f64]) -> Option<Vec<f64>> {
        let n = x.len();
        let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
        let mut value = 0.0;
        for &(i, lambda) in lambdas {
            let local = local(self.instance, i, x);
            value += lambda * local.loss;
            axpy(lambda, &local.gradient, &mut gradient);
            axpy(lambda, &local.hessian, &mut hessian);
        }
        let largest = (0..n).map(|k| hessian[k * n + k]).fold(0.0, f64::max);
        let mut nu = 1e-12 * largest + f64::MIN_POSITIVE;
        for _ in 0..16 {
            // (H + nu) d = -g - nu x, so that x + d minimises the model with the ball's multiplier.
            let held = if nu > 2e-12 * largest { nu } else { 0.0 };
            let rhs: Vec<f64> = gradient.iter().zip(x).map(|(g, x)| -g - held * x).collect();
            if let Some(d) = solve(&hessian, nu, rhs) {
                if held == 0.0 && dot(&gradient, &d).abs() <= 1e-13 * value.abs() {
                    return None;
                }
                let mut length = 1.0;
                while length > 1e-5 {
                    let moved: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + length * d).collect();
                    let inside = norm_l2(&moved) <= self.radius;
                    let at = |&(i, lambda): &(usize, f64)| lambda * loss(self.instance, i, &moved);
                    if inside && lambdas.iter().map(at).sum::<f64>() < value {
                        return Some(moved);
                    }
                    if !inside && length == 1.0 {
                        break;
                    }
                    length *= 0.25;
                }
            }
            nu *= 20.0;
        }
        None
    }
}

fn gain(now: f64, then: f64) -> f64 {
    match (now > 0.0, then > 0.0) {
        (true, _) => then / now,
        (false, true) => f64::INFINITY,
        (false, false) => 0.0,
    }
}

/// `(matrix + shift I)^-1 rhs` by Gauss, with pivots.
fn solve(matrix: &[f64], shift: f64, mut rhs: Vec<f64>) -> Option<Vec<f64>> {
    let n = rhs.len();
    let mut rows: Vec<Vec<f64>> = matrix.chunks_exact(n).map(<[f64]>::to_vec).collect();
    for (k, row) in rows.iter_mut().enumerate() {
        row[k] += shift;
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))?;
        rows.swap(k, pivot);
        rhs.swap(k, pivot);
        if rows[k][k] == 0.0 || !rows[k][k].is_finite() {
            return None;
        }
        for i in k + 1..n {
            let factor = rows[i][k] / rows[k][k];
            let (above, below) = rows.split_at_mut(i);
            for (entry, above) in below[0].iter_mut().zip(&above[k]) {
                *entry -= factor * above;
            }
            rhs[i] -= factor * rhs[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * rhs[j]).sum();
        rhs[k] = (rhs[k] - known) / rows[k][k];
    }
    rhs.iter().all(|x| x.is_finite()).then_some(rhs)
}
