//! The trainings of a comparison, and what they are worth.

use std::path::Path;

use corefed_core::{Number, Weights, log_welfare, utilities};
use corefed_documents::{ComparedRun, Measured};
use corefed_sim::FlooredWelfare;
use corefed_spec::Spec;
use serde_json::{Map, Value};

use super::plan::{Plan, in_words};
use crate::prepare::prepare;
use crate::prepared::Prepared;
use crate::shared_tables::SharedTables;
use crate::side_by_side::Batches;
use crate::train::{TrainedResult, train_or_resume_on};
use crate::{Observers, RunError, Stop};

/// Some settings of some rules, from some seeds.
pub(super) struct Trainings<'a> {
    pub(super) spec: &'a Spec,
    pub(super) seeds: &'a [u64],
    pub(super) plans: &'a [Plan<'a>],
    /// Places of a rule and of its setting.
    pub(super) pieces: Vec<(usize, usize)>,
    pub(super) data_dir: Option<&'a Path>,
    pub(super) path: &'a Path,
    /// Tables that trainings have in common.
    pub(super) tables: &'a SharedTables,
    pub(super) observers: &'a dyn Observers,
}

/// One setting of a rule from one seed.
pub(super) struct Tried {
    /// Place of the rule.
    pub(super) rule: usize,
    /// Place of the setting.
    pub(super) setting: usize,
    /// The model, or why there is none.
    pub(super) came: Result<Box<Model>, String>,
}

/// What a training left.
pub(super) struct Model {
    pub(super) run: ComparedRun,
    /// Floored log-welfare on the rows to choose by, where there are any.
    pub(super) worth: Option<f64>,
    pub(super) agents: Vec<String>,
    pub(super) weights: Weights,
}

impl Tried {
    pub(super) fn model(&self) -> Option<&Model> {
        self.came.as_ref().ok().map(|model| &**model)
    }
}

impl Batches for Trainings<'_> {
    type Shared = (u64, Prepared);
    type About = u64;
    type Came = Tried;
    type Error = RunError;

    fn count(&self) -> usize {
        self.seeds.len()
    }

    fn begin(&self, batch: usize) -> Result<(u64, Prepared), RunError> {
        let seed = self.seeds[batch];
        let own = Spec { seed, compare: None, ..self.spec.clone() };
        let prepared = prepare(&own, self.data_dir).map_err(|error| error.at(&named(seed)))?;
        Ok((seed, prepared))
    }

    fn about(&self, (seed, _): &(u64, Prepared)) -> u64 {
        *seed
    }

    fn order(&self, _: &(u64, Prepared)) -> Vec<usize> {
        (0..self.pieces.len()).collect()
    }

    fn train(
        &self,
        (seed, prepared): &(u64, Prepared),
        place: usize,
        stop: &Stop,
    ) -> Result<Option<Tried>, RunError> {
        let (rule, setting) = self.pieces[place];
        let plan = &self.plans[rule];
        let chosen = &plan.settings[setting];
        let own = Spec { seed: *seed, ..chosen.spec.clone() };
        let name = folder_name(plan, *seed, setting);
        let folder = self.path.join(&name);
        let what = in_full(plan, *seed, &chosen.values);
        let named = |error: RunError| error.at(&what);
        let mut prepared = prepared.beside().map_err(named)?;
        let observer = &mut *self.observers.watch(&what);
        let trained = train_or_resume_on(&own, &mut prepared, &folder, stop, observer);
        let result = match trained.map_err(named) {
            Ok(trained) => trained.result,
            // A rule that does not survive its settings is a result, not the end of the comparison.
            Err(error) if error.is_diverged() => {
                return Ok(Some(Tried { rule, setting, came: Err(error.message()) }));
            }
            Err(error) => return Err(error),
        };
        self.tables.share(&folder);
        let Some(result) = result else { return Ok(None) };
        let floor = own.train.as_ref().map_or(0.0, |train| train.safety.floor);
        let model = Model {
            run: line(plan, *seed, name, &chosen.values, &result, floor),
            worth: result.last.round.validation_welfare,
            agents: result.last.agents.iter().map(|agent| agent.agent.clone()).collect(),
            weights: result.weights,
        };
        Ok(Some(Tried { rule, setting, came: Ok(Box::new(model)) }))
    }
}

fn named(seed: u64) -> String {
    format!("seed {seed}")
}

/// A training, for people.
fn in_full(plan: &Plan<'_>, seed: u64, setting: &Map<String, Value>) -> String {
    let with = if setting.is_empty() { String::new() } else { format!(", {}", in_words(setting)) };
    format!("{} ({}{with})", plan.contender.label, named(seed))
}

/// Where a training is written, by a label as part of a path.
fn folder_name(plan: &Plan<'_>, seed: u64, setting: usize) -> String {
    let plain = plan.contender.folder_name();
    let setting =
        if plan.keys.is_empty() { String::new() } else { format!("-setting-{}", setting + 1) };
    format!("{plain}-seed-{seed}{setting}")
}

fn line(
    plan: &Plan<'_>,
    seed: u64,
    folder: String,
    setting: &Map<String, Value>,
    result: &TrainedResult,
    floor: f64,
) -> ComparedRun {
    let last = &result.last;
    let on = |losses: Vec<f64>, accuracy| measured(result, losses, accuracy, floor);
    ComparedRun {
        rule: plan.contender.label.clone(),
        seed,
        folder,
        verdict: result.audit.verdict,
        kappa: result.audit.kappa,
        everybody: result.audit.everybody,
        headroom: result.audit.headroom.unwrap_or(Number(f64::INFINITY)),
        rival: None,
        deviation: None,
        training: on(result.losses(), last.round.accuracy),
        held_out: result.held_out_losses().map(|losses| on(losses, result.held_out_accuracy())),
        test_accuracy: last.round.test_accuracy,
        round: last.round.round,
        setting: setting.clone(),
    }
}

fn measured(
    result: &TrainedResult,
    losses: Vec<f64>,
    accuracy: Option<f64>,
    floor: f64,
) -> Measured {
    let ceilings: Vec<f64> = result.header.agents.iter().map(|agent| agent.ceiling).collect();
    let utilities = utilities(&ceilings, &losses);
    let weights = result.weights.clone();
    Measured {
        log_welfare: Some(Number(log_welfare(&utilities, &weights))),
        floored_log_welfare: Some(FlooredWelfare { weights, ceilings, floor }.value(&losses)),
        utilities,
        losses,
        accuracy,
    }
}
