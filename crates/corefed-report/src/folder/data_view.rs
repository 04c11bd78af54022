//! What a folder knows of its data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use corefed_core::{Encoding, Feature, is_hole};
use corefed_documents::{self as documents, Document, FEDERATION, LABELS};
use corefed_spec::Spec;

use crate::html::capital;
use crate::{Agent, DataView, Labels};

/// More values than this are not labels.
const MOST_CLASSES: usize = 30;

/// Notes from the spec, what was decided when the table was `read`, and labels from the rows, if they lie in the
/// folder.
pub(super) fn data_view(
    folder: &Path,
    name: &str,
    spec: Option<&Spec>,
    encoding: Option<&Encoding>,
    read: &[String],
    agents: &[Agent],
) -> DataView {
    let rows = folder.join(FEDERATION);
    let mut told = spec.map(notes).unwrap_or_default();
    told.extend(read.iter().map(|note| capital(&format!("{note}."))));
    DataView {
        name: file_name(name),
        features: encoding.map(|encoding| columns(encoding).len()),
        missing: encoding.and_then(|encoding| missing(&rows, encoding)),
        notes: told,
        labels: counted(&folder.join(LABELS)).or_else(|| labels(&rows, encoding?, agents)),
        answered: None,
    }
}

/// Without the way to it, which readers elsewhere do not have.
pub(super) fn file_name(name: &str) -> String {
    Path::new(name)
        .file_name()
        .map_or_else(|| name.to_owned(), |f| f.to_string_lossy().into_owned())
}

/// Raw columns that features are made of.
fn columns(encoding: &Encoding) -> BTreeSet<&str> {
    let mut columns = BTreeSet::new();
    for feature in &encoding.features {
        if let Feature::Numeric { column, .. } | Feature::Level { column, .. } = feature {
            columns.insert(column.as_str());
        }
    }
    columns
}

/// The part of feature cells that are missing: empty, a usual word for it, or one of the user's.
fn missing(path: &Path, encoding: &Encoding) -> Option<f64> {
    let mut reader = csv::Reader::from_path(path).ok()?;
    let header = reader.headers().ok()?.clone();
    let wanted = columns(encoding);
    let places: Vec<usize> =
        (0..header.len()).filter(|k| header.get(*k).is_some_and(|c| wanted.contains(c))).collect();
    let numeric: BTreeSet<&str> = encoding
        .features
        .iter()
        .filter_map(|feature| match feature {
            Feature::Numeric { column, .. } => Some(column.as_str()),
            _ => None,
        })
        .collect();
    let (mut empty, mut all) = (0_usize, 0_usize);
    for row in reader.records() {
        let row = row.ok()?;
        all += places.len();
        let is_missing = |k: &&usize| {
            let cell = row.get(**k).map_or("", str::trim);
            let told = encoding.intake.na.iter().any(|word| word == cell);
            // In a column of texts a dash or a dot may well be one.
            told || if numeric.contains(&header[**k]) {
                is_hole(cell)
            } else {
                matches!(cell, "" | "?")
            }
        };
        empty += places.iter().filter(is_missing).count();
    }
    (all > 0).then(|| empty as f64 / all as f64)
}

/// How rows were divided, held out and corrupted, as the spec words it.
fn notes(spec: &Spec) -> Vec<String> {
    let mut notes = Vec::new();
    let section = |name: &str| spec.lines_of(name).join(", ");
    if spec.partition.is_some() {
        notes.push(format!("Rows were divided among agents: {}.", section("partition")));
    }
    if spec.held_out > 0.0 {
        notes.push(format!(
            "{} % of the rows of every agent are held out: measured on and not trained on.",
            100.0 * spec.held_out
        ));
    }
    if spec.corrupt.is_empty() {
        return notes;
    }
    notes.push(format!("Rows were corrupted on purpose: {}.", section("corrupt")));
    notes
}

/// Labels that the training counted, by agent of its header.
fn counted(path: &Path) -> Option<Labels> {
    let documents::Labels { classes, counts } = documents::Labels::read(path).ok()?;
    Some(Labels { classes, counts })
}

/// Rows by agent and label.
fn labels(path: &Path, encoding: &Encoding, agents: &[Agent]) -> Option<Labels> {
    let mut reader = csv::Reader::from_path(path).ok()?;
    let header = reader.headers().ok()?.clone();
    let place = |name: &str| header.iter().position(|column| column == name);
    let (agent, target) = (place(&encoding.agent_column)?, place(&encoding.target_column)?);
    let index: BTreeMap<&str, usize> =
        agents.iter().enumerate().map(|(k, agent)| (agent.name.as_str(), k)).collect();
    let mut counts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for row in reader.records() {
        let row = row.ok()?;
        let Some(&k) = index.get(row.get(agent)?.trim()) else { continue };
        let label = row.get(target)?.trim();
        if !counts.contains_key(label) {
            if counts.len() == MOST_CLASSES {
                return None;
            }
            counts.insert(label.to_owned(), vec![0; agents.len()]);
        }
        counts.get_mut(label)?[k] += 1;
    }
    let classes: Vec<String> = counts.keys().cloned().collect();
    let by_agent =
        (0..agents.len()).map(|k| counts.values().map(|column| column[k]).collect()).collect();
    Some(Labels { classes, counts: by_agent })
}
