//! A spec as tables of keys and values: what is written, and where single settings are changed.

use crate::key::{Describe, Key, Section};
use crate::takes::{Choice, Flag, Number, Whole};
use crate::toml_text;

/// Tables in the order they are written.
#[derive(Debug, Default)]
pub(crate) struct Document(Vec<Part>);

/// One table.
#[derive(Debug)]
struct Part {
    path: Vec<String>,
    comment: &'static str,
    /// Names and values, these as TOML.
    entries: Vec<(String, String)>,
}

impl Part {
    /// A line of TOML for each key.
    fn lines(&self) -> impl Iterator<Item = String> {
        self.entries.iter().map(|(name, value)| format!("{} = {value}", toml_text::key(name)))
    }
}

impl Document {
    /// Begins a table; what is put next belongs to it.
    pub(crate) fn begin(&mut self, section: &'static Section) {
        let path = section.path.split('.').filter(|part| !part.is_empty()).map(str::to_owned);
        self.0.push(Part { path: path.collect(), comment: section.meaning, entries: Vec::new() });
    }

    /// Puts a key whose name is the user's.
    pub(crate) fn named(&mut self, name: &str, value: String) {
        if let Some(part) = self.0.last_mut() {
            part.entries.push((name.to_owned(), value));
        }
    }

    /// Puts a value that is TOML already.
    pub(crate) fn put(&mut self, key: &dyn Describe, value: String) {
        self.named(key.name(), value);
    }

    pub(crate) fn text(&mut self, key: &dyn Describe, value: &str) {
        self.put(key, toml_text::text(value));
    }

    pub(crate) fn number(&mut self, key: &Key<Number>, value: f64) {
        self.put(key, toml_text::number(value));
    }

    pub(crate) fn whole(&mut self, key: &Key<Whole>, value: usize) {
        self.put(key, value.to_string());
    }

    pub(crate) fn flag(&mut self, key: &Key<Flag>, value: bool) {
        self.put(key, value.to_string());
    }

    pub(crate) fn choice<T: PartialEq + Sync>(&mut self, key: &Key<Choice<T>>, value: &T) {
        self.text(key, key.takes.name_of(value));
    }

    /// The value of a key, as TOML.
    pub(crate) fn get(&self, path: &[String]) -> Option<&str> {
        let (name, table) = path.split_last()?;
        let part = self.0.iter().find(|part| part.path == table)?;
        part.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// What a table says, a line of TOML for each key; nothing where there is no such table.
    pub(crate) fn lines(&self, table: &str) -> Vec<String> {
        let part = self.0.iter().find(|part| part.path == [table]);
        part.map_or_else(Vec::new, |part| part.lines().collect())
    }

    /// Every key by its dotted path, with its value as TOML.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.iter().flat_map(|part| {
            part.entries.iter().map(|(name, value)| {
                let path = part.path.iter().chain(std::iter::once(name));
                let path: Vec<String> = path.map(|name| toml_text::key(name)).collect();
                (path.join("."), value.as_str())
            })
        })
    }

    /// Whether there is such a key or table.
    pub(crate) fn has(&self, path: &[String]) -> bool {
        self.get(path).is_some() || self.0.iter().any(|part| part.path == path)
    }

    /// Gives a key a value, in place of the one it has, be it a table.
    pub(crate) fn set(&mut self, path: &[String], value: String) {
        let Some((name, table)) = path.split_last() else { return };
        if self.get(path).is_none() {
            self.remove(path);
        }
        let index = self.0.iter().position(|part| part.path == table).unwrap_or_else(|| {
            self.0.push(Part { path: table.to_vec(), comment: "", entries: Vec::new() });
            self.0.len() - 1
        });
        let entries = &mut self.0[index].entries;
        match entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => entries.push((name.clone(), value)),
        }
    }

    /// Removes a key, or a table with all in it.
    pub(crate) fn remove(&mut self, path: &[String]) {
        let Some((name, table)) = path.split_last() else { return };
        self.0.retain(|part| !part.path.starts_with(path));
        for part in self.0.iter_mut().filter(|part| part.path == table) {
            part.entries.retain(|(known, _)| known != name);
        }
    }

    /// As TOML.
    pub(crate) fn to_toml(&self) -> String {
        let mut lines = Vec::new();
        for part in &self.0 {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            if !part.comment.is_empty() {
                lines.push(format!("# {}", part.comment));
            }
            if !part.path.is_empty() {
                let path: Vec<_> = part.path.iter().map(|name| toml_text::key(name)).collect();
                lines.push(format!("[{}]", path.join(".")));
            }
            lines.extend(part.lines());
        }
        lines.push(String::new());
        lines.join("\n")
    }
}
