//! Learning the features of a table.

use std::collections::BTreeSet;

use corefed_core::Feature;

use super::agents::Owners;
use super::columns::Column;
use super::moments::Moments;
use super::schema::Schema;
use super::{EncodeOptions, FitError};
use crate::Table;
use crate::check::{Check, CheckError};
use crate::error::DataError;
use crate::names::excerpt;

/// Numeric features in file order, then the levels of text columns, then the intercept.
pub(super) fn learn(
    table: &Table,
    schema: &Schema,
    owners: &Owners,
    options: &EncodeOptions,
) -> Result<Vec<Feature>, DataError> {
    let mut learnt = Learnt::default();
    for index in schema.features() {
        let name = &table.columns()[index];
        let flaw = match Column::of(table, index, schema.types[index], options.missing)? {
            Column::Numbers(values) => {
                let grouped: Vec<f64> = owners.rows.iter().map(|&row| values[row]).collect();
                let holes = grouped.iter().any(|value| value.is_nan());
                let moments = Moments::of(&grouped, owners.agents.iter().map(|a| &a.rows));
                learnt.numeric(name, moments, holes, options)
            }
            Column::Levels(texts) => learnt.levels(name, texts, options),
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
}

/// Why a column makes no feature.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flaw {
    Constant,
    OutOfRange,
}

impl Learnt {
    /// Adds a column of numbers, of which some are missing if it has `holes`.
    pub(super) fn numeric(
        &mut self,
        name: &str,
        moments: Moments,
        holes: bool,
        options: &EncodeOptions,
    ) -> Result<(), Flaw> {
        let (mean, scale) = match moments {
            _ if options.raw => (0.0, 1.0),
            Moments::Spread { mean, deviation } => (mean, deviation),
            // A waived constant has no spread to divide by: it is centred to zero and left there.
            Moments::Constant(value) if options.allows(Check::Constant) => (value, 1.0),
            Moments::Constant(_) => return Err(Flaw::Constant),
            Moments::OutOfRange => return Err(Flaw::OutOfRange),
        };
        let missing = match moments {
            _ if !holes => None,
            Moments::Spread { mean, .. } | Moments::Constant(mean) => Some(mean),
            Moments::OutOfRange => return Err(Flaw::OutOfRange),
        };
        self.numeric.push(Feature::Numeric { column: name.to_owned(), mean, scale, missing });
        Ok(())
    }

    /// Adds a text column with its distinct cells, sorted.
    pub(super) fn levels<'a>(
        &mut self,
        name: &str,
        texts: impl IntoIterator<Item = &'a str, IntoIter: ExactSizeIterator>,
        options: &EncodeOptions,
    ) -> Result<(), Flaw> {
        let texts = texts.into_iter();
        if texts.len() == 1 && !options.allows(Check::Constant) {
            return Err(Flaw::Constant);
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
    ) -> Result<Vec<Feature>, FitError> {
        let Self { numeric: mut features, mut levels } = self;
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
        Ok(features)
    }
}

impl Flaw {
    /// The error; `table` needs to hold the first row only.
    pub(super) fn error(self, table: &Table, index: usize) -> DataError {
        let (file, column) = (table.file().to_owned(), excerpt(&table.columns()[index]));
        match self {
            Self::Constant => {
                let value = excerpt(table.cell(0, index));
                CheckError::Constant { file, column, value }.into()
            }
            Self::OutOfRange => FitError::OutOfRange { file, column }.into(),
        }
    }
}
