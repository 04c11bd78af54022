//! What a rule minimises: a convex function of the agents' losses.

/// A convex, increasing function of the losses of all agents.
#[derive(Clone, Debug, PartialEq)]
pub enum Objective {
    /// `sum_i w_i L_i`, the utilitarian rule; FedAvg's target when `w` counts samples.
    Average {
        /// `w_i >= 0`.
        weights: Vec<f64>,
    },
    /// `-sum_i w_i log(M_i - L_i)`, minus log-welfare (ledger E2).
    LogWelfare {
        /// `w_i > 0`.
        weights: Vec<f64>,
        /// `M_i`.
        ceilings: Vec<f64>,
    },
}

/// Value of an objective with its first and second derivatives by each loss.
#[derive(Clone, Debug)]
pub(crate) struct Outer {
    pub(crate) value: f64,
    /// `d/dL_i`, the pull of agent `i`.
    pub(crate) slopes: Vec<f64>,
    /// `d^2/dL_i^2`; mixed derivatives are zero.
    pub(crate) curvatures: Vec<f64>,
}

impl Objective {
    /// Infinite outside the domain.
    pub(crate) fn value(&self, losses: &[f64]) -> f64 {
        match self {
            Self::Average { weights } => weights.iter().zip(losses).map(|(w, l)| w * l).sum(),
            Self::LogWelfare { weights, ceilings } => {
                let term = |((w, m), l): ((&f64, &f64), &f64)| {
                    let utility = m - l;
                    if utility > 0.0 { -w * utility.ln() } else { f64::INFINITY }
                };
                weights.iter().zip(ceilings).zip(losses).map(term).sum()
            }
        }
    }

    /// Value and derivatives at losses inside the domain.
    pub(crate) fn derivatives(&self, losses: &[f64]) -> Outer {
        let value = self.value(losses);
        match self {
            Self::Average { weights } => {
                Outer { value, slopes: weights.clone(), curvatures: vec![0.0; weights.len()] }
            }
            Self::LogWelfare { weights, ceilings } => {
                let utilities: Vec<f64> = ceilings.iter().zip(losses).map(|(m, l)| m - l).collect();
                let pull = |power: i32| {
                    weights.iter().zip(&utilities).map(|(w, u)| w / u.powi(power)).collect()
                };
                Outer { value, slopes: pull(1), curvatures: pull(2) }
            }
        }
    }

    /// The size against which a gap is small: the total weight for log-welfare (so that the gap
    /// reads as `kappa - 1`), the value itself for an average.
    pub(crate) fn scale(&self, losses: &[f64]) -> f64 {
        match self {
            Self::Average { .. } => self.value(losses).abs().max(f64::MIN_POSITIVE),
            Self::LogWelfare { weights, .. } => weights.iter().sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        let objective = Objective::LogWelfare { weights: vec![1.0, 2.0], ceilings: vec![1.0, 3.0] };
        let (losses, h) = ([0.4, 0.5], 1e-5);
        let outer = objective.derivatives(&losses);
        for agent in 0..2 {
            let at = |by: f64| {
                let mut moved = losses;
                moved[agent] += by;
                objective.value(&moved)
            };
            let slope = (at(h) - at(-h)) / (2.0 * h);
            let curvature = (at(h) - 2.0 * outer.value + at(-h)) / (h * h);
            assert!((slope - outer.slopes[agent]).abs() < 1e-8);
            assert!((curvature - outer.curvatures[agent]).abs() < 1e-4);
        }
        assert_eq!(objective.value(&[1.0, 0.0]), f64::INFINITY);
    }
}
