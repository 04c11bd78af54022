//! Agents with shares, models with measures, and who can veto what.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};
use rayon::prelude::*;

use super::Ballots;
use super::consumption::last_left;
use super::flow::{Amount, Flow, largest};

/// A table of models to choose from.
///
/// A coalition `S` vetoes a model `c` if the models that all of `S` strictly prefer to `c` have a
/// measure above `1 - w(S)/W` (ledger E60).
#[derive(Clone, Debug)]
pub struct Assembly {
    ballots: Ballots,
    /// Shares and measures as whole numbers with one common sum.
    shares: Vec<BigInt>,
    measures: Vec<BigInt>,
    total: BigInt,
}

/// Why a model lies in the core, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody can veto it: what each agent spends of its share on models it does not prefer, as
    /// `(agent, model, amount)`.
    Kept(Vec<(usize, usize, BigRational)>),
    /// A coalition vetoes it.
    Vetoed {
        /// Its members, ascending.
        coalition: Vec<usize>,
        /// All models that every member strictly prefers, ascending.
        better: Vec<usize>,
    },
}

impl Assembly {
    /// Takes positive weights and positive measures of any scale, one per agent and one per model.
    ///
    /// ```
    /// use corefed_audit::{Assembly, Ballots, Standing};
    /// use corefed_core::Prefer;
    /// use num_rational::BigRational;
    ///
    /// let one = || BigRational::from_integer(1.into());
    /// // Two of three agents like model 0 best, one likes it least: it is one of two models, and
    /// // a third of the say vetoes less than half of the models.
    /// let ballots = Ballots::new(&[vec![2, 2, 0], vec![1, 1, 1]], Prefer::Larger);
    /// let assembly = Assembly::new(ballots, &[one(), one(), one()], &[one(), one()]);
    /// assert!(matches!(assembly.standing(0), Standing::Kept(_)));
    /// assert_eq!(assembly.standing(1), Standing::Vetoed { coalition: vec![0, 1], better: vec![0] });
    /// assert_eq!(assembly.choose(), [0]);
    /// ```
    #[must_use]
    pub fn new(ballots: Ballots, weights: &[BigRational], measures: &[BigRational]) -> Self {
        let whole = |values: &[BigRational]| -> (Vec<BigInt>, BigInt) {
            let clear = values.iter().fold(BigInt::one(), |clear, value| clear.lcm(value.denom()));
            let whole = values.iter().map(|v| (v * &clear).to_integer());
            let whole: Vec<BigInt> = whole.collect();
            let sum = whole.iter().sum();
            (whole, sum)
        };
        let (shares, by_weight) = whole(weights);
        let (measures, by_measure) = whole(measures);
        let common = by_weight.gcd(&by_measure);
        let (more, less) = (&by_measure / &common, &by_weight / &common);
        Self {
            ballots,
            shares: shares.into_iter().map(|share| share * &more).collect(),
            measures: measures.into_iter().map(|measure| measure * &less).collect(),
            total: by_weight * more,
        }
    }

    /// The share of an agent, its part of the power to veto.
    #[must_use]
    pub fn share(&self, agent: usize) -> BigRational {
        BigRational::new(self.shares[agent].clone(), self.total.clone())
    }

    /// The measure of a model; measures sum to one.
    #[must_use]
    pub fn measure(&self, model: usize) -> BigRational {
        BigRational::new(self.measures[model].clone(), self.total.clone())
    }

    /// Whether a model lies in the core, with the evidence.
    #[must_use]
    pub fn standing(&self, model: usize) -> Standing {
        let may: Vec<Vec<usize>> = (0..self.shares.len())
            .map(|agent| {
                let mut free: Vec<usize> = (0..self.measures.len())
                    .filter(|&other| !self.ballots.prefers(agent, other, model))
                    .collect();
                // The worst first: few agents agree on it, so the greedy start rarely errs.
                free.sort_by_key(|&other| self.ballots.place(agent, other));
                free
            })
            .collect();
        match (machine(&self.shares), machine(&self.measures)) {
            (Some(shares), Some(measures)) => {
                self.judge(model, &largest(&shares, &measures, &may), |part| BigInt::from(*part))
            }
            _ => self.judge(model, &largest(&self.shares, &self.measures, &may), BigInt::clone),
        }
    }

    /// Every model, side by side.
    #[must_use]
    pub fn standings(&self) -> Vec<Standing> {
        (0..self.measures.len()).into_par_iter().map(|model| self.standing(model)).collect()
    }

    /// The models that veto by consumption leaves to the very end, ascending; each lies in the core
    /// (ledger E61). More than one only where they are used up at the same moment.
    #[must_use]
    pub fn choose(&self) -> Vec<usize> {
        last_left(&self.ballots, &self.shares, &self.measures)
    }

    fn judge<N: Amount>(
        &self,
        model: usize,
        flow: &Flow<N>,
        exact: impl Fn(&N) -> BigInt,
    ) -> Standing {
        if !flow.complete {
            let coalition = flow.short.clone();
            let all = |other: &usize| {
                coalition.iter().all(|&agent| self.ballots.prefers(agent, *other, model))
            };
            let better = (0..self.measures.len()).filter(all).collect();
            return Standing::Vetoed { coalition, better };
        }
        let mut parts = Vec::new();
        for (agent, sent) in flow.sent.iter().enumerate() {
            for (other, part) in sent.iter().enumerate().filter(|(_, part)| !part.is_zero()) {
                parts.push((agent, other, BigRational::new(exact(part), self.total.clone())));
            }
        }
        Standing::Kept(parts)
    }
}

/// The same numbers as machine integers, where no sum of them can overflow.
fn machine(values: &[BigInt]) -> Option<Vec<i128>> {
    let total: BigInt = values.iter().sum();
    total.to_i128()?;
    values.iter().map(ToPrimitive::to_i128).collect()
}
