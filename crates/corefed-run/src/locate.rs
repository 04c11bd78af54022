//! Specs and the files they name: found by name or path, and as a run folder sees them.

use std::path::{Component, Path, PathBuf};

use corefed_core::{LARGEST_SPEC, read_text};
use corefed_data::EncodeOptions;
use corefed_log::check_links;
use corefed_spec::{Ceiling, DataSource, Model, Spec, presets};

use crate::{PrepareError, RunError};

/// A preset by name, or a spec file; files that it names are relative to it.
pub fn find_spec(what: &str) -> Result<Spec, RunError> {
    if let Some(spec) = Spec::preset(what) {
        return Ok(spec);
    }
    let path = Path::new(what);
    if path.extension().is_none_or(|extension| extension != "toml") {
        let presets = presets().iter().map(|preset| preset.name).collect();
        return Err(RunError::UnknownSpec { what: what.to_owned(), presets });
    }
    let text = read_text(path, LARGEST_SPEC)
        .map_err(|source| RunError::Read { path: path.to_owned(), source })?;
    Ok(Spec::parse(what, &text)?.relative_to(path.parent().unwrap_or(Path::new(""))))
}

/// The spec file that a run keeps.
pub fn spec_of_run(folder: &Path) -> Result<PathBuf, RunError> {
    let spec = folder.join("spec.toml");
    if spec.is_file() {
        check_links(folder)?;
        return Ok(spec);
    }
    Err(PrepareError::NoSpec { folder: folder.to_owned() }.into())
}

/// What a spec of a table begins with; everything in it is replaced.
const TABLE: &str =
    "data = \"table.csv\"\nagent = \"agent\"\ntarget = \"target\"\nmodel = \"linear\"\n";

/// The spec of a table that is solved exactly, with everything else as specs have it unless told.
pub fn table_spec(path: &Path, options: &EncodeOptions) -> Result<Spec, RunError> {
    // Named after its table, where that can be a name.
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Spec {
        data: DataSource::File(path.to_owned()),
        agent: Some(options.agent_column.clone()),
        target: Some(options.target_column.clone()),
        exposure: options.exposure_column.clone(),
        model: Model::Linear(options.family),
        l2: options.l2,
        intercept: options.intercept,
        raw: options.raw,
        allow: options.allow.clone(),
        written: options.written,
        missing: options.missing,
        na: options.na.clone(),
        columns: options.types.iter().cloned().collect(),
        ceiling: Ceiling::default_of(Some(options.family), options.raw),
        ..Spec::parse(&format!("{stem}.toml"), TABLE)?
    })
}

/// The spec as a run folder keeps it: files are named as seen from there, so that folder and data may
/// move together and `corefed run FOLDER/spec.toml` works from anywhere.
#[must_use]
pub(crate) fn seen_from(spec: &Spec, folder: &Path) -> Spec {
    let Ok(folder) = resolved(folder) else { return spec.clone() };
    spec.clone().with_paths(|path| {
        resolved(path).map_or_else(|_| path.to_owned(), |path| between(&folder, &path))
    })
}

/// An absolute path without `..` and links, as far as it exists: `a/../b` and `b` are one file and
/// must be one text.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    for above in path.ancestors() {
        if let (Ok(real), Ok(ahead)) = (std::fs::canonicalize(above), path.strip_prefix(above)) {
            return Ok(real.components().chain(ahead.components()).collect());
        }
    }
    Ok(path)
}

/// The way from one absolute path to another; the target itself where there is none.
fn between(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        // Another drive.
        return to.iter().collect();
    }
    let up = from[shared..].iter().map(|_| Component::ParentDir);
    up.chain(to[shared..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_between_folders_goes_up_and_down() {
        for (from, to, way) in [
            ("/a/runs/x", "/a/data.csv", "../../data.csv"),
            ("/a", "/a/b/c.csv", "b/c.csv"),
            ("/a/b", "/c.csv", "../../c.csv"),
        ] {
            assert_eq!(between(Path::new(from), Path::new(to)), Path::new(way));
        }
    }
}
