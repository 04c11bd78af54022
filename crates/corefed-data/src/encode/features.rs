//! Learning the features of a table.

use std::collections::BTreeSet;

use corefed_core::Feature;

use super::agents::Owners;
use super::columns::{Column, number};
use super::moments::Moments;
use super::{EncodeOptions, FitError};
use crate::Table;
use crate::check::{Check, CheckError};
use crate::error::DataError;
use crate::names::excerpt;

/// Numeric features in file order, then the levels of text columns, then the intercept.
pub(super) fn learn(
    table: &Table,
    owners: &Owners,
    options: &EncodeOptions,
) -> Result<Vec<Feature>, DataError> {
    let mut features = Vec::new();
    let mut levels = Vec::new();
    for (index, name) in table.columns().iter().enumerate() {
        if *name == options.agent_column || *name == options.target_column {
            continue;
        }
        if options.raw {
            (0..table.rows()).try_for_each(|row| number(table, row, index).map(drop))?;
            features.push(Feature::Numeric { column: name.clone(), mean: 0.0, scale: 1.0 });
            continue;
        }
        match Column::of(table, index)? {
            Column::Numbers(values) => {
                let grouped: Vec<f64> = owners.rows.iter().map(|&row| values[row]).collect();
                let moments = Moments::of(&grouped, owners.agents.iter().map(|a| &a.rows));
                features.push(numeric(table, index, moments, options)?);
            }
            Column::Levels(texts) => {
                if texts.len() == 1 && !options.allows(Check::Constant) {
                    return Err(constant(table, index).into());
                }
                levels.extend(
                    texts.into_iter().map(|level| Feature::Level {
                        column: name.clone(),
                        level: level.to_owned(),
                    }),
                );
            }
        }
    }
    features.append(&mut levels);
    if options.intercept {
        features.push(Feature::Intercept);
    }
    let file = || table.file().to_owned();
    if features.is_empty() {
        return Err(FitError::NoFeatures { file: file() }.into());
    }
    let mut names = BTreeSet::new();
    for feature in &features {
        if !names.insert(feature.name()) {
            let name = excerpt(&feature.name());
            return Err(FitError::DuplicateFeature { file: file(), name }.into());
        }
    }
    Ok(features)
}

fn numeric(
    table: &Table,
    index: usize,
    moments: Moments,
    options: &EncodeOptions,
) -> Result<Feature, DataError> {
    let column = table.columns()[index].clone();
    match moments {
        Moments::Spread { mean, deviation } => {
            Ok(Feature::Numeric { column, mean, scale: deviation })
        }
        // A waived constant has no spread to divide by: it is centred to zero and left there.
        Moments::Constant(value) if options.allows(Check::Constant) => {
            Ok(Feature::Numeric { column, mean: value, scale: 1.0 })
        }
        Moments::Constant(_) => Err(constant(table, index).into()),
        Moments::OutOfRange => {
            let (file, column) = (table.file().to_owned(), excerpt(&column));
            Err(FitError::OutOfRange { file, column }.into())
        }
    }
}

fn constant(table: &Table, index: usize) -> CheckError {
    CheckError::Constant {
        file: table.file().to_owned(),
        column: excerpt(&table.columns()[index]),
        value: excerpt(table.cell(0, index)),
    }
}
