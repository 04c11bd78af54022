//! Which held-out rows of an agent say something on their own.

use corefed_core::{Seed, shuffle};

use crate::PairedMean;

/// Held-out rows of one agent in independent units: each row for itself, or all rows of a patient together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    /// The unit of every row; none for rows that are left out.
    of_row: Vec<Option<usize>>,
    sizes: Vec<usize>,
}

impl Units {
    /// Every row is a unit.
    #[must_use]
    pub fn rows(count: usize) -> Self {
        Self { of_row: (0..count).map(Some).collect(), sizes: vec![1; count] }
    }

    /// Rows with equal labels are a unit.
    #[must_use]
    pub fn groups(labels: &[usize]) -> Self {
        let mut known: Vec<usize> = labels.to_vec();
        known.sort_unstable();
        known.dedup();
        let unit = |label: &usize| known.partition_point(|other| other < label);
        let mut sizes = vec![0; known.len()];
        for label in labels {
            sizes[unit(label)] += 1;
        }
        Self { of_row: labels.iter().map(|label| Some(unit(label))).collect(), sizes }
    }

    /// How many units there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Two halves of the units, drawn; of an odd number the second has one more.
    #[must_use]
    pub fn halves(&self, seed: Seed) -> [Self; 2] {
        let mut order: Vec<usize> = (0..self.count()).collect();
        shuffle(&mut order, &mut seed.rng());
        let (first, second) = order.split_at(self.count() / 2);
        [first, second].map(|chosen| self.some(chosen))
    }

    fn some(&self, chosen: &[usize]) -> Self {
        let mut place = vec![None; self.count()];
        for (new, &old) in chosen.iter().enumerate() {
            place[old] = Some(new);
        }
        Self {
            of_row: self.of_row.iter().map(|unit| unit.and_then(|unit| place[unit])).collect(),
            sizes: chosen.iter().map(|&unit| self.sizes[unit]).collect(),
        }
    }

    /// The mean of one number per row, over the rows that are not left out; `None` with fewer than two units.
    ///
    /// # Panics
    /// If there is not one number per row: a bug of the caller.
    #[must_use]
    pub fn mean(&self, values: &[f64]) -> Option<PairedMean> {
        assert_eq!(values.len(), self.of_row.len(), "one number per row");
        let mut sums = vec![0.0; self.count()];
        for (value, unit) in values.iter().zip(&self.of_row) {
            if let Some(unit) = unit {
                sums[*unit] += value;
            }
        }
        PairedMean::of_units(sums.iter().zip(&self.sizes).map(|(sum, size)| (*sum, *size as f64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_share_all_units_and_no_row_changes_sides_with_its_group() {
        let labels = [7, 7, 2, 9, 2, 4, 5];
        let units = Units::groups(&labels);
        assert_eq!((units.count(), units.sizes.clone()), (5, vec![2, 1, 1, 2, 1]));
        let [first, second] = units.halves(Seed(1));
        assert_eq!((first.count(), second.count()), (2, 3));
        for row in 0..labels.len() {
            assert_ne!(first.of_row[row].is_some(), second.of_row[row].is_some(), "row {row}");
        }
        assert_eq!(first.of_row[0].is_some(), first.of_row[1].is_some());
        assert_eq!(first.of_row[2].is_some(), first.of_row[4].is_some());
        let total = |units: &Units| units.sizes.iter().sum::<usize>();
        assert_eq!(total(&first) + total(&second), labels.len());
    }

    #[test]
    fn means_are_over_rows_whatever_their_units() {
        let found = Units::groups(&[0, 0, 0, 1]).mean(&[1.0, 1.0, 1.0, 5.0]).unwrap();
        assert!((found.mean - 2.0).abs() < 1e-15);
        assert_eq!((found.rows, found.units), (4, 2));
        assert_eq!(Units::rows(1).mean(&[1.0]), None);
    }
}
