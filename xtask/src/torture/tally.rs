//! Counts by case and outcome.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What came of trials.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counts: BTreeMap<(String, &'static str), usize>,
    events: usize,
    failures: Vec<String>,
}

impl Tally {
    pub(super) fn count(&mut self, case: &str, outcome: &'static str) {
        *self.counts.entry((case.to_owned(), outcome)).or_default() += 1;
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

    pub(super) fn add(&mut self, other: Self) {
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
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
        let column = |names: &mut Vec<String>, name: &str| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        let (mut cases, mut outcomes) = (Vec::new(), Vec::new());
        for (case, outcome) in self.counts.keys() {
            column(&mut cases, case);
            column(&mut outcomes, outcome);
        }
        outcomes.sort();
        let mut text = format!(
            "| {what} | {} |\n|{}\n",
            outcomes.join(" | "),
            "---|".repeat(outcomes.len() + 1)
        );
        let count = |case: &str, outcome: &str| -> usize {
            let of = |((c, o), count): (&(String, &'static str), &usize)| {
                (c == case && *o == outcome).then_some(*count)
            };
            self.counts.iter().filter_map(of).sum()
        };
        // Writing to a String cannot fail.
        for case in &cases {
            let row: Vec<String> =
                outcomes.iter().map(|outcome| count(case, outcome).to_string()).collect();
            let _ = writeln!(text, "| {case} | {} |", row.join(" | "));
        }
        let sum = |outcome: &String| cases.iter().map(|case| count(case, outcome)).sum::<usize>();
        let row: Vec<String> = outcomes.iter().map(|outcome| sum(outcome).to_string()).collect();
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
    }
}
