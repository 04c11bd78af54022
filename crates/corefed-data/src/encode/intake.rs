//! Making a table fit to be encoded: own words for holes, dates, columns and rows that are left out.
//!
//! What is decided is written into the encoding, so that anybody who reads the table again reads the same.

mod cells;
mod holes;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use corefed_core::{DateColumn, DateUse, Encoding, Family, Feature, Intake, UsedRows};

pub(super) use self::cells::changed;
use self::holes::Holes;
use super::decimal_cell::read_number;
use super::schema::Schema;
use super::tally::Tally;
use super::{Check, EncodeOptions, FitError};
use crate::Table;
use crate::column_type::ColumnType;
use crate::error::{DataError, TableError};
use crate::missing::Missing;
use crate::names::excerpt;
use crate::note::Note;
use crate::reading::Reading;
use crate::suspect::{Suspect, suspect};

/// A table with everything that was decided about it.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    pub(super) table: Cow<'a, Table>,
    /// What the user asked for, with what was decided beside it.
    pub(super) options: EncodeOptions,
    pub(super) intake: Intake,
    pub(super) notes: Vec<Note>,
}

/// Decides what becomes of dates, identifiers, constants and holes, and does it.
pub(super) fn take<'a>(table: &'a Table, options: &EncodeOptions) -> Result<Taken<'a>, DataError> {
    let schema = Schema::of(table, options)?;
    let mut options = options.clone();
    let mut intake =
        Intake { written: options.written, na: options.na.clone(), ..Intake::default() };
    let mut notes = table.notes().to_vec();
    for note in &notes {
        if let Note::Unsupported { column, holds } = note
            && !options.types.contains(&(column.clone(), ColumnType::Ignore))
        {
            let (file, column, kind) = (table.file().to_owned(), excerpt(column), holds.clone());
            return Err(TableError::Unsupported { file, column, kind }.into());
        }
    }
    let blanked = changed(table, &intake)?;
    for index in schema.features() {
        let column = table.columns()[index].clone();
        let asked = options.types.iter().position(|(name, _)| *name == column);
        match asked.map(|place| options.types[place].1) {
            Some(kind @ (ColumnType::Date | ColumnType::Parts)) => {
                let parts = kind == ColumnType::Parts;
                let becomes = if parts { DateUse::Parts } else { DateUse::Days };
                intake.dates.push(DateColumn { column, becomes });
            }
            Some(_) => {}
            None if options.raw => {}
            None => {
                let looked = look(&blanked, index, schema.types[index], &options);
                match looked.decide(table, &column)? {
                    Decision::Keep => {}
                    Decision::Ignore(note) => {
                        options.types.push((column, ColumnType::Ignore));
                        notes.push(note);
                    }
                    Decision::Days => {
                        options.types.push((column.clone(), ColumnType::Date));
                        let becomes = DateUse::Days;
                        notes.push(Note::Dates { column: column.clone(), becomes });
                        intake.dates.push(DateColumn { column, becomes });
                    }
                }
            }
        }
    }
    drop(blanked);
    let mut table = changed(table, &intake)?;
    let used = |index: &usize| {
        let name = &table.columns()[*index];
        let ignored = (name.clone(), ColumnType::Ignore);
        !options.types.contains(&ignored)
    };
    let schema = Schema::of(&table, &options)?;
    let used: Vec<usize> = schema.features().filter(used).chain(schema.exposure).collect();
    let declared_text = |index: usize| {
        let text = (table.columns()[index].clone(), ColumnType::Text);
        options.types.contains(&text)
    };
    let rows = match options.missing {
        Missing::Drop => UsedRows::Complete,
        Missing::Auto => UsedRows::Labelled,
        Missing::Error | Missing::Category | Missing::Mean => UsedRows::All,
    };
    let holes =
        Holes::of(&table, rows, (schema.target, options.family, &[]), &used, |index, cell| {
            let reading = Reading::of(cell);
            if declared_text(index) { reading == Reading::Missing } else { reading.is_hole() }
        });
    if let Some(note) = holes.note(&table)? {
        intake.rows = rows;
        table = Cow::Owned(table.of_rows(&holes.keep));
        notes.push(note);
    }
    Ok(Taken { table, options, intake, notes })
}

