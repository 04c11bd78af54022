//! Predictions from a file beside the data: one column per model, one row per row.

use std::collections::BTreeMap;
use std::path::Path;

use corefed_core::Writing;
use corefed_data::{Table, check_writing, read_table, read_table_as};

use super::models::Predictions;
use super::owned::OwnedRows;
use super::row_loss::{RowLoss, Targets};
use crate::{ForeignError, RunError};

/// Beyond this a column is not one of classes.
const MOST_CLASSES: usize = 100;

/// Where predictions are, and what they mean.
#[derive(Clone, Copy, Debug)]
pub struct PredictionFiles<'a> {
    /// Rows with owners and targets.
    pub data: &'a Path,
    /// How the data are written, where that is told.
    pub written: Writing,
    /// One column per model, in the order of the data's rows.
    pub predictions: &'a Path,
    /// Column of owners.
    pub agent: &'a str,
    /// Column of targets; losses that rows come with need none.
    pub target: Option<&'a str>,
    /// What a prediction costs.
    pub loss: RowLoss,
    /// The class that lone columns of probabilities speak of.
    pub positive: Option<&'a str>,
}

impl PredictionFiles<'_> {
    /// Reads both files; the function says where a row of predictions is.
    #[expect(clippy::type_complexity, reason = "rows, models and the places of rows")]
    pub fn read(
        &self,
    ) -> Result<(OwnedRows, Vec<(String, Predictions)>, impl Fn(usize) -> String), RunError> {
        check_writing(self.data, self.written)?;
        let data = read_table_as(self.data, self.written)?;
        let told = read_table(self.predictions)?;
        if data.rows() != told.rows() {
            return Err(ForeignError::Length {
                predictions: told.file().to_owned(),
                data: data.file().to_owned(),
                found: told.rows(),
                expected: data.rows(),
            }
            .into());
        }
        let (agents, owners) = self.owners(&data)?;
        let targets = self.targets(&data)?;
        let columns = models(&data, &told)?;
        let models = self.predictions(&told, &columns, &targets)?;
        let file = told.file().to_owned();
        let lines: Vec<usize> = (0..told.rows()).map(|row| told.line(row)).collect();
        let place = move |row: usize| format!("`{file}`, line {}", lines[row]);
        Ok((OwnedRows { agents, owners, targets }, models, place))
    }

    fn owners(&self, data: &Table) -> Result<(Vec<String>, Vec<usize>), RunError> {
        let column = data.column(self.agent)?;
        let (mut agents, mut known, mut owners) = (Vec::new(), BTreeMap::new(), Vec::new());
        for row in 0..data.rows() {
            let name = data.cell(row, column);
            if name.is_empty() {
                return Err(cell(data, row, column, "the name of an agent").into());
            }
            let next = agents.len();
            let owner = *known.entry(name.to_owned()).or_insert(next);
            if owner == next {
                agents.push(name.to_owned());
            }
            owners.push(owner);
        }
        Ok((agents, owners))
    }

    fn targets(&self, data: &Table) -> Result<Targets, RunError> {
        let (Some(target), Some(classes)) = (self.target, self.loss.of_classes()) else {
            return Ok(Targets::Unused);
        };
        let column = data.column(target)?;
        if !classes {
            let wanted = if self.loss == RowLoss::Poisson { "a count" } else { "a finite number" };
            let usable = |y: f64| y.is_finite() && (self.loss != RowLoss::Poisson || y >= 0.0);
            return Ok(Targets::Numbers(numbers(data, column, wanted, usable)?));
        }
        let mut names: Vec<String> =
            (0..data.rows()).map(|row| data.cell(row, column).to_owned()).collect();
        names.sort();
        names.dedup();
        if names.len() < 2 || names.len() > MOST_CLASSES {
            let (file, column, count) = (data.file().to_owned(), target.to_owned(), names.len());
            return Err(ForeignError::Classes { file, column, count }.into());
        }
        if let Some(row) = (0..data.rows()).find(|&row| data.cell(row, column).is_empty()) {
            return Err(cell(data, row, column, "a class").into());
        }
        let labels = (0..data.rows()).map(|row| label(&names, data.cell(row, column))).collect();
        Ok(Targets::Classes { labels, names })
    }

    fn predictions(
        &self,
        told: &Table,
        columns: &[usize],
        targets: &Targets,
    ) -> Result<Vec<(String, Predictions)>, RunError> {
        let name = |column: usize| told.columns()[column].clone();
        let rows = 0..told.rows();
        match (self.loss, targets) {
            (RowLoss::ZeroOne, Targets::Classes { names, .. }) => Ok(columns
                .iter()
                .map(|&at| {
                    let classes = rows.clone().map(|row| label(names, told.cell(row, at)));
                    (name(at), Predictions::Classes(classes.collect()))
                })
                .collect()),
            (RowLoss::Log, Targets::Classes { names, .. }) => self.shares(told, columns, names),
            _ => columns
                .iter()
                .map(|&at| {
                    let own = numbers(told, at, "a finite number", f64::is_finite)?;
                    Ok((name(at), Predictions::Numbers(own)))
                })
                .collect(),
        }
    }

    /// Probabilities: a column `MODEL:CLASS` for every class, or one column for the positive of two classes.
    fn shares(
        &self,
        told: &Table,
        columns: &[usize],
        classes: &[String],
    ) -> Result<Vec<(String, Predictions)>, RunError> {
        let read = |at: usize| numbers(told, at, "a probability", f64::is_finite);
        let mut models: Vec<(String, Vec<Option<usize>>)> = Vec::new();
        let mut lone = Vec::new();
        for &at in columns {
            let name = &told.columns()[at];
            let split = name.rsplit_once(':');
            let place = split.and_then(|(model, class)| {
                let place = classes.iter().position(|own| own == class)?;
                Some((model, place))
            });
            let Some((model, place)) = place else {
                lone.push((name.clone(), at));
                continue;
            };
            if !models.iter().any(|(known, _)| known == model) {
                models.push((model.to_owned(), vec![None; classes.len()]));
            }
            for (known, own) in &mut models {
                if known == model {
                    own[place] = Some(at);
                }
            }
        }
        let mut found = Vec::new();
        for (model, own) in models {
            let mut rows = vec![Vec::with_capacity(classes.len()); told.rows()];
            for (class, at) in classes.iter().zip(own) {
                let missing =
                    || ForeignError::NoShare { model: model.clone(), class: class.clone() };
                for (row, share) in rows.iter_mut().zip(read(at.ok_or_else(missing)?)?) {
                    row.push(share);
                }
            }
            found.push((model, Predictions::Shares(rows)));
        }
        for (model, at) in lone {
            if classes.len() != 2 {
                return Err(ForeignError::NoShare { model, class: classes[0].clone() }.into());
            }
            let place = self.positive(classes)?;
            let pair = |p: f64| if place == 1 { vec![1.0 - p, p] } else { vec![p, 1.0 - p] };
            found.push((model, Predictions::Shares(read(at)?.into_iter().map(pair).collect())));
        }
        Ok(found)
    }

    /// The place of the class that lone probabilities are of.
    fn positive(&self, classes: &[String]) -> Result<usize, ForeignError> {
        let (target, classes) = (self.target.unwrap_or_default().to_owned(), classes.to_vec());
        let Some(positive) = self.positive else {
            return Err(ForeignError::Positive { target, classes });
        };
        classes.iter().position(|class| class == positive).ok_or_else(|| {
            ForeignError::NoSuchClass { target, positive: positive.to_owned(), classes }
        })
    }
}

