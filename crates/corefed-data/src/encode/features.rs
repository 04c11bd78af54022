//! Learning the features of a table.

use std::collections::BTreeSet;

use corefed_core::Feature;

use super::agents::Owners;
use super::columns::Column;
use super::moments::Moments;
use super::schema::Schema;
use super::{EncodeOptions, FitError};
use crate::Table;
use crate::check::Check;
use crate::error::DataError;
use crate::names::excerpt;
use crate::note::Note;
use crate::suspect::suspect;

/// Numeric features in file order, then the levels of text columns, then the intercept.
pub(super) fn learn(
    table: &Table,
    schema: &Schema,
    owners: &Owners,
    options: &EncodeOptions,
) -> Result<(Vec<Feature>, Vec<Note>), DataError> {
    let mut learnt = Learnt::default();
    for index in schema.features() {
        let name = &table.columns()[index];
        let (column, tally) = Column::of(table, index, schema.types[index], options.missing)?;
        let holes = tally.holes(schema.types[index]);
        let flaw = match column {
            Column::Numbers(values) => {
                let grouped: Vec<f64> = owners.rows.iter().map(|&row| values[row]).collect();
                let moments = Moments::of(&grouped, owners.agents.iter().map(|a| &a.rows));
                learnt.numeric(name, moments, holes, options)
            }
            Column::Levels(texts) => {
                learnt.levels(name, texts.iter().copied(), (holes, tally.present()), options)
            }
            Column::Ignored => Ok(()),
        };
        flaw.map_err(|flaw| flaw.error(table, index))?;
    }
    Ok(learnt.features(table.file(), options)?)
}

/// Features found so far, column by column.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    numeric: Vec<Feature>,
    levels: Vec<Feature>,
    /// Columns whose holes are filled, and how many.
    filled: Vec<(String, usize)>,
    /// Columns whose holes are a level, and how many.
    hole_levels: Vec<(String, usize)>,
    /// Columns with one value, and the value.
    constant: Vec<(String, String)>,
}

/// Why a column makes no feature.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flaw {
    OutOfRange,
    Suspect,
}

impl Learnt {
    /// Adds a column of numbers, of which `holes` are missing. A constant is left out.
    pub(super) fn numeric(
        &mut self,
        name: &str,
        moments: Moments,
        holes: usize,
        options: &EncodeOptions,
    ) -> Result<(), Flaw> {
        let (mean, scale) = match moments {
            _ if options.raw => (0.0, 1.0),
            Moments::Spread { mean, deviation } => (mean, deviation),
            // A waived constant has no spread to divide by: it is centred to zero and left there.
            Moments::Constant(value) if options.allows(Check::Constant) => (value, 1.0),
            Moments::Constant(value) => {
                self.constant.push((name.to_owned(), value.to_string()));
                return Ok(());
            }
            Moments::OutOfRange => return Err(Flaw::OutOfRange),
        };
        let missing = match moments {
            _ if holes == 0 => None,
            Moments::Spread { mean, .. } | Moments::Constant(mean) => Some(mean),
            Moments::OutOfRange => return Err(Flaw::OutOfRange),
        };
        if holes > 0 {
            self.filled.push((name.to_owned(), holes));
        }
        self.numeric.push(Feature::Numeric { column: name.to_owned(), mean, scale, missing });
        Ok(())
    }

    /// Adds a text column with its distinct cells, sorted. Some of its cells are missing and some
    /// present. A constant is left out.
    pub(super) fn levels<'a>(
        &mut self,
        name: &str,
        mut texts: impl ExactSizeIterator<Item = &'a str> + Clone,
        (holes, present): (usize, usize),
        options: &EncodeOptions,
    ) -> Result<(), Flaw> {
        let declared = options.types.iter().any(|(column, _)| column == name);
        if !declared && suspect(texts.clone(), present).is_some() {
            return Err(Flaw::Suspect);
        }
        if texts.len() == 1 && !options.allows(Check::Constant) {
            self.constant.extend(texts.next().map(|text| (name.to_owned(), text.to_owned())));
            return Ok(());
        }
        if holes > 0 {
            self.hole_levels.push((name.to_owned(), holes));
        }
        self.levels.extend(
            texts.map(|level| Feature::Level { column: name.to_owned(), level: level.to_owned() }),
        );
        Ok(())
    }

    /// All features in parameter order.
    pub(super) fn features(
        self,
        file: &str,
        options: &EncodeOptions,
    ) -> Result<(Vec<Feature>, Vec<Note>), FitError> {
        let Self { numeric: mut features, mut levels, filled, hole_levels, constant } = self;
        features.append(&mut levels);
        if options.intercept {
            features.push(Feature::Intercept);
        }
        if features.is_empty() {
            return Err(FitError::NoFeatures { file: file.to_owned() });
        }
        let mut names = BTreeSet::new();
        for feature in &features {
            if !names.insert(feature.name()) {
                let name = excerpt(&feature.name());
                return Err(FitError::DuplicateFeature { file: file.to_owned(), name });
            }
        }
        let constant = constant.into_iter().map(|(column, value)| Note::Constant { column, value });
        let filled = (!filled.is_empty()).then_some(Note::Filled { columns: filled });
        let levels = (!hole_levels.is_empty()).then_some(Note::Levels { columns: hole_levels });
        Ok((features, constant.chain(filled).chain(levels).collect()))
    }
}

impl Flaw {
    /// The error; `table` needs to hold no row.
    pub(super) fn error(self, table: &Table, index: usize) -> DataError {
        let (file, column) = (table.file().to_owned(), excerpt(&table.columns()[index]));
        match self {
            Self::Suspect => FitError::Suspect { file, column }.into(),
            Self::OutOfRange => FitError::OutOfRange { file, column }.into(),
        }
    }
}
