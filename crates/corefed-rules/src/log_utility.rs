//! The log of a utility, without its singularity.

use serde::{Deserialize, Serialize};

/// `-log(ceiling - loss)`, continued as its tangent below a utility of `floor` (ledger E23).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogUtility {
    /// The loss at which utility is zero, > 0.
    pub ceiling: f64,
    /// The utility below which the log is a line, > 0.
    pub floor: f64,
}

impl LogUtility {
    /// The utility that counts: never below the floor.
    #[must_use]
    pub fn utility(&self, loss: f64) -> f64 {
        (self.ceiling - loss).max(self.floor)
    }

    /// `-log u`, or its tangent at the floor (ledger E23).
    ///
    /// ```
    /// use corefed_rules::LogUtility;
    /// let log = LogUtility { ceiling: 2.0, floor: 1.0 };
    /// assert_eq!(log.value(1.0), 0.0); // -log 1
    /// assert_eq!(log.value(4.0), 3.0); // three steps further down a line of slope one
    /// ```
    #[must_use]
    pub fn value(&self, loss: f64) -> f64 {
        let utility = self.ceiling - loss;
        let below = (self.floor - utility).max(0.0);
        below / self.floor - utility.max(self.floor).ln()
    }

    /// The derivative of the value with respect to the loss: `1/max(u, floor)` (ledger E23).
    #[must_use]
    pub fn slope(&self, loss: f64) -> f64 {
        1.0 / self.utility(loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_slope_are_continuous_at_the_floor() {
        let log = LogUtility { ceiling: 3.0, floor: 0.3 };
        let (above, below) = (2.7 - 1e-9, 2.7 + 1e-9);
        assert!((log.value(above) - log.value(below)).abs() < 1e-8);
        assert!((log.slope(above) - log.slope(below)).abs() < 1e-7);
        assert!((log.slope(2.7) - 1.0 / 0.3).abs() < 1e-12);
    }

    #[test]
    fn below_the_floor_it_is_the_tangent() {
        // At u = 0.3 the slope is 1/0.3; at L = 4.2, u = -1.2, which is 1.5 below the floor: 5 more.
        let log = LogUtility { ceiling: 3.0, floor: 0.3 };
        assert!((log.value(4.2) - (5.0 - 0.3_f64.ln())).abs() < 1e-12);
        assert_eq!(log.slope(4.2), log.slope(1e6));
    }
}
