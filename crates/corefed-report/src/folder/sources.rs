//! Small pieces that several readers need.

use std::fs;
use std::path::Path;

use corefed_core::{LARGEST_SPEC, digest_file, read_text};
use corefed_documents::{
    COALITIONS, CoalitionLine, Coalitions, Document, ModelCoalitions, STAY, Stay,
};

use crate::{Agent, Coalition, Download, Model, ReportError};

/// Files larger than this do not travel inside a page.
const MOST_INSIDE: u64 = 64 * 1024;

/// What to type for an answer on held-out rows, in the folder of a run.
pub(super) const ASK: &str = "corefed stay .";

/// A text that may be absent.
pub(super) fn text(path: &Path) -> Option<String> {
    read_text(path, LARGEST_SPEC).ok()
}

/// Small files of a folder, to be saved from the page.
pub(super) fn downloads(folder: &Path, names: &[&str]) -> Vec<Download> {
    let small =
        |name: &&&str| fs::metadata(folder.join(name)).is_ok_and(|file| file.len() <= MOST_INSIDE);
    let read =
        |name: &&str| Some(Download { name: (*name).to_owned(), text: text(&folder.join(name))? });
    names.iter().filter(small).filter_map(read).collect()
}

/// SHA-256 of a file's bytes.
pub(super) fn digest(path: &Path) -> Option<String> {
    digest_file(path).ok()
}

/// Adds what every coalition could have, where the folder knows.
pub(super) fn add_coalitions(
    folder: &Path,
    agents: &[Agent],
    models: &mut [(String, &mut Model)],
) -> Result<(), ReportError> {
    let path = folder.join(COALITIONS);
    if !path.is_file() {
        return Ok(());
    }
    let known = Coalitions::read(&path)?;
    for (name, model) in models {
        let Some(own) = known.models.iter().find(|own| own.model == *name) else { continue };
        model.coalitions = coalitions_of(own, agents);
    }
    Ok(())
}

/// Whether it is worth staying, where the folder knows.
pub(super) fn stay(folder: &Path) -> Result<Option<Stay>, ReportError> {
    let path = folder.join(STAY);
    if path.is_file() { Ok(Some(Stay::read(&path)?)) } else { Ok(None) }
}

/// Coalitions by the agents of the page.
pub(super) fn coalitions_of(known: &ModelCoalitions, agents: &[Agent]) -> Vec<Coalition> {
    let index = |name: &String| agents.iter().position(|agent| agent.name == *name);
    let line = |line: &CoalitionLine| {
        Some(Coalition {
            members: line.members.iter().map(index).collect::<Option<Vec<usize>>>()?,
            lower: line.value.lo.0,
            upper: line.value.hi.0,
            gains: line.gains.iter().map(|gain| gain.0).collect(),
        })
    };
    known.coalitions.iter().filter_map(line).collect()
}
