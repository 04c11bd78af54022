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
const BEFORE_NO: [&str; 1] = ["there"];
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
    let mut problems = Vec::new();
    for source in files("", &["md"])?.iter().filter(|source| !generated(source)) {
        let own = if source.path.ends_with(HISTORY) { Kind::Alone } else { Kind::Text };
        problems.extend(
            wrong(&source.text, own).map(|said| format!("{}:{said}", source.path.display())),
        );
    }
    for source in files("", &["rs", "py"])?.iter().filter(|source| !source.path.ends_with(OWN)) {
        let lines =
            source.text.lines().enumerate().map(|(at, line)| (at + 1, line, Kind::of(line)));
        problems.extend(private(lines).map(|said| format!("{}:{said}", source.path.display())));
    }
    if !problems.is_empty() {
        bail!("write it in common words, and wrap it:\n  {}", problems.join("\n  "));
    }
    Ok(())
}

/// This file, which has to name the words.
const OWN: &str = "xtask/src/prose.rs";

/// Sentences about versions that were released stay as they are, so that only single lines are looked at.
const HISTORY: &str = "CHANGELOG.md";

/// Written by a program, whose own texts are checked where they are source code.
fn generated(source: &Source) -> bool {
    let path = source.path.to_string_lossy().replace('\\', "/");
    path.starts_with("experiments/table")
        || ["docs/spec.md", "docs/python-api.md"].contains(&path.as_str())
}

/// What is wrong with a text of lines of one kind, each with its line.
fn wrong(text: &str, kind: Kind) -> impl Iterator<Item = String> {
    let (mut code, mut prose, mut problems) = (false, Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        if code || fence {
            continue;
        }
        let free = line.starts_with("    ") || line.trim_start().starts_with(['|', '!', '<']);
        let columns = line.chars().count();
        if columns > COLUMNS && !free && line.trim().contains(' ') {
            problems.push(format!("{}: {columns} columns; wrap at {COLUMNS}", at + 1));
        }
        prose.push((at + 1, line, if free { Kind::Alone } else { kind }));
    }
    problems.into_iter().chain(private(prose))
}

/// What a line is. A sentence runs on into the next line of its kind.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Prose, or program text with the texts in it.
    Text,
    Comment,
    /// A line that neither continues another nor is continued.
    Alone,
}

impl Kind {
    /// Of a line of a program.
    fn of(line: &str) -> Self {
        if line.trim_start().starts_with(['/', '#']) { Self::Comment } else { Self::Text }
    }
}

/// Between sentences that have nothing to do with each other.
const BREAK: &str = ":";

/// The words of lines outside of code, each with its line.
fn words<'a>(lines: impl IntoIterator<Item = (usize, &'a str, Kind)>) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut before = Kind::Alone;
    for (number, line, kind) in lines {
        let line = line.trim_start_matches([' ', '/', '#', '!', '>']);
        let item = line.starts_with(['-', '*']) || line.is_empty();
        if kind != before || kind == Kind::Alone || item {
            words.push((number, BREAK.to_owned()));
        }
        before = kind;
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ` ");
        // A colon ends what is said: "as they are: no more".
        let lower = prose.to_lowercase().replace(':', " : ");
        let own = lower
            .split(|c: char| !(c.is_alphanumeric() || ['\'', '-', '_', '`', ':'].contains(&c)))
            .filter(|word| !word.is_empty());
        words.extend(own.map(|word| (number, word.to_owned())));
    }
    words
}

/// Private words, each with its line and what to write instead.
fn private<'a>(
    lines: impl IntoIterator<Item = (usize, &'a str, Kind)>,
) -> impl Iterator<Item = String> {
    let words = words(lines);
    let mut found = Vec::new();
    for (at, (number, verb)) in words.iter().enumerate() {
        let here = |phrase: &str| {
            let own = words[at..].iter().map(|(_, word)| word.as_str());
            phrase.split(' ').eq(own.take(phrase.split(' ').count()))
        };
        for (phrase, instead) in PRIVATE.iter().filter(|(phrase, _)| here(phrase)) {
            found.push(format!("{number}: `{phrase}`: write {instead}"));
        }
        let word = |at: Option<usize>| {
            at.and_then(|at| words.get(at)).map_or(BREAK, |(_, word)| word.as_str())
        };
        let (before, after) = (word(at.checked_sub(1)), word(Some(at + 2)));
        if ["is", "are", "was", "were"].contains(&verb.as_str())
            && word(Some(at + 1)) == "no"
            && !BEFORE_NO.contains(&before)
            && !AFTER_NO.contains(&after)
            && after != BREAK
        {
            found.push(format!("{number}: `{verb} no {after}`: write `is not`"));
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Option<String> {
        wrong(text, Kind::Text).next()
    }

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
    fn phrases_are_found_across_lines_and_not_across_paragraphs() {
        assert!(problem("The run goes\non.").is_some_and(|said| said.starts_with("1: ")));
        assert!(problem("This is\nno bool.").is_some());
        assert_eq!(problem("He goes\n\non foot."), None);
        assert_eq!(problem("- what is\n- no matter what"), None);
        let program = "/// A run that goes\n/// on.\nfn f() {}";
        let lines = program.lines().map(|line| (1, line, Kind::of(line)));
        assert!(private(lines).next().is_some_and(|said| said.contains("`goes on`")));
    }

    #[test]
    fn only_comparisons_and_existence_may_be_denied_with_no() {
        assert!(problem("A verdict is no bool.").is_some_and(|said| said.contains("is no bool")));
        assert!(problem("A place that is no room.").is_some());
        assert_eq!(problem("There is no model. It is no larger than one."), None);
        assert_eq!(problem("A verdict is not a bool."), None);
    }
}
