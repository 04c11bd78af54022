//! What is known of every set: files, checksums, licence, publishers' addresses.
//!
//! The repository ships no data. A set is recognised by the SHA-256 of its files, so it does
//! not matter from which address a copy came.

mod entries;

use std::path::Path;

use thiserror::Error;

use super::{Rows, SourceError};
use crate::names::{excerpt, listed, nearest};
use crate::{DataError, Split};
use corefed_core::Seed;

pub use entries::ENTRIES;

/// One data set.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in commands, and of its folder in the data folder.
    pub name: &'static str,
    /// Its name in prose.
    pub title: &'static str,
    /// What it holds, in one line.
    pub about: &'static str,
    /// The licence its publishers state.
    pub licence: &'static str,
    /// Whom to cite.
    pub citation: &'static str,
    /// The column that names the owner of a row, if the set comes with one.
    pub agent: Option<&'static str>,
    /// The column to predict; images have labels instead.
    pub target: Option<&'static str>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a set comes from.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// Drawn by this function from a seed: always there.
    Generated(fn(Seed) -> Result<Rows, DataError>),
    /// Downloaded.
    Published(Published),
}

/// The files of a downloaded set.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// Addresses to which a file's name is appended, in the order to try them; each ends in a
    /// slash.
    pub addresses: &'static [&'static str],
    /// What must be in the set's folder.
    pub files: &'static [KnownFile],
    /// The archive that holds the files, if they are not published one by one.
    pub archive: Option<Archive>,
    /// How its folder is read. A set without a reader does not compile.
    pub read: Reader,
}

/// How the folder of a set is read.
#[derive(Clone, Copy, Debug)]
pub enum Reader {
    /// Published in one piece.
    Whole(fn(&Path) -> Result<Rows, SourceError>),
    /// Published as a part to train on and a part to test on.
    Split(fn(&Path) -> Result<Split<Rows>, SourceError>),
}

/// A file as published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Its name.
    pub name: &'static str,
    /// Bytes.
    pub size: u64,
    /// SHA-256, in hexadecimal; what a copy is checked against.
    pub sha256: &'static str,
    /// MD5, in hexadecimal, as most publishers print it: for readers to compare by eye.
    pub md5: &'static str,
    /// Bytes when decompressed, for a `.gz` that readers also accept under its bare name.
    pub inflated: Option<u64>,
}

/// A `.tar.gz` that holds the files of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The archive itself.
    pub file: KnownFile,
    /// Path inside it before the files' names; ends in a slash or is empty.
    pub prefix: &'static str,
}

impl Entry {
    /// Bytes in the data folder; 0 for a generated set.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.files().iter().map(|file| file.size).sum()
    }

    /// Whether it was published with a part to test on.
    #[must_use]
    pub fn has_test(&self) -> bool {
        matches!(self.origin, Origin::Published(Published { read: Reader::Split(_), .. }))
    }

    /// The files in the set's folder; none for a generated set.
    #[must_use]
    pub fn files(&self) -> &'static [KnownFile] {
        match self.origin {
            Origin::Generated(_) => &[],
            Origin::Published(published) => published.files,
        }
    }
}

impl Published {
    /// The rows in a set's folder; of a set in two parts, the one to test on if `test` is set.
    pub fn read_part(&self, folder: &Path, test: bool) -> Result<Rows, SourceError> {
        match self.read {
            Reader::Whole(read) => read(folder),
            Reader::Split(read) => {
                let split = read(folder)?;
                Ok(if test { split.test } else { split.train })
            }
        }
    }
}

/// Looks a set up by its name.
pub fn find(name: &str) -> Result<&'static Entry, UnknownSet> {
    let found = ENTRIES.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| {
        let known: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        let meant = nearest(name, &known).map(ToOwned::to_owned);
        UnknownSet { name: excerpt(name), known, nearest: meant }
    })
}

/// A name that no set has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no data set is called `{name}`; known are {}", listed(known))]
pub struct UnknownSet {
    /// The name asked for.
    pub name: String,
    /// The names there are.
    pub known: Vec<&'static str>,
    /// The name most likely meant.
    pub nearest: Option<String>,
}

impl UnknownSet {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match &self.nearest {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`corefed data list` shows what is known".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
