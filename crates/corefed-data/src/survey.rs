//! What the columns of a table hold, before anybody says what they are for.

use std::collections::HashMap;

use crate::Table;
use crate::column_type::ColumnType;
use crate::date::Moment;
use crate::odd::code_among;
use crate::reading::Reading;
use crate::suspect::{Suspect, suspect};

/// Levels listed, the most frequent first.
const LISTED: usize = 8;
/// Bars of a histogram.
const BARS: usize = 20;

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSurvey {
    /// Its name.
    pub name: String,
    /// Numbers, texts or dates.
    pub holds: Holds,
    /// Cells without a value.
    pub holes: usize,
    /// How many different values there are.
    pub distinct: usize,
    /// What looks odd, in words.
    pub odd: Vec<String>,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// Numbers, with their range and spread, and how many lie in each of equal parts of the range.
    Numbers {
        /// The least.
        least: f64,
        /// The largest.
        most: f64,
        /// Mean.
        mean: f64,
        /// Standard deviation over all rows.
        deviation: f64,
        /// Counts.
        bars: Vec<usize>,
    },
    /// Texts, with the most frequent ones.
    Texts {
        /// Texts and counts.
        levels: Vec<(String, usize)>,
    },
    /// Dates, with the first and the last.
    Dates {
        /// The earliest.
        first: String,
        /// The latest.
        last: String,
    },
    /// Nothing.
    Nothing,
}

/// Mean and deviation of one agent's numbers, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Numbers that are there.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

/// Looks at one column.
#[must_use]
pub fn survey_column(table: &Table, index: usize) -> ColumnSurvey {
    let rows = table.rows();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in 0..rows {
        *counts.entry(table.cell(row, index)).or_default() += 1;
    }
    let of = |keep: &dyn Fn(Reading) -> bool| -> usize {
        counts.iter().filter(|(text, _)| keep(Reading::of(text))).map(|(_, count)| count).sum()
    };
    let holes = of(&Reading::is_hole);
    let numeric = of(&|reading| matches!(reading, Reading::Finite(_) | Reading::NotFinite));
    let present = rows - holes;
    let distinct = counts.keys().filter(|text| !Reading::of(text).is_hole()).count();
    let mut odd = Vec::new();
    let text = table.own_type(index) == Some(ColumnType::Text);
    let holds = if present == 0 {
        odd.push("has no value".to_owned());
        Holds::Nothing
    } else if !text && 2 * numeric >= present {
        numbers(table, index, numeric, &mut odd)
    } else {
        texts(&counts, present, &mut odd)
    };
    if distinct == 1 {
        odd.push("has one value only, and will be left out".to_owned());
    }
    if 2 * holes > rows && present > 0 {
        odd.push(format!("is missing in {holes} of {rows} rows"));
    }
    ColumnSurvey { name: table.columns()[index].clone(), holds, holes, distinct, odd }
}

fn numbers(table: &Table, index: usize, numeric: usize, odd: &mut Vec<String>) -> Holds {
    let cells = || (0..table.rows()).map(|row| table.cell(row, index));
    let values: Vec<f64> = cells().filter_map(finite).collect();
    if let Some(slip) = cells().find(|cell| Reading::of(cell) == Reading::Text) {
        odd.push(format!("has text among {numeric} numbers: `{}`", crate::excerpt(slip)));
    }
    if let Some((code, cells)) = code_among(&values.iter().copied()) {
        odd.push(format!(
            "is {code} in {cells} rows, far from all other values: missing? `--na {code}`"
        ));
    }
    let counting = values.len() >= 50 && values.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
    if counting {
        odd.push("counts the rows: an identifier? `=ignore` leaves it out".to_owned());
    }
    let Spread { mean, deviation, .. } = spread(values.iter().copied());
    let (least, most) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(*value), b.max(*value)));
    Holds::Numbers { least, most, mean, deviation, bars: histogram(&values, least, most) }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and BARS")]
