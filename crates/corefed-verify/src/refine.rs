//! Better points for drafted proofs, where doubles are too far apart.
//!
//! Whatever is proposed here is proven by the same functions as any other draft.

use corefed_core::{Conflict, Hopeless};

use crate::conflict::{Prover, factors};
use crate::eft::two_sum;
use crate::enclosed::Enclosed;
use crate::family::is_least_squares;
use crate::inverse_form::inverse_factor;
use crate::place::Place;
use crate::sum::norm;

/// A point is corrected when its conflict proves this much less than the draft says, relatively.
const WORTH_CORRECTING: f64 = 1e-9;
/// Newton steps: with a factor in doubles each one gains a few digits at least, and sixteen are missing.
const STEPS: usize = 12;
/// A slope that costs a bound less than this, relatively, is flat enough: every step reads all rows again.
const FLAT: f64 = 0.1 * WORTH_CORRECTING;
/// How much diagonals are raised, relatively: redundant columns make the matrix singular, and along them
/// the losses are flat, so that any step will do.
const DAMPING: f64 = 1e-12;

impl Prover<'_> {
    /// A drafted conflict with what it proves: as it is, by its tangent, or by a corrected one.
    pub(crate) fn sharpest(&self, draft: &Conflict, now: &[Enclosed]) -> Conflict {
        let with_bound =
            |conflict: Conflict| Conflict { bound: self.conflict(&conflict, now), ..conflict };
        let mut best = with_bound(draft.clone());
        let enough = draft.bound + WORTH_CORRECTING * draft.bound.abs();
        if best.bound <= enough {
            return best;
        }
        let plain = Conflict { sphere: None, correction: None, ..draft.clone() };
        let corrected = self.corrected(&factors(draft), &draft.point).map(|(point, correction)| {
            Conflict { point, correction: Some(correction), ..plain.clone() }
        });
        for other in draft.sphere.map(|_| plain).into_iter().chain(corrected) {
            let other = with_bound(other);
            if other.bound < best.bound {
                best = other;
            }
        }
        best
    }

    /// A drafted proof that an agent never has anything, corrected where it proves nothing as it is.
    pub(crate) fn sharpest_hopeless(&self, draft: &Hopeless) -> Hopeless {
        if self.most(draft) <= 0.0 {
            return draft.clone();
        }
        let corrected = self.corrected(&[(draft.agent, 1.0)], &draft.point);
        corrected.map_or_else(
            || draft.clone(),
            |(point, correction)| Hopeless {
                agent: draft.agent,
                point,
                correction: Some(correction),
                sphere: None,
            },
        )
    }

    /// The point and correction in the ball where a sum of least-squares losses is nearly flat, by
    /// Newton steps from gradients in twice the precision; `None` for other losses, or where the
    /// ball ends first.
    fn corrected(&self, factors: &[(usize, f64)], start: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        if !is_least_squares(self.reading().predictor.family) {
            return None;
        }
        let mut matrix = self.curvatures().about(factors);
        for (k, row) in matrix.iter_mut().enumerate() {
            // A zero on the diagonal means a zero row: nothing depends on that parameter.
            row[k] = if row[k] > 0.0 { row[k] * (1.0 + DAMPING) } else { 1.0 };
        }
        let inverse = inverse_factor(&matrix)?;
        let (mut point, mut correction) = (start.to_vec(), vec![0.0; start.len()]);
        let mut best = (f64::INFINITY, point.clone(), correction.clone());
        for _ in 0..STEPS {
            let (value, slope) = self.tangent(factors, Place::corrected(&point, Some(&correction)));
            let size = norm(&slope).hi();
            if !(size < best.0) {
                break;
            }
            best = (size, point.clone(), correction.clone());
            if self.reading().predictor.radius * size <= FLAT * value.magnitude() {
                break;
            }
            for row in &inverse {
                let along: f64 = row.iter().zip(&slope).map(|(s, g)| s * g.value()).sum();
                for (k, s) in row.iter().enumerate() {
                    let (sum, lost) = two_sum(point[k], -along * s);
                    (point[k], correction[k]) = two_sum(sum, lost + correction[k]);
                }
            }
        }
        let (_, point, correction) = best;
        let radius = Enclosed::exact(self.reading().predictor.radius);
        let inside =
            Place::corrected(&point, Some(&correction)).square().hi() <= radius.square().lo();
        inside.then_some((point, correction))
    }
}
