//! Confidence intervals for the mean of bounded samples.

use serde::{Deserialize, Serialize};

use crate::betting::Bets;
use crate::concentration::{better, empirical_bernstein, hoeffding};
use crate::{Level, Samples};

/// How an interval is computed. All cover at their level for every distribution and any number of
/// samples (ledger E40); they differ in width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// From the range alone.
    Hoeffding,
    /// From the sample variance; narrow when that is small.
    EmpiricalBernstein,
    /// The better of both, each with half the misses.
    Better,
    /// Betting, the narrowest. It depends on the order of the samples, which must not be chosen by
    /// their values.
    #[default]
    Betting,
}

/// Where a mean lies, at a level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end; the end of the range when the interval is about the other side only.
    pub lo: f64,
    /// Upper end; the end of the range when the interval is about the other side only.
    pub hi: f64,
    /// How often an interval made this way holds the mean.
    pub level: Level,
    /// How it was computed.
    pub method: Method,
}

impl Samples {
    /// Both ends: each side misses with half of what the level leaves.
    #[must_use]
    pub fn interval(&self, level: Level, method: Method) -> Interval {
        let half = level.miss() / 2.0;
        let (lo, hi) = (self.lower_at(half, method), self.upper_at(half, method));
        // Bets on both sides can win only when one of them was lucky. No interval is right then,
        // and the one between the two ends claims less than none.
        Interval { lo: lo.min(hi), hi: hi.max(lo), level, method }
    }

    /// The mean is at least `lo`.
    #[must_use]
    pub fn lower(&self, level: Level, method: Method) -> Interval {
        let (_, hi) = self.range();
        Interval { lo: self.lower_at(level.miss(), method), hi, level, method }
    }

    /// The mean is at most `hi`.
    #[must_use]
    pub fn upper(&self, level: Level, method: Method) -> Interval {
        let (lo, _) = self.range();
        Interval { lo, hi: self.upper_at(level.miss(), method), level, method }
    }

    fn lower_at(&self, miss: f64, method: Method) -> f64 {
        self.from_unit(lower_end(self.unit(), miss, method))
    }

    fn upper_at(&self, miss: f64, method: Method) -> f64 {
        self.from_unit(1.0 - lower_end(&self.turned(), miss, method))
    }

    /// Whether the mean is below a value, claimed wrongly with probability at most `miss`.
    ///
    /// What `upper` says, without looking for the end of what betting rules out.
    pub(crate) fn mean_is_below(&self, value: f64, miss: f64, method: Method) -> bool {
        match method {
            Method::Betting => {
                let candidate = 1.0 - self.to_unit(value);
                // Outside the range there is nothing to bet on.
                candidate < 0.0
                    || (candidate < 1.0 && Bets::new(&self.turned(), miss).rule_out(candidate))
            }
            Method::Hoeffding | Method::EmpiricalBernstein | Method::Better => {
                self.upper_at(miss, method) < value
            }
        }
    }
}

/// A lower bound for the mean of samples in `0..=1`, never below zero.
fn lower_end(unit: &[f64], miss: f64, method: Method) -> f64 {
    let end = match method {
        Method::Hoeffding => hoeffding(unit, miss),
        Method::EmpiricalBernstein => empirical_bernstein(unit, miss),
        Method::Better => better(unit, miss),
        Method::Betting => Bets::new(unit, miss).lower(),
    };
    end.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const METHODS: [Method; 4] =
        [Method::Hoeffding, Method::EmpiricalBernstein, Method::Better, Method::Betting];

    #[test]
    fn the_two_sided_constants_are_those_of_the_ledger() {
        let values: Vec<f64> = (0..400).map(|k| f64::from(k % 5) / 2.0).collect();
        let samples = Samples::new(&values, 0.0, 2.0).unwrap();
        let (m, d, variance) = (400.0, 0.1_f64, 0.5 * 400.0 / 399.0);
        let expect = |method, half: f64| {
            let found = samples.interval(Level::default(), method);
            assert!((found.hi - 1.0 - half).abs() < 1e-12, "{found:?}");
            assert!((1.0 - found.lo - half).abs() < 1e-12, "{found:?}");
        };
        let plain = 2.0 * ((2.0 / d).ln() / (2.0 * m)).sqrt();
        let empirical = |d: f64| {
            (2.0 * variance * (4.0 / d).ln() / m).sqrt()
                + 7.0 * 2.0 * (4.0 / d).ln() / (3.0 * (m - 1.0))
        };
        expect(Method::Hoeffding, plain);
        expect(Method::EmpiricalBernstein, empirical(d));
        let halved = 2.0 * ((4.0 / d).ln() / (2.0 * m)).sqrt();
        expect(Method::Better, halved.min(empirical(d / 2.0)));
    }

    #[test]
    fn one_sample_still_has_an_interval() {
        for method in METHODS {
            let found = Samples::new(&[0.3], 0.0, 1.0).unwrap().interval(Level::default(), method);
            assert!(0.0 <= found.lo && found.lo <= 0.3 && found.hi <= 1.0, "{found:?}");
        }
    }

    proptest! {
        #[test]
        fn intervals_move_and_stretch_with_their_samples(
            unit in prop::collection::vec(0.0..=1.0_f64, 2..60),
            shift in -3.0..3.0_f64,
            stretch in 0.1..10.0_f64,
        ) {
            let values: Vec<f64> = unit.iter().map(|x| shift + stretch * x).collect();
            let here = Samples::new(&unit, 0.0, 1.0).unwrap();
            let there = Samples::new(&values, shift - 1e-9, shift + stretch + 1e-9).unwrap();
            for method in METHODS {
                let a = here.interval(Level::default(), method);
                let b = there.interval(Level::default(), method);
                prop_assert!((shift + stretch * a.lo - b.lo).abs() < 1e-6, "{a:?} {b:?}");
                prop_assert!((shift + stretch * a.hi - b.hi).abs() < 1e-6, "{a:?} {b:?}");
            }
        }

        #[test]
        fn turning_the_samples_round_turns_the_interval(
            unit in prop::collection::vec(0.0..=1.0_f64, 1..60),
        ) {
            let here = Samples::new(&unit, 0.0, 1.0).unwrap();
            let there = Samples::new(&here.turned(), 0.0, 1.0).unwrap();
            for method in METHODS {
                let a = here.lower(Level::default(), method);
                let b = there.upper(Level::default(), method);
                prop_assert!((a.lo - (1.0 - b.hi)).abs() < 1e-12, "{a:?} {b:?}");
            }
        }

        #[test]
        fn asking_about_one_value_agrees_with_the_bound(
            unit in prop::collection::vec(0.0..=1.0_f64, 1..60),
            value in -0.1..1.1_f64,
        ) {
            let samples = Samples::new(&unit, 0.0, 1.0).unwrap();
            for method in METHODS {
                let hi = samples.upper(Level::default(), method).hi;
                if (hi - value).abs() > 1e-9 {
                    let miss = Level::default().miss();
                    prop_assert_eq!(samples.mean_is_below(value, miss, method), hi < value);
                }
            }
        }
    }
}
