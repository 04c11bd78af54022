//! Models on rows that nobody trained on, as documents have them.

use corefed_core::{Number, Weights, log_welfare};
use corefed_data::Design;
use corefed_documents::{HeldOutAgent, HeldOutAudit, OnHeldOut};
use corefed_log::{AgentHeader, AgentRecord};
use corefed_sim::{Federated, LinearFederation, Part};
use corefed_solve::{Ball, own_models};
use rayon::prelude::*;

use crate::RunError;
use crate::linear_rows::linear;
use crate::measure::{LinearRuler, OnRows, Ruler, constants, quality, ridge};
use crate::prepared::{Prepared, TableRun};

/// Whether every agent's own model is fitted, which takes a convex program each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnModels {
    Fitted,
    Unknown,
}

/// The held-out rows of a table, and every agent's own model on its own.
pub(crate) struct HeldOutTable<'a> {
    table: &'a TableRun,
    federation: LinearFederation<&'a Design, f64>,
    constants: Option<Vec<Option<f64>>>,
    alone: Vec<Option<OnHeldOut>>,
}

impl<'a> HeldOutTable<'a> {
    /// `None` where no rows are held out.
    pub(crate) fn new(table: &'a TableRun, own: OwnModels) -> Option<Self> {
        table.held_out.as_ref()?;
        let case = &table.case;
        let none = vec![None; case.names.len()];
        let constants = constants(table);
        let mut rows = Self { table, federation: linear(table), constants, alone: none };
        if own == OwnModels::Fitted {
            let losses = case.losses();
            let own = own_models(&*losses, &Ball::about_zero(losses.dim(), case.radius));
            let own = own.par_iter().enumerate();
            let alone = own.map(|(agent, own)| rows.one(&own.params, agent)).collect();
            rows.alone = alone;
        }
        Some(rows)
    }

    fn one(&self, params: &[f64], agent: usize) -> Option<OnHeldOut> {
        let Self { federation, constants, table: TableRun { case, .. }, .. } = self;
        let rows = LinearRuler { federation, constants: constants.clone() }.on_rows(params, agent);
        let measured = rows.measured()?;
        let loss = measured.loss + ridge(case.l2, params);
        let utility = case.ceilings[agent] - loss;
        Some(OnHeldOut { loss, utility, quality: measured.quality })
    }

    /// A model beside everybody's own.
    pub(crate) fn audit(&self, params: &[f64]) -> HeldOutAudit {
        let case = &self.table.case;
        let agent = |(k, name): (usize, &String)| HeldOutAgent {
            name: name.clone(),
            rows: self.federation.samples(Part::HeldOut, k),
            model: self.one(params, k),
            alone: self.alone[k],
        };
        let agents = case.names.par_iter().enumerate().map(agent).collect();
        summed(quality(Some(case.family)), &case.weights, agents)
    }

    /// Held-out rows of an agent.
    pub(crate) fn rows(table: &TableRun, name: &str) -> usize {
        let agents = table.held_out.as_ref().map_or(&[][..], |held_out| held_out.agents());
        let own = agents.iter().find(|agent| agent.name == name);
        own.map_or(0, corefed_data::Agent::samples)
    }
}

/// What the records of a training say of its model on held-out rows; `None` where they say nothing.
pub(crate) fn recorded(
    header: &[AgentHeader],
    records: &[AgentRecord],
    weights: &Weights,
) -> Option<HeldOutAudit> {
    let agent = |known: &AgentHeader| {
        let record = records.iter().find(|record| record.agent == known.name);
        let model = record.and_then(|record| {
            let (loss, utility) = (record.held_out_loss?, record.held_out_utility?);
            Some(OnHeldOut { loss, utility, quality: record.held_out_accuracy })
        });
        let name = known.name.clone();
        HeldOutAgent { name, rows: known.held_out_samples, model, alone: None }
    };
    let agents: Vec<HeldOutAgent> = header.iter().map(agent).collect();
    let any = agents.iter().any(|agent| agent.model.is_some());
    any.then(|| summed(quality(None), weights, agents))
}

fn summed(quality: &str, weights: &Weights, agents: Vec<HeldOutAgent>) -> HeldOutAudit {
    let utilities = agents.iter().map(|agent| agent.model.map(|model| model.utility));
    let utilities: Option<Vec<f64>> = utilities.collect();
    let log_welfare = utilities.map(|utilities| Number(log_welfare(&utilities, weights)));
    HeldOutAudit { quality: quality.to_owned(), log_welfare, agents }
}

impl Prepared {
    /// Loss of every held-out row, by agent, with the model's ridge, as on training rows; empty for an agent
    /// without any.
    pub fn held_out_losses(&self, params: &[f64]) -> Result<Vec<Vec<f64>>, RunError> {
        let (measured, l2) = match self {
            Self::Table(run) => {
                let federation = linear(run);
                let ruler = LinearRuler { federation: &federation, constants: None };
                (ruler.measure(params)?, run.case.l2)
            }
            Self::Images(run) => {
                let ruler = LinearRuler { federation: &*run.federation, constants: None };
                (ruler.measure(params)?, run.federation.l2())
            }
            Self::Network(run) => (run.federation.measure(params)?, 0.0),
        };
        let ridge = ridge(l2, params);
        let with_ridge = |rows: OnRows| rows.losses.into_iter().map(|loss| loss + ridge).collect();
        Ok(measured.into_iter().map(with_ridge).collect())
    }
}

#[cfg(test)]
mod tests {
    use corefed_rules::Scalar;
    use corefed_spec::Spec;

    use super::*;
    use crate::prepare;

    #[test]
    fn linear_models_of_images_have_the_held_out_losses_that_rounds_record() {
        let settings = [
            ("data", "shapes"),
            ("test", "false"),
            ("sample", "0.05"),
            ("partition.agents", "3"),
            ("held_out", "0.25"),
            ("l2", "0.1"),
        ];
        let spec = Spec::preset("mnist").unwrap().with_all(&settings).unwrap();
        let prepared = prepare(&spec, None).unwrap();
        let Prepared::Images(run) = &prepared else { panic!("a linear model of images") };
        let dim = run.federation.dim();
        let params: Vec<f64> = (0..dim).map(|k| ((k * 7) % 11) as f64 / 64.0).collect();
        let rows = prepared.held_out_losses(&params).unwrap();
        let single: Vec<f32> = params.iter().map(|p| f32::from_f64(*p)).collect();
        let model = run.federation.prepare(&single);
        let expected = run.federation.evaluate(&model, Part::HeldOut, &[0, 1, 2]).unwrap();
        for (own, expected) in rows.iter().zip(expected) {
            let mean = own.iter().sum::<f64>() / own.len() as f64;
            let expected = expected.expect("held-out rows").loss;
            assert!((mean - expected).abs() < 1e-9 * expected, "{mean} {expected}");
        }
    }
}
