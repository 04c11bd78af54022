//! One download per set at a time: two would write into one provisional file.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::{FetchError, own_file};

/// Holds a set's folder until dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Creates the folder if need be. The lock file stays behind: deleting it would let a third
    /// process lock a new file while a second still waits on the old.
    pub(crate) fn take(folder: &Path) -> Result<Self, FetchError> {
        fs::create_dir_all(folder).map_err(|source| FetchError::write(folder, 0, source))?;
        let path = folder.join(".lock");
        let failed = |source| FetchError::write(&path, 0, source);
        let file = own_file::open(&path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(FetchError::Busy { folder: folder.to_owned() }),
            // Some network file systems have no locks; a download without one still beats none.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { _file: file }),
        }
    }
}
