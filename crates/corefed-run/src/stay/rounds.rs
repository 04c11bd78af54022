//! The model of every group, trained by rounds.

use corefed_core::Seed;
use corefed_model::{CoalitionLosses, ConvexLosses};
use corefed_rules::Scalar;
use corefed_sim::{Coalition, Engine, Federated, Terms, keeps_best};
use corefed_spec::Train;
use rayon::prelude::*;

use super::groups::Groups;
use super::models::{BATCH, Models};
use crate::{Observer, Stop};

/// A training that groups repeat among themselves.
pub(super) struct Training<'a, F> {
    pub(super) federation: &'a F,
    /// Losses with second derivatives, for Newton's rule.
    pub(super) hessians: Option<&'a dyn ConvexLosses>,
    pub(super) terms: &'a Terms,
    pub(super) train: &'a Train,
    pub(super) seed: Seed,
}

impl<F: Federated> Training<'_, F> {
    /// Trains every group from the same seed by the same settings; `None` when stopped.
    pub(super) fn all(
        &self,
        groups: &Groups,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Option<Models> {
        let mut models: Models = Vec::with_capacity(groups.list.len());
        for batch in groups.list.chunks(BATCH) {
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
            observer.groups(models.len(), groups.list.len());
        }
        Some(models)
    }

    /// The model that a group's training keeps.
    pub(super) fn one(
        &self,
        members: &[usize],
        train: &Train,
        stop: &Stop,
    ) -> Result<Vec<f64>, String> {
        let group = Coalition::new(self.federation, members);
        let losses = self.hessians.map(|losses| CoalitionLosses::new(losses, members));
        let hessians = losses.as_ref().map(|losses| losses as &dyn ConvexLosses);
        let terms = some_terms(self.terms, members);
        let say = |error: &dyn std::error::Error| error.to_string();
        let mut engine =
            Engine::new(&group, hessians, &terms, train, self.seed).map_err(|error| say(&error))?;
        let (mut state, _) = engine.start().map_err(|error| say(&error))?;
        while state.round < train.rounds.get() && !stop.is_asked() {
            let outcome = engine.round(&mut state).map_err(|error| say(&error))?;
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
