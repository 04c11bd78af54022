//! What a comparison or a sweep was asked for, kept in its folder until it is done.

use std::path::Path;

use corefed_documents::to_json;
use corefed_log::{ClaimedFolder, LogError, UNFINISHED};
use corefed_spec::{Change, Compare, Spec};
use serde::{Deserialize, Serialize};

use crate::{RunError, TrainingError};

/// Several trainings as somebody asked for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedFor {
    /// `comparison` or `sweep`.
    kind: String,
    /// The spec, with rules and seeds to compare.
    spec: String,
    /// The key of a sweep.
    field: Option<String>,
    /// Its values.
    values: Vec<String>,
}

impl AskedFor {
    /// Rules over seeds.
    #[must_use]
    pub fn comparison(spec: &Spec, compared: &Compare) -> Self {
        let whole = Spec { compare: Some(compared.clone()), ..spec.clone() };
        Self {
            kind: "comparison".to_owned(),
            spec: whole.to_toml(),
            field: None,
            values: Vec::new(),
        }
    }

    /// A key with several values.
    #[must_use]
    pub fn sweep(spec: &Spec, field: &str, values: &[String]) -> Self {
        let field = Some(field.to_owned());
        Self { kind: "sweep".to_owned(), spec: spec.to_toml(), field, values: values.to_vec() }
    }

    /// The folder for it, which nobody else has: a new one, or with `resume` one in which the same was begun.
    pub fn claim(&self, path: &Path, resume: bool) -> Result<ClaimedFolder, RunError> {
        if !resume || !path.exists() {
            return Ok(ClaimedFolder::create(path, &to_json(self)?)?);
        }
        let (folder, begun) = ClaimedFolder::take_up(path)?;
        if let Some(begun) = begun {
            let begun: Self = serde_json::from_str(&begun)
                .map_err(|source| LogError::Header { path: path.join(UNFINISHED), source })?;
            begun.same(self, path)?;
        }
        Ok(folder)
    }

    fn same(&self, now: &Self, path: &Path) -> Result<(), RunError> {
        let file = format!("the spec in `{}`", path.join(UNFINISHED).display());
        let then = Spec::parse(&file, &self.spec)?;
        let mut changes = then.changes(&Spec::parse("the spec asked for", &now.spec)?);
        let own = |asked: &Self| {
            let field = asked.field.clone().unwrap_or_default();
            [("kind", asked.kind.clone()), ("@field", field), ("@values", asked.values.join(","))]
        };
        for ((key, then), (_, now)) in own(self).into_iter().zip(own(now)) {
            if then != now {
                changes.push(Change { key: key.to_owned(), then: Some(then), now: Some(now) });
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        Err(TrainingError::OtherSettings { path: path.to_owned(), changes, asked: true }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_goes_on_and_anything_else_is_refused_by_its_keys() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("sweep");
        let spec = Spec::preset("hospitals").unwrap();
        let values = ["1".to_owned(), "2".to_owned()];
        let asked = AskedFor::sweep(&spec, "ceiling", &values);
        let begun = asked.claim(&path, true).unwrap();
        std::fs::write(path.join("made"), "").unwrap();
        drop(begun);
        drop(asked.claim(&path, true).unwrap());
        let other = spec.with("seed", "99").unwrap();
        for (now, key) in [
            (AskedFor::sweep(&other, "ceiling", &values), "`seed` was"),
            (AskedFor::sweep(&spec, "radius", &values), "`@field` was ceiling and is radius"),
            (AskedFor::sweep(&spec, "ceiling", &values[..1]), "`@values` was 1,2 and is 1"),
        ] {
            let error = now.claim(&path, true).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
        let file = path.join(UNFINISHED);
        let text = std::fs::read_to_string(&file).unwrap();
        for damaged in
            [text.replace("name = ", "nome = "), text.replace("kind", "kond"), "{".into()]
        {
            std::fs::write(&file, damaged).unwrap();
            let error = asked.claim(&path, true).unwrap_err().to_string();
            assert!(error.contains(".unfinished`"), "{error}");
        }
    }
}
