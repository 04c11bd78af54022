//! What `corefed run` runs: a preset or a spec file.

use std::path::{Component, Path, PathBuf};

use corefed_spec::{Spec, presets};

use crate::args::Setting;
use crate::failure::Failure;

/// A preset by name, or a spec file; files that it names are relative to it.
pub(crate) fn find(what: &str) -> Result<Spec, Failure> {
    if let Some(spec) = Spec::preset(what) {
        return Ok(spec);
    }
    let path = Path::new(what);
    if path.extension().is_none_or(|extension| extension != "toml") {
        let names: Vec<_> = presets().iter().map(|preset| format!("`{}`", preset.name)).collect();
        let names = names.join(", ");
        return Err(Failure::new(format!("`{what}` is neither a preset nor a .toml file"))
            .hint(format!("the presets are {names}; for a CSV file see `corefed solve`")));
    }
    let text = std::fs::read_to_string(path).map_err(|e| Failure::file("read", path, &e))?;
    Ok(Spec::parse(what, &text)?.relative_to(path.parent().unwrap_or(Path::new(""))))
}

/// The spec with some keys changed, all at once, so that keys which need each other may come in any
/// order.
pub(crate) fn with_settings(spec: Spec, settings: &[Setting]) -> Result<Spec, Failure> {
    if settings.is_empty() {
        return Ok(spec);
    }
    let pairs: Vec<(&str, &str)> =
        settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    Ok(spec.with_all(&pairs)?)
}

/// The spec with the tolerance of the command line, if there is one.
pub(crate) fn with_tolerance(spec: Spec, tolerance: Option<f64>) -> Result<Spec, Failure> {
    match tolerance {
        Some(tolerance) => Ok(spec.with("tolerance", &format!("{tolerance:?}"))?),
        None => Ok(spec),
    }
}

/// The spec as a run folder keeps it: files are named as seen from there, so that folder and data may
/// move together and `corefed run FOLDER/spec.toml` works from anywhere.
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
