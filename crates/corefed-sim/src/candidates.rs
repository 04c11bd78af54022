//! Models met on the way, as rivals of the present one.

use corefed_core::{Weights, gain, scan};
use corefed_log::{AgentRecord, LogError};

/// Utilities of earlier models. One that gives nobody more than a later one does is forgotten: the
/// later one has at least its gains, so no largest factor is lost.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    kept: Vec<Candidate>,
}

#[derive(Clone, Debug)]
struct Candidate {
    round: usize,
    utilities: Vec<f64>,
}

/// The best that any coalition can make of any earlier model.
#[derive(Clone, Debug, PartialEq)]
pub struct Temptation {
    /// Its factor (ledger E4, E34).
    pub kappa: f64,
    /// Round after which the rival was the model.
    pub round: usize,
    /// Who would follow it, ascending.
    pub coalition: Vec<usize>,
    /// The largest factor by which everybody gains at once with an earlier model.
    pub everybody: f64,
}

impl Candidates {
    /// Remembers a model.
    pub fn add(&mut self, round: usize, utilities: Vec<f64>) {
        let covers = |earlier: &Candidate| {
            earlier.utilities.iter().zip(&utilities).all(|(before, now)| before <= now)
        };
        self.kept.retain(|earlier| !covers(earlier));
        self.kept.push(Candidate { round, utilities });
    }

    /// Remembers the models that the records of a run know: a round whose model was evaluated lists
    /// everybody, in order.
    pub fn recall(
        &mut self,
        records: impl Iterator<Item = Result<AgentRecord, LogError>>,
        names: &[String],
    ) -> Result<(), LogError> {
        let mut utilities: Vec<f64> = Vec::new();
        let mut round = 0;
        for record in records {
            let record = record?;
            if record.round != round {
                (round, utilities) = (record.round, Vec::new());
            }
            match record.utility {
                Some(utility) if names.get(utilities.len()) == Some(&record.agent) => {
                    utilities.push(utility);
                }
                _ => continue,
            }
            if utilities.len() == names.len() {
                self.add(round, std::mem::take(&mut utilities));
            }
        }
        Ok(())
    }

    /// The models that are remembered: rounds and utilities, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.kept.iter().map(|kept| (kept.round, kept.utilities.as_slice()))
    }

    /// The strongest candidate against a model; `None` before there is any.
    ///
    /// Factors are at most the largest gain, so most candidates need no sort.
    #[must_use]
    pub fn tempt(&self, incumbent: &[f64], weights: &Weights) -> Option<Temptation> {
        let mut best: Option<Temptation> = None;
        for Candidate { round, utilities } in &self.kept {
            let gains = incumbent.iter().zip(utilities).map(|(now, then)| gain(*now, *then));
            let largest = gains.fold(0.0, f64::max);
            if best.as_ref().is_some_and(|best| largest <= best.kappa.min(best.everybody)) {
                continue;
            }
            let found = scan(incumbent, utilities, weights.values(), &weights.total());
            let (kappa, everybody) = (found.kappa.value(), found.everybody.value());
            let all = best.as_ref().map_or(everybody, |best| everybody.max(best.everybody));
            match &mut best {
                Some(best) if kappa <= best.kappa => best.everybody = all,
                _ => {
                    let (round, coalition) = (*round, found.coalition);
                    best = Some(Temptation { kappa, round, coalition, everybody: all });
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Forgetting and skipping change nothing: factors are the largest over all rounds.
        #[test]
        fn the_strongest_of_all_earlier_models_is_found(
            rounds in prop::collection::vec(prop::collection::vec(-0.5..2.0_f64, 3), 1..12),
            incumbent in prop::collection::vec(-0.2..2.0_f64, 3),
        ) {
            let weights = Weights::new(vec![1.0, 2.0, 0.5]).unwrap();
            let mut candidates = Candidates::default();
            let mut expected = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            for (round, utilities) in rounds.into_iter().enumerate() {
                let found = scan(&incumbent, &utilities, weights.values(), &weights.total());
                expected.0 = f64::max(expected.0, found.kappa.value());
                expected.1 = f64::max(expected.1, found.everybody.value());
                candidates.add(round, utilities);
            }
            let found = candidates.tempt(&incumbent, &weights).unwrap();
            prop_assert_eq!((found.kappa, found.everybody), expected);
        }
    }

    #[test]
    fn an_earlier_model_tempts_the_coalition_that_lost_by_training() {
        // Agents 0 and 1 had 3 and now have 1: two thirds of a gain of three is two.
        let mut candidates = Candidates::default();
        candidates.add(0, vec![3.0, 3.0, 0.1]);
        candidates.add(1, vec![1.0, 1.0, 1.0]);
        let found = candidates.tempt(&[1.0, 1.0, 1.0], &Weights::equal(3)).unwrap();
        assert_eq!((found.round, found.coalition), (0, vec![0, 1]));
        assert!((found.kappa - 2.0).abs() < 1e-15);
        // Nothing is better for all three than what they have.
        assert_eq!(found.everybody, 1.0);
        assert!(Candidates::default().tempt(&[1.0], &Weights::equal(1)).is_none());
    }
}
