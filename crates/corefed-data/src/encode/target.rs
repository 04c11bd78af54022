//! The column to predict: a number, or a class.

use std::collections::{BTreeMap, BTreeSet};

use corefed_core::Family;

use super::columns::{Reading, number};
use super::{CellError, EncodeOptions, FitError};
use crate::Table;
use crate::error::{DataError, Place};
use crate::names::excerpt;

/// The classes of the target in label order; none for a linear model.
pub(super) fn learn(
    table: &Table,
    column: usize,
    options: &EncodeOptions,
) -> Result<Vec<String>, DataError> {
    let family = options.family;
    let classes = match (family, options.raw) {
        (Family::Linear, _) => return Ok(Vec::new()),
        (Family::Logistic | Family::Softmax, true) => raw(table, column, family)?,
        (Family::Logistic | Family::Softmax, false) => texts(table, column)?,
    };
    let (file, name) = (table.file().to_owned(), excerpt(&table.columns()[column]));
    if let Some((first, second)) = twins(&classes) {
        return Err(FitError::TwinClasses { file, column: name, first, second }.into());
    }
    let fits = match family {
        Family::Logistic => classes.len() == 2,
        Family::Linear | Family::Softmax => classes.len() >= 2,
    };
    if !fits {
        return Err(FitError::ClassCount { file, column: name, family, classes }.into());
    }
    Ok(classes)
}

/// The distinct texts, sorted as numbers when all are, else by bytes.
fn texts(table: &Table, column: usize) -> Result<Vec<String>, CellError> {
    let mut distinct = BTreeSet::new();
    for row in 0..table.rows() {
        distinct.insert(present(table, row, column)?);
    }
    let mut classes: Vec<String> = distinct.into_iter().map(ToOwned::to_owned).collect();
    if let Some(values) = values(&classes) {
        let mut keyed: Vec<_> = values.into_iter().zip(classes).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        classes = keyed.into_iter().map(|(_, class)| class).collect();
    }
    Ok(classes)
}

/// Labels that are numbers already: 0 and 1, or every integer from 0 up to the largest.
fn raw(table: &Table, column: usize, family: Family) -> Result<Vec<String>, DataError> {
    let mut seen = vec![false; table.rows().max(2)];
    let (limit, mut count) = if family == Family::Logistic { (2, 2) } else { (seen.len(), 0) };
    for row in 0..table.rows() {
        let value = number(table, row, column)?;
        // The number of rows bounds the labels: a larger one would leave a gap below it.
        let label = label(value).filter(|&label| label < limit);
        let Some(label) = label else {
            let place = Place::of(table, row, column);
            let cell = excerpt(table.cell(row, column));
            return Err(CellError::RawLabel { place, cell, family }.into());
        };
        seen[label] = true;
        count = count.max(label + 1);
    }
    let gap = seen[..count].iter().position(|&seen| !seen);
    if let (Family::Softmax, Some(label)) = (family, gap) {
        let (file, column) = (table.file().to_owned(), excerpt(&table.columns()[column]));
        return Err(FitError::ClassGap { file, column, label, largest: count - 1 }.into());
    }
    Ok((0..count).map(|label| label.to_string()).collect())
}

/// The index a number stands for, if it is a small integer that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be exact")]
fn label(value: f64) -> Option<usize> {
    let exact = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
    exact.then_some(value as usize)
}

/// Targets of some rows: the number itself, or the index of the class.
pub(super) fn encode(
    table: &Table,
    column: usize,
    rows: &[usize],
    (family, classes): (Family, &[String]),
) -> Result<Vec<f64>, CellError> {
    if family == Family::Linear {
        return rows.iter().map(|&row| quantity(table, row, column)).collect();
    }
    let values = values(classes);
    let mut labels: BTreeMap<&str, usize> =
        classes.iter().enumerate().map(|(label, class)| (class.as_str(), label)).collect();
    let mut target = Vec::with_capacity(rows.len());
    for &row in rows {
        let cell = present(table, row, column)?;
        let label = labels.get(cell).copied().or_else(|| {
            // `1.0` means class `1` when all classes are numbers: programs differ in how they
            // print them.
            let Reading::Finite(value) = Reading::of(cell) else { return None };
            values.as_ref()?.iter().position(|class| class.total_cmp(&unsigned_zero(value)).is_eq())
        });
        let Some(label) = label else {
            let (place, cell) = (Place::of(table, row, column), excerpt(cell));
            return Err(CellError::UnknownClass { place, cell, classes: classes.to_vec() });
        };
        labels.insert(cell, label);
        target.push(label as f64);
    }
    Ok(target)
}

/// The text of a class from its encoded target, as messages show it.
pub(super) fn class_of(target: f64, classes: &[String]) -> String {
    label(target).and_then(|label| classes.get(label)).map_or_else(String::new, |c| excerpt(c))
}

/// Two classes that are the same number written twice, such as `1` and `1.0`.
pub(super) fn twins(classes: &[String]) -> Option<(String, String)> {
    let mut keyed: Vec<_> = values(classes)?.into_iter().zip(classes).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let pair = keyed.windows(2).find(|pair| pair[0].0.total_cmp(&pair[1].0).is_eq())?;
    Some((excerpt(pair[0].1), excerpt(pair[1].1)))
}

/// The classes as numbers, if all are.
fn values(classes: &[String]) -> Option<Vec<f64>> {
    let read = |class: &String| match Reading::of(class) {
        Reading::Finite(value) => Some(unsigned_zero(value)),
        _ => None,
    };
    classes.iter().map(read).collect()
}

/// The same number, but `-0` becomes `0`, so that equal numbers have equal bits.
fn unsigned_zero(value: f64) -> f64 {
    value + 0.0
}

fn present(table: &Table, row: usize, column: usize) -> Result<&str, CellError> {
    let cell = table.cell(row, column);
    if Reading::of(cell) == Reading::Missing {
        return Err(CellError::Missing { place: Place::of(table, row, column), cell: cell.into() });
    }
    Ok(cell)
}

fn quantity(table: &Table, row: usize, column: usize) -> Result<f64, CellError> {
    number(table, row, column).map_err(|error| match error {
        CellError::NotNumber { place, cell } => CellError::TextTarget { place, cell },
        other => other,
    })
}