fn histogram(values: &[f64], least: f64, most: f64) -> Vec<usize> {
    let mut bars = vec![0; BARS];
    let width = (most - least) / BARS as f64;
    for value in values.iter().filter(|_| width > 0.0) {
        bars[(((value - least) / width) as usize).min(BARS - 1)] += 1;
    }
    bars
}

fn texts(counts: &HashMap<&str, usize>, present: usize, odd: &mut Vec<String>) -> Holds {
    let mut levels: Vec<(&str, usize)> =
        counts.iter().map(|(text, count)| (*text, *count)).collect();
    levels.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut names: Vec<&str> = counts.keys().copied().collect();
    names.sort_unstable();
    match suspect(names.iter().copied(), present) {
        Some(Suspect::Dates) => {
            let mut moments: Vec<(f64, &str)> =
                names.iter().filter_map(|text| Some((Moment::of(text)?.days(), *text))).collect();
            moments.sort_by(|a, b| a.0.total_cmp(&b.0));
            let at =
                |moment: Option<&(f64, &str)>| moment.map_or_else(String::new, |m| m.1.to_owned());
            odd.push("holds dates: days by default; `=parts`, `=ignore`".to_owned());
            return Holds::Dates { first: at(moments.first()), last: at(moments.last()) };
        }
        Some(Suspect::AmbiguousDates { cell }) => {
            odd.push(format!("holds dates, and in `{cell}` day and month cannot be told apart"));
        }
        Some(Suspect::Unit { cell, .. }) => {
            odd.push(format!("holds numbers with a unit: `{}`", crate::excerpt(&cell)));
        }
        Some(Suspect::Thousands { cell }) => {
            odd.push(format!("holds numbers with thousands separators: `{cell}`"));
        }
        Some(Suspect::Identifier { texts, rows }) => {
            odd.push(format!(
                "looks like an identifier: {texts} texts in {rows} rows; it will be left out"
            ));
        }
        None => {}
    }
    let levels = levels.into_iter().take(LISTED).map(|(text, count)| (text.to_owned(), count));
    Holds::Texts { levels: levels.collect() }
}

fn finite(cell: &str) -> Option<f64> {
    match Reading::of(cell) {
        Reading::Finite(value) => Some(value),
        _ => None,
    }
}

/// Mean and deviation of a column over some rows.
#[must_use]
pub fn spread_of(table: &Table, index: usize, rows: &[u32]) -> Spread {
    spread(rows.iter().filter_map(|&row| finite(table.cell(row as usize, index))))
}

/// Welford's recurrence (1962): one pass, no digits lost where the mean is far from zero.
fn spread(values: impl Iterator<Item = f64>) -> Spread {
    let (mut count, mut mean, mut squares) = (0_usize, 0.0, 0.0);
    for value in values {
        count += 1;
        let step = value - mean;
        mean += step / count as f64;
        squares += step * (value - mean);
    }
    let deviation = if count == 0 { 0.0 } else { (squares / count as f64).sqrt() };
    Spread { count, mean, deviation }
}

/// Agents whose numbers are unlike everybody else's: another unit, or another instrument. Their means are
/// away from the middle one by more than the usual deviation and eight times what means usually are, or
/// their deviations are not within a factor of twenty of the middle one.
#[must_use]
pub fn unlike(spreads: &[Spread]) -> Vec<usize> {
    let known: Vec<usize> = (0..spreads.len()).filter(|&k| spreads[k].count > 1).collect();
    if known.len() < 4 {
        return Vec::new();
    }
    let middle = |of: &dyn Fn(usize) -> f64| {
        let mut values: Vec<f64> = known.iter().map(|&k| of(k)).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let mean = middle(&|k| spreads[k].mean);
    let usual = middle(&|k| (spreads[k].mean - mean).abs());
    let deviation = middle(&|k| spreads[k].deviation);
    let strange = |k: &usize| {
        let away = (spreads[*k].mean - mean).abs();
        let ratio = spreads[*k].deviation / deviation;
        deviation > 0.0
            && ((away > 8.0 * usual && away > deviation) || !(0.05..=20.0).contains(&ratio))
    };
    known.into_iter().filter(strange).collect()
}

#[cfg(test)]
mod tests;
