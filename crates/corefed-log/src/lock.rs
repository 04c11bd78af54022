//! One writer per folder: two would write into one file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::LogError;
use crate::links::check_no_link;

/// The lock file of a run.
pub(crate) const RUN: &str = ".lock";

/// Holds a folder until dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Takes the lock of a folder, a file of this name in it. That of a run stays behind: deleting it would let a
    /// third process lock a new file while a second holds the old.
    pub fn take(folder: &Path, name: &str) -> Result<Self, LogError> {
        let path = folder.join(name);
        check_no_link(&path)?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|source| LogError::write(&path, source))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(LogError::Busy { path: folder.to_owned() }),
            // Some network file systems have no locks; a run without one still beats none.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
        }
    }
}
