//! Single settings by dotted path, as sweeps and `--set` make them.

use toml::de::{DeTable, DeValue};

use crate::document::Document;
use crate::keys::root::TOLERANCE;
use crate::keys::section;
use crate::toml_text;
use crate::words::excerpt;
use crate::{Mistake, Problem, Spec, SpecErrors};

/// The table without which a spec is solved exactly.
const TRAIN: &str = "train";

impl Spec {
    /// The spec with one key, by its dotted path, set to a value. What is not TOML is taken as text.
    ///
    /// ```
    /// # use corefed_spec::Spec;
    /// let spec = Spec::preset("mnist").unwrap();
    /// let fast = spec.with("train.rounds", "5").unwrap();
    /// assert_eq!(fast.train.unwrap().rounds.get(), 5);
    /// let error = spec.with("train.local.momentum", "1").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`train.local.momentum`: must be a number in [0, 1), not `1`"
    /// );
    /// ```
    pub fn with(&self, path: &str, value: &str) -> Result<Self, SpecErrors> {
        self.with_all(&[(path, value)])
    }

    /// As [`Spec::with`], for settings that make sense only together.
    pub fn with_all(&self, settings: &[(&str, &str)]) -> Result<Self, SpecErrors> {
        changed(self, settings)
    }
}

/// A spec with some settings changed.
///
/// They are changed in the text of the resolved spec and read again, so that the same checks apply.
/// A setting takes the place of what it excludes: another rule drops the knobs of the old one,
/// `steps` drops `epochs`.
fn changed(spec: &Spec, settings: &[(&str, &str)]) -> Result<Spec, SpecErrors> {
    let alone = |key: &str, problem| {
        let mistake = Mistake { line: None, key: excerpt(key), problem };
        SpecErrors::new(None, vec![mistake], 0)
    };
    let mut paths = Vec::new();
    for &(path, _) in settings {
        let Some(parts) = split(path) else {
            let wanted = "a path such as `train.rounds` or `corrupt.\"agent 1\"`".to_owned();
            let found = format!("`{}`", excerpt(path));
            return Err(alone(path, Problem::Unfit { wanted, found }));
        };
        paths.push(parts);
    }
    let mut document = crate::write::document(spec);
    let trains = paths.iter().any(|path| path[0] == TRAIN);
    if spec.train.is_none() && trains && spec.tolerance == TOLERANCE.takes.default {
        // Trainings have a default of their own.
        document.remove(&[TOLERANCE.name.to_owned()]);
    }
    for (path, &(_, value)) in paths.iter().zip(settings) {
        for rival in excluded(&document, path, value) {
            if !paths.iter().any(|set| set.starts_with(&rival)) {
                document.remove(&rival);
            }
        }
        // What holds a value cannot hold a table as well.
        let inside = (1..path.len()).find(|&end| document.get(&path[..end]).is_some());
        if let Some(end) = inside {
            let reason = format!("`{}` is a value, not a table", path[..end].join("."));
            return Err(alone(&path.join("."), Problem::Refused { reason }));
        }
        document.set(path, literal(value));
    }
    let file = format!("{}.toml", spec.name);
    Spec::parse(&file, &document.to_toml()).map_err(SpecErrors::without_lines)
}

/// The parts of a dotted path, which may be quoted as in TOML.
fn split(path: &str) -> Option<Vec<String>> {
    let line = format!("{path} = 0");
    let mut table = DeTable::parse(&line).ok()?.into_inner();
    let mut parts = Vec::new();
    loop {
        let mut entries = table.into_iter();
        let (Some((name, value)), None) = (entries.next(), entries.next()) else { return None };
        parts.push(name.into_inner().into_owned());
        // Only the zero at the end proves that all before it was a key.
        let last = value.span() == (line.len() - 1..line.len());
        match value.into_inner() {
            DeValue::Table(inner) => table = inner,
            _ if last && !path.contains(['\n', '\r']) => return Some(parts),
            _ => return None,
        }
    }
}

/// TOML as it is; anything else is text.
fn literal(value: &str) -> String {
    let value = value.trim();
    if DeValue::parse(value).is_ok() { value.to_owned() } else { toml_text::text(value) }
}

/// A list as TOML, of values that need not be: what is not TOML is taken as text, as in [`Spec::with`].
#[must_use]
pub fn toml_list<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    toml_text::list(values.into_iter().map(literal))
}

/// What a setting takes the place of.
fn excluded(document: &Document, path: &[String], value: &str) -> Vec<Vec<String>> {
    let mut excluded = Vec::new();
    for end in 0..path.len() {
        let (table, name) = (&path[..end], &path[end]);
        let Some(section) = section(&table.join(".")) else { break };
        let inside = |name: &str| [table, &[name.to_owned()]].concat();
        excluded.extend(section.rivals_of(name).map(inside));
        if section.selector == Some(name) {
            let chosen = value.trim().trim_matches(['"', '\'']);
            let others = section
                .keys
                .iter()
                .filter(|key| !key.only().is_empty() && !key.only().contains(&chosen));
            excluded.extend(others.map(|key| inside(key.name())));
        }
    }
    excluded.retain(|path| document.has(path));
    excluded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_keys_and_nothing_else() {
        assert_eq!(split("seed").unwrap(), ["seed"]);
        assert_eq!(split("train.local.epochs").unwrap(), ["train", "local", "epochs"]);
        assert_eq!(split("corrupt.\"a.b # c = d\"").unwrap(), ["corrupt", "a.b # c = d"]);
        for bad in
            ["", ".", "a b", "a = 1\nb", "[a]\nb", "a = 1 #", "[a] #", "a = 'b", "a\u{0}", "a."]
        {
            assert_eq!(split(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn what_is_no_toml_is_text() {
        for (value, expected) in [
            ("0.1", "0.1"),
            (" [1, 2] ", "[1, 2]"),
            ("true", "true"),
            ("'a'", "'a'"),
            ("qffl", "\"qffl\""),
            ("initial:1.5", "\"initial:1.5\""),
            ("1 # one", "\"1 # one\""),
            ("1\nseed = 2", "\"1\\u000Aseed = 2\""),
            ("", "\"\""),
        ] {
            assert_eq!(literal(value), expected);
        }
    }
}
