//! One seed: data that its trainings share, and what they come to.

use std::path::Path;
use std::time::Duration;

use corefed_core::Weights;
use corefed_spec::{Ceiling, Spec};

use crate::ReproduceError;
use crate::outcome::{Came, Exploded, Facts};
use crate::pool::Candidate;
use crate::trainings::{Training, trainings, under_every_ceiling};
use corefed_run::{
    Batches, Observers, Prepared, RunError, Stop, TrainedResult, prepare, train_or_resume_on,
};

/// The seeds of an experiment.
pub(crate) struct Seeds<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) ceilings: &'a [f64],
    pub(crate) data_dir: Option<&'a Path>,
    pub(crate) folder: &'a Path,
    pub(crate) observers: &'a dyn Observers,
}

impl Seeds<'_> {
    fn numbers(&self) -> &[u64] {
        self.spec.compare.as_ref().map_or(&[][..], |compare| &compare.seeds)
    }
}

impl Batches for Seeds<'_> {
    type Shared = Seed;
    type About = About;
    type Came = Came;
    type Error = ReproduceError;

    fn count(&self) -> usize {
        self.numbers().len()
    }

    fn begin(&self, batch: usize) -> Result<Seed, ReproduceError> {
        Seed::prepare(self.spec, self.ceilings, self.numbers()[batch], self.data_dir)
    }

    fn about(&self, seed: &Seed) -> About {
        seed.about()
    }

    fn order(&self, seed: &Seed) -> Vec<usize> {
        seed.longest_first()
    }

    fn train(
        &self,
        seed: &Seed,
        place: usize,
        stop: &Stop,
    ) -> Result<Option<Came>, ReproduceError> {
        seed.train(place, self.folder, stop, self.observers)
    }
}

/// A seed whose data are ready.
pub(crate) struct Seed {
    number: u64,
    /// Of the experiment.
    name: String,
    prepared: Prepared,
    /// In the order of the tables.
    trainings: Vec<Training>,
}

/// What remains of a seed when its data are gone.
pub(crate) struct About {
    pub(crate) names: Vec<String>,
    pub(crate) weights: Weights,
    /// Where models were computed.
    pub(crate) device: String,
}

impl Seed {
    /// Reads and divides the data.
    fn prepare(
        spec: &Spec,
        ceilings: &[f64],
        seed: u64,
        data_dir: Option<&Path>,
    ) -> Result<Self, ReproduceError> {
        let mut own = spec.clone();
        own.seed = seed;
        let prepared = prepare(&own, data_dir)?;
        let trainings = if let Prepared::Table(_) = prepared {
            // Exact audits need no coalitions as rivals, but every rule anew under every ceiling.
            under_every_ceiling(spec, ceilings, seed)
        } else {
            trainings(spec, ceilings, seed, &prepared.names())
        };
        Ok(Self { number: seed, name: spec.name.clone(), prepared, trainings })
    }

    fn about(&self) -> About {
        About {
            names: self.prepared.names(),
            weights: self.prepared.weights(),
            device: match self.prepared.device() {
                Some(device) if device.kind != "cpu" => format!("on one {device}"),
                _ => "on the CPU".to_owned(),
            },
        }
    }

    /// Its trainings, by place, those that probably take longest first.
    fn longest_first(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.trainings.len()).collect();
        let members = |place: &usize| self.trainings[*place].members;
        places.sort_by_key(|place| std::cmp::Reverse(members(place)));
        places
    }

    /// Trains, resumes, or reads what was trained before; `None` when interrupted.
    fn train(
        &self,
        place: usize,
        folder: &Path,
        stop: &Stop,
        observers: &dyn Observers,
    ) -> Result<Option<Came>, ReproduceError> {
        let training = &self.trainings[place];
        let (name, seed, count) = (&training.name, self.number, self.trainings.len());
        let what = format!("{} {name} seed {seed} [{}/{count}]", self.name, place + 1);
        let named = |error: RunError| error.at(&what);
        let mut prepared = self.prepared.beside().map_err(named)?;
        if let Ceiling::Fixed(ceiling) = training.spec.ceiling {
            prepared.set_ceiling(ceiling);
        }
        let path = folder.join("runs").join(&training.folder);
        let observer = &mut *observers.watch(&what);
        let trained = train_or_resume_on(&training.spec, &mut prepared, &path, stop, observer);
        let trained = match trained.map_err(named) {
            Ok(trained) => trained,
            Err(error) if error.is_diverged() => {
                let (training, failure) = (name.clone(), error.message());
                return Ok(Some(Came::Exploded(Exploded { training, seed, failure })));
            }
            Err(error) => return Err(error.into()),
        };
        let Some(result) = &trained.result else { return Ok(None) };
        let candidate = Candidate {
            name: name.clone(),
            losses: result.losses(),
            held_out: prepared.held_out_losses(&result.params).map_err(named)?,
        };
        let row = training.row.as_ref();
        let facts =
            row.map(|(rule, ceiling)| (facts(rule, seed, trained.elapsed, result), *ceiling));
        Ok(Some(Came::Model(candidate, facts)))
    }
}

fn facts(rule: &str, seed: u64, elapsed: Duration, result: &TrainedResult) -> Facts {
    let last = &result.last.round;
    let leaving = result.audit.deviation.as_ref().map_or(&[][..], |leaving| &leaving.coalition);
    Facts {
        rule: rule.to_owned(),
        seed,
        accuracy: last.accuracy,
        held_out_accuracy: result.held_out_accuracy(),
        test_accuracy: last.test_accuracy,
        seconds: elapsed.as_secs_f64(),
        exact: result.exact.then(|| (result.factors(), result.audit.places(leaving))),
    }
}
