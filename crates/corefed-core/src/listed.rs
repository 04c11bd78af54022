//! A model among listed rivals: what they reach, and who would leave for which.

use crate::{Factors, Verdict, Weights, gain, headroom, scan};

/// What a list of rivals says about a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Where both factors lie: what was known before, raised by the rivals.
    pub factors: Factors,
    /// The verdict that follows, up to the tolerance asked for.
    pub verdict: Verdict,
    /// What each rival reaches, in their order: kappa and everybody's factor.
    pub reached: Vec<(f64, f64)>,
    /// The rival that reaches the largest kappa, the first of several; `None` without rivals.
    pub strongest: Option<Leaving>,
}

/// A coalition and the rival it would rather have.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaving {
    /// The rival, by its place in the list.
    pub rival: usize,
    /// The factor it reaches.
    pub kappa: f64,
    /// Who attains it, the largest gain first.
    pub coalition: Vec<usize>,
    /// What each of them gains.
    pub gains: Vec<f64>,
}

impl Factors {
    /// What is known of a model before any rival is tried: everybody can stay, and no loss is below zero
    /// (ledger E8).
    #[must_use]
    pub fn with_headroom(utilities: &[f64], ceilings: &[f64], weights: &Weights) -> Self {
        let mut factors = Self::staying(utilities, weights);
        let room = headroom(utilities, ceilings, weights);
        factors.bound(room.kappa.value(), room.everybody.value());
        factors
    }

    /// Judges a model with utilities `now` against rivals by their utilities (ledger E3, E4).
    ///
    /// A rival that beats a proven upper end lies outside the set the bound is about, such as the ball, and
    /// is left out.
    #[must_use]
    pub fn judge<'a>(
        mut self,
        now: &[f64],
        rivals: impl IntoIterator<Item = &'a [f64]>,
        weights: &Weights,
        tolerance: f64,
    ) -> Judged {
        let bounds = self;
        let mut reached = Vec::new();
        let mut strongest: Option<Leaving> = None;
        for (rival, then) in rivals.into_iter().enumerate() {
            let found = scan(now, then, weights.values(), &weights.total());
            let (kappa, everybody) = (found.kappa.value(), found.everybody.value());
            reached.push((kappa, everybody));
            if kappa > bounds.kappa.hi.0 || everybody > bounds.everybody.hi.0 {
                continue;
            }
            self.reach(&found);
            if strongest.as_ref().is_none_or(|best| kappa > best.kappa) {
                let coalition = found.coalition;
                let gains = coalition.iter().map(|&k| gain(now[k], then[k])).collect();
                strongest = Some(Leaving { rival, kappa, coalition, gains });
            }
        }
        Judged { factors: self, verdict: self.verdict(tolerance), reached, strongest }
    }
}

impl Judged {
    /// Who would leave for which rival, where the model is blocked.
    #[must_use]
    pub fn deviation(&self) -> Option<&Leaving> {
        self.strongest.as_ref().filter(|_| self.verdict == Verdict::Blocked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KappaInterval;

    #[test]
    fn the_strongest_rival_blocks_and_one_beyond_the_bound_does_not_count() {
        // Three agents with a quarter, a quarter and a half of a ceiling of one.
        let (now, weights) = ([0.25, 0.25, 0.5], Weights::equal(3));
        let known = Factors::with_headroom(&now, &[1.0; 3], &weights);
        let rivals: [&[f64]; 2] = [&[0.3, 0.3, 0.5], &[0.5, 0.5, 0.1]];
        let judged = known.judge(&now, rivals, &weights, 0.01);
        // Two of three twice as much: 2/3 * 2.
        assert!((judged.factors.kappa.lo.0 - 4.0 / 3.0).abs() < 1e-15);
        let leaving = judged.deviation().unwrap();
        assert_eq!((leaving.rival, &leaving.coalition), (1, &vec![0, 1]));
        assert_eq!(leaving.gains, [2.0, 2.0]);
        assert_eq!(judged.reached.len(), 2);
        // An exact audit of a ball has proven that nobody gains more than 1.1.
        let proven = Factors {
            kappa: KappaInterval::new(0.9, 1.1),
            everybody: KappaInterval::new(1.0, 1.0),
        };
        let judged = proven.judge(&now, [rivals[1]], &weights, 0.2);
        assert_eq!((judged.factors, judged.strongest), (proven, None));
    }
}