/// Columns of models: all that the data do not have. Those that both have must agree, which shows rows in
/// another order.
fn models(data: &Table, told: &Table) -> Result<Vec<usize>, ForeignError> {
    let mut models = Vec::new();
    for (at, name) in told.columns().iter().enumerate() {
        let Some(own) = data.columns().iter().position(|column| column == name) else {
            models.push(at);
            continue;
        };
        let differs = |row: &usize| data.cell(*row, own) != told.cell(*row, at);
        if let Some(row) = (0..told.rows()).find(differs) {
            return Err(ForeignError::Order {
                place: told.place(row, at).to_string(),
                found: told.cell(row, at).to_owned(),
                expected: data.cell(row, own).to_owned(),
            });
        }
    }
    Ok(models)
}

/// The place of a class; beyond the last for one that no row has.
fn label(names: &[String], cell: &str) -> usize {
    names.binary_search_by(|name| name.as_str().cmp(cell)).unwrap_or(names.len())
}

fn numbers(
    table: &Table,
    column: usize,
    wanted: &'static str,
    usable: impl Fn(f64) -> bool,
) -> Result<Vec<f64>, RunError> {
    (0..table.rows())
        .map(|row| match table.cell(row, column).parse::<f64>() {
            Ok(number) if usable(number) => Ok(number),
            _ => Err(cell(table, row, column, wanted).into()),
        })
        .collect()
}

fn cell(table: &Table, row: usize, column: usize, wanted: &'static str) -> ForeignError {
    let place = table.place(row, column).to_string();
    ForeignError::Cell { place, cell: table.cell(row, column).to_owned(), wanted }
}
