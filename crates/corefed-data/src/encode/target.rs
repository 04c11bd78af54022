//! The column to predict: a number, or a class.

use std::collections::{BTreeMap, BTreeSet};

use corefed_core::Family;

use super::columns::number;
use super::{CellError, EncodeOptions, FitError};
use crate::Table;
use crate::error::DataError;
use crate::names::excerpt;
use crate::reading::{Reading, is_no_class};

/// The classes of the target in label order; none for a target that is a number.
pub(super) fn learn(
    table: &Table,
    column: usize,
    options: &EncodeOptions,
) -> Result<Vec<String>, DataError> {
    let cells = (0..table.rows()).map(|row| (row, table.cell(row, column)));
    let (file, name) = (table.file(), excerpt(&table.columns()[column]));
    classes(cells, table.rows(), options).map_err(|refusal| match refusal {
        Refusal::Cell { row } => refused(table, row, column, options).into(),
        Refusal::Whole(problem) => problem.error(file, name, options.family).into(),
    })
}

/// Why classes cannot be learnt.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Because of the cell in this row; see [`refused`].
    Cell {
        /// The first row to blame.
        row: usize,
    },
    /// Because of the column as a whole.
    Whole(Problem),
}

/// What is wrong with a set of classes.
#[derive(Debug)]
pub(super) enum Problem {
    Twins { first: String, second: String },
    Count { classes: Vec<String> },
    Gap { label: usize, largest: usize },
}

impl Problem {
    pub(super) fn error(self, file: &str, column: String, family: Family) -> FitError {
        let file = file.to_owned();
        match self {
            Self::Twins { first, second } => FitError::TwinClasses { file, column, first, second },
            Self::Count { classes } => FitError::ClassCount { file, column, family, classes },
            Self::Gap { label, largest } => FitError::ClassGap { file, column, label, largest },
        }
    }
}

/// The classes from cells with their rows, which ascend; a text need not come more than once.
pub(super) fn classes<'a>(
    cells: impl Iterator<Item = (usize, &'a str)>,
    rows: usize,
    options: &EncodeOptions,
) -> Result<Vec<String>, Refusal> {
    let targets = options.family.targets();
    if !targets.is_class() {
        return Ok(Vec::new());
    }
    let classes = seen(cells, rows, options)?;
    if let Some((first, second)) = twins(&classes) {
        return Err(Refusal::Whole(Problem::Twins { first, second }));
    }
    if !targets.fits(classes.len()) {
        return Err(Refusal::Whole(Problem::Count { classes }));
    }
    Ok(classes)
}

/// The classes that occur, however many there are.
fn seen<'a>(
    cells: impl Iterator<Item = (usize, &'a str)>,
    rows: usize,
    options: &EncodeOptions,
) -> Result<Vec<String>, Refusal> {
    let most = options.family.targets().most_classes();
    if options.raw { raw(cells, rows, most) } else { texts(cells) }
}

/// The classes of one agent's target, which may have fewer than all agents together.
pub(super) fn own(
    table: &Table,
    column: usize,
    options: &EncodeOptions,
) -> Result<Vec<String>, DataError> {
    if !options.family.targets().is_class() {
        return Ok(Vec::new());
    }
    let cells = (0..table.rows()).map(|row| (row, table.cell(row, column)));
    seen(cells, table.rows(), options).map_err(|refusal| match refusal {
        Refusal::Cell { row } => refused(table, row, column, options).into(),
        Refusal::Whole(problem) => {
            let name = excerpt(&table.columns()[column]);
            problem.error(table.file(), name, options.family).into()
        }
    })
}

/// How many rows each of the classes of a table has.
pub(super) fn count(table: &Table, column: usize, classes: &[String]) -> Vec<usize> {
    let labels = Labels::new(classes);
    let mut rows = vec![0; classes.len()];
    for label in (0..table.rows()).filter_map(|row| labels.of(table.cell(row, column))) {
        rows[label] += 1;
    }
    rows
}

/// Why the cell of a row is not a class; `table` may hold that row only.
pub(super) fn refused(
    table: &Table,
    row: usize,
    column: usize,
    options: &EncodeOptions,
) -> CellError {
    let why = if options.raw {
        number(table, row, column).map(drop)
    } else {
        present(table, row, column).map(drop)
    };
    let (place, cell) = (table.place(row, column), excerpt(table.cell(row, column)));
    why.err().unwrap_or(CellError::RawLabel { place, cell, family: options.family })
}

