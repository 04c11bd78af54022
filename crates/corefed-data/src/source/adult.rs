//! UCI Adult: does a person of the 1994 census earn more than 50,000 dollars a year?
//!
//! The files have no header, a blank after every comma and a blank last line. The test file
//! opens with a comment, `|1x3 Cross validator`, and ends its labels with a full stop, which
//! makes four classes of two for a reader that does not know. Missing values stay `?`.

use std::path::Path;

use super::{SourceError, stored};
use crate::Split;
use crate::table::{Table, TableBuilder};

/// Column names, as in the publishers' `adult.names`; the last is the target.
pub const COLUMNS: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    TARGET,
];

/// The column to predict: `<=50K` or `>50K`.
pub const TARGET: &str = "income";

/// Reads `adult.data` and `adult.test`.
pub fn read(folder: &Path) -> Result<Split<Table>, SourceError> {
    let part = |name: &str| {
        let path = folder.join(name);
        if !path.exists() {
            let (folder, names) = (folder.to_owned(), vec![name.to_owned()]);
            return Err(SourceError::Missing { folder, names, set: "adult" });
        }
        parse(&path.display().to_string(), &stored::read(&path)?)
    };
    let (train, test) = rayon::join(|| part("adult.data"), || part("adult.test"));
    Ok(Split { train: train?, test: test? })
}

/// Parses either file; `file` names it in errors.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Table, SourceError> {
    let mut table = TableBuilder::new(file, bytes, &COLUMNS);
    let text = table.text(bytes)?;
    for (i, line) in text.split('\n').enumerate() {
        let (number, line) = (i + 1, line.trim());
        // A bar starts a comment in this format.
        if line.is_empty() || line.starts_with('|') {
            continue;
        }
        let (mut cells, mut found) = ([""; COLUMNS.len()], 0);
        for cell in line.split(',') {
            if let Some(place) = cells.get_mut(found) {
                *place = cell.trim();
            }
            found += 1;
        }
        table.check_cells(number, found)?;
        let [.., income] = &mut cells;
        *income = class(income).ok_or_else(|| SourceError::Cell {
            file: file.to_owned(),
            line: number,
            column: TARGET,
            expected: "`<=50K` or `>50K`",
            found: (*income).to_owned(),
        })?;
        table.push(number, cells.into_iter())?;
    }
    Ok(table.finish()?)
}

/// The class without the full stop of the test file.
fn class(label: &str) -> Option<&str> {
    let class = label.strip_suffix('.').unwrap_or(label);
    matches!(class, "<=50K" | ">50K").then_some(class)
}

#[cfg(test)]
mod tests;
