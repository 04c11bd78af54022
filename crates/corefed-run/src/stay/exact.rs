//! One split of a table, with every group's model at its optimum.

use corefed_core::Seed;
use corefed_data::Federation;
use corefed_documents::{PriceLine, PriceOfFairness};
use corefed_solve::Rule;

use super::agents::Measurement;
use super::compared::{Compared, Frame, Parts};
use super::groups::Groups;
use super::measure::{LinearRuler, OnRows, Ruler, constants};
use super::models::{Models, solve_groups};
use super::settings::StaySettings;
use crate::hold_out::HeldOutGroups;
use crate::prepared::TableRun;
use crate::train::linear;
use crate::{Observer, RunError, Stop, TermsError};

/// Solves, measures and compares; `None` when stopped.
pub(super) fn exactly(
    table: &TableRun,
    settings: &StaySettings,
    held_out_groups: Option<&HeldOutGroups>,
    seed: Seed,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Option<Measurement>, RunError> {
    let case = &table.case;
    let frame = frame(table, settings, held_out_groups, seed)?;
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

/// Groups, names and held-out rows of a table.
pub(super) fn frame(
    table: &TableRun,
    settings: &StaySettings,
    held_out_groups: Option<&HeldOutGroups>,
    seed: Seed,
) -> Result<Frame, RunError> {
    let names = table.case.names.clone();
    let rows: Vec<usize> = names.iter().map(|name| held_out_rows(table, name)).collect();
    new_frame(names, &rows, &table.case.file, settings, held_out_groups, seed)
}

/// The same for any data.
pub(super) fn new_frame(
    names: Vec<String>,
    rows: &[usize],
    file: &str,
    settings: &StaySettings,
    held_out_groups: Option<&HeldOutGroups>,
    seed: Seed,
) -> Result<Frame, RunError> {
    if names.len() < 2 {
        return Err(TermsError::SingleAgent { file: file.to_owned() }.into());
    }
    let asked = settings.asked(&names)?;
    let groups = Groups::new(names.len(), settings.which, &asked, seed.derive("orders"))?;
    let parts = Parts::new(&names, rows, held_out_groups, seed.derive("halves"));
    let StaySettings { support, level, margin, .. } = *settings;
    Ok(Frame { names, groups, parts, support, level, margin })
}

fn held_out_rows(table: &TableRun, name: &str) -> usize {
    let agents = table.held_out.as_ref().map_or(&[][..], |held_out| held_out.agents());
    agents.iter().find(|agent| agent.name == name).map_or(0, corefed_data::Agent::samples)
}

fn reason(models: &Models) -> String {
    let last = models.last().and_then(|model| model.as_ref().err());
    last.cloned().unwrap_or_else(|| "there is no shared model".to_owned())
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

/// The core predictor of everybody beside the utilitarian one.
fn price(
    table: &TableRun,
    rule: Rule,
    compared: &Compared,
    ruler: &dyn Ruler,
) -> Result<Option<PriceOfFairness>, RunError> {
    let model = |wanted: Rule| -> Result<Option<Vec<OnRows>>, RunError> {
        if wanted == rule {
            return Ok(Some(compared.shared.clone()));
        }
        let only = Groups::everybody_of(compared.names.len());
        let solved = solve_groups(table, wanted, &only, &Stop::default(), &mut crate::Silent);
        let solved = solved.and_then(|mut models| models.pop()).and_then(Result::ok);
        solved.map(|params| ruler.measure(&params)).transpose()
    };
    let (Some(fair), Some(plain)) = (model(Rule::Core)?, model(Rule::Utilitarian)?) else {
        return Ok(None);
    };
    let titles = (Rule::Core.to_string(), Rule::Utilitarian.to_string());
    Ok(Some(compared.price(titles, &fair, &plain)))
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
