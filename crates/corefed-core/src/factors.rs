//! Where both factors of a model lie, while rivals are tried and bounds are proven.

use crate::{KappaInterval, Number, Scan, Verdict, Weights, scan};

/// `kappa` over the coalitions that leave somebody behind, and everybody's factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// Where `kappa` lies.
    pub kappa: KappaInterval,
    /// Where the factor lies by which everybody can gain at once.
    pub everybody: KappaInterval,
}

impl Factors {
    /// What is known before anything is looked at.
    pub const UNKNOWN: Self =
        Self { kappa: KappaInterval::UNKNOWN, everybody: KappaInterval::UNKNOWN };

    /// What is known before any rival is tried: everybody can stay, and nothing bounds a gain.
    #[must_use]
    pub fn staying(utilities: &[f64], weights: &Weights) -> Self {
        let mut factors = Self::UNKNOWN;
        let found = scan(utilities, utilities, weights.values(), &weights.total());
        factors.reach(&found);
        factors
    }

    /// Raises the lower ends to what a rival reaches.
    pub(crate) fn reach(&mut self, found: &Scan<f64>) {
        self.raise(found.kappa.value(), found.everybody.value());
    }

    /// Raises the lower ends to factors that are reached, by one rival or by several.
    pub fn raise(&mut self, kappa: f64, everybody: f64) {
        raise(&mut self.kappa, kappa);
        raise(&mut self.everybody, everybody);
    }

    /// Lowers the upper ends to what is proven for every rival.
    pub fn bound(&mut self, kappa: f64, everybody: f64) {
        lower(&mut self.kappa, kappa);
        lower(&mut self.everybody, everybody);
    }

    /// The verdict, up to a tolerance (ledger E3).
    #[must_use]
    pub fn verdict(&self, tolerance: f64) -> Verdict {
        Verdict::judge(self.kappa, self.everybody, tolerance)
    }
}

/// Rounding may bring a rival above a bound: what is reached stands.
fn raise(interval: &mut KappaInterval, reached: f64) {
    interval.lo = Number(interval.lo.0.max(reached));
    interval.hi = Number(interval.hi.0.max(interval.lo.0));
}

fn lower(interval: &mut KappaInterval, proven: f64) {
    interval.hi = Number(interval.hi.0.min(proven).max(interval.lo.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headroom;

    #[test]
    fn rivals_raise_lower_ends_and_bounds_lower_upper_ones() {
        // M = 1: two of three stay at 2/3; a rival gives agents 0 and 1 twice as much.
        let (now, weights) = ([0.25, 0.25, 0.5], Weights::equal(3));
        let mut factors = Factors::staying(&now, &weights);
        assert!((factors.kappa.lo.0 - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(factors.everybody, KappaInterval::new(1.0, f64::INFINITY));
        assert_eq!(factors.verdict(0.01), Verdict::Undecided);
        let room = headroom(&now, &[1.0; 3], &weights);
        factors.bound(room.kappa.value(), room.everybody.value());
        assert!((factors.kappa.hi.0 - 8.0 / 3.0).abs() < 1e-15);
        assert_eq!(factors.everybody.hi.0, 2.0);
        factors.reach(&scan(&now, &[0.5, 0.5, 0.1], weights.values(), &weights.total()));
        assert!((factors.kappa.lo.0 - 4.0 / 3.0).abs() < 1e-15);
        assert_eq!(factors.everybody.lo.0, 1.0);
        assert_eq!(factors.verdict(0.01), Verdict::Blocked);
    }

    #[test]
    fn staying_gives_nothing_to_somebody_who_has_nothing() {
        let factors = Factors::staying(&[0.0, 1.0], &Weights::equal(2));
        assert_eq!((factors.kappa.lo.0, factors.everybody.lo.0), (0.5, 0.0));
    }
}
