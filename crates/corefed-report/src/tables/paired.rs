//! Differences from a rule, seed by seed, in a table and in sentences.

use std::fmt::Write;

use corefed_documents::{Comparison, DifferenceLine, Measure, PairedDifferences, Rows};
use corefed_evidence::Reading;

use crate::{Cell, Grid};

/// One row per rule, measure and kind of rows; `None` where there is nothing to subtract.
#[must_use]
pub fn differences(paired: &PairedDifferences) -> Option<Grid> {
    if paired.lines.is_empty() {
        return None;
    }
    let header = [
        "rule",
        "measure",
        "rows",
        "seeds",
        "larger in",
        "mean difference",
        "from",
        "to",
        "reading",
    ];
    let rows = paired.lines.iter().map(|line| {
        let over = &line.over_seeds;
        let end = |end: Option<f64>| end.map_or_else(Cell::missing, |end| Cell::number(end, 4));
        vec![
            Cell::text(&line.rule),
            Cell::text(measure(line.measure)),
            Cell::text(rows_of(line.rows)),
            Cell::text(over.pairs.to_string()),
            Cell::text(over.larger.to_string()),
            Cell::number(over.mean, 4),
            end(over.interval.map(|ends| ends.lo)),
            end(over.interval.map(|ends| ends.hi)),
            Cell::text(reading(over.reading)),
        ]
    });
    Some(Grid { header: header.map(str::to_owned).to_vec(), rows: rows.collect() })
}

/// What the differences say: a sentence per rule, and one on how to read them.
#[must_use]
pub(super) fn readings(document: &Comparison) -> Vec<String> {
    let Some(paired) = document.paired.as_ref().filter(|paired| !paired.lines.is_empty()) else {
        return Vec::new();
    };
    let base = &paired.base;
    let mut said = vec![format!(
        "Each rule less {base} of the same seed, with two-sided intervals of Student's t at {} %. Each holds on its own: \
         among many, some miss. Log-welfare is floored, so that it is a number for every model.",
        100.0 * paired.level.get()
    )];
    for lines in paired.lines.chunk_by(|a, b| a.rule == b.rule) {
        said.push(sentence(lines, base) + &lost(document, &lines[0].rule, base));
    }
    said
}

fn sentence(lines: &[DifferenceLine], base: &str) -> String {
    let of = |wanted: Reading| -> Vec<String> {
        let lines = lines.iter().filter(|line| line.over_seeds.reading == wanted);
        lines
            .map(|line| {
                let over = &line.over_seeds;
                let (what, rows) = (measure(line.measure), rows_of(line.rows));
                format!("{what} on {rows} rows ({} of {})", over.larger, over.pairs)
            })
            .collect()
    };
    let parts = [
        (Reading::Larger, "larger"),
        (Reading::Smaller, "smaller"),
        (Reading::WithinNoise, "no difference beyond noise in"),
        (Reading::TooFew, "too few seeds to say anything about"),
    ];
    let parts = parts.into_iter().filter_map(|(reading, words)| {
        let found = of(reading);
        (!found.is_empty()).then(|| format!("{words} {}", found.join(", ")))
    });
    let parts: Vec<String> = parts.collect();
    format!("{} against {base}: {}.", lines[0].rule, parts.join("; "))
}

/// Seeds that an interval leaves out.
fn lost(document: &Comparison, rule: &str, base: &str) -> String {
    let mut said = String::new();
    for name in [rule, base] {
        let count = document.exploded.iter().filter(|lost| lost.rule == name).count();
        if count > 0 {
            // Writing to a String cannot fail.
            let _ = write!(
                said,
                " {name} left no model from {count} of the seeds, which the intervals leave out: they \
                 flatter it."
            );
        }
    }
    said
}

fn measure(measure: Measure) -> &'static str {
    match measure {
        Measure::LogWelfare => "log-welfare",
        Measure::SmallestUtility => "smallest utility",
        Measure::Accuracy => "accuracy",
    }
}

fn rows_of(rows: Rows) -> &'static str {
    match rows {
        Rows::Training => "training",
        Rows::HeldOut => "held-out",
        Rows::Test => "test",
    }
}

fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Larger => "larger",
        Reading::Smaller => "smaller",
        Reading::WithinNoise => "no difference beyond noise",
        Reading::TooFew => "too few seeds to say",
    }
}

#[cfg(test)]
mod tests {
    use corefed_documents::ExplodedRun;
    use corefed_evidence::{Level, SeedDifference};

    use super::*;

    fn line(measure: Measure, rows: Rows, differences: &[f64]) -> DifferenceLine {
        let over_seeds = SeedDifference::of(differences, Level::default()).unwrap();
        DifferenceLine { rule: "core".to_owned(), measure, rows, over_seeds }
    }

    #[test]
    fn a_rule_is_read_in_one_sentence_that_names_noise_and_lost_seeds() {
        let document = Comparison {
            folder: String::new(),
            agents: Vec::new(),
            runs: Vec::new(),
            exploded: vec![ExplodedRun { rule: "core".into(), seed: 2, failure: String::new() }],
            paired: Some(PairedDifferences {
                base: "fedavg".to_owned(),
                level: Level::default(),
                lines: vec![
                    line(Measure::LogWelfare, Rows::HeldOut, &[1.0, 1.1, 0.9]),
                    line(Measure::Accuracy, Rows::Test, &[1.0, -1.0, 0.1]),
                    line(Measure::SmallestUtility, Rows::Training, &[-1.0, -1.1, -0.9]),
                ],
            }),
            tuning: None,
        };
        let said = readings(&document);
        assert!(said[0].contains("less fedavg of the same seed") && said[0].contains("90 %"));
        assert_eq!(
            said[1],
            "core against fedavg: larger log-welfare on held-out rows (3 of 3); smaller smallest \
             utility on training rows (0 of 3); no difference beyond noise in accuracy on test rows \
             (2 of 3). core left no model from 1 of the seeds, which the intervals leave out: they \
             flatter it."
        );
        assert_eq!(differences(document.paired.as_ref().unwrap()).unwrap().rows.len(), 3);
    }
}
