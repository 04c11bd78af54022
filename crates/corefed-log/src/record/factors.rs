//! What a record knows about the core.

use corefed_core::{Factors, KappaInterval};

use super::RoundRecord;

impl RoundRecord {
    /// Where kappa and everybody's factor lie: rivals met in training from below, headroom and, where its
    /// premise holds, one gradient (`first_order`) from above.
    #[must_use]
    pub fn factors(&self, first_order: Option<f64>) -> Factors {
        // Where everybody has something, everybody can stay.
        let stays = self.log_welfare.is_some_and(|welfare| welfare > f64::NEG_INFINITY);
        let least = self.everybody.unwrap_or(0.0).max(if stays { 1.0 } else { 0.0 });
        let mut factors = Factors {
            kappa: KappaInterval::new(self.kappa.unwrap_or(0.0), f64::INFINITY),
            everybody: KappaInterval::new(least, f64::INFINITY),
        };
        let first_order = first_order.unwrap_or(f64::INFINITY);
        let bound = |room: Option<f64>| room.unwrap_or(f64::INFINITY).min(first_order);
        factors.bound(bound(self.headroom), bound(self.headroom_everybody));
        factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_can_stay_exactly_where_everybody_has_something() {
        let record = |log_welfare| RoundRecord {
            kappa: Some(0.7),
            headroom: Some(1.5),
            headroom_everybody: Some(2.0),
            log_welfare: Some(log_welfare),
            ..RoundRecord::default()
        };
        let found = record(-3.0).factors(None);
        assert_eq!((found.kappa.lo.0, found.kappa.hi.0), (0.7, 1.5));
        assert_eq!((found.everybody.lo.0, found.everybody.hi.0), (1.0, 2.0));
        assert_eq!(record(f64::NEG_INFINITY).factors(None).everybody.lo.0, 0.0);
        assert_eq!(record(-3.0).factors(Some(1.2)).kappa.hi.0, 1.2);
    }
}
