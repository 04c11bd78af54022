//! Models of groups, trained by rounds with the settings of everybody's training.

use corefed_core::Seed;
use corefed_documents::OnHeldOut;
use corefed_model::{CoalitionLosses, ConvexLosses};
use corefed_rules::Scalar;
use corefed_sim::{Coalition, Engine, Federated, Terms, keeps_best};
use corefed_spec::Train;
use rayon::prelude::*;

use crate::measure::{Ruler, ridge};
use crate::{NoModel, Observer, RunError, Stop};

/// Parameters of every group, or why there are none; in the order of groups.
pub(crate) type Models = Vec<Result<Vec<f64>, NoModel>>;

/// Groups that are trained before anybody is told: enough to keep all cores busy.
pub(crate) const BATCH: usize = 64;

/// A training that groups repeat among themselves.
pub(crate) struct Training<'a, F> {
    pub(crate) federation: &'a F,
    /// Losses with second derivatives, for Newton's rule.
    pub(crate) hessians: Option<&'a dyn ConvexLosses>,
    pub(crate) terms: &'a Terms,
    pub(crate) train: &'a Train,
    pub(crate) seed: Seed,
}

impl<F: Federated> Training<'_, F> {
    /// Trains every group from the same seed by the same settings; `None` when stopped.
    pub(crate) fn all(
        &self,
        groups: &[Vec<usize>],
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Option<Models> {
        let mut models: Models = Vec::with_capacity(groups.len());
        for batch in groups.chunks(BATCH) {
            let train = |members: &Vec<usize>| self.one(members, self.train, stop);
            // A device of the federation's own trains one group after another.
            let trained: Models = if self.federation.together().is_some() {
                batch.iter().map(train).collect()
            } else {
                batch.par_iter().map(train).collect()
            };
            if stop.is_asked() {
                return None;
            }
            models.extend(trained);
            observer.groups(models.len(), groups.len());
        }
        Some(models)
    }

    /// Every agent's own model on its own held-out rows, ridge included; `None` for an agent without rows.
    pub(crate) fn alone(
        &self,
        ruler: &dyn Ruler,
        l2: f64,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Option<Vec<Result<Option<OnHeldOut>, RunError>>> {
        let agents = 0..self.terms.names.len();
        let singles: Vec<Vec<usize>> = agents.map(|agent| vec![agent]).collect();
        let models = self.all(&singles, stop, observer)?;
        let measure = |(agent, model): (usize, Result<Vec<f64>, NoModel>)| {
            let params = model?;
            let rows = ruler.one(&params, agent)?;
            Ok(rows.measured().map(|measured| {
                let loss = measured.loss + ridge(l2, &params);
                let utility = self.terms.ceilings[agent] - loss;
                OnHeldOut { loss, utility, quality: measured.quality }
            }))
        };
        Some(models.into_iter().enumerate().map(measure).collect())
    }

    /// The model that a group's training keeps.
    pub(crate) fn one(
        &self,
        members: &[usize],
        train: &Train,
        stop: &Stop,
    ) -> Result<Vec<f64>, NoModel> {
        let group = Coalition::new(self.federation, members);
        let losses = self.hessians.map(|losses| CoalitionLosses::new(losses, members));
        let hessians = losses.as_ref().map(|losses| losses as &dyn ConvexLosses);
        let terms = some_terms(self.terms, members);
        let mut engine = Engine::new(&group, hessians, &terms, train, self.seed)?;
        let (mut state, _) = engine.start()?;
        while state.round < train.rounds.get() && !stop.is_asked() {
            let outcome = engine.round(&mut state)?;
            if outcome.certified || engine.is_stale(&state) {
                break;
            }
        }
        let kept = state.best.filter(|_| keeps_best(train, &group));
        let params = kept.map_or(state.params, |best| best.params);
        Ok(params.iter().map(|param| param.to_f64()).collect())
    }
}

/// The terms of a group's members.
fn some_terms(terms: &Terms, members: &[usize]) -> Terms {
    Terms {
        names: members.iter().map(|&member| terms.names[member].clone()).collect(),
        weights: terms.weights.of(members),
        average: terms.average.of(members),
        ceilings: members.iter().map(|&member| terms.ceilings[member]).collect(),
        ..terms.clone()
    }
}
