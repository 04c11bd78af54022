//! The known data sets, and whether they are here.

use std::path::{Path, PathBuf};

use corefed_data::DataError;
use corefed_data::source::catalogue::ENTRIES;
use corefed_data::source::{Depth, State, data_folder, locate};
use corefed_documents::KnownSet;

use crate::RunError;

/// Every known set, and the folder in which it was looked for; `check` compares checksums, too.
pub fn known_sets(
    data_dir: Option<&Path>,
    check: bool,
) -> Result<(PathBuf, Vec<KnownSet>), RunError> {
    let folder = data_folder(data_dir)?;
    let depth = if check { Depth::Checksums } else { Depth::Sizes };
    let mut sets = Vec::new();
    for entry in ENTRIES {
        let (state, detail) = words(&locate(entry, &folder, depth).map_err(DataError::from)?);
        sets.push(KnownSet {
            name: entry.name.to_owned(),
            title: entry.title.to_owned(),
            state: state.to_owned(),
            detail,
            bytes: entry.size(),
            licence: entry.licence.to_owned(),
            citation: entry.citation.to_owned(),
            about: entry.about.to_owned(),
        });
    }
    Ok((folder, sets))
}

/// A state by its name, with what else there is to say.
fn words(state: &State) -> (&'static str, String) {
    match state {
        State::Generated => ("generated", String::new()),
        State::Absent => ("absent", String::new()),
        State::Partial { missing } => ("partial", format!("missing {}", missing.join(", "))),
        State::Present { verified: true } => ("verified", String::new()),
        State::Present { verified: false } => ("present", String::new()),
        State::Damaged { file, damage } => {
            ("damaged", format!("`{file}` {damage}; fetch it again"))
        }
    }
}
