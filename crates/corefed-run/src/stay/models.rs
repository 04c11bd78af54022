//! The model of every group, at its optimum.

use corefed_model::CoalitionLosses;
use corefed_solve::{Infeasible, Problem, Rule, solve_from};
use rayon::prelude::*;

use super::groups::Groups;
use crate::group_training::{BATCH, Models};
use crate::optimum::SOLVER_GAP;
use crate::prepared::TableRun;
use crate::{NoModel, Observer, Stop};

/// Solves every group's problem under the same rule, ceilings and weights; `None` when stopped.
///
/// Small groups come first, and larger ones start from the model of a group with one member less. Which
/// start that is depends on the list alone, so bits do not depend on the number of threads.
pub(super) fn solve_groups(
    table: &TableRun,
    rule: Rule,
    groups: &Groups,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Option<Models> {
    let losses = table.case.losses();
    let zero = vec![0.0; losses.dim()];
    let mut models: Models = Vec::with_capacity(groups.list.len());
    for size in groups.sizes() {
        for batch in groups.list[size].chunks(BATCH) {
            if stop.is_asked() {
                return None;
            }
            let solve = |members: &Vec<usize>| {
                let before = groups.before(members).and_then(|k| models[k].as_ref().ok());
                let group = Group { table, members };
                group.solve(&CoalitionLosses::new(&*losses, members), rule, before.unwrap_or(&zero))
            };
            let solved: Models = batch.par_iter().map(solve).collect();
            models.extend(solved);
            observer.groups(models.len(), groups.list.len());
        }
    }
    Some(models)
}

/// A group with the terms of the whole.
struct Group<'a> {
    table: &'a TableRun,
    members: &'a [usize],
}

impl Group<'_> {
    fn solve(
        &self,
        losses: &CoalitionLosses<'_>,
        rule: Rule,
        start: &[f64],
    ) -> Result<Vec<f64>, NoModel> {
        let case = &self.table.case;
        let weights = match rule {
            Rule::Utilitarian => &self.table.average,
            Rule::Core | Rule::Egalitarian => &case.weights,
        };
        let ceilings = self.members.iter().map(|&member| case.ceilings[member]).collect();
        let problem = Problem::new(losses, ceilings, weights.of(self.members), case.radius);
        match solve_from(&problem, rule, SOLVER_GAP, start) {
            Ok(solution) if solution.params.iter().all(|p| p.is_finite()) => Ok(solution.params),
            Ok(_) => Err(NoModel::Parameters),
            Err(error) => Err(self.infeasible(error)),
        }
    }

    /// The solver counts members; people know names.
    fn infeasible(&self, error: Infeasible) -> NoModel {
        match error {
            Infeasible::Proven { agents, shortfall, .. } => {
                let name = |k: &usize| self.table.case.names[self.members[*k]].clone();
                NoModel::Infeasible { agents: agents.iter().map(name).collect(), shortfall }
            }
            Infeasible::NotFound { .. } => NoModel::NotFound(error),
        }
    }
}