/// The distinct texts, sorted as numbers when all are, else by bytes.
fn texts<'a>(cells: impl Iterator<Item = (usize, &'a str)>) -> Result<Vec<String>, Refusal> {
    let mut distinct = BTreeSet::new();
    for (row, cell) in cells {
        if is_no_class(cell) {
            return Err(Refusal::Cell { row });
        }
        distinct.insert(cell);
    }
    let mut classes: Vec<String> = distinct.into_iter().map(ToOwned::to_owned).collect();
    if let Some(values) = values(&classes) {
        let mut keyed: Vec<_> = values.into_iter().zip(classes).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        classes = keyed.into_iter().map(|(_, class)| class).collect();
    }
    Ok(classes)
}

/// Labels that are numbers already: those below `most`, or every integer from 0 up to the largest.
fn raw<'a>(
    cells: impl Iterator<Item = (usize, &'a str)>,
    rows: usize,
    most: Option<usize>,
) -> Result<Vec<String>, Refusal> {
    let mut seen = vec![false; rows.max(most.unwrap_or(2))];
    let (limit, mut count) = most.map_or((seen.len(), 0), |most| (most, most));
    for (row, cell) in cells {
        let Reading::Finite(value) = Reading::of(cell) else { return Err(Refusal::Cell { row }) };
        // The number of rows bounds the labels: a larger one would leave a gap below it.
        let label = label(value).filter(|&label| label < limit);
        let Some(label) = label else { return Err(Refusal::Cell { row }) };
        seen[label] = true;
        count = count.max(label + 1);
    }
    let gap = seen[..count].iter().position(|&seen| !seen);
    if let (None, Some(label)) = (most, gap) {
        return Err(Refusal::Whole(Problem::Gap { label, largest: count - 1 }));
    }
    Ok((0..count).map(|label| label.to_string()).collect())
}

/// The index a number stands for, if it is a small integer that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be exact")]
fn label(value: f64) -> Option<usize> {
    let exact = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
    exact.then_some(value as usize)
}

/// Targets of some rows, from the columns of targets and agents: the number itself, or the index of the
/// class.
pub(super) fn encode(
    table: &Table,
    (column, agent): (usize, usize),
    rows: &[usize],
    (family, classes): (Family, &[String]),
) -> Result<Vec<f64>, CellError> {
    if !family.targets().is_class() {
        return rows.iter().map(|&row| quantity(table, row, (column, agent), family)).collect();
    }
    let labels = Labels::new(classes);
    let mut known = BTreeMap::new();
    let mut target = Vec::with_capacity(rows.len());
    for &row in rows {
        let cell = table.cell(row, column);
        let label = known.get(cell).copied().or_else(|| labels.of(cell));
        let Some(label) = label else {
            present(table, row, column)?;
            let (place, cell) = (table.place(row, column), excerpt(cell));
            return Err(CellError::UnknownClass { place, cell, classes: classes.to_vec() });
        };
        known.insert(cell, label);
        target.push(label as f64);
    }
    Ok(target)
}

/// Classes by their texts.
#[derive(Debug)]
pub(super) struct Labels<'a> {
    texts: BTreeMap<&'a str, usize>,
    values: Option<Vec<f64>>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(classes: &'a [String]) -> Self {
        let texts = classes.iter().enumerate().map(|(label, class)| (class.as_str(), label));
        Self { texts: texts.collect(), values: values(classes) }
    }

    /// The class of a trimmed cell.
    pub(super) fn of(&self, cell: &str) -> Option<usize> {
        let label = self.texts.get(cell).copied().filter(|_| !matches!(cell, "" | "?"));
        label.or_else(|| {
            // `1.0` means class `1` when all classes are numbers: programs differ in how they
            // print them.
            let Reading::Finite(value) = Reading::of(cell) else { return None };
            let value = unsigned_zero(value);
            self.values.as_ref()?.iter().position(|class| class.total_cmp(&value).is_eq())
        })
    }
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
    if is_no_class(cell) {
        return Err(CellError::Missing {
            place: table.place(row, column),
            cell: excerpt(cell),
            remedy: None,
        });
    }
    Ok(cell)
}

fn quantity(
    table: &Table,
    row: usize,
    (column, agent): (usize, usize),
    family: Family,
) -> Result<f64, CellError> {
    let value = number(table, row, column).map_err(|error| match error {
        CellError::NotNumber { place, cell } => CellError::TextTarget { place, cell, family },
        other => other,
    })?;
    if family.targets().admits(value, 0) {
        return Ok(value);
    }
    let (place, cell) = (table.place(row, column), excerpt(table.cell(row, column)));
    let agent = excerpt(table.cell(row, agent));
    Err(CellError::Target { place, cell, agent, family })
}
