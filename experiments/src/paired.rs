//! Rules less FedAvg under one ceiling, seed by seed.

use corefed_documents::{Measure, PairedDifferences, Rows};

use crate::judge::Row;
use crate::results::Results;

/// The rule that all others are compared with.
const BASE: &str = "fedavg";

/// What differs beyond noise under a ceiling.
pub(crate) fn differences(results: &Results<'_>, ceiling: f64) -> PairedDifferences {
    let seeds = results.spec.compare.as_ref().map_or(&[][..], |compare| &compare.seeds);
    PairedDifferences::between(&results.rules(), BASE, seeds, |rule, seed, measure, rows| {
        let row = results.of(rule, ceiling).into_iter().find(|row| row.seed == seed)?;
        value(row, measure, rows).filter(|value| value.is_finite())
    })
}

fn value(row: &Row, measure: Measure, rows: Rows) -> Option<f64> {
    let least = |utilities: &[f64]| utilities.iter().copied().fold(f64::INFINITY, f64::min);
    match (measure, rows) {
        (Measure::LogWelfare, Rows::Training) => Some(row.floored_log_welfare),
        (Measure::LogWelfare, Rows::HeldOut) => row.held_out_floored_log_welfare,
        (Measure::SmallestUtility, Rows::Training) => Some(least(&row.utilities)),
        (Measure::SmallestUtility, Rows::HeldOut) => row.held_out_utilities().as_deref().map(least),
        (Measure::Accuracy, Rows::Training) => row.accuracy,
        (Measure::Accuracy, Rows::HeldOut) => row.held_out_accuracy,
        (Measure::Accuracy, Rows::Test) => row.test_accuracy,
        (Measure::LogWelfare | Measure::SmallestUtility, Rows::Test) => None,
    }
}
