//! The linear program of the least core, solved over collections of coalitions.
//!
//! `max sum_S l_S v(S) - t v(N)` over `l >= 0`, `t >= 0` with `sum_{S with i} l_S = t` for every agent and
//! `sum_S l_S = 1`. Its dual is the least core. There are `n + 1` equations, and singletons are a feasible
//! basis, so no first phase is needed.

use crate::{Game, members};

/// What a column must promise, relative to the largest value, to enter the basis.
const PROMISE: f64 = 1e-11;
/// An entry that may be divided by.
const PIVOT: f64 = 1e-9;
/// Steps of the steepest column before the smallest one is taken, which cannot cycle.
const PATIENCE: usize = 200;

/// An optimal basis.
pub(crate) struct Optimum {
    /// Of every agent.
    pub(crate) payments: Vec<f64>,
    /// The excess.
    pub(crate) excess: f64,
    /// Coalitions by mask with their weights, which prove that no smaller excess is possible.
    pub(crate) weights: Vec<(usize, f64)>,
}

/// A column: a coalition, or `t`, which is written as the mask of everybody.
fn column(game: &Game, mask: usize) -> (Vec<f64>, f64) {
    let n = game.agents();
    let mut entries = vec![0.0; n + 1];
    if mask == game.everybody() {
        entries[..n].fill(-1.0);
        return (entries, -game.value(mask));
    }
    for agent in members(mask) {
        entries[agent] = 1.0;
    }
    entries[n] = 1.0;
    (entries, game.value(mask))
}

/// Solves the program by the revised simplex method; `game` has at least two agents.
pub(crate) fn solve(game: &Game) -> Optimum {
    let n = game.agents();
    let all = game.everybody();
    let scale = (1..=all).map(|mask| game.value(mask).abs()).fold(f64::MIN_POSITIVE, f64::max);
    let mut basis: Vec<usize> = (0..n).map(|agent| 1 << agent).chain([all]).collect();
    let mut steps = 0;
    loop {
        let matrix: Vec<Vec<f64>> = basis.iter().map(|&mask| column(game, mask).0).collect();
        let inverse = invert(&matrix);
        let costs: Vec<f64> = basis.iter().map(|&mask| column(game, mask).1).collect();
        // Prices y with y'B = c: payments of agents, and the excess.
        let prices: Vec<f64> =
            (0..=n).map(|row| (0..=n).map(|k| costs[k] * inverse[k][row]).sum()).collect();
        let values: Vec<f64> = inverse.iter().map(|row| row[n]).collect();
        let promise = |mask: usize| {
            let paid: f64 = members(mask).map(|agent| prices[agent]).sum();
            game.value(mask) - paid - prices[n]
        };
        let open = (1..all).filter(|mask| !basis.contains(mask));
        let mut promising =
            open.map(|mask| (mask, promise(mask))).filter(|(_, gain)| *gain > PROMISE * scale);
        let entering = if steps < PATIENCE {
            promising.reduce(|best, next| if next.1 > best.1 { next } else { best })
        } else {
            promising.next()
        };
        let Some((entering, _)) = entering else {
            let weights = basis.iter().copied().zip(values).filter(|(mask, _)| *mask != all);
            let excess = prices[n];
            let payments = prices[..n].to_vec();
            let weights = weights.filter(|(_, weight)| *weight > 0.0).collect();
            return Optimum { payments, excess, weights };
        };
        let (entries, _) = column(game, entering);
        let direction: Vec<f64> =
            inverse.iter().map(|row| row.iter().zip(&entries).map(|(a, b)| a * b).sum()).collect();
        // `t` is never zero, so it never leaves; of equal ratios the smallest coalition does.
        let ratio = |k: usize| values[k].max(0.0) / direction[k];
        let leaving = (0..=n)
            .filter(|&k| direction[k] > PIVOT)
            .min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(basis[a].cmp(&basis[b])));
        // The program is bounded: weights sum to one.
        let Some(leaving) = leaving else { unreachable!("weights are bounded") };
        basis[leaving] = entering;
        steps += 1;
    }
}

/// The inverse of the matrix with these columns, by rows; Gauss and Jordan with the largest pivots.
fn invert(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = columns.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|row| {
            let unit = (0..n).map(|k| f64::from(u8::from(k == row)));
            columns.iter().map(|column| column[row]).chain(unit).collect()
        })
        .collect();
    for pivot in 0..n {
        let largest =
            (pivot..n).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs()));
        rows.swap(pivot, largest.unwrap_or(pivot));
        let scale = 1.0 / rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|entry| *entry *= scale);
        let own = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(k, _)| *k != pivot) {
            let factor = row[pivot];
            if factor != 0.0 {
                row.iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
            }
        }
    }
    rows.into_iter().map(|row| row[n..].to_vec()).collect()
}
