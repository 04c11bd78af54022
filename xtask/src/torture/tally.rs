//! Counts by case and outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Counts by what was tried and what came of it.
#[derive(Debug, Default)]
struct Counts(BTreeMap<(String, &'static str), usize>);

/// What came of trials.
#[derive(Debug, Default)]
pub(super) struct Tally {
    cases: Counts,
    /// By the file that was damaged.
    files: Counts,
    events: usize,
    failures: Vec<String>,
}

impl Tally {
    pub(super) fn count(&mut self, case: &str, outcome: &'static str) {
        self.cases.add(case, outcome, 1);
    }

    /// Counts what the trial was about: a kill, a corruption.
    pub(super) fn event(&mut self, case: &str, outcome: &'static str) {
        self.events += 1;
        self.count(case, outcome);
    }

    /// Something that must not happen.
    pub(super) fn fail(&mut self, case: &str, outcome: &'static str, what: &str) {
        self.count(case, outcome);
        self.failures.push(format!("{case}: {outcome}: {what}"));
    }

    /// Counts the outcomes of this trial for a file, too.
    pub(super) fn about(&mut self, file: &str) {
        for ((_, outcome), count) in &self.cases.0 {
            self.files.add(file, outcome, *count);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        for (counts, more) in [(&mut self.cases, other.cases), (&mut self.files, other.files)] {
            for ((name, outcome), count) in more.0 {
                counts.add(&name, outcome, count);
            }
        }
        self.events += other.events;
        self.failures.extend(other.failures);
    }

    pub(super) fn events(&self) -> usize {
        self.events
    }

    pub(super) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    pub(super) fn failures(&self) -> Vec<String> {
        self.failures.clone()
    }

    /// A row per case, a column per outcome.
    pub(super) fn table(&self, what: &str) -> String {
        self.cases.table(what)
    }

    /// A row per file that was damaged.
    pub(super) fn table_of_files(&self) -> String {
        self.files.table("file")
    }
}

impl Counts {
    fn add(&mut self, name: &str, outcome: &'static str, count: usize) {
        *self.0.entry((name.to_owned(), outcome)).or_default() += count;
    }

    fn table(&self, what: &str) -> String {
        let names: BTreeSet<&str> = self.0.keys().map(|(name, _)| name.as_str()).collect();
        let outcomes: BTreeSet<&str> = self.0.keys().map(|(_, outcome)| *outcome).collect();
        let heads: Vec<&str> = outcomes.iter().copied().collect();
        let mut text =
            format!("| {what} | {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len() + 1));
        let sum = |is: &dyn Fn(&str) -> bool, outcome: &str| -> String {
            let fits = |((n, o), _): &(&(String, &'static str), &usize)| is(n) && *o == outcome;
            self.0.iter().filter(fits).map(|(_, count)| *count).sum::<usize>().to_string()
        };
        // Writing to a String cannot fail.
        for name in &names {
            let row: Vec<String> = outcomes.iter().map(|o| sum(&|n| n == *name, o)).collect();
            let _ = writeln!(text, "| {name} | {} |", row.join(" | "));
        }
        let row: Vec<String> = outcomes.iter().map(|o| sum(&|_| true, o)).collect();
        let _ = write!(text, "| all | {} |", row.join(" | "));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_shown_by_case_and_outcome() {
        let mut tally = Tally::default();
        tally.event("sweep", "kills");
        tally.event("run", "kills");
        tally.fail("run", "torn files", "run.json");
        let mut more = Tally::default();
        more.event("run", "kills");
        tally.add(more);
        assert_eq!(tally.events(), 3);
        assert_eq!(tally.failures(), ["run: torn files: run.json"]);
        let expected = "| killed | kills | torn files |\n|---|---|---|\n| run | 2 | 1 |\n\
                        | sweep | 1 | 0 |\n| all | 3 | 1 |";
        assert_eq!(tally.table("killed"), expected);
        let mut trial = Tally::default();
        trial.event("resumed", "refused by name");
        trial.about("spec.toml");
        tally.add(trial);
        let expected = "| file | refused by name |\n|---|---|\n| spec.toml | 1 |\n| all | 1 |";
        assert_eq!(tally.table_of_files(), expected);
    }
}
