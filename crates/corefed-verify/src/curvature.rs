//! How a least-squares loss curves: `X'X` of every agent, known up to rounding.

use std::sync::OnceLock;

use crate::eft::{UNIT, add_up};
use crate::enclosed::Enclosed;
use crate::family::is_least_squares;
use crate::inverse_form::Known;
use crate::loss::Reading;
use crate::sum::Sum;

/// Rows that are added up in plain doubles before their sum is kept with its error.
const BLOCK: usize = 64;
/// Rounding of an entry of [`Gram`], relative to the sum of the absolute terms: two roundings a product
/// and one per addition in a block, and one for the total.
const BLOCK_ROUNDING: f64 = (BLOCK as f64 + 6.0) * UNIT;

/// Matrices of all agents, each computed when it is first asked for.
pub(crate) struct Curvatures<'a> {
    reading: Reading<'a>,
    grams: Vec<OnceLock<Gram>>,
}

/// `sum_j weight_j x_j x_j'` over an agent's rows.
struct Gram {
    rows: Vec<Vec<f64>>,
}

impl<'a> Curvatures<'a> {
    pub(crate) fn new(reading: Reading<'a>) -> Self {
        let grams = (0..reading.agents()).map(|_| OnceLock::new()).collect();
        Self { reading, grams }
    }

    /// At least `h' (sum_i c_i X_i'X_i + shift I)^-1 h`, for positive `c_i` and a `shift >= 0`; `None`
    /// unless the matrix is proven positive definite.
    ///
    /// Families other than least squares count as flat.
    pub(crate) fn inverse_form(
        &self,
        coefficients: &[(usize, Enclosed)],
        shift: Enclosed,
        h: &[Enclosed],
    ) -> Option<f64> {
        if !is_least_squares(self.reading.predictor.family) {
            let mut squares = Sum::default();
            for x in h {
                squares.add_enclosed(x.square());
            }
            return Some(squares.total().over(shift).hi()).filter(|form| form.is_finite());
        }
        let mut rows = vec![vec![0.0; h.len()]; h.len()];
        let mut off = relative_error(shift);
        for (agent, coefficient) in coefficients {
            off = off.max(relative_error(*coefficient));
            for (row, gram) in rows.iter_mut().zip(&self.gram(*agent).rows) {
                for (entry, value) in row.iter_mut().zip(gram) {
                    *entry += coefficient.value() * value;
                }
            }
        }
        let rounding = (coefficients.len() as f64 + 8.0) * UNIT + BLOCK_ROUNDING;
        let relative = 2.0 * add_up(rounding, off);
        for (k, row) in rows.iter_mut().enumerate() {
            row[k] += shift.value();
        }
        // By Cauchy and Schwarz an entry's terms add up to at most the root of its two diagonals.
        let size = (0..h.len()).map(|k| (rows[k][k] * (1.0 + 4.0 * relative)).sqrt().next_up());
        let size = size.collect();
        Known { rows, size, relative }.inverse_form(h)
    }

    /// At least `b' (multiplier I - X'X/m - ridge I)^-1 b` of one agent; `None` unless the matrix is
    /// proven positive definite.
    pub(crate) fn worst_form(
        &self,
        agent: usize,
        multiplier: f64,
        ridge: f64,
        b: &[Enclosed],
    ) -> Option<f64> {
        let samples = self.reading.samples(agent).value();
        let relative = 2.0 * (BLOCK_ROUNDING + 8.0 * UNIT);
        let mut rows = self.gram(agent).rows.clone();
        let mut size = Vec::with_capacity(b.len());
        for (k, row) in rows.iter_mut().enumerate() {
            for entry in row.iter_mut() {
                *entry = -(*entry / samples);
            }
            size.push(
                ((multiplier.abs() + ridge - row[k]) * (1.0 + 4.0 * relative)).sqrt().next_up(),
            );
            row[k] += multiplier - ridge;
        }
        Known { rows, size, relative }.inverse_form(b)
    }

    /// About `sum_i p_i (2 X_i'X_i/m_i + l2 I)`, to propose with and not to prove with.
    pub(crate) fn about(&self, factors: &[(usize, f64)]) -> Vec<Vec<f64>> {
        let dim = self.reading.predictor.encoding.features.len();
        let mut rows = vec![vec![0.0; dim]; dim];
        for &(agent, p) in factors {
            let share = 2.0 * p / self.reading.samples(agent).value();
            for (k, (row, gram)) in rows.iter_mut().zip(&self.gram(agent).rows).enumerate() {
                for (entry, value) in row.iter_mut().zip(gram) {
                    *entry += share * value;
                }
                row[k] += p * self.reading.predictor.l2;
            }
        }
        rows
    }

    fn gram(&self, agent: usize) -> &Gram {
        self.grams[agent].get_or_init(|| Gram::of(&self.reading, agent))
    }
}

impl Gram {
    fn of(reading: &Reading<'_>, agent: usize) -> Self {
        let dim = reading.predictor.encoding.features.len();
        let mut totals = vec![Sum::default(); dim * dim];
        let mut block = vec![0.0; dim * dim];
        let mut fold = |block: &mut Vec<f64>| {
            for (total, entry) in totals.iter_mut().zip(block.iter_mut()) {
                total.add(std::mem::take(entry));
            }
        };
        for (k, row) in reading.rows(agent).enumerate() {
            if k > 0 && k % BLOCK == 0 {
                fold(&mut block);
            }
            for (a, x) in row.entries() {
                let scaled = row.weight * x;
                for (b, z) in row.entries() {
                    block[a * dim + b] += scaled * z;
                }
            }
        }
        fold(&mut block);
        let rows = totals.chunks_exact(dim);
        Self { rows: rows.map(|row| row.iter().map(|sum| sum.total().value()).collect()).collect() }
    }
}

/// The error of a number relative to its size; zero for a zero that is exact.
fn relative_error(number: Enclosed) -> f64 {
    if number.error() == 0.0 { 0.0 } else { (number.error() / number.value().abs()).next_up() }
}
