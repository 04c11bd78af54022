//! What `corefed run` runs: a preset or a spec file.

use std::path::Path;

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
