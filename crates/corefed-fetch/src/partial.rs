//! A file on its way: it grows under a provisional name and is renamed when it is right.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use corefed_data::source::catalogue::KnownFile;
use corefed_data::source::{PARTIAL, sha256_of_file};

use crate::{FetchError, own_file};

/// The provisional file of a known one, open for appending.
#[derive(Debug)]
pub(crate) struct Partial {
    known: KnownFile,
    folder: PathBuf,
    path: PathBuf,
    file: File,
    /// Bytes it holds; never more than it should.
    len: u64,
}

impl Partial {
    /// Opens what an earlier attempt left, or begins anew.
    pub(crate) fn open(folder: &Path, known: KnownFile) -> Result<Self, FetchError> {
        let path = folder.join(format!("{}{PARTIAL}", known.name));
        let failed = |source| FetchError::write(&path, known.size, source);
        let mut file = own_file::open(&path).map_err(failed)?;
        let len = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut partial = Self { known, folder: folder.to_owned(), path, file, len };
        if len > known.size {
            partial.restart()?;
        }
        Ok(partial)
    }

    /// Bytes it holds.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes it lacks.
    pub(crate) fn missing(&self) -> u64 {
        self.known.size - self.len
    }

    /// Forgets what it holds.
    pub(crate) fn restart(&mut self) -> Result<(), FetchError> {
        if self.len > 0 {
            let rewound = self.file.set_len(0).and_then(|()| self.file.rewind());
            rewound.map_err(|source| FetchError::write(&self.path, self.known.size, source))?;
            self.len = 0;
        }
        Ok(())
    }

    /// Appends bytes, of which there must be no more than are missing.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        let written = self.file.write_all(bytes);
        written.map_err(|source| FetchError::write(&self.path, self.missing(), source))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Compares the checksum; what is wrong is deleted. `from` says where it came from.
    pub(crate) fn verify(self, from: &str) -> Result<Verified, FetchError> {
        let failed = |source| FetchError::write(&self.path, 0, source);
        // The checksum must be of what will survive a loss of power.
        self.file.sync_all().map_err(failed)?;
        let found = sha256_of_file(&self.path).map_err(failed)?;
        if found == self.known.sha256 {
            return Ok(Verified { known: self.known, folder: self.folder, path: self.path });
        }
        let (file, expected) = (self.known.name, self.known.sha256);
        self.discard()?;
        Err(FetchError::Checksum { from: from.to_owned(), file, expected, found })
    }

    /// Deletes it.
    pub(crate) fn discard(self) -> Result<(), FetchError> {
        // An open file cannot be deleted everywhere.
        drop(self.file);
        remove(&self.path)
    }
}

/// A provisional file whose content is right.
#[derive(Debug)]
pub(crate) struct Verified {
    known: KnownFile,
    folder: PathBuf,
    path: PathBuf,
}

impl Verified {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its final name, at once or not at all.
    pub(crate) fn place(self) -> Result<(), FetchError> {
        let target = self.folder.join(self.known.name);
        fs::rename(&self.path, &target).map_err(|source| FetchError::write(&target, 0, source))
    }

    /// Deletes it.
    pub(crate) fn discard(self) -> Result<(), FetchError> {
        remove(&self.path)
    }
}

fn remove(path: &Path) -> Result<(), FetchError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(FetchError::write(path, 0, source))
        }
        _ => Ok(()),
    }
}
