//! The files of a release, once they are built.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// Whether a file is the source distribution.
pub(crate) fn is_sources(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.ends_with(".tar.gz") && !name.contains("linux")
}

/// The files of a folder, in order.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        found.push(entry?.path());
    }
    found.sort();
    Ok(found)
}
