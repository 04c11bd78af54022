//! Files and folders that are not yet whole, and those that have to last.

use std::fs;
use std::path::{Path, PathBuf};

use crate::LogError;
use crate::disk::{self, PARTIAL};

/// Whether a name is that of a file before it is whole.
pub(super) fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == PARTIAL)
}

/// Removes what a process left that was killed while it wrote.
pub(super) fn remove_partial(folder: &Path) -> Result<(), LogError> {
    for path in entries(folder)? {
        if is_partial(&path) {
            disk::remove(&path).map_err(|source| LogError::write(&path, source))?;
        }
    }
    Ok(())
}

/// Has every file of a folder on the disk itself, then their names.
pub(super) fn sync_all(folder: &Path) -> Result<(), LogError> {
    for path in entries(folder)? {
        if path.is_dir() {
            sync_all(&path)?;
        } else {
            disk::sync(&path)?;
        }
    }
    disk::sync(folder)
}

/// Sorted, so that a failure is the same one each time.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, LogError> {
    let failed = |source| LogError::read(folder, source);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}
