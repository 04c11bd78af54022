//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// One text file.
pub(crate) struct Source {
    /// Relative to the root.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// All files below `folder` with one of these extensions, in order of their paths.
pub(crate) fn files(folder: &str, extensions: &[&str]) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    collect(&root(), &root().join(folder), extensions, &mut found)?;
    found.sort_by(|a: &Source, b: &Source| a.path.cmp(&b.path));
    Ok(found)
}

fn collect(root: &Path, at: &Path, extensions: &[&str], found: &mut Vec<Source>) -> Result<()> {
    for entry in fs::read_dir(at).with_context(|| format!("cannot list `{}`", at.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            // Built, downloaded or written by runs: not ours to check.
            if !["target", "runs", "__pycache__", "node_modules"].contains(&&*name)
                && !name.starts_with('.')
            {
                collect(root, &path, extensions, found)?;
            }
        } else if path.extension().is_some_and(|e| extensions.contains(&&*e.to_string_lossy())) {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            found.push(Source { path: path.strip_prefix(root)?.to_owned(), text });
        }
    }
    Ok(())
}

/// Every crate of ours by name, with its folder, in alphabetical order.
pub(crate) fn crates() -> Result<Vec<(String, PathBuf)>> {
    let mut found = vec![
        ("corefed-reproduce".to_owned(), root().join("experiments")),
        ("corefed-schemas".to_owned(), root().join("schemas")),
    ];
    for entry in fs::read_dir(root().join("crates"))? {
        let entry = entry?;
        found.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    found.sort();
    Ok(found)
}
