//! The payments of the least core that are nearest to given ones.
//!
//! A linear program has many optima, and which of them a solver finds is an accident that alike agents
//! would be paid differently for. The nearest to the Shapley value is unique and treats them alike.

use crate::{Game, members};

/// Room beside the excess, relative to the largest value: without it the set has no inside.
const ROOM: f64 = 1e-9;
/// Rounds of changes of the active set; a few times the number of agents are typical.
const MOST_STEPS: usize = 10_000;

/// Least distance by non-negative least squares (Lawson and Hanson 1974, chapter 23): with `y = x - target`,
/// minimise `|y|` subject to `y(S) >= v(S) - e - target(S)`. The sum of `y` stays zero because the normals
/// are taken without their mean. `known` lies in the set.
pub(crate) fn nearest(game: &Game, target: &[f64], excess: f64, known: &[f64]) -> Vec<f64> {
    let n = game.agents();
    let all = game.everybody();
    let scale = (1..=all).map(|mask| game.value(mask).abs()).fold(f64::MIN_POSITIVE, f64::max);
    // In units of the distance of a known point, so that neither size nor digits are lost.
    let unit = known.iter().zip(target).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    if unit <= ROOM * scale {
        return known.to_vec();
    }
    let needs: Vec<f64> = (0..=all)
        .map(|mask| {
            let paid: f64 = members(mask).map(|agent| target[agent]).sum();
            (game.value(mask) - excess - ROOM * scale - paid) / unit
        })
        .collect();
    if (1..all).all(|mask| needs[mask] <= 0.0) {
        return target.to_vec();
    }
    let mut active: Vec<usize> = Vec::new();
    let mut weights: Vec<f64> = Vec::new();
    let mut moved = vec![0.0; n];
    for _ in 0..MOST_STEPS {
        // The residual f - E u, whose last entry scales the point.
        let residual = residual(n, &needs, &active, &weights);
        let last = residual[n].max(f64::MIN_POSITIVE);
        moved = residual[..n].iter().map(|r| -r / last).collect();
        let short =
            |mask: usize| needs[mask] - members(mask).map(|agent| moved[agent]).sum::<f64>();
        let worst = (1..all)
            .filter(|mask| !active.contains(mask))
            .map(|mask| (mask, short(mask)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((mask, _)) = worst.filter(|(_, gap)| *gap * unit > 0.1 * ROOM * scale) else {
            break;
        };
        active.push(mask);
        weights.push(0.0);
        settle(n, &needs, &mut active, &mut weights);
    }
    target.iter().zip(&moved).map(|(at, by)| at + unit * by).collect()
}

/// A column of `E`: the normal of a coalition without its mean, and what it needs.
fn column(n: usize, needs: &[f64], mask: usize) -> Vec<f64> {
    let share = f64::from(mask.count_ones()) / n as f64;
    let entry = |agent: usize| f64::from(u8::from(mask >> agent & 1 == 1)) - share;
    (0..n).map(entry).chain([needs[mask]]).collect()
}

/// `f - E u` with `f` the last unit vector.
fn residual(n: usize, needs: &[f64], active: &[usize], weights: &[f64]) -> Vec<f64> {
    let mut residual = vec![0.0; n + 1];
    residual[n] = 1.0;
    for (&mask, weight) in active.iter().zip(weights) {
        let column = column(n, needs, mask);
        residual.iter_mut().zip(column).for_each(|(r, c)| *r -= weight * c);
    }
    residual
}

/// Least squares on the active coalitions; those whose weights would turn negative leave on the way.
fn settle(n: usize, needs: &[f64], active: &mut Vec<usize>, weights: &mut Vec<f64>) {
    while !active.is_empty() {
        let columns: Vec<Vec<f64>> = active.iter().map(|&mask| column(n, needs, mask)).collect();
        let best = least_squares(&columns);
        let step = |k: usize| weights[k] / (weights[k] - best[k]);
        let blocked: Vec<usize> = (0..best.len()).filter(|&k| best[k] <= 0.0).collect();
        let Some(first) = blocked.into_iter().min_by(|&a, &b| step(a).total_cmp(&step(b))) else {
            *weights = best;
            return;
        };
        let length = step(first).clamp(0.0, 1.0);
        weights.iter_mut().zip(&best).for_each(|(w, b)| *w += length * (b - *w));
        active.remove(first);
        weights.remove(first);
    }
}

/// `min |f - E u|` for independent columns, by modified Gram-Schmidt.
fn least_squares(columns: &[Vec<f64>]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let count = columns.len();
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(count);
    let mut upper = vec![vec![0.0; count]; count];
    for (k, column) in columns.iter().enumerate() {
        let mut rest = column.clone();
        // Twice is enough to keep the basis orthogonal.
        for _ in 0..2 {
            for (j, unit) in basis.iter().enumerate() {
                let along = dot(unit, &rest);
                upper[j][k] += along;
                rest.iter_mut().zip(unit).for_each(|(r, u)| *r -= along * u);
            }
        }
        let length = dot(&rest, &rest).sqrt().max(f64::MIN_POSITIVE);
        upper[k][k] = length;
        basis.push(rest.into_iter().map(|r| r / length).collect());
    }
    let mut solution: Vec<f64> = basis.iter().map(|unit| unit[unit.len() - 1]).collect();
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|j| upper[k][j] * solution[j]).sum();
        solution[k] = (solution[k] - known) / upper[k][k];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplex;
    use proptest::prelude::*;

    /// The same projection by Dykstra's algorithm: slow, but every step is a projection onto one half-space.
    fn dykstra(game: &Game, target: &[f64], excess: f64) -> Vec<f64> {
        let n = game.agents();
        let all = game.everybody();
        let mut x = target.to_vec();
        let mut corrections = vec![vec![0.0; n]; all];
        for _ in 0..20_000 {
            for (mask, correction) in corrections.iter_mut().enumerate().skip(1) {
                let normal = &column(n, &vec![0.0; all + 1], mask)[..n];
                let square: f64 = normal.iter().map(|a| a * a).sum();
                let from: Vec<f64> = x.iter().zip(&*correction).map(|(a, b)| a + b).collect();
                let paid: f64 = members(mask).map(|agent| from[agent]).sum();
                let short = (game.value(mask) - excess - paid).max(0.0);
                x = from.iter().zip(normal).map(|(a, b)| a + short / square * b).collect();
                *correction = from.iter().zip(&x).map(|(a, b)| a - b).collect();
            }
        }
        x
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn payments_are_the_nearest_that_reach_the_excess(
            agents in 2..5_usize,
            values in prop::collection::vec(0.0..3.0_f64, 15),
            room in 0.0..0.5_f64,
        ) {
            let value = |mask: usize| if mask == 0 { 0.0 } else { values[mask - 1] };
            let game = Game::new(agents, (0..1 << agents).map(value).collect()).unwrap();
            let lowest = simplex::solve(&game);
            let target = game.shapley();
            // With some room the set has an inside, where Dykstra's algorithm is fast enough to compare.
            let excess = lowest.excess + room.max(0.02);
            let found = nearest(&game, &target, excess, &lowest.payments);
            let slow = dykstra(&game, &target, excess);
            for (a, b) in found.iter().zip(&slow) {
                prop_assert!((a - b).abs() < 1e-4, "{found:?} {slow:?}");
            }
        }
    }
}
