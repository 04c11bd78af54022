//! The strict rule of Definition 1, for rivals that were compared without rounding.

use crate::{Factors, KappaInterval, Verdict};

/// What one rival reaches against a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compared {
    /// The factor of the best coalition that leaves somebody behind.
    pub kappa: f64,
    /// The factor by which everybody gains at once.
    pub everybody: f64,
    /// Whether a coalition, not everybody, blocks by the strict rule.
    pub blocks: bool,
    /// Whether nobody loses and somebody gains.
    pub improves: bool,
}

/// What compared rivals say about a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// Where both factors lie: what was known before, raised by the rivals.
    pub factors: Factors,
    /// The verdict that follows.
    pub verdict: Verdict,
    /// The rival that a coalition leaves for, where the model is blocked: the largest kappa, then the first.
    pub deviation: Option<usize>,
    /// The rival that is better for everybody, where the model is improvable: the largest factor, then the
    /// first.
    pub improvement: Option<usize>,
}

impl Factors {
    /// What is known where no rival counts but those that are listed, before any is tried.
    pub const LISTED: Self =
        Self { kappa: KappaInterval::NOTHING, everybody: KappaInterval::NOTHING };

    /// The verdict where it is known without rounding whether a rival blocks or improves: the strict rule
    /// decides, unless gains up to a tolerance do not count (ledger E3).
    #[must_use]
    pub fn strict_verdict(&self, blocks: bool, improves: bool, tolerance: f64) -> Verdict {
        if tolerance > 0.0 {
            self.verdict(tolerance)
        } else if blocks {
            Verdict::Blocked
        } else if improves {
            Verdict::Improvable
        } else {
            self.verdict(0.0)
        }
    }

    /// Judges a model by rivals that were compared without rounding (ledger E3, E4).
    #[must_use]
    pub fn settle(mut self, rivals: &[Compared], tolerance: f64) -> Settled {
        for rival in rivals {
            self.raise(rival.kappa, rival.everybody);
        }
        let blocking = largest(rivals, |rival| rival.blocks.then_some(rival.kappa));
        let improving = largest(rivals, |rival| rival.improves.then_some(rival.everybody));
        let verdict = self.strict_verdict(blocking.is_some(), improving.is_some(), tolerance);
        Settled {
            factors: self,
            verdict,
            deviation: blocking.filter(|_| verdict == Verdict::Blocked),
            improvement: improving.filter(|_| verdict == Verdict::Improvable),
        }
    }
}

/// The first of the largest.
fn largest(rivals: &[Compared], value: impl Fn(&Compared) -> Option<f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (at, rival) in rivals.iter().enumerate() {
        if let Some(value) = value(rival)
            && best.is_none_or(|(_, most)| value > most)
        {
            best = Some((at, value));
        }
    }
    best.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    #[test]
    fn without_a_tolerance_a_tie_is_decided_by_the_strict_rule() {
        let tie = Compared { kappa: 1.0, everybody: 0.5, ..Compared::default() };
        let stays = Factors::LISTED.settle(&[tie], 0.0);
        assert_eq!((stays.verdict, stays.deviation), (Verdict::Stable, None));
        assert_eq!(stays.factors.kappa, KappaInterval::new(1.0, 1.0));
        // One member breaks even, another gains: kappa is one, and the coalition blocks.
        let blocks = Compared { blocks: true, ..tie };
        let leaves = Factors::LISTED.settle(&[tie, blocks], 0.0);
        assert_eq!((leaves.verdict, leaves.deviation), (Verdict::Blocked, Some(1)));
        assert_eq!(Factors::LISTED.settle(&[blocks], 1e-6).verdict, Verdict::Stable);
        let better = Compared { everybody: 1.0, improves: true, ..tie };
        let improved = Factors::LISTED.settle(&[tie, better], 0.0);
        assert_eq!((improved.verdict, improved.improvement), (Verdict::Improvable, Some(1)));
    }

    #[test]
    fn what_headroom_leaves_open_is_undecided() {
        let known = Factors::with_headroom(&[0.5, 0.8], &[1.0, 1.0], &Weights::equal(2));
        let settled = known.settle(&[], 0.0);
        assert_eq!((settled.verdict, settled.factors), (Verdict::Undecided, known));
        assert_eq!(Factors::LISTED.settle(&[], 0.0).verdict, Verdict::Stable);
    }
}