/// The table as an encoding speaks of it.
pub(super) fn taken<'a>(
    table: &'a Table,
    encoding: &Encoding,
    family: Family,
) -> Result<Cow<'a, Table>, DataError> {
    let table = changed(table, &encoding.intake)?;
    if encoding.intake.rows == UsedRows::All {
        return Ok(table);
    }
    let mut levels: BTreeSet<(usize, &str)> = BTreeSet::new();
    let mut used = Vec::new();
    for feature in &encoding.features {
        match feature {
            Feature::Numeric { column, .. } => used.push(table.column(column)?),
            Feature::Level { column, level } => {
                let index = table.column(column)?;
                if used.last() != Some(&index) {
                    used.push(index);
                }
                levels.insert((index, level));
            }
            Feature::Intercept => {}
        }
    }
    if let Some(column) = &encoding.exposure_column {
        used.push(table.column(column)?);
    }
    let target = (table.column(&encoding.target_column)?, family, &encoding.classes[..]);
    let holes = Holes::of(&table, encoding.intake.rows, target, &used, |index, cell| {
        Reading::of(cell).is_hole() && !levels.contains(&(index, cell))
    });
    if holes.note(&table)?.is_none() {
        return Ok(table);
    }
    Ok(Cow::Owned(table.of_rows(&holes.keep)))
}

/// What a column without declared type looks like.
struct Look {
    suspect: Option<Suspect>,
    /// Its only value, if it has no other; empty if it has none at all.
    constant: Option<String>,
    keep_constant: bool,
}

enum Decision {
    Keep,
    Ignore(Note),
    Days,
}

fn look(table: &Table, index: usize, own: Option<ColumnType>, options: &EncodeOptions) -> Look {
    let mut tally = Tally::default();
    let (mut first, mut same): (Option<&str>, bool) = (None, true);
    for row in 0..table.rows() {
        let cell = table.cell(row, index);
        let reading = read_number(cell);
        tally.add(row, reading);
        if !reading.is_hole() {
            same &= *first.get_or_insert(cell) == cell;
        }
    }
    let text = own == Some(ColumnType::Text) || !tally.mostly_numbers();
    let found = text.then(|| {
        let mut texts: HashSet<&str> = HashSet::new();
        texts.extend((0..table.rows()).map(|row| table.cell(row, index)));
        let mut sorted: Vec<&str> = texts.into_iter().collect();
        sorted.sort_unstable();
        suspect(sorted.into_iter(), tally.present())
    });
    // A level for holes makes two of one text.
    let alone = same && (first.is_none() || (text && tally.holes(None) == 0));
    let constant = alone.then(|| first.unwrap_or_default().to_owned());
    Look { suspect: found.flatten(), constant, keep_constant: options.allows(Check::Constant) }
}

impl Look {
    fn decide(self, table: &Table, column: &str) -> Result<Decision, DataError> {
        let (file, name) = (table.file().to_owned(), excerpt(column));
        if let Some(value) = self.constant.filter(|_| !self.keep_constant) {
            return Ok(Decision::Ignore(Note::Constant { column: column.to_owned(), value }));
        }
        Ok(match self.suspect {
            None => Decision::Keep,
            Some(Suspect::Dates) => Decision::Days,
            Some(Suspect::AmbiguousDates { cell }) => {
                let cell = excerpt(&cell);
                return Err(FitError::AmbiguousDates { file, column: name, cell }.into());
            }
            Some(Suspect::Unit { cell, unit }) => {
                let (cell, unit) = (excerpt(&cell), excerpt(&unit));
                return Err(FitError::Unit { file, column: name, cell, unit }.into());
            }
            Some(Suspect::Thousands { cell }) => {
                let cell = excerpt(&cell);
                return Err(FitError::Thousands { file, column: name, cell }.into());
            }
            Some(Suspect::Identifier { texts, rows }) => {
                Decision::Ignore(Note::Identifier { column: column.to_owned(), texts, rows })
            }
        })
    }
}
