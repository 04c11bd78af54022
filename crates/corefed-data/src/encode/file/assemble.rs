//! From cells in the order of a file to encoded rows grouped by agent.
//!
//! Rows are visited once, in the order of the file, and every row goes straight to its place
//! behind the earlier rows of its agent. Each part of the grid is dropped as soon as it is moved,
//! so that numbers exist twice only for a while.

use corefed_core::{Encoding, Family};

use super::dictionary::Dictionary;
use super::grid::Grid;
use super::source::Source;
use crate::encode::apply::{level, located, standardised};
use crate::encode::exposure::{self, is_exposure};
use crate::encode::layout::{Group, Layout, Numeric};
use crate::encode::target::{self, Labels};
use crate::error::DataError;
use crate::reading::is_within_limit;
use crate::{Agent, Design, Federation};

/// The agents in order of appearance, with their ranges of rows.
pub(super) fn agents_of(grid: &Grid, column: usize) -> Vec<Agent> {
    let mut start = 0;
    let counts = grid.dictionary(column).into_iter().flat_map(Dictionary::counts);
    counts
        .map(|(count, name)| {
            let rows = start..start + count;
            start = rows.end;
            Agent { name: name.to_owned(), rows }
        })
        .collect()
}

/// Encodes what was read. `layout` is that of `encoding`.
pub(super) fn assemble(
    source: &dyn Source,
    mut grid: Grid,
    agents: Vec<Agent>,
    (encoding, layout): (&Encoding, &Layout<'_>),
    family: Family,
) -> Result<Federation, DataError> {
    let head = source.head();
    let numeric = located(head, &layout.numeric, |numeric| numeric.column)?;
    let groups = located(head, &layout.groups, |group| group.column)?;
    let target_column = head.column(&encoding.target_column)?;
    let order = Order { owners: std::mem::take(&mut grid.agents), agents: &agents };

    let (exposure, no_exposure) = match &encoding.exposure_column {
        Some(name) => order.exposures(&grid, head.column(name)?),
        None => (Vec::new(), None),
    };
    let (dense, no_number) = order.numbers(&mut grid, &numeric);
    let (hot, no_level) = order.levels(&mut grid, &groups, layout.intercept);
    // The row that comes first is to blame, and in it the number.
    let number_first = match (&no_number, &no_level) {
        (Some(number), Some(level)) => number.at <= level.at,
        (number, _) => number.is_some(),
    };
    if let Some(fault) = if number_first { no_number } else { no_level } {
        let row = source.row(fault.row)?;
        let why = if number_first {
            let (column, feature) = numeric[fault.item];
            standardised(&row, 0, column, feature).err()
        } else {
            let (column, group) = groups[fault.item];
            level(&row, 0, column, group).err()
        };
        return Err(why.map_or_else(|| source.changed(), Into::into));
    }
    let (target, no_target) = order.targets(&mut grid, target_column, family, &encoding.classes);
    if let Some(fault) = no_target {
        let row = source.row(fault.row)?;
        let columns = (target_column, head.column(&encoding.agent_column)?);
        let why = target::encode(&row, columns, &[0], (family, &encoding.classes)).err();
        return Err(why.map_or_else(|| source.changed(), Into::into));
    }
    if let Some(fault) = no_exposure {
        let why = exposure::of_rows(&source.row(fault.row)?, &[0], encoding).err();
        return Err(why.unwrap_or_else(|| source.changed()));
    }
    let hot_cols = groups.len() + usize::from(layout.intercept.is_some());
    let design = Design::new(grid.rows, layout.dim, (numeric.len(), dense), (hot_cols, hot))?;
    Ok(Federation::new(design, target, agents).with_exposure(exposure))
}

/// Who owns which row of the file.
struct Order<'a> {
    owners: Vec<u32>,
    agents: &'a [Agent],
}

/// A cell that cannot be encoded.
struct Fault {
    /// Its row of the file.
    row: usize,
    /// Its row in the order of the agents.
    at: usize,
    /// Which of the encoded columns.
    item: usize,
}

