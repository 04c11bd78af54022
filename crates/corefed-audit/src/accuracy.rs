//! How closely a search of coalitions looks, and what counts as nothing.

/// The accuracy of a search, unless the verdict's tolerance is smaller.
const ACCURACY: f64 = 1e-6;
/// Utilities below this share of the ceiling are rounding of zero.
const NOTHING: f64 = 1e-14;

/// The accuracy of a search for a verdict with some tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    tolerance: f64,
}

impl Accuracy {
    /// Gains up to `tolerance` do not count in the verdict.
    #[must_use]
    pub fn new(tolerance: f64) -> Self {
        Self { tolerance }
    }

    /// Gains up to this do not count in the verdict.
    #[must_use]
    pub fn tolerance(self) -> f64 {
        self.tolerance
    }

    /// How close known bounds are asked to be.
    #[must_use]
    pub fn gap(self) -> f64 {
        if self.tolerance > 0.0 { ACCURACY.min(self.tolerance) } else { ACCURACY }
    }

    /// Bounds on `kappa` that are worth nothing more where `reached` is known: that but for this part of
    /// the accuracy, and never above the verdict's threshold unless something above it is known.
    #[must_use]
    pub fn target(self, reached: f64, part: f64) -> f64 {
        let near = reached.max(1.0) * (1.0 + part * self.gap());
        let threshold = 1.0 + self.tolerance;
        if reached > threshold { near } else { near.min(threshold) }
    }
}

/// A utility, or zero where it is only what rounding leaves of it; a certificate proves which it is.
#[must_use]
pub fn but_for_rounding(utility: f64, ceiling: f64) -> f64 {
    if utility.abs() <= NOTHING * ceiling.abs() { 0.0 } else { utility }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_above_the_threshold_is_a_target_before_something_is_known_there() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-15;
        let loose = Accuracy::new(1e-2);
        assert!(close(loose.target(0.5, 1.0), 1.0 + 1e-6));
        assert!(close(loose.target(1.0 + 1e-2, 1.0), 1.0 + 1e-2));
        assert!(close(loose.target(2.0, 0.5), 2.0 + 1e-6));
        assert!(close(Accuracy::new(1e-8).target(0.5, 1.0), 1.0 + 1e-8));
        assert!(
            close(Accuracy::new(0.0).gap(), 1e-6)
                && close(Accuracy::new(0.0).target(0.5, 1.0), 1.0)
        );
    }
}
