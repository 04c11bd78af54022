//! Files and folders that are not yet whole, and those that have to last.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::disk::{self, PARTIAL};
use crate::{LogError, view};

/// A folder that gets its name when everything in it is written.
pub(super) struct NewFolder(PathBuf);

impl NewFolder {
    /// Prepares a folder beside `path`, which must not exist; its parents are created.
    pub(super) fn create(path: &Path) -> Result<Self, LogError> {
        /// Two threads may want the same name; one of them will get it.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{PARTIAL}-{}-{count}", std::process::id()));
        let partial = PathBuf::from(partial);
        if partial.exists() {
            // Left behind by a process that was killed and had this number.
            disk::remove_folder(&partial).map_err(|source| LogError::write(&partial, source))?;
        }
        let folder = Self(partial);
        disk::create_folder(folder.path())?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Gives the folder its name.
    pub(super) fn finish(self, path: &Path) -> Result<(), LogError> {
        disk::rename(&self.0, path).map_err(|source| {
            // Somebody else was faster.
            if path.join(view::HEADER).exists() {
                return LogError::Exists { path: path.to_owned() };
            }
            LogError::write(path, source)
        })
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After `finish` there is nothing left under this name.
        let _ = disk::remove_folder(&self.0);
    }
}

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
