//! Numbers that look like no measurement: a code for a missing value (`-9999`, `999`), or the number of a row.

use corefed_core::{Encoding, Feature};

use crate::note::Note;
use crate::{Agent, Federation};

/// Codes that programs write, of either sign.
const CODES: [f64; 5] = [99.0, 999.0, 9999.0, 99_999.0, 999_999.0];

/// Fewer rows may well be in order by chance.
const COUNTED: usize = 50;

/// Codes among the features and the target of an encoded table, and columns that number its rows. The table
/// itself may be gone.
pub(crate) fn odd_numbers(encoding: &Encoding, federation: &Federation) -> Vec<Note> {
    let design = federation.design();
    let rows = design.rows();
    let dense = design.dense_rows(0..rows);
    let numeric: Vec<(&String, f64, f64)> = encoding
        .features
        .iter()
        .filter_map(|feature| match feature {
            Feature::Numeric { column, mean, scale, .. } => Some((column, *mean, *scale)),
            Feature::Level { .. } | Feature::Intercept => None,
        })
        .collect();
    let mut notes = Vec::new();
    let mut note = |column: &str, found: Option<(f64, usize)>| {
        notes.extend(found.map(|(value, cells)| Note::Sentinel {
            column: column.to_owned(),
            value,
            cells,
        }));
    };
    let mut numbering = Vec::new();
    for (k, (column, mean, scale)) in numeric.iter().enumerate() {
        let values = dense.iter().skip(k).step_by(numeric.len()).map(|x| x * scale + mean);
        note(column, code_among(&values));
        // Days may well follow one another.
        if !encoding.intake.dates.iter().any(|date| date.column == **column)
            && numbers_rows(federation.agents(), &values)
        {
            numbering.push(Note::RowNumbers { column: (*column).clone() });
        }
    }
    if encoding.classes.is_empty() {
        let restored = |y: &f64| encoding.target_scale.map_or(*y, |scale| scale.restore(*y));
        note(&encoding.target_column, code_among(&federation.target().iter().map(restored)));
    }
    notes.extend(numbering);
    notes
}

/// Whether a column numbers rows, all of them or those of every agent: whole, rising with every row of an
/// agent, and with fewer gaps than numbers. Rows that were left out make gaps.
fn numbers_rows(agents: &[Agent], values: &(impl Iterator<Item = f64> + Clone)) -> bool {
    let mut numbers = Vec::new();
    for value in values.clone() {
        if !same(value, value.round()) {
            return false;
        }
        numbers.push(value.round());
    }
    let own = || agents.iter().map(|agent| &numbers[agent.rows.clone()]);
    if numbers.len() < COUNTED || !own().all(|rows| rows.is_sorted_by(|a, b| a < b)) {
        return false;
    }
    // Each agent has at least one row.
    let apart = |rows: &[f64]| rows[rows.len() - 1] - rows[0] < 2.0 * rows.len() as f64;
    let mut all = numbers.clone();
    all.sort_by(f64::total_cmp);
    own().all(|rows| rows.len() > 1 && apart(rows))
        || (all.is_sorted_by(|a, b| a < b) && apart(&all))
}

/// A code that is the least or the largest number, away from all others by more than they are from
/// each other, and how often it occurs.
pub(crate) fn code_among(values: &(impl Iterator<Item = f64> + Clone)) -> Option<(f64, usize)> {
    let (least, most) = extremes(values.clone());
    let code = |end: f64| {
        // Standardising and undoing it costs the last digits.
        CODES.iter().map(|code| code.copysign(end)).find(|code| same(*code, end))
    };
    [least, most].into_iter().find_map(|end| {
        let code = code(end)?;
        let others = values.clone().filter(|value| !same(*value, code));
        let (low, high) = extremes(others);
        let gap = if end <= low { low - end } else { end - high };
        let cells = values.clone().filter(|value| same(*value, code)).count();
        (low <= high && gap > high - low && gap > 0.0).then_some((code, cells))
    })
}

fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)))
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_rows_rise_and_hardly_skip() {
        let agents = |sizes: &[usize]| {
            let mut next = 0;
            let mut agent = |size: &usize| {
                next += size;
                Agent { name: next.to_string(), rows: next - size..next }
            };
            sizes.iter().map(&mut agent).collect::<Vec<Agent>>()
        };
        let two = agents(&[30, 30]);
        let of = |values: &[f64]| numbers_rows(&two, &values.iter().copied());
        let from = |row: fn(i32) -> i32| (0..60).map(|k| f64::from(row(k))).collect::<Vec<f64>>();
        // Through the file, again for every agent, in turns, and with rows left out.
        assert!(of(&from(|k| k + 1)));
        assert!(of(&from(|k| k % 30)));
        assert!(of(&from(|k| 2 * (k % 30) + k / 30)));
        assert!(of(&from(|k| k + k / 7)));
        // Hours, even numbers alone, falling, and hardly any rows.
        assert!(!of(&from(|k| k % 24)));
        assert!(!of(&from(|k| 3 * k)));
        assert!(!of(&from(|k| 60 - k)));
        assert!(!of(&from(|k| k).iter().map(|k| k + 0.5).collect::<Vec<f64>>()));
        assert!(!numbers_rows(&agents(&[20, 20]), &(0..40).map(f64::from)));
        // One row each, in no order.
        assert!(!numbers_rows(&agents(&[1; 60]), &(0..60).map(|k| f64::from(k * 7))));
    }

    #[test]
    fn codes_stand_apart_and_ages_do_not() {
        let ages = || (18..=99).map(f64::from);
        assert_eq!(code_among(&ages()), None);
        assert_eq!(code_among(&ages().chain([-9999.0, -9999.0])), Some((-9999.0, 2)));
        assert_eq!(code_among(&ages().chain([999.0])), Some((999.0, 1)));
        assert_eq!(code_among(&(0..2000).map(f64::from)), None);
        // Two values: nothing tells which one is strange.
        assert_eq!(code_among(&[0.0, 1000.0].into_iter()), None);
    }
}