impl Order<'_> {
    /// Rows of the file with their places, in the order of the file.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut next: Vec<usize> = self.agents.iter().map(|agent| agent.rows.start).collect();
        self.owners.iter().enumerate().map(move |(row, &owner)| {
            let next = &mut next[owner as usize];
            *next += 1;
            (row, *next - 1)
        })
    }

    fn numbers(
        &self,
        grid: &mut Grid,
        features: &[(usize, &Numeric<'_>)],
    ) -> (Vec<f64>, Option<Fault>) {
        let numbers = std::mem::take(&mut grid.numbers);
        let (from, to) = (grid.number_columns, features.len());
        // Without a value to fill in, a missing cell stays what it is, and is found out below.
        let steps: Vec<_> = features
            .iter()
            .filter_map(|(column, feature)| {
                let fill = feature.missing.unwrap_or(f64::NAN);
                Some((grid.slot(*column)?, feature.mean, feature.scale, fill))
            })
            .collect();
        let mut dense = vec![0.0; grid.rows * to];
        let mut fault = None;
        for (row, at) in self.places() {
            let cells = &numbers[row * from..(row + 1) * from];
            let values = dense[at * to..(at + 1) * to].iter_mut();
            for (item, (value, &(slot, mean, scale, fill))) in values.zip(&steps).enumerate() {
                let raw = if cells[slot].is_nan() { fill } else { cells[slot] };
                *value = (raw - mean) / scale;
                if !is_within_limit(*value) {
                    blame(&mut fault, Fault { row, at, item });
                }
            }
        }
        (dense, fault)
    }

    fn exposures(&self, grid: &Grid, column: usize) -> (Vec<f64>, Option<Fault>) {
        let mut exposure = vec![1.0; grid.rows];
        let mut fault = None;
        let Some(slot) = grid.slot(column) else { return (exposure, fault) };
        for (row, at) in self.places() {
            let value = grid.numbers[row * grid.number_columns + slot];
            if is_exposure(value) {
                exposure[at] = value;
            } else {
                blame(&mut fault, Fault { row, at, item: 0 });
            }
        }
        (exposure, fault)
    }

    fn levels(
        &self,
        grid: &mut Grid,
        groups: &[(usize, &Group<'_>)],
        intercept: Option<u32>,
    ) -> (Vec<u32>, Option<Fault>) {
        const UNSEEN: u32 = u32::MAX;
        let codes = std::mem::take(&mut grid.codes);
        let (from, to) = (grid.code_columns, groups.len() + usize::from(intercept.is_some()));
        let steps: Vec<(usize, Vec<u32>)> = groups
            .iter()
            .filter_map(|(column, group)| {
                let texts = grid.dictionary(*column)?.iter();
                let known = texts.map(|text| group.levels.get(text).copied().unwrap_or(UNSEEN));
                Some((grid.slot(*column)?, known.collect()))
            })
            .collect();
        let mut hot = vec![intercept.unwrap_or_default(); grid.rows * to];
        let mut fault = None;
        for (row, at) in self.places() {
            let cells = &codes[row * from..(row + 1) * from];
            let indices = hot[at * to..(at + 1) * to].iter_mut();
            for (item, (index, (slot, known))) in indices.zip(&steps).enumerate() {
                *index = known[cells[*slot] as usize];
                if *index == UNSEEN {
                    blame(&mut fault, Fault { row, at, item });
                }
            }
        }
        (hot, fault)
    }

    fn targets(
        &self,
        grid: &mut Grid,
        column: usize,
        family: Family,
        classes: &[String],
    ) -> (Vec<f64>, Option<Fault>) {
        let mut target = vec![0.0; grid.rows];
        let mut fault = None;
        if !family.targets().is_class() {
            let numbers = std::mem::take(&mut grid.target_numbers);
            for (row, at) in self.places() {
                target[at] = numbers[row];
                if !(is_within_limit(target[at]) && family.targets().admits(target[at], 0)) {
                    blame(&mut fault, Fault { row, at, item: 0 });
                }
            }
            return (target, fault);
        }
        let codes = std::mem::take(&mut grid.target_codes);
        let labels = Labels::new(classes);
        let texts = grid.dictionary(column).into_iter().flat_map(Dictionary::iter);
        let known: Vec<Option<usize>> = texts.map(|text| labels.of(text)).collect();
        for (row, at) in self.places() {
            match known[codes[row] as usize] {
                Some(label) => target[at] = label as f64,
                None => blame(&mut fault, Fault { row, at, item: 0 }),
            }
        }
        (target, fault)
    }
}

/// Keeps the fault that comes first in the order of the agents.
fn blame(first: &mut Option<Fault>, fault: Fault) {
    let earlier = |known: &Fault| (known.at, known.item) <= (fault.at, fault.item);
    if !first.as_ref().is_some_and(earlier) {
        *first = Some(fault);
    }
}
