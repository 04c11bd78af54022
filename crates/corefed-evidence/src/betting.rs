//! The betting bound: a mean is ruled out when betting against it would have made money.
//!
//! Waudby-Smith and Ramdas 2024 (arXiv 2010.09686), the hedged capital of their Theorem 3 with
//! the predictable plug-in bets for a fixed number of samples.

/// No bet risks more than this share of the capital. The paper suggests 1/2 or 3/4; differences
/// of two models vary little, and then the bolder bet wins sooner.
const CAUTION: f64 = 0.75;

/// Halvings of `0..=1`: down to the spacing of the numbers near one half.
const HALVINGS: usize = 53;

/// Bets against the claim that a mean is no larger than a candidate, sized before each sample.
pub(crate) struct Bets<'a> {
    unit: &'a [f64],
    sizes: Vec<f64>,
    /// `ln(1/d)`: who starts with one and reaches `1/d` was lucky with probability at most `d`.
    target: f64,
}

impl<'a> Bets<'a> {
    /// Sizes of the bets `sqrt(2 ln(1/d) / (m V_{t-1}))`, where `V_{t-1}` is the variance seen so
    /// far with one prior observation of 1/4, so that a bet never knows its own sample
    /// (ledger E40).
    pub(crate) fn new(unit: &'a [f64], miss: f64) -> Self {
        let target = -miss.ln();
        let (mut sum, mut squares) = (0.5, 0.25);
        let mut sizes = Vec::with_capacity(unit.len());
        for (seen, x) in unit.iter().enumerate() {
            let variance = squares / (seen as f64 + 1.0);
            sizes.push((2.0 * target / (unit.len() as f64 * variance)).sqrt());
            sum += x;
            let centre = sum / (seen as f64 + 2.0);
            squares += (x - centre).powi(2);
        }
        Self { unit, sizes, target }
    }

    /// Whether the capital `prod (1 + b_t (x_t - candidate))` ever reached `1/d`, where
    /// `b_t = min(size_t, 3/(4 candidate))`. If the mean is at most the candidate the capital is a
    /// supermartingale, and by Ville's inequality this happens with probability at most `d`.
    pub(crate) fn rule_out(&self, candidate: f64) -> bool {
        let most = CAUTION / candidate;
        let mut log_capital = 0.0;
        for (x, size) in self.unit.iter().zip(&self.sizes) {
            log_capital += (size.min(most) * (x - candidate)).ln_1p();
            if log_capital >= self.target {
                return true;
            }
        }
        false
    }

    /// The largest candidate that is ruled out, to within rounding and from below; zero if none.
    ///
    /// Every factor falls as the candidate grows: `1 + b (x - c)` with a fixed bet, and
    /// `1/4 + 3x/(4c)` with the cautious one, which is the smaller bet exactly where it applies.
    /// So what is ruled out is an interval that begins at zero, and halving finds its end.
    pub(crate) fn lower(&self) -> f64 {
        let (mut out, mut open) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (out + open);
            if self.rule_out(middle) {
                out = middle;
            } else {
                open = middle;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_sample_by_hand() {
        // d = 1/2 and x = 1: the size is sqrt(8 ln 2) = 2.35, more than 3/(4c) allows beyond
        // c = 0.32. There the capital is 1/4 + 3/(4c), and it reaches 2 up to c = 3/7.
        let bound = Bets::new(&[1.0], 0.5).lower();
        assert!((bound - 3.0 / 7.0).abs() < 1e-15, "{bound}");
    }

    #[test]
    fn without_luck_nothing_is_ruled_out() {
        assert_eq!(Bets::new(&[0.0; 50], 0.1).lower(), 0.0);
    }

    #[test]
    fn many_equal_samples_close_in_fast() {
        // Without variance the bets grow until caution stops them: the distance falls as 1/m.
        let distance = |m: usize| 0.5 - Bets::new(&vec![0.5; m], 0.05).lower();
        assert!(distance(1000) < 0.02, "{}", distance(1000));
        assert!(distance(4000) < 0.3 * distance(1000), "{}", distance(4000));
    }

    proptest! {
        #[test]
        fn what_is_ruled_out_begins_at_zero(
            unit in prop::collection::vec(0.0..=1.0_f64, 1..40),
            miss in 0.01..0.5_f64,
            (a, b) in (0.0..1.0_f64, 0.0..1.0_f64),
        ) {
            let bets = Bets::new(&unit, miss);
            let (small, large) = (a.min(b), a.max(b));
            prop_assert!(bets.rule_out(small) || !bets.rule_out(large), "{small} {large}");
            let end = bets.lower();
            prop_assert!(end == 0.0 || bets.rule_out(end));
            prop_assert!(!bets.rule_out(end + 1e-12));
        }
    }
}
