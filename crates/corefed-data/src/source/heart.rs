//! UCI Heart Disease: four hospitals, a federation as nature made it.
//!
//! The hospitals write one number in different ways (`1.0` in Cleveland, `1` elsewhere, `.7`
//! for 0.7). Read as categories these would name the hospital, so numbers are rewritten in one
//! form. Missing values are `?`; a blood pressure or cholesterol of 0, which no patient has and
//! which Switzerland writes for every missing cholesterol, becomes `?` too.

use std::path::Path;

use super::{SourceError, stored};
use crate::error::TableError;
use crate::table::{Table, TableBuilder};

/// Column names: the hospital, the thirteen measurements under their published names, and the
/// target.
pub const COLUMNS: [&str; 15] = [
    "hospital", "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang",
    "oldpeak", "slope", "ca", "thal", TARGET,
];

/// The column to predict: 1 if any of the four degrees of disease was found, else 0.
pub const TARGET: &str = "disease";

/// The hospitals and their files, in the order of their rows.
pub const HOSPITALS: [(&str, &str); 4] = [
    ("cleveland", "processed.cleveland.data"),
    ("hungary", "processed.hungarian.data"),
    ("switzerland", "processed.switzerland.data"),
    ("long-beach", "processed.va.data"),
];

/// Measurements of which 0 can only mean that nobody measured.
const NEVER_ZERO: [&str; 2] = ["trestbps", "chol"];

/// Reads the four files into one table. Its digest is that of the files one after the other,
/// and [`Table::line`] counts in the file of the row's hospital.
pub fn read(folder: &Path) -> Result<Table, SourceError> {
    let file = |name: &str| {
        let path = folder.join(name);
        if !path.exists() {
            let (folder, names) = (folder.to_owned(), vec![name.to_owned()]);
            return Err(SourceError::Missing { folder, names, set: "heart" });
        }
        Ok((path.display().to_string(), stored::read(&path)?))
    };
    let [a, b, c, d] = HOSPITALS.map(|(_, name)| file(name));
    let files = [a?, b?, c?, d?];
    let files = files.each_ref().map(|(name, bytes)| (&name[..], &bytes[..]));
    parse(&folder.display().to_string(), files)
}

/// Parses the four files, each with the name that errors give it, in the order of
/// [`HOSPITALS`]; `file` is the name of the table.
pub fn parse(file: &str, files: [(&str, &[u8]); 4]) -> Result<Table, SourceError> {
    let all = files.map(|(_, bytes)| bytes).concat();
    let mut table = TableBuilder::new(file, &all, &COLUMNS);
    for ((name, bytes), (hospital, _)) in files.into_iter().zip(HOSPITALS) {
        let before = table.rows();
        for (i, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            push(&mut table, hospital, name, i + 1, line)?;
        }
        if table.rows() == before {
            return Err(TableError::Empty { file: name.to_owned() }.into());
        }
    }
    Ok(table.finish()?)
}

fn push(
    table: &mut TableBuilder,
    hospital: &str,
    file: &str,
    line: usize,
    text: &[u8],
) -> Result<(), SourceError> {
    let text = std::str::from_utf8(text)
        .map_err(|_| TableError::NotUtf8 { file: file.to_owned(), line, cell: None })?
        .trim();
    if text.is_empty() {
        return Ok(());
    }
    let (expected, found) = (COLUMNS.len() - 1, text.split(',').count());
    if expected != found {
        let (file, separator) = (file.to_owned(), ',');
        return Err(TableError::Ragged { file, line, expected, found, separator }.into());
    }
    let mut cells = vec![hospital.to_owned()];
    for (column, cell) in COLUMNS[1..].iter().copied().zip(text.split(',').map(str::trim)) {
        let (normal, expected) = if column == TARGET {
            (degree(cell), "a degree of disease from 0 to 4")
        } else {
            (measurement(column, cell), "a number or `?`")
        };
        cells.push(normal.ok_or_else(|| SourceError::Cell {
            file: file.to_owned(),
            line,
            column,
            expected,
            found: cell.to_owned(),
        })?);
    }
    Ok(table.push(line, cells.iter().map(String::as_str))?)
}

/// `0` for no disease, `1` for any degree of it.
fn degree(cell: &str) -> Option<String> {
    match cell {
        "0" => Some("0".to_owned()),
        "1" | "2" | "3" | "4" => Some("1".to_owned()),
        _ => None,
    }
}

/// The number in its shortest form, or `?`.
fn measurement(column: &str, cell: &str) -> Option<String> {
    if cell == "?" {
        return Some("?".to_owned());
    }
    // Exponents and names such as `inf` are numbers to Rust but not to these files.
    if !cell.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-')) {
        return None;
    }
    let number: f64 = cell.parse().ok().filter(|x: &f64| x.is_finite())?;
    if number == 0.0 && NEVER_ZERO.contains(&column) {
        return Some("?".to_owned());
    }
    // Adding zero turns -0 into 0.
    Some((number + 0.0).to_string())
}

#[cfg(test)]
mod tests;
