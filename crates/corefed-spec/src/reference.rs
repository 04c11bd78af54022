//! `docs/spec.md`, from the same descriptions that the reader checks by.

use crate::Spec;
use crate::key::{Describe, Fallback, Section};
use crate::keys::SECTIONS;
use crate::preset::presets;
use crate::words::listed;

const HEAD: &str = "\
# The spec of a run

<!-- Generated: cargo run -p corefed-spec --example reference > docs/spec.md -->

`corefed run SPEC.toml` runs what a TOML file describes. Files named in it are relative to it. All mistakes are reported at once, unknown keys
among them, before anything is read or computed. A run folder contains the resolved spec, with every default spelled out; running that repeats
the run.

A number may be written with or without a point where fractions make sense; a whole number has none.
";

impl Spec {
    /// Every key with its range, default and meaning: the text of `docs/spec.md`.
    #[must_use]
    pub fn reference() -> String {
        markdown()
    }
}

fn markdown() -> String {
    let presets: String =
        presets().iter().map(|preset| line(&[&code(preset.name), preset.about])).collect();
    let sections: String = SECTIONS.into_iter().map(table).collect();
    format!("{HEAD}\n## Presets\n\n| name | what |\n|---|---|\n{presets}{sections}")
}

fn table(section: &Section) -> String {
    let title = match section.path {
        "" => "The top".to_owned(),
        path if path.ends_with("[]") => format!("A table in `{}`", path.trim_end_matches("[]")),
        path => format!("`[{path}]`"),
    };
    let head = "| key | takes | default | meaning |\n|---|---|---|---|";
    let rows: String = section.keys.iter().map(|key| row(section, *key)).collect();
    let rivals = rivals(section);
    format!("\n## {title}\n\n{}\n\n{head}\n{rows}{rivals}", section.meaning)
}

/// What excludes what, by the first of each pair.
fn rivals(section: &Section) -> String {
    let groups = section.rivals.chunk_by(|(a, _), (b, _)| a == b);
    let sentences = groups.map(|pairs| {
        let others: Vec<_> = pairs.iter().map(|(_, other)| *other).collect();
        format!("\n`{}` cannot be combined with {}.\n", pairs[0].0, listed(&others))
    });
    sentences.collect()
}

fn row(section: &Section, key: &dyn Describe) -> String {
    let default = match key.fallback() {
        // The user's own names need not be there at all.
        _ if key.name().starts_with(char::is_uppercase) => "none".to_owned(),
        Fallback::Required => "required".to_owned(),
        Fallback::Is(value) => format!("`{value}`"),
        Fallback::Told(words) => words.to_owned(),
    };
    let with = match (section.selector, key.only()) {
        (Some(selector), only @ [_, ..]) => format!("With `{selector}` {}: ", listed(only)),
        _ => String::new(),
    };
    line(&[&code(key.name()), &key.wanted(), &default, &(with + key.meaning())])
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

/// A line of a table; a bar would end a cell.
fn line(cells: &[&str]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    /// Defaults are told in descriptions and in types; here they meet.
    #[test]
    fn documented_defaults_are_those_that_apply() {
        let settings = [
            "data = 'heart'\nmodel = 'logistic'\n[train]\n",
            "data = 'heart'\nmodel = 'logistic'\n[partition]\nmethod = 'label-dirichlet'\n",
            "data = 'heart'\nmodel = 'logistic'\n[partition]\nmethod = 'shards'\n",
            "data = 'heart'\nmodel = 'logistic'\n[train]\nlocal.schedule = 'step'\n",
        ];
        let mut met = 0;
        for text in settings {
            let document = crate::write::document(&Spec::parse("d.toml", text).unwrap());
            for section in SECTIONS {
                for key in section.keys {
                    let path = format!("{}.{}", section.path, key.name());
                    let path: Vec<String> =
                        path.trim_start_matches('.').split('.').map(str::to_owned).collect();
                    let selected = section.selector == Some(key.name());
                    if let (Fallback::Is(told), Some(value), false) =
                        (key.fallback(), document.get(&path), selected)
                    {
                        // Trainings have a default of their own, which the description tells.
                        let trained = path == ["tolerance"] && text.contains("[train]");
                        let told = if trained { "0.01" } else { told.as_str() };
                        assert_eq!(told, value, "{}", path.join("."));
                        met += 1;
                    }
                }
            }
        }
        assert!(met > 100, "{met}");
    }
}
