//! Files that have to last.

use std::fs;
use std::path::Path;

use crate::links::entries;
use crate::{LogError, disk};

/// Has every file of a folder on the disk itself, then their names. Links are only names.
pub(super) fn sync_all(folder: &Path) -> Result<(), LogError> {
    for path in entries(folder)? {
        let kind = fs::symlink_metadata(&path).map_err(|source| LogError::read(&path, source))?;
        if kind.is_dir() {
            sync_all(&path)?;
        } else if kind.is_file() {
            disk::sync(&path)?;
        }
    }
    disk::sync(folder)
}
