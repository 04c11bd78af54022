//! How documents are written: lines that fit a review, and the field's own words.

use anyhow::{Result, bail};

use crate::sources::{Source, files};

/// The longest line of prose. Tables and code cannot be wrapped.
const COLUMNS: usize = 100;

/// Words of our own making that once stood for words everybody knows, and what to write instead.
const PRIVATE: [(&str, &str); 12] = [
    ("at the door", "where it enters"),
    ("go on", "continue, resume"),
    ("goes on", "continues, resumes"),
    ("going on", "continuing, in progress"),
    ("gone on", "continued, resumed"),
    ("kept aside", "held out"),
    ("kept back", "held out"),
    ("keeps back", "withholds, holds out"),
    ("so many", "this many"),
    ("spoiled", "corrupted"),
    ("went on", "continued, resumed"),
    ("whoever", "the person who, anybody who"),
];

/// What may stand before or after "is no": the rest wants "is not".
const BEFORE_NO: [&str; 3] = ["there", "that", "it"];
const AFTER_NO: [&str; 14] = [
    "better",
    "bigger",
    "different",
    "faster",
    "greater",
    "larger",
    "less",
    "longer",
    "lower",
    "more",
    "shorter",
    "slower",
    "smaller",
    "worse",
];

/// Markdown that a person wrote is wrapped, and everything is said in common words: documents, messages,
/// comments.
pub(crate) fn check() -> Result<()> {
    for source in files("", &["md"])?.iter().filter(|source| !generated(source)) {
        if let Some(problem) = problem(&source.text) {
            bail!("{}:{problem}", source.path.display());
        }
    }
    for source in files("", &["rs", "py"])?.iter().filter(|source| !source.path.ends_with(OWN)) {
        for (number, line) in source.text.lines().enumerate() {
            if let Some((word, instead)) = private(line) {
                let path = source.path.display();
                bail!("{path}:{}: `{word}`: write {instead}", number + 1);
            }
        }
    }
    Ok(())
}

/// This file, which has to name the words.
const OWN: &str = "xtask/src/prose.rs";

/// Written by a program, whose own texts are checked where they are source code.
fn generated(source: &Source) -> bool {
    let path = source.path.to_string_lossy().replace('\\', "/");
    path.starts_with("experiments/table")
        || ["docs/spec.md", "docs/python-api.md"].contains(&path.as_str())
}

/// The first thing that is wrong, with its line.
fn problem(text: &str) -> Option<String> {
    let mut code = false;
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        if code || fence {
            continue;
        }
        let free = line.starts_with("    ") || line.trim_start().starts_with(['|', '!', '<']);
        let columns = line.chars().count();
        if columns > COLUMNS && !free && line.trim().contains(' ') {
            return Some(format!("{}: {columns} columns; wrap at {COLUMNS}", number + 1));
        }
        if let Some((word, instead)) = private(line) {
            return Some(format!("{}: `{word}`: write {instead}", number + 1));
        }
    }
    None
}

/// The first private word of a line, outside of code, with what to write instead.
fn private(line: &str) -> Option<(String, &'static str)> {
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ` ");
    // A colon ends what is said: "as they are: no more".
    let lower = prose.to_lowercase().replace(':', " : ");
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || ['\'', '-', '_', '`', ':'].contains(&c)))
        .filter(|word| !word.is_empty())
        .collect();
    for (phrase, instead) in PRIVATE {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        if words.windows(wanted.len()).any(|window| window == wanted.as_slice()) {
            return Some((phrase.to_owned(), instead));
        }
    }
    for at in 1..words.len() {
        let verb = ["is", "are", "was", "were"].contains(&words[at - 1]) && words[at] == "no";
        let before = at.checked_sub(2).map_or("", |before| words[before]);
        let after = words.get(at + 1).copied().unwrap_or("more");
        if verb && !BEFORE_NO.contains(&before) && !AFTER_NO.contains(&after) {
            return Some((format!("{} no {after}", words[at - 1]), "`is not`"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_named_unless_it_is_a_table_or_code() {
        let long = "word ".repeat(21);
        let columns = long.len();
        assert_eq!(
            problem(&format!("# A\n\n{long}")),
            Some(format!("3: {columns} columns; wrap at 100"))
        );
        assert_eq!(problem(&format!("| {long} |")), None);
        assert_eq!(problem(&format!("```sh\n{long}\n```\nshort")), None);
        assert_eq!(problem(&format!("https://{}", "a".repeat(200))), None);
    }

    #[test]
    fn private_words_are_found_as_words_and_not_in_code() {
        assert!(problem("The run goes on.").is_some_and(|said| said.contains("resumes")));
        assert!(problem("A run that Goes on").is_some());
        assert_eq!(problem("It forgoes one, and `goes on` is a name."), None);
    }

    #[test]
    fn only_comparisons_and_existence_may_be_denied_with_no() {
        assert!(problem("A verdict is no bool.").is_some_and(|said| said.contains("is no bool")));
        assert_eq!(problem("There is no model. It is no larger than one."), None);
        assert_eq!(problem("A verdict is not a bool."), None);
    }
}
