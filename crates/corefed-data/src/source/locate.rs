//! What of a set lies in the data folder, and whether it is what was published.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use super::SourceError;
use super::catalogue::{Entry, KnownFile, Origin};

/// Appended to the name of a file that is still being downloaded.
pub const PARTIAL: &str = ".partial";

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Compare sizes: instant.
    Sizes,
    /// Compare sizes, then checksums: reads every file.
    Checksums,
}

/// What of a set lies in the data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Drawn by code: needs no files.
    Generated,
    /// No file is there.
    Absent,
    /// Some files are missing, or their download was cut off.
    Partial {
        /// Names of the missing files.
        missing: Vec<&'static str>,
    },
    /// Every file is there.
    Present {
        /// Whether every checksum was compared. Never so for a file that the user has
        /// decompressed, as only the compressed one has a published checksum.
        verified: bool,
    },
    /// A file is not the published one.
    Damaged {
        /// The first such file.
        file: &'static str,
        /// What is wrong with it.
        damage: Damage,
    },
}

/// How a file differs from the published one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// More or fewer bytes.
    Size {
        /// Bytes as published.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The right number of wrong bytes.
    Checksum {
        /// SHA-256 as published.
        expected: &'static str,
        /// SHA-256 of the file.
        found: String,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { expected, found } => write!(f, "has {found} bytes instead of {expected}"),
            Self::Checksum { .. } => f.write_str("is not the published file (checksum)"),
        }
    }
}

/// What one file of a set is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// Not there.
    Absent,
    /// There, with the right size.
    Present {
        /// Whether its checksum was compared.
        verified: bool,
    },
    /// Not the published file.
    Damaged(Damage),
}

/// Looks for the files of a set in `data_folder/name/`.
pub fn locate(entry: &Entry, data_folder: &Path, depth: Depth) -> Result<State, SourceError> {
    let Origin::Published(published) = entry.origin else { return Ok(State::Generated) };
    let folder = data_folder.join(entry.name);
    let (mut missing, mut all_verified) = (Vec::new(), true);
    for file in published.files {
        match file_state(file, &folder, depth)? {
            FileState::Absent => missing.push(file.name),
            FileState::Present { verified } => all_verified &= verified,
            FileState::Damaged(damage) => {
                return Ok(State::Damaged { file: file.name, damage });
            }
        }
    }
    let archive = published.archive.map(|archive| archive.file);
    let begun = published
        .files
        .iter()
        .chain(&archive)
        .any(|file| folder.join(format!("{}{PARTIAL}", file.name)).exists());
    Ok(if missing.is_empty() {
        State::Present { verified: all_verified }
    } else if missing.len() == published.files.len() && !begun {
        State::Absent
    } else {
        State::Partial { missing }
    })
}

/// Refuses a set of which a file is not the published one, by size, then by checksum. What is missing is
/// left to its reader.
pub fn check_published(entry: &Entry, data_folder: &Path) -> Result<(), SourceError> {
    match locate(entry, data_folder, Depth::Checksums)? {
        State::Damaged { file, damage } => Err(SourceError::NotPublished {
            set: entry.name,
            path: data_folder.join(entry.name).join(file),
            reason: damage.to_string(),
        }),
        _ => Ok(()),
    }
}

/// Looks for one file in the folder of its set.
pub fn file_state(file: &KnownFile, folder: &Path, depth: Depth) -> Result<FileState, SourceError> {
    let path = folder.join(file.name);
    let Some(found) = size_of(&path)? else {
        let bare = file.inflated.zip(file.name.strip_suffix(".gz"));
        let Some((expected, bare)) = bare else { return Ok(FileState::Absent) };
        return Ok(match size_of(&folder.join(bare))? {
            None => FileState::Absent,
            Some(found) if found == expected => FileState::Present { verified: false },
            Some(found) => FileState::Damaged(Damage::Size { expected, found }),
        });
    };
    if found != file.size {
        return Ok(FileState::Damaged(Damage::Size { expected: file.size, found }));
    }
    if depth == Depth::Sizes {
        return Ok(FileState::Present { verified: false });
    }
    let found =
        sha256_of_file(&path).map_err(|source| SourceError::Read { path: path.clone(), source })?;
    Ok(if found == file.sha256 {
        FileState::Present { verified: true }
    } else {
        FileState::Damaged(Damage::Checksum { expected: file.sha256, found })
    })
}

/// SHA-256 of a file, in hexadecimal, read in blocks.
pub fn sha256_of_file(path: &Path) -> io::Result<String> {
    corefed_core::digest_file(path)
}

/// Bytes of a file, `None` if there is none.
fn size_of(path: &Path) -> Result<Option<u64>, SourceError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(SourceError::Read { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests;
