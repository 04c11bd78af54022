//! Nash-MTL: the direction on which agents would agree if each bargained for its own first-order
//! gain (Navon et al., *Multi-Task Learning as a Bargaining Game*, ICML 2022, arXiv 2202.01017).

use super::directions::Directions;
use super::{Length, Member, Products, RuleInfo, SteadiedBy, Weighing};
use crate::{Rule, cholesky};

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "The Nash bargain over directions: the largest product of first-order gains.",
    needs_gram: true,
    needs_each: Some("everybody's update, among which it bargains"),
    // Weights follow from the very updates that a correction would change.
    steadied: SteadiedBy::Nothing,
    ..RuleInfo::new("nash-mtl", "Nash-MTL", Rule::NashMtl)
};

/// Iterates whose entries sum to more than this end the search: some convex combination of unit
/// directions is then shorter than one over it, so no step gains everybody more than that part of its
/// length.
const STATIONARY: f64 = 1e4;
/// Square of the Newton decrement at which the equation holds as well as `f64` can say.
const DONE: f64 = 1e-28;
/// Each step lowers the function by this part of what its slope promises.
const ARMIJO: f64 = 0.1;
/// From this squared decrement of a self-concordant function on, full steps square it.
const NEAR: f64 = 1.0 / 16.0;
/// How far towards a bound a step may go.
const FRACTION: f64 = 0.99;
const MOST_STEPS: usize = 500;

/// Nobody's loss matters: pulls are weights until the Gram matrix is known (ledger E47).
pub(crate) fn say_pulls(members: &[Member]) -> Weighing {
    let weights = members.iter().map(|member| member.weight).collect();
    Weighing { length: Length::Gram, ..Weighing::normalised(weights) }
}

/// Coefficients of the updates in `mean |D| sum_s b_s D_s/|D_s|`, where `b` bargains over unit
/// directions (ledger E47). All are zero where no direction serves everybody.
pub(crate) fn bargained_step(products: &Products<'_>) -> Vec<f64> {
    let directions = Directions::of(products);
    let total: f64 = directions.moving.iter().map(|&s| products.pulls[s]).sum();
    let shares: Vec<f64> = directions.moving.iter().map(|&s| products.pulls[s] / total).collect();
    match bargain(&directions.cosines, &shares) {
        Some(weights) => directions.coefficients(directions.mean_length(products), &weights),
        None => vec![0.0; products.norms.len()],
    }
}

/// The `b > 0` with `b_i (Cb)_i = w_i`, for cosines `C` and shares `w` that sum to one; none where a
/// convex combination of the directions is zero (ledger E47).
///
/// It minimises `b'Cb/2 - sum w_i log b_i` by Newton's method, with backtracking until full steps are
/// known to converge. Each iterate is brought to its best multiple, where `b'Cb = 1`.
fn bargain(cosines: &[f64], shares: &[f64]) -> Option<Vec<f64>> {
    if shares.is_empty() {
        return None;
    }
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let mut point = best_multiple(cosines, shares.iter().map(|w| w.sqrt()).collect())?;
    let mut before = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let Some((moves, decrement)) = newton_moves(cosines, shares, &point) else { break };
        // Divided by the least share the function is self-concordant.
        let near = decrement <= NEAR * least;
        if decrement <= DONE || (near && decrement >= before) {
            break;
        }
        let next = if near {
            best_multiple(cosines, moved(&point, &moves, 1.0))?
        } else {
            backtracked(cosines, shares, &point, &moves, decrement)?
        };
        if next == point {
            break;
        }
        (point, before) = (next, decrement);
    }
    Some(point)
}

/// The first iterate on the way back from a full step at which the function falls enough; the point
/// itself where rounding ends progress.
fn backtracked(
    cosines: &[f64],
    shares: &[f64],
    point: &[f64],
    moves: &[f64],
    decrement: f64,
) -> Option<Vec<f64>> {
    let lowest = moves.iter().copied().fold(0.0, f64::min);
    let mut length = if lowest < 0.0 { (-FRACTION / lowest).min(1.0) } else { 1.0 };
    while length > f64::EPSILON {
        let next = best_multiple(cosines, moved(point, moves, length))?;
        // At best multiples the quadratic part is one half.
        let fall: f64 = (shares.iter().zip(&next).zip(point))
            .map(|((share, next), now)| share * (next / now).ln())
            .sum();
        if fall >= ARMIJO * length * decrement {
            return Some(next);
        }
        length /= 2.0;
    }
    Some(point.to_vec())
}

fn moved(point: &[f64], moves: &[f64], length: f64) -> Vec<f64> {
    point.iter().zip(moves).map(|(b, u)| b * (1.0 + length * u)).collect()
}

/// The point on a ray with `b'Cb = 1`; none if entries would sum to more than [`STATIONARY`].
fn best_multiple(cosines: &[f64], mut point: Vec<f64>) -> Option<Vec<f64>> {
    let square: f64 = point.iter().zip(times(cosines, &point)).map(|(b, row)| b * row).sum();
    let sum: f64 = point.iter().sum();
    let far = sum * sum > STATIONARY * STATIONARY * square;
    if far || square.is_nan() {
        return None;
    }
    let norm = square.sqrt();
    for b in &mut point {
        *b /= norm;
    }
    Some(point)
}

/// Newton's step divided by the point, entry by entry, and the square of its decrement:
/// `(BCB + W) u = w - BCb` with `B` and `W` diagonal.
fn newton_moves(cosines: &[f64], shares: &[f64], point: &[f64]) -> Option<(Vec<f64>, f64)> {
    let count = point.len();
    let rows = times(cosines, point);
    let slope: Vec<f64> = (0..count).map(|i| shares[i] - point[i] * rows[i]).collect();
    let mut matrix: Vec<f64> = cosines.to_vec();
    for (i, row) in matrix.chunks_exact_mut(count).enumerate() {
        row.iter_mut().zip(point).for_each(|(entry, b)| *entry *= point[i] * b);
        row[i] += shares[i];
    }
    if !cholesky::factor(&mut matrix, count) {
        return None;
    }
    let mut moves = slope.clone();
    cholesky::solve(&matrix, &mut moves);
    let decrement = moves.iter().zip(&slope).map(|(u, slope)| u * slope).sum();
    Some((moves, decrement))
}

fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let row = |row: &[f64]| row.iter().zip(vector).map(|(m, v)| m * v).sum();
    matrix.chunks_exact(vector.len().max(1)).map(row).collect()
}

#[cfg(test)]
mod tests;
