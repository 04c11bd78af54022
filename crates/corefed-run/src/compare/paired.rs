//! Rules against one of them, seed by seed: what differs beyond noise.

use corefed_documents::{ComparedRun, PairedDifferences};

/// Every other rule less `base`, over the seeds from which both left a model.
pub(super) fn differences(
    runs: &[ComparedRun],
    rules: &[&str],
    base: &str,
    seeds: &[u64],
) -> PairedDifferences {
    let of = |rule: &str, seed: u64| runs.iter().find(|run| run.rule == rule && run.seed == seed);
    PairedDifferences::between(rules, base, seeds, |rule, seed, measure, rows| {
        of(rule, seed)?.value(measure, rows)
    })
}

#[cfg(test)]
mod tests {
    use corefed_core::{KappaInterval, Number, Verdict};
    use corefed_documents::{DifferenceLine, Measure, Measured, Rows};

    use super::*;

    fn run(rule: &str, seed: u64, utilities: [f64; 2]) -> ComparedRun {
        ComparedRun {
            rule: rule.to_owned(),
            seed,
            folder: String::new(),
            verdict: Verdict::Undecided,
            kappa: KappaInterval::new(0.0, 1.0),
            everybody: KappaInterval::new(0.0, 1.0),
            headroom: Number(1.0),
            rival: None,
            deviation: None,
            training: Measured { utilities: utilities.to_vec(), ..Measured::default() },
            held_out: None,
            test_accuracy: None,
            round: 1,
            setting: serde_json::Map::new(),
        }
    }

    #[test]
    fn pairs_are_of_one_seed_and_a_seed_without_both_is_none() {
        let runs = [
            run("fedavg", 1, [1.0, 4.0]),
            run("core", 1, [2.0, 3.0]),
            run("core", 2, [9.0, 9.0]),
            run("fedavg", 3, [2.0, 2.0]),
            run("core", 3, [1.5, 7.0]),
        ];
        let found = differences(&runs, &["fedavg", "core"], "fedavg", &[1, 2, 3]);
        // Only the smallest utility is known: 2 - 1 and 1.5 - 2.
        assert_eq!(found.lines.len(), 1);
        let DifferenceLine { measure, rows, over_seeds, .. } = &found.lines[0];
        assert_eq!((*measure, *rows), (Measure::SmallestUtility, Rows::Training));
        assert_eq!((over_seeds.pairs, over_seeds.larger, over_seeds.mean), (2, 1, 0.25));
    }
}
