//! What a run of the fuzzer came to.

use std::fmt::Write as _;
use std::path::Path;

/// Counts of one target.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ran {
    /// Inputs tried.
    pub(crate) executions: u64,
    /// Edges of the program that were reached.
    pub(crate) coverage: u64,
    /// Inputs that reach them.
    pub(crate) corpus: u64,
    /// Seconds it ran.
    pub(crate) seconds: u64,
    /// Seconds of the slowest input.
    pub(crate) slowest: u64,
    /// Megabytes at most.
    pub(crate) memory: u64,
    /// The input that went wrong, or where the log is.
    pub(crate) found: Option<String>,
}

impl Ran {
    /// Reads what libFuzzer prints.
    pub(crate) fn read(said: &str, success: bool, log: &Path) -> Self {
        let stat = |name: &str| {
            let line = said.lines().rev().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        // A progress line: `#12345 DONE cov: 678 ft: 901 corp: 23/4567b ...`.
        let progress = |name: &str| {
            let line = said.lines().rev().find(|line| line.contains(name))?;
            let after = line.split(name).nth(1)?.trim_start();
            after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        // `Done 12345 runs in 61 second(s)`
        let seconds = said.lines().rev().find_map(|line| {
            line.strip_prefix("Done ")?.split(" in ").nth(1)?.split(' ').next()?.parse().ok()
        });
        let written = said.lines().find_map(|line| line.split("Test unit written to ").nth(1));
        let found = match written {
            Some(path) => Some(path.trim().to_owned()),
            None if success => None,
            None => Some(format!("it failed; see `{}`", log.display())),
        };
        Self {
            executions: stat("stat::number_of_executed_units:"),
            coverage: progress("cov: ").unwrap_or(0),
            corpus: progress("corp: ").unwrap_or(0),
            seconds: seconds.unwrap_or(0),
            slowest: stat("stat::slowest_unit_time_sec:"),
            memory: stat("stat::peak_rss_mb:"),
            found,
        }
    }
}

/// One line per target, and their sum.
pub(crate) fn table(done: &[(String, Ran)]) -> String {
    let mut text = String::from(
        "| target | executions | edges | inputs | seconds | slowest s | MB | found |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    // Writing to a String cannot fail.
    for (target, ran) in done {
        let Ran { executions, coverage, corpus, seconds, slowest, memory, found } = ran;
        let found = if found.is_some() { "yes" } else { "" };
        let _ = writeln!(
            text,
            "| {target} | {executions} | {coverage} | {corpus} | {seconds} | {slowest} | {memory} | {found} |"
        );
    }
    let sum = |of: fn(&Ran) -> u64| done.iter().map(|(_, ran)| of(ran)).sum::<u64>();
    let most = |of: fn(&Ran) -> u64| done.iter().map(|(_, ran)| of(ran)).max().unwrap_or(0);
    let found = done.iter().filter(|(_, ran)| ran.found.is_some()).count();
    let _ = write!(
        text,
        "| all | {} | | | {} | {} | {} | {found} |",
        sum(|ran| ran.executions),
        sum(|ran| ran.seconds),
        most(|ran| ran.slowest),
        most(|ran| ran.memory)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "#2\tINITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 30Mb\n\
                        #900\tDONE   cov: 11 ft: 12 corp: 4/13b lim: 4096 exec/s: 45 rss: 31Mb\n\
                        Done 900 runs in 21 second(s)\n\
                        stat::number_of_executed_units: 900\n\
                        stat::slowest_unit_time_sec:    3\n\
                        stat::peak_rss_mb:              31\n";

    #[test]
    fn the_counts_are_read_from_what_the_fuzzer_prints() {
        let ran = Ran::read(SAID, true, Path::new("log"));
        let expected = Ran {
            executions: 900,
            coverage: 11,
            corpus: 4,
            seconds: 21,
            slowest: 3,
            memory: 31,
            found: None,
        };
        assert_eq!(ran, expected);
        assert!(table(&[("csv".into(), ran)]).contains("| csv | 900 | 11 | 4 | 21 | 3 | 31 |  |"));
    }

    #[test]
    fn a_failure_names_its_input_or_its_log() {
        let crash = "==1== ERROR: libFuzzer: deadly signal\n\
                     artifact_prefix='x'; Test unit written to findings/csv-crash-12\n";
        let ran = Ran::read(crash, false, Path::new("findings/csv.log"));
        assert_eq!(ran.found.as_deref(), Some("findings/csv-crash-12"));
        let ran = Ran::read("no such target", false, Path::new("findings/csv.log"));
        assert!(ran.found.unwrap().contains("findings/csv.log"));
    }
}
