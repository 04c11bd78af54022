//! One split of a table, with every group's model at its optimum.

use corefed_data::Federation;
use corefed_documents::{PriceLine, PriceOfFairness};
use corefed_solve::Rule;

use super::agents::Measurement;
use super::compared::Compared;
use super::frame::HeldOutRows;
use super::groups::Groups;
use super::models::solve_groups;
use crate::group_training::Models;
use crate::linear_rows::linear;
use crate::measure::{LinearRuler, OnRows, Ruler, constants};
use crate::prepared::TableRun;
use crate::{NoModel, Observer, RunError, Stop, TermsError};

/// Solves, measures and compares; `None` when stopped.
pub(super) fn exactly(
    table: &TableRun,
    held_out: &HeldOutRows<'_>,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Option<Measurement>, RunError> {
    let (case, settings) = (&table.case, held_out.settings);
    let frame = held_out.of_table(table)?;
    let Some(models) = solve_groups(table, settings.rule, &frame.groups, stop, observer) else {
        return Ok(None);
    };
    let Some(Ok(shared)) = models.last() else {
        // Asked again for the error with its hint.
        let losses = case.losses();
        case.solve(&case.problem(&*losses), settings.rule)?;
        return Err(
            TermsError::NotFound { file: case.file.clone(), reason: reason(&models) }.into()
        );
    };
    let federation = linear(table);
    let ruler = LinearRuler { federation: &federation, constants: constants(table) };
    let compared = Compared::new(&ruler, &models, shared, frame)?;
    let price = price(table, settings.rule, &compared, &ruler)?;
    Ok(Some(Measurement {
        compared,
        weights: case.weights.clone(),
        ceilings: case.ceilings.clone(),
        rows: case.samples().to_vec(),
        one_class: one_class(table),
        digest: case.digest.clone(),
        rule: settings.rule.to_string(),
        exact: true,
        price,
    }))
}

fn reason(models: &Models) -> String {
    let last = models.last().and_then(|model| model.as_ref().err());
    last.map_or_else(|| "there is no shared model".to_owned(), ToString::to_string)
}

/// Whether an agent's training rows are all of one class.
pub(super) fn one_class(table: &TableRun) -> Vec<bool> {
    let case = &table.case;
    let federation: &Federation = &case.federation;
    let is_class = case.family.targets().is_class();
    let same = |agent: &corefed_data::Agent| {
        let targets = &federation.target()[agent.rows.clone()];
        is_class && targets.windows(2).all(|pair| pair[0] == pair[1])
    };
    federation.agents().iter().map(same).collect()
}

/// The core predictor of everybody beside the utilitarian one, or why they cannot be compared.
fn price(
    table: &TableRun,
    rule: Rule,
    compared: &Compared,
    ruler: &dyn Ruler,
) -> Result<Result<PriceOfFairness, NoModel>, RunError> {
    let everybody = Groups::everybody_of(compared.names.len());
    let mut rows = Vec::new();
    for wanted in [Rule::Core, Rule::Utilitarian] {
        if wanted == rule {
            rows.push(compared.shared.clone());
            continue;
        }
        let solved = solve_groups(table, wanted, &everybody, &Stop::default(), &mut crate::Silent);
        match solved.and_then(|mut models| models.pop()) {
            Some(Ok(params)) => rows.push(ruler.measure(&params)?),
            Some(Err(error)) => return Ok(Err(error.by(format!("the {wanted} rule")))),
            None => return Ok(Err(NoModel::Nothing { rule: wanted.to_string() })),
        }
    }
    let titles = (Rule::Core.to_string(), Rule::Utilitarian.to_string());
    Ok(Ok(compared.price(titles, &rows[0], &rows[1])))
}

impl Compared {
    /// Two models of everybody beside each other.
    pub(super) fn price(
        &self,
        (fair_rule, plain_rule): (String, String),
        fair: &[OnRows],
        plain: &[OnRows],
    ) -> PriceOfFairness {
        let line = |(k, name): (usize, &String)| {
            let pairs = plain[k].losses.iter().zip(&fair[k].losses);
            let gains: Vec<f64> = pairs.map(|(plain, fair)| plain - fair).collect();
            PriceLine {
                name: name.clone(),
                fair: fair[k].measured(),
                plain: plain[k].measured(),
                gain: self.line(k, self.parts.units[k].mean(&gains)),
            }
        };
        let agents = self.names.iter().enumerate().map(line).collect();
        PriceOfFairness { fair: fair_rule, plain: plain_rule, agents }
    }
}
