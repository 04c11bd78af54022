//! Do code and `docs/math.md` agree?

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Result, bail};

use crate::sources::{Source, files, root};

const LEDGER: &str = "docs/math.md";

/// One formula.
#[derive(Debug, Default, PartialEq)]
struct Entry {
    /// Names of the items that compute it.
    code: Vec<String>,
    /// Names of the tests that guard it.
    tests: Vec<String>,
}

/// Every citation has an entry; every entry is cited and has code and tests that exist.
pub(crate) fn check() -> Result<()> {
    let ledger = parse(&fs::read_to_string(root().join(LEDGER))?);
    let mut sources = files("crates", &["rs"])?;
    sources.extend(files("reference", &["py"]).unwrap_or_default());
    let problems = problems(&ledger, &sources);
    if !problems.is_empty() {
        bail!("{LEDGER} and the code disagree:\n  {}", problems.join("\n  "));
    }
    Ok(())
}

fn problems(ledger: &BTreeMap<u32, Entry>, sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut cited = BTreeSet::new();
    let mut defined = BTreeSet::new();
    for source in sources {
        for number in citations(&source.text) {
            if !ledger.contains_key(&number) {
                let path = source.path.display();
                problems.push(format!("{path} cites E{number}, which is not in the ledger"));
            }
            cited.insert(number);
        }
        defined.extend(definitions(&source.text));
    }
    for (number, entry) in ledger {
        if !cited.contains(number) {
            problems.push(format!("E{number} is cited nowhere in the code"));
        }
        for (kind, names) in [("code", &entry.code), ("tests", &entry.tests)] {
            if names.is_empty() {
                problems.push(format!("E{number} names no {kind}"));
            }
            for name in names.iter().filter(|name| !defined.contains(name.as_str())) {
                problems.push(format!("E{number}: `{name}` does not exist"));
            }
        }
    }
    problems
}

/// Entries by number: `## E4 Title`, then `- Code: ...` and `- Tests: ...` with names in backticks.
fn parse(text: &str) -> BTreeMap<u32, Entry> {
    let mut ledger = BTreeMap::new();
    let mut current = None;
    // A list item may be wrapped; its other lines are indented.
    let unwrapped = text.replace("\n  ", " ");
    for line in unwrapped.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let number = heading.strip_prefix('E').and_then(|rest| {
                rest.split_whitespace().next().and_then(|number| number.parse::<u32>().ok())
            });
            current = number;
            if let Some(number) = number {
                ledger.insert(number, Entry::default());
            }
        }
        let entry = current.and_then(|number| ledger.get_mut(&number));
        if let Some(entry) = entry {
            if let Some(rest) = line.strip_prefix("- Code:") {
                entry.code = names(rest);
            } else if let Some(rest) = line.strip_prefix("- Tests:") {
                entry.tests = names(rest);
            }
        }
    }
    ledger
}

/// Last segments of the paths between backticks.
fn names(line: &str) -> Vec<String> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter_map(|path| path.rsplit("::").next()).map(str::to_owned).collect()
}

/// Numbers after the word `ledger`: `ledger E4`, `ledger E6, E10`, `ledger E5 to E11`.
fn citations(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    // Citations may be broken over lines of a comment.
    let joined: String =
        text.lines().map(|l| l.trim().trim_start_matches('/').trim_start_matches('!')).collect();
    for part in joined.split("ledger ").skip(1) {
        for word in part.split([' ', ',']).filter(|word| !word.is_empty() && *word != "to") {
            let digits = word.strip_prefix('E').unwrap_or_default();
            let digits = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
            let Ok(number) = digits.parse() else { break };
            numbers.push(number);
            if word.ends_with([')', '.', ';', ':', '`']) {
                break;
            }
        }
    }
    numbers
}

/// Names defined in a file as functions, types, traits or Python functions.
fn definitions(text: &str) -> Vec<String> {
    let keywords = ["fn", "struct", "enum", "trait", "def"];
    let mut found = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| keywords.contains(&pair[0])) {
            let end = pair[1].find(|c: char| !(c.is_alphanumeric() || c == '_'));
            found.push(pair[1][..end.unwrap_or(pair[1].len())].to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { path: "a.rs".into(), text: text.to_owned() }
    }

    const LEDGER: &str = "## E1 One\n- Code: `core::one`\n- Tests:\n  `one_is_one`\n## Notes\n";

    #[test]
    fn a_ledger_that_agrees_has_no_problems() {
        let code = source("/// One (ledger E1).\npub fn one() {}\nfn one_is_one() {}\n");
        assert!(problems(&parse(LEDGER), &[code]).is_empty());
    }

    #[test]
    fn every_disagreement_is_named() {
        let code = source("/// Two (ledger E2).\npub fn one() {}\n");
        let found = problems(&parse(LEDGER), &[code]).join("\n");
        for problem in ["cites E2", "E1 is cited nowhere", "`one_is_one` does not exist"] {
            assert!(found.contains(problem), "{problem} not in {found}");
        }
    }

    #[test]
    fn citations_are_read_in_every_form() {
        assert_eq!(
            citations("(ledger E4). Then (ledger E6, E10) and ledger E5 to E11)"),
            [4, 6, 10, 5, 11]
        );
        assert_eq!(citations("/// proven (ledger E6,\n/// E10), see E99"), [6, 10]);
        assert!(citations("the ledger is a file").is_empty());
    }
}
