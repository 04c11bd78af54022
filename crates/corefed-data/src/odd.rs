//! Numbers that look like a code for a missing value: `-9999`, `999`.

use corefed_core::{Encoding, Feature};

use crate::Federation;
use crate::note::Note;

/// Codes that programs write, of either sign.
const CODES: [f64; 5] = [99.0, 999.0, 9999.0, 99_999.0, 999_999.0];

/// Codes among the features and the target of an encoded table. The table itself may be gone.
pub(crate) fn sentinels(encoding: &Encoding, federation: &Federation) -> Vec<Note> {
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
    for (k, (column, mean, scale)) in numeric.iter().enumerate() {
        let values = dense.iter().skip(k).step_by(numeric.len()).map(|x| x * scale + mean);
        note(column, code_among(&values));
    }
    if encoding.classes.is_empty() {
        let restored = |y: &f64| encoding.target_scale.map_or(*y, |scale| scale.restore(*y));
        note(&encoding.target_column, code_among(&federation.target().iter().map(restored)));
    }
    notes
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
