//! Headroom: what any coalition could gain if its losses fell to zero.

use crate::{Scan, Weights, scan};

/// The scan against an imaginary rival with zero loss for everybody (ledger E8).
///
/// Losses are non-negative, so no rival gives agent `i` more than `M_i`. Needs nothing else; at or
/// below one it says that no group could leave whatever it did.
#[must_use]
pub fn headroom(utilities: &[f64], ceilings: &[f64], weights: &Weights) -> Scan<f64> {
    scan(utilities, ceilings, weights.values(), &weights.total())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kappa;

    #[test]
    fn headroom_counts_the_best_prefix_of_ceilings() {
        // M = 1, u = (0.4, 0.8): agent 0 alone reaches 1/2 * 2.5, everybody 1.25.
        let best = headroom(&[0.4, 0.8], &[1.0, 1.0], &Weights::equal(2));
        assert_eq!((best.kappa, best.everybody), (Kappa::Finite(1.25), Kappa::Finite(1.25)));
        assert_eq!(best.coalition, [0]);
    }
}
