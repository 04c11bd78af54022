//! Log-welfare without its singularity: what Newton climbs and what steps are compared by.

use corefed_core::Weights;
use corefed_rules::LogUtility;

/// Log-welfare whose log continues as a straight line below each agent's floor (ledger E23).
#[derive(Clone, Debug)]
pub struct FlooredWelfare {
    /// `w_i`.
    pub weights: Weights,
    /// `M_i`.
    pub ceilings: Vec<f64>,
    /// Utility at which the line begins, as a fraction of the ceiling, in (0, 1).
    pub floor: f64,
}

/// Minus floored log-welfare with its derivatives by each loss.
pub(crate) struct Outer {
    pub(crate) value: f64,
    pub(crate) slopes: Vec<f64>,
    pub(crate) curvatures: Vec<f64>,
}

impl FlooredWelfare {
    /// The welfare itself (ledger E23): `sum_i w_i log u_i` where everybody is above its floor.
    #[must_use]
    pub fn value(&self, losses: &[f64]) -> f64 {
        -self.at(losses).value
    }

    pub(crate) fn at(&self, losses: &[f64]) -> Outer {
        let mut outer = Outer { value: 0.0, slopes: Vec::new(), curvatures: Vec::new() };
        for ((w, ceiling), loss) in self.weights.values().iter().zip(&self.ceilings).zip(losses) {
            let log = LogUtility { ceiling: *ceiling, floor: self.floor * ceiling };
            let (kept, above) = (log.utility(*loss), ceiling - loss > log.floor);
            outer.value += w * log.value(*loss);
            outer.slopes.push(w / kept);
            outer.curvatures.push(if above { w / (kept * kept) } else { 0.0 });
        }
        outer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_meets_the_log_in_value_and_slope() {
        let welfare =
            FlooredWelfare { weights: Weights::equal(1), ceilings: vec![2.0], floor: 0.1 };
        let at = |loss: f64| welfare.at(&[loss]);
        let (below, above) = (at(1.8 + 1e-9), at(1.8 - 1e-9));
        assert!((below.value - above.value).abs() < 1e-7);
        assert!((below.slopes[0] - above.slopes[0]).abs() < 1e-6);
        for loss in [0.5, 1.9, 7.0] {
            let slope = (at(loss + 1e-6).value - at(loss - 1e-6).value) / 2e-6;
            assert!((slope - at(loss).slopes[0]).abs() < 1e-6, "{loss}");
            assert!(at(loss).slopes[0] > 0.0);
        }
    }
}
