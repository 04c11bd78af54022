//! How the learning rate changes from round to round.

use std::f64::consts::PI;
use std::num::NonZeroUsize;

/// A factor for every round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Schedule {
    /// Always one.
    #[default]
    Constant,
    /// `1 / sqrt(round)`.
    InverseSqrt,
    /// From one in the first round along half a cosine; it would be zero after the last.
    Cosine,
    /// Multiplied by `decay` after every few rounds, as `every` says.
    Step {
        /// In (0, 1].
        decay: f64,
        /// Rounds between two changes.
        every: NonZeroUsize,
    },
}

impl Schedule {
    /// The learning rate of a round, counted from 1, of a training that starts with `base`.
    ///
    /// Cosines and powers are computed in software: the same bits on every machine.
    ///
    /// ```
    /// # use corefed_spec::Schedule;
    /// assert_eq!(Schedule::InverseSqrt.rate(0.1, 4, 100), 0.05);
    /// ```
    #[must_use]
    pub fn rate(self, base: f64, round: usize, rounds: usize) -> f64 {
        let done = round.saturating_sub(1);
        match self {
            Self::Constant => base,
            Self::InverseSqrt => base / (round.max(1) as f64).sqrt(),
            Self::Cosine => {
                let part = done.min(rounds) as f64 / rounds.max(1) as f64;
                base * 0.5 * (1.0 + libm::cos(PI * part))
            }
            Self::Step { decay, every } => base * libm::pow(decay, (done / every) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_computed_by_hand() {
        let every = NonZeroUsize::new(30).unwrap();
        let step = Schedule::Step { decay: 0.1, every };
        // Half a cosine over four rounds: 1, (1 + sqrt(1/2))/2, 1/2, (1 - sqrt(1/2))/2.
        for (schedule, round, rounds, expected) in [
            (Schedule::Constant, 1, 10, 2.0),
            (Schedule::Constant, 10, 10, 2.0),
            (Schedule::InverseSqrt, 1, 10, 2.0),
            (Schedule::InverseSqrt, 4, 10, 1.0),
            (Schedule::InverseSqrt, 100, 100, 0.2),
            (Schedule::Cosine, 1, 4, 2.0),
            (Schedule::Cosine, 2, 4, 1.707_106_781_186_547_5),
            (Schedule::Cosine, 3, 4, 1.0),
            (Schedule::Cosine, 4, 4, 0.292_893_218_813_452_5),
            (step, 1, 100, 2.0),
            (step, 30, 100, 2.0),
            (step, 31, 100, 0.2),
            (step, 61, 100, 0.02),
        ] {
            let rate = schedule.rate(2.0, round, rounds);
            assert!((rate - expected).abs() < 1e-15, "{schedule:?} round {round}: {rate}");
        }
    }

    #[test]
    fn rates_of_a_training_are_positive_and_never_rise() {
        let step = Schedule::Step { decay: 0.5, every: NonZeroUsize::MIN };
        for schedule in [Schedule::Constant, Schedule::InverseSqrt, Schedule::Cosine, step] {
            let rates: Vec<f64> = (1..=50).map(|round| schedule.rate(0.3, round, 50)).collect();
            assert_eq!(rates[0], 0.3, "{schedule:?}");
            assert!(rates.windows(2).all(|pair| pair[1] <= pair[0] && pair[1] > 0.0), "{rates:?}");
        }
    }

    #[test]
    fn odd_rounds_give_finite_rates() {
        for round in [0, 1, 7, usize::MAX] {
            for rounds in [0, 1, usize::MAX] {
                let rate = Schedule::Cosine.rate(1.0, round, rounds);
                assert!((0.0..=1.0).contains(&rate), "{round} of {rounds}: {rate}");
            }
        }
    }
}
