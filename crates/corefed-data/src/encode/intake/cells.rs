//! Own words for holes, and dates.

use std::borrow::Cow;

use corefed_core::{DateUse, Intake};

use crate::Table;
use crate::column_type::ColumnType;
use crate::date::{MONTHS, Moment};
use crate::error::{CellError, DataError};
use crate::names::excerpt;
use crate::reading::Reading;

/// Own words for holes become empty cells, and dates become numbers.
pub(in crate::encode) fn changed<'a>(
    table: &'a Table,
    intake: &Intake,
) -> Result<Cow<'a, Table>, DataError> {
    if intake.na.is_empty() && intake.dates.is_empty() {
        return Ok(Cow::Borrowed(table));
    }
    let dates: Vec<(usize, DateUse)> = intake
        .dates
        .iter()
        .map(|date| Ok((table.column(&date.column)?, date.becomes)))
        .collect::<Result<_, DataError>>()?;
    let parts: Vec<usize> =
        dates.iter().filter(|(_, becomes)| *becomes == DateUse::Parts).map(|(k, _)| *k).collect();
    let mut columns = table.columns().to_vec();
    let mut own: Vec<ColumnType> = (0..columns.len()).filter_map(|k| table.own_type(k)).collect();
    for (index, _) in &dates {
        if let Some(own) = own.get_mut(*index) {
            *own = ColumnType::Number;
        }
    }
    for &index in &parts {
        let name = &table.columns()[index];
        columns.extend(PARTS.map(|part| format!("{name}.{part}")));
        if !own.is_empty() {
            own.extend([ColumnType::Text; PARTS.len()]);
        }
    }
    let numbers: Vec<f64> = intake.na.iter().filter_map(|word| word.parse().ok()).collect();
    let is_own_word = |cell: &str| {
        intake.na.iter().any(|word| word == cell)
            || cell.parse::<f64>().is_ok_and(|value| numbers.contains(&value))
    };
    let mut changed = table.emptied(columns, own);
    let mut cells: Vec<Cow<'_, str>> = Vec::new();
    for row in 0..table.rows() {
        cells.clear();
        for index in 0..table.columns().len() {
            let cell = table.cell(row, index);
            let hole = is_own_word(cell);
            cells.push(Cow::Borrowed(if hole { "" } else { cell }));
        }
        let mut behind: Vec<Cow<'_, str>> = Vec::new();
        for &(index, becomes) in &dates {
            let moment = moment(table, row, index, &cells[index])?;
            cells[index] = moment.map_or(Cow::Borrowed(""), |m| Cow::Owned(m.days().to_string()));
            if becomes == DateUse::Parts {
                behind.extend(parts_of(moment));
            }
        }
        cells.append(&mut behind);
        changed.push_row(table.line(row), cells.iter().map(AsRef::as_ref));
    }
    Ok(Cow::Owned(changed))
}

const PARTS: [&str; 3] = ["month", "weekday", "hour"];

/// Names, so that nobody takes a month for a quantity.
fn parts_of(moment: Option<Moment>) -> [Cow<'static, str>; 3] {
    let Some(moment) = moment else { return [const { Cow::Borrowed("") }; 3] };
    let hour = moment.seconds.map_or_else(String::new, |s| format!("{:02}h", (s / 3600.0).floor()));
    [
        Cow::Borrowed(MONTHS[moment.month as usize - 1]),
        Cow::Borrowed(moment.weekday()),
        Cow::Owned(hour),
    ]
}

fn moment(
    table: &Table,
    row: usize,
    column: usize,
    cell: &str,
) -> Result<Option<Moment>, CellError> {
    if Reading::of(cell).is_hole() {
        return Ok(None);
    }
    let moment = Moment::of(cell);
    let refused = || CellError::Time { place: table.place(row, column), cell: excerpt(cell) };
    moment.map(Some).ok_or_else(refused)
}
