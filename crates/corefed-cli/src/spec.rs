//! What `corefed run` runs: a preset or a spec file.

use std::path::Path;

use corefed_spec::{DataSource, Spec, presets};

use crate::failure::Failure;

/// The name under which generated hospitals are known.
pub(crate) const HOSPITALS: &str = "hospitals";

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

/// Refuses what an exact run does not do, rather than doing something else.
pub(crate) fn check_exact(spec: &Spec) -> Result<(), Failure> {
    let name = &spec.name;
    if spec.train.is_some() {
        return Err(Failure::new(format!("`{name}` trains by rounds, which is not possible yet"))
            .hint("remove `[train]` to solve it exactly"));
    }
    let unmet = match &spec.data {
        DataSource::Known(set) if *set != HOSPITALS => Some(format!("data `{set}`")),
        _ if spec.partition.is_some() => Some("`[partition]`".to_owned()),
        _ if !spec.corrupt.is_empty() => Some("`[corrupt]`".to_owned()),
        _ if spec.held_out > 0.0 => Some("`held_out`".to_owned()),
        _ => None,
    };
    let Some(unmet) = unmet else { return Ok(()) };
    Err(Failure::new(format!("`{name}`: an exact run takes a table as it is, without {unmet}"))
        .hint("write the table with `corefed data export`, and name that file as `data`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_runs_refuse_what_they_would_ignore() {
        let hospitals = find(HOSPITALS).unwrap();
        assert!(check_exact(&hospitals).is_ok());
        for (path, value) in [
            ("train.rounds", "3"),
            ("data", "heart"),
            ("partition.method", "iid"),
            ("corrupt.Aachen", "['noise:1']"),
            ("held_out", "0.2"),
        ] {
            let spec = hospitals.with(path, value).unwrap();
            assert!(check_exact(&spec).is_err(), "{path}");
        }
    }
}
