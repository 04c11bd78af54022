//! One seed: data that its trainings share, and what they come to.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use corefed_core::Weights;
use corefed_spec::{Ceiling, Spec};

use super::judge::Facts;
use super::pool::Candidate;
use super::results::{Exploded, under_every_ceiling};
use super::trainings::{Training, is_begun, trainings};
use crate::failure::Failure;
use crate::train::{Prepared, Talk, Trained, prepare, resume_on, train_on};

/// A seed whose data are ready.
pub(super) struct Seed {
    number: u64,
    /// Of the experiment.
    name: String,
    prepared: Prepared,
    /// In the order of the tables.
    trainings: Vec<Training>,
}

/// What remains of a seed when its data are gone.
pub(super) struct About {
    pub(super) names: Vec<String>,
    pub(super) weights: Weights,
    /// Where models were computed.
    pub(super) device: String,
    /// How many trainings it has.
    pub(super) count: usize,
}

/// What a training came to.
pub(super) enum Came {
    /// A model, and, for a row of the table, what else is known and the ceiling it was trained under.
    Model(Candidate, Option<(Facts, Option<f64>)>),
    /// Nothing: a rule that does not survive its settings is a result, not the end of the table.
    Exploded(Exploded),
}

impl Seed {
    /// Reads and divides the data.
    pub(super) fn prepare(spec: &Spec, ceilings: &[f64], seed: u64) -> Result<Self, Failure> {
        let mut own = spec.clone();
        own.seed = seed;
        let prepared = prepare(&own)?;
        let trainings = if let Prepared::Table(_) = prepared {
            // Exact audits need no coalitions as rivals, but every rule anew under every ceiling.
            under_every_ceiling(spec, ceilings, seed)
        } else {
            trainings(spec, ceilings, seed, &prepared.names())
        };
        Ok(Self { number: seed, name: spec.name.clone(), prepared, trainings })
    }

    pub(super) fn about(&self) -> About {
        About {
            names: self.prepared.names(),
            weights: self.prepared.weights(),
            device: self.prepared.device(),
            count: self.trainings.len(),
        }
    }

    /// Its trainings, by place, those that probably take longest first.
    pub(super) fn longest_first(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.trainings.len()).collect();
        let members = |place: &usize| self.trainings[*place].members;
        places.sort_by_key(|place| std::cmp::Reverse(members(place)));
        places
    }

    /// Trains, goes on, or reads what was trained before; `None` when interrupted.
    pub(super) fn train(
        &self,
        place: usize,
        folder: &Path,
        halt: &AtomicBool,
    ) -> Result<Option<Came>, Failure> {
        let training = &self.trainings[place];
        let (name, seed, count) = (&training.name, self.number, self.trainings.len());
        let what = format!("{} {name} seed {seed} [{}/{count}]", self.name, place + 1);
        let named = |failure: Failure| failure.at(&what);
        let mut prepared = self.prepared.beside().map_err(named)?;
        if let Ceiling::Fixed(ceiling) = training.spec.ceiling {
            prepared.set_ceiling(ceiling);
        }
        let path = folder.join("runs").join(&training.folder);
        let talk = Talk::Beside(what.clone(), halt);
        let trained = if is_begun(&path) {
            resume_on(&training.spec, &mut prepared, &path, talk)
        } else {
            train_on(&training.spec, &mut prepared, &path, talk)
        };
        let trained = match trained.map_err(named) {
            Ok(trained) => trained,
            Err(failure) if failure.is_diverged() => {
                let (training, failure) = (name.clone(), failure.message().to_owned());
                return Ok(Some(Came::Exploded(Exploded { training, seed, failure })));
            }
            Err(failure) => return Err(failure),
        };
        let Some(result) = &trained.result else { return Ok(None) };
        let candidate = Candidate {
            name: name.clone(),
            losses: trained.losses(),
            held_out: prepared.held_out_losses(&result.params).map_err(named)?,
        };
        let names = prepared.names();
        let row = training.row.as_ref();
        let facts = row.map(|(rule, ceiling)| (facts(rule, seed, &trained, &names), *ceiling));
        Ok(Some(Came::Model(candidate, facts)))
    }
}

fn facts(rule: &str, seed: u64, trained: &Trained, names: &[String]) -> Facts {
    let last = trained.result.as_ref().map(|result| &result.last.round);
    Facts {
        rule: rule.to_owned(),
        seed,
        accuracy: last.and_then(|round| round.accuracy),
        test_accuracy: last.and_then(|round| round.test_accuracy),
        seconds: trained.seconds,
        exact: trained.exact().map(|(factors, leaving)| {
            let index = |name: &String| names.iter().position(|known| known == name);
            (factors, leaving.iter().filter_map(index).collect())
        }),
    }
}
