//! The best setting of every rule, and what was tried for it.

use std::num::NonZeroUsize;

use corefed_documents::{ExplodedRun, Try, TunedRule, Tuning};
use corefed_spec::Tune;

use super::plan::Plan;
use super::trainings::Tried;

/// What was tried from one seed, in the order of rules and settings.
pub(super) struct OfSeed {
    pub(super) seed: u64,
    pub(super) tried: Vec<Tried>,
}

impl OfSeed {
    /// The best setting of each of this many rules by floored log-welfare on the rows to choose by; of equals the first.
    /// `None` for a rule that left no model.
    pub(super) fn best(&self, rules: usize) -> Vec<Option<&Tried>> {
        let mut best: Vec<Option<&Tried>> = vec![None; rules];
        for tried in self.tried.iter().filter(|tried| tried.model().is_some()) {
            let known = &mut best[tried.rule];
            if known.is_none_or(|known| worth(tried) > worth(known)) {
                *known = Some(tried);
            }
        }
        best
    }

    /// Whether there is a model that nothing can be chosen by.
    pub(super) fn is_blind(&self) -> bool {
        self.tried.iter().filter_map(Tried::model).any(|model| model.worth.is_none())
    }
}

/// What a model is worth on the rows to choose by: minus infinity where there are none, or where it is not a number.
fn worth(tried: &Tried) -> f64 {
    let worth = tried.model().and_then(|model| model.worth);
    worth.filter(|worth| !worth.is_nan()).unwrap_or(f64::NEG_INFINITY)
}

/// Rules without a model, with what ended their first training.
pub(super) fn exploded(plans: &[Plan<'_>], seeds: &[OfSeed]) -> Vec<ExplodedRun> {
    let mut lost = Vec::new();
    for own in seeds {
        for (rule, best) in own.best(plans.len()).into_iter().enumerate() {
            if best.is_none() {
                let first = own.tried.iter().find(|tried| tried.rule == rule);
                let failure = first.and_then(|tried| tried.came.as_ref().err()).cloned();
                lost.push(ExplodedRun {
                    rule: plans[rule].contender.label.clone(),
                    seed: own.seed,
                    // The seed that chooses for all found no setting that works.
                    failure: failure.unwrap_or_else(|| "no setting was left to train".to_owned()),
                });
            }
        }
    }
    lost
}

/// Everything that was tried.
pub(super) fn tuning(tune: &Tune, plans: &[Plan<'_>], seeds: &[OfSeed]) -> Tuning {
    let rules = plans.iter().enumerate().map(|(rule, plan)| {
        let tries = seeds.iter().flat_map(|own| {
            let best = own.best(plans.len())[rule].map(|tried| tried.setting);
            own.tried.iter().filter(move |tried| tried.rule == rule).map(move |tried| Try {
                seed: own.seed,
                setting: plan.settings[tried.setting].values.clone(),
                validation_welfare: tried.model().and_then(|model| model.worth),
                failure: tried.came.as_ref().err().cloned(),
                chosen: best == Some(tried.setting),
            })
        });
        TunedRule {
            rule: plan.contender.label.clone(),
            keys: plan.keys.clone(),
            grid: plan.grid,
            tried: plan.settings.len(),
            tries: tries.collect(),
        }
    });
    Tuning {
        budget: NonZeroUsize::get(tune.budget),
        seeds: tune.seeds.name().to_owned(),
        rules: rules.collect(),
    }
}

#[cfg(test)]
mod tests {
    use corefed_core::{KappaInterval, Number, Verdict, Weights};
    use corefed_documents::{ComparedRun, Measured};

    use super::*;
    use crate::compare::trainings::Model;

    fn tried(rule: usize, setting: usize, worth: Option<f64>) -> Tried {
        let run = ComparedRun {
            rule: String::new(),
            seed: 1,
            folder: String::new(),
            verdict: Verdict::Undecided,
            kappa: KappaInterval::new(0.0, 1.0),
            everybody: KappaInterval::new(0.0, 1.0),
            headroom: Number(1.0),
            rival: None,
            deviation: None,
            training: Measured::default(),
            held_out: None,
            test_accuracy: None,
            round: 1,
            setting: serde_json::Map::new(),
        };
        let (agents, weights) = (Vec::new(), Weights::equal(1));
        let model = worth.map(|worth| Box::new(Model { run, worth: Some(worth), agents, weights }));
        Tried { rule, setting, came: model.ok_or_else(|| "exploded".to_owned()) }
    }

    #[test]
    fn the_largest_wins_the_first_of_equals_stays_and_explosions_never_win() {
        let own = OfSeed {
            seed: 1,
            tried: vec![
                tried(0, 0, Some(-2.0)),
                tried(0, 1, Some(-1.0)),
                tried(0, 2, Some(-1.0)),
                tried(1, 0, None),
                tried(1, 1, Some(f64::NAN)),
                tried(1, 2, Some(-1e9)),
                tried(2, 0, None),
            ],
        };
        let best: Vec<Option<usize>> =
            own.best(3).into_iter().map(|best| best.map(|tried| tried.setting)).collect();
        assert_eq!(best, [Some(1), Some(2), None]);
        assert!(!own.is_blind());
    }
}
