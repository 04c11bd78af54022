//! The shortest convex combination of vectors, from their inner products.

use crate::cholesky;

/// Complementarity at which the search stops: so small that even where a bound is just touched,
/// weights and multipliers are right to its square root.
const DONE: f64 = 1e-22;
/// Each step aims at this fraction of the complementarity. About 25 steps reach `DONE`.
const AIM: f64 = 0.1;
/// How far towards a bound a step may go.
const FRACTION: f64 = 0.995;
const MOST_STEPS: usize = 100;

/// Weights `x` that minimise `x'Gx` over the simplex, within `epsilon` of equal ones (ledger E32).
///
/// `gram` is the row-major matrix `G` of inner products of vectors of about unit length, positive
/// semidefinite. Where several weights give the same combination, those in the middle are returned,
/// so that equal vectors share equally. A primal-dual interior-point method; `O(m^3)` a step.
pub(crate) fn min_norm_weights(gram: &[f64], epsilon: f64) -> Vec<f64> {
    let count = gram.len().isqrt();
    let equal = 1.0 / count as f64;
    let low = (equal - epsilon).max(0.0);
    let width = (equal + epsilon).min(1.0) - low;
    // One vector, or no room.
    if count < 2 || width <= f64::EPSILON * equal {
        return vec![equal; count];
    }
    let mut point = Point::middle(count, (1.0 - low * count as f64) / width);
    for _ in 0..MOST_STEPS {
        if point.complementarity() <= DONE || !point.step(gram, low, width) {
            break;
        }
    }
    point.up.iter().map(|y| low + width * y).collect()
}

/// An interior iterate: weights are `low + width * up`, with `up + down = 1` entry by entry.
struct Point {
    up: Vec<f64>,
    down: Vec<f64>,
    /// Multipliers of `up >= 0` and `down >= 0`.
    up_dual: Vec<f64>,
    down_dual: Vec<f64>,
    /// Multiplier of the sum.
    level: f64,
    /// What `up` sums to.
    sum: f64,
}

impl Point {
    fn middle(count: usize, sum: f64) -> Self {
        let up = sum / count as f64;
        Self {
            up: vec![up; count],
            down: vec![1.0 - up; count],
            up_dual: vec![1.0; count],
            down_dual: vec![1.0; count],
            level: 0.0,
            sum,
        }
    }

    fn complementarity(&self) -> f64 {
        let products = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let total = products(&self.up, &self.up_dual) + products(&self.down, &self.down_dual);
        total / (2 * self.up.len()) as f64
    }

    /// One Newton step towards `AIM` times the complementarity; false when rounding ends progress.
    ///
    /// With the gradient `g = Gx`, divided by `width` so that nothing degenerates for narrow
    /// boxes: `(width G + D) dy - dlevel = -r`, `sum dy = what is missing`, where `D` is
    /// `up_dual/up + down_dual/down`.
    fn step(&mut self, gram: &[f64], low: f64, width: f64) -> bool {
        let count = self.up.len();
        let aim = AIM * self.complementarity();
        let mut matrix: Vec<f64> = gram.iter().map(|entry| width * entry).collect();
        let mut towards = vec![0.0; count];
        for (i, row) in gram.chunks_exact(count).enumerate() {
            let slope: f64 = row.iter().zip(&self.up).map(|(g, y)| g * (low + width * y)).sum();
            let (up, down) = (self.up[i], self.down[i]);
            matrix[i * count + i] += self.up_dual[i] / up + self.down_dual[i] / down;
            // The multipliers cancel against their targets.
            towards[i] = self.level - slope + aim / up - aim / down;
        }
        if !cholesky::factor(&mut matrix, count) {
            return false;
        }
        let mut ones = vec![1.0; count];
        cholesky::solve(&matrix, &mut towards);
        cholesky::solve(&matrix, &mut ones);
        let missing = self.sum - self.up.iter().sum::<f64>();
        let rise = (missing - towards.iter().sum::<f64>()) / ones.iter().sum::<f64>();
        let moves: Vec<f64> = towards.iter().zip(&ones).map(|(a, b)| a + rise * b).collect();
        let dual_moves: Vec<(f64, f64)> = (0..count)
            .map(|i| {
                let (up, down) = (self.up[i], self.down[i]);
                let (z, v) = (self.up_dual[i], self.down_dual[i]);
                ((aim - z * moves[i]) / up - z, (aim + v * moves[i]) / down - v)
            })
            .collect();
        let mut length: f64 = 1.0 / FRACTION;
        for i in 0..count {
            let bounds = [
                (self.up[i], moves[i]),
                (self.down[i], -moves[i]),
                (self.up_dual[i], dual_moves[i].0),
                (self.down_dual[i], dual_moves[i].1),
            ];
            for (value, change) in bounds {
                if change < 0.0 {
                    length = length.min(-value / change);
                }
            }
        }
        let length = FRACTION * length;
        if !(length > 1e-9 && rise.is_finite()) {
            return false;
        }
        for i in 0..count {
            self.up[i] += length * moves[i];
            self.down[i] -= length * moves[i];
            self.up_dual[i] += length * dual_moves[i].0;
            self.down_dual[i] += length * dual_moves[i].1;
        }
        self.level += length * rise;
        true
    }
}

#[cfg(test)]
mod tests;
