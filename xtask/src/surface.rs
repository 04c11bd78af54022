//! How many names each library shows at its root, and how many of them no other crate uses.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::sources::{Source, crates, files};

/// Prints a line per library.
#[expect(clippy::print_stdout, reason = "a developer wants to see the figures")]
pub(crate) fn print() -> Result<()> {
    let sources = files("", &["rs"])?;
    let words: Vec<(&Source, BTreeSet<&str>)> =
        sources.iter().map(|source| (source, words(&source.text))).collect();
    let root = crate::sources::root();
    println!("{:<20} {:>7}  named by no other crate", "crate", "exports");
    for (name, folder) in crates()? {
        let Ok(text) = fs::read_to_string(folder.join("src/lib.rs")) else { continue };
        let own = folder.join("src");
        let own = own.strip_prefix(&root)?;
        let used = |export: &str| words.iter().any(|(s, w)| !inside(own, s) && w.contains(export));
        let exports = exports(&text);
        let idle: Vec<&str> = exports.iter().copied().filter(|export| !used(export)).collect();
        println!("{name:<20} {:>7}  {}: {}", exports.len(), idle.len(), idle.join(" "));
    }
    Ok(())
}

fn inside(folder: &Path, source: &Source) -> bool {
    source.path.starts_with(folder)
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect()
}

/// Names that a root shows: what it declares, and what it re-exports.
fn exports(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rest = text;
    while let Some((begin, line)) = next_public(rest) {
        let line = &rest[begin..begin + line];
        if let Some(list) = line.strip_prefix("pub use ") {
            let names = list.split(['{', '}', ',', ';']).map(str::trim);
            for name in names.filter(|name| !name.is_empty() && !name.ends_with("::")) {
                let own = name.rsplit(" as ").next().unwrap_or(name);
                found.insert(own.rsplit("::").next().unwrap_or(own));
            }
        } else {
            let name = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).nth(2);
            found.extend(name.filter(|name| !name.is_empty()));
        }
        rest = &rest[begin + line.len()..];
    }
    found
}

/// Where the next public item of the root begins, and how long its first statement is.
fn next_public(text: &str) -> Option<(usize, usize)> {
    let begin = if text.starts_with("pub ") { 0 } else { text.find("\npub ")? + 1 };
    let length =
        text[begin..].find(if text[begin..].starts_with("pub use ") { ';' } else { '\n' })?;
    Some((begin, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_root_are_counted_once_each() {
        let root = "mod a;\npub mod b;\npub use a::{One, Two as Three,\n  four};\npub use b::Five;\n\
                    pub(crate) use a::Six;\npub fn seven() {}\npub const EIGHT: u8 = 8;\n";
        let expected = ["EIGHT", "Five", "One", "Three", "b", "four", "seven"];
        assert_eq!(exports(root).into_iter().collect::<Vec<_>>(), expected);
    }
}
