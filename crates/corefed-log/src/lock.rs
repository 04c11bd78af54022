//! One writer per run: two would write into one file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::LogError;

/// Holds a run's folder until dropped.
#[derive(Debug)]
pub(crate) struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock of the run whose files lie in `folder`. The lock file stays behind: deleting
    /// it would let a third process lock a new file while a second holds the old.
    pub(crate) fn take(folder: &Path) -> Result<Self, LogError> {
        let path = folder.join(".lock");
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|source| LogError::write(&path, source))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(LogError::Busy { path: folder.to_owned() }),
            // Some network file systems have no locks; a run without one still beats none.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
        }
    }
}
