//! Nothing unfinished, nothing private.

use std::fs;

use anyhow::{Result, bail};

use crate::prose;
use crate::sources::{files, root};

/// What must not appear, written so that this file does not contain it.
const FORBIDDEN: [(&str, &str); 4] = [
    (concat!("FIX", "ME"), "finish it or write down why not"),
    (concat!("todo", "!("), "finish it"),
    (concat!("/ho", "me/"), "no paths of somebody's machine"),
    (concat!("/ro", "ot/"), "no paths of somebody's machine"),
];

/// Source and documents are free of leftovers.
pub(crate) fn check() -> Result<()> {
    for source in files("", &["rs", "py", "md", "toml", "sh"])? {
        for (line, text) in source.text.lines().enumerate() {
            if let Some((word, why)) = FORBIDDEN.iter().find(|(word, _)| text.contains(word)) {
                bail!("{}:{}: `{word}`: {why}", source.path.display(), line + 1);
            }
        }
    }
    check_messages()?;
    check_command()?;
    prose::check()
}

/// Lines that the command may have: it parses, calls and prints, and what computes belongs into libraries.
const COMMAND_LINES: usize = 4000;

fn check_command() -> Result<()> {
    let lines: usize = files("crates/corefed-cli/src", &["rs"])?
        .iter()
        .map(|source| source.text.lines().count())
        .sum();
    if lines > COMMAND_LINES {
        bail!(
            "`corefed-cli` has {lines} lines, more than {COMMAND_LINES}: move what computes into libraries"
        );
    }
    Ok(())
}

/// Libraries whose messages users of the command and of Python read.
const LIBRARIES: [&str; 2] = ["crates/corefed-run/src", "crates/corefed-data/src"];

/// Notes are stored in documents, word by word, as the command has always written them.
const STORED: [&str; 3] = ["note.rs", "survey.rs", "survey/tests.rs"];

/// Messages of libraries name settings that `corefed_core::SETTINGS` lists, and no flags of the command.
fn check_messages() -> Result<()> {
    let settings = fs::read_to_string(root().join(SETTINGS))?;
    for folder in LIBRARIES {
        for source in files(folder, &["rs"])? {
            let stored = STORED.iter().any(|name| source.path.ends_with(name));
            for (at, line) in source.text.lines().enumerate().filter(|_| !stored) {
                if let Some(why) = terminal_word(line, &settings) {
                    bail!("{}:{}: {why}", source.path.display(), at + 1);
                }
            }
        }
    }
    Ok(())
}

/// Where settings are listed.
const SETTINGS: &str = "crates/corefed-core/src/setting.rs";

/// What is wrong with the settings that a line of a program names; `settings` lists them in quotes.
fn terminal_word(line: &str, settings: &str) -> Option<String> {
    if line.trim_start().starts_with("//") {
        return None;
    }
    let lower = |text: &str| text.starts_with(|c: char| c.is_ascii_lowercase());
    if line.split("`--").skip(1).any(lower) || line.split("\"--").skip(1).any(lower) {
        return Some("a flag in a message of a library: write `@name`".to_owned());
    }
    let named = line.split("`@").skip(1).filter(|text| lower(text)).map(|text| {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next().unwrap_or_default()
    });
    let unknown = named.into_iter().find(|name| !settings.contains(&format!("\"{name}\",")));
    unknown.map(|name| format!("`@{name}` is not among `corefed_core::SETTINGS`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_unknown_settings_are_found_in_messages_alone() {
        let word = |line: &str| terminal_word(line, "\"raw\", \"missing\",");
        assert!(word("    \"drop `--raw`\"").is_some());
        assert!(word("    let flag = \"--raw\";").is_some());
        assert!(word("    \"drop `@wrong`\"").is_some_and(|why| why.contains("@wrong")));
        assert_eq!(word("    \"drop `@raw`, or use `@missing mean`\""), None);
        assert_eq!(word("/// As `--raw`"), None);
        assert_eq!(word("\"the JSON of `corefed solve --json`\""), None);
    }
}
