//! An encoding, checked and arranged for use.
//!
//! Encodings travel inside predictors and certificates, so one may have been written by hand or
//! by an adversary. Nothing here trusts it.

use std::collections::{BTreeMap, BTreeSet};

use corefed_core::{Encoding, Family, Feature, TargetScale};

use super::EncodingError;
use super::target::twins;
use crate::names::excerpt;
use crate::reading::is_within_limit;

/// The features of a valid encoding by kind.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) numeric: Vec<Numeric<'a>>,
    /// One per text column, in column order.
    pub(super) groups: Vec<Group<'a>>,
    /// Column of the intercept, the last one.
    pub(super) intercept: Option<u32>,
    /// Number of features.
    pub(super) dim: usize,
}

/// A standardised column.
#[derive(Debug)]
pub(super) struct Numeric<'a> {
    pub(super) column: &'a str,
    pub(super) mean: f64,
    pub(super) scale: f64,
    /// Stands in for a missing cell.
    pub(super) missing: Option<f64>,
}

/// A text column and the encoded column of each of its levels.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) column: &'a str,
    pub(super) levels: BTreeMap<&'a str, u32>,
}

impl<'a> Layout<'a> {
    /// Checks an encoding for a family of models.
    pub(super) fn of(encoding: &'a Encoding, family: Family) -> Result<Self, EncodingError> {
        check_columns(encoding, family)?;
        check_classes(&encoding.classes, family)?;
        check_scale(encoding, family)?;
        let mut layout =
            Self { numeric: vec![], groups: vec![], intercept: None, dim: encoding.features.len() };
        let mut names = BTreeSet::new();
        let mut used = BTreeSet::new();
        for (index, feature) in (0..).zip(&encoding.features) {
            let name = feature.name();
            if !names.insert(name.clone()) {
                return Err(EncodingError::DuplicateFeature { name: excerpt(&name) });
            }
            if layout.is_past(feature) {
                return Err(EncodingError::Order { name: excerpt(&name) });
            }
            let mut claim = |column: &'a str| {
                let column_free = used.insert(column);
                let split = || EncodingError::SplitColumn { column: excerpt(column) };
                column_free.then_some(column).ok_or_else(split)
            };
            match feature {
                &Feature::Numeric { ref column, mean, scale, missing } => {
                    if !(mean.is_finite() && scale.is_finite() && scale > 0.0) {
                        let column = excerpt(column);
                        return Err(EncodingError::Moments { column, mean, scale });
                    }
                    if let Some(value) = missing.filter(|&value| !is_within_limit(value)) {
                        return Err(EncodingError::Fill { column: excerpt(column), value });
                    }
                    layout.numeric.push(Numeric { column: claim(column)?, mean, scale, missing });
                }
                Feature::Level { column, level } => match layout.groups.last_mut() {
                    Some(group) if group.column == column => {
                        group.levels.insert(level, index);
                    }
                    _ => {
                        let levels = BTreeMap::from([(level.as_str(), index)]);
                        layout.groups.push(Group { column: claim(column)?, levels });
                    }
                },
                Feature::Intercept => layout.intercept = Some(index),
            }
        }
        Ok(layout)
    }

    /// Whether features of this kind must have come before what is already there.
    fn is_past(&self, feature: &Feature) -> bool {
        match feature {
            Feature::Numeric { .. } => !self.groups.is_empty() || self.intercept.is_some(),
            Feature::Level { .. } | Feature::Intercept => self.intercept.is_some(),
        }
    }
}

fn check_columns(encoding: &Encoding, family: Family) -> Result<(), EncodingError> {
    let Encoding { agent_column, target_column, exposure_column, features, .. } = encoding;
    if features.is_empty() {
        return Err(EncodingError::NoFeatures);
    }
    if agent_column == target_column {
        return Err(EncodingError::AgentIsTarget { column: excerpt(agent_column) });
    }
    if let Some(column) = exposure_column
        && (!family.takes_exposure() || column == agent_column || column == target_column)
    {
        return Err(EncodingError::Exposure { column: excerpt(column), family });
    }
    let reserved = [Some(agent_column), Some(target_column), exposure_column.as_ref()];
    for feature in features {
        if let Feature::Numeric { column, .. } | Feature::Level { column, .. } = feature
            && reserved.contains(&Some(column))
        {
            return Err(EncodingError::Reserved { column: excerpt(column) });
        }
    }
    Ok(())
}

/// Only squares of a target's unit can be taken out of a loss.
fn check_scale(encoding: &Encoding, family: Family) -> Result<(), EncodingError> {
    let Some(TargetScale { mean, scale }) = encoding.target_scale else { return Ok(()) };
    if mean.is_finite() && scale.is_normal() && scale > 0.0 && family.facts().quadratic {
        return Ok(());
    }
    Err(EncodingError::Moments { column: excerpt(&encoding.target_column), mean, scale })
}

fn check_classes(classes: &[String], family: Family) -> Result<(), EncodingError> {
    let found = classes.len();
    if !family.targets().fits(found) {
        return Err(EncodingError::ClassCount { family, found });
    }
    let mut seen = BTreeSet::new();
    let repeated = classes.iter().find(|class| !seen.insert(*class));
    let same = repeated.map(|class| (excerpt(class), excerpt(class)));
    match same.or_else(|| twins(classes)) {
        Some((first, second)) => Err(EncodingError::TwinClasses { first, second }),
        None => Ok(()),
    }
}
