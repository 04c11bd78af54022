//! The design matrix: dense columns, then indicator columns stored as indices.
//!
//! One-hot encoded text is mostly zeros (Adult has 14 non-zeros among 108 columns), so the
//! indicator part of a row is a short list of column indices. The intercept is an indicator
//! that is always on.

use std::ops::Range;

use thiserror::Error;

/// A row-major matrix whose last columns are indicators.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    rows: usize,
    dim: usize,
    dense_cols: usize,
    hot_cols: usize,
    dense: Vec<f64>,
    hot: Vec<u32>,
}

/// Why numbers do not form a design matrix.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DesignError {
    /// Lengths disagree with the shape.
    #[error("a design of {rows} rows needs {expected} {part} entries but has {found}")]
    Shape {
        /// Rows asked for.
        rows: usize,
        /// `dense` or `indicator`.
        part: &'static str,
        /// Entries the shape asks for.
        expected: usize,
        /// Entries given.
        found: usize,
    },
    /// An indicator points outside its columns, or a row's indicators are not ascending.
    #[error("row {row}: indicator columns must ascend within {low}..{high}")]
    Indicator {
        /// Row index from zero.
        row: usize,
        /// First indicator column.
        low: usize,
        /// One past the last column.
        high: usize,
    },
}

impl Design {
    /// Checks and takes the parts: `dense` has `rows * dense_cols` numbers, `hot` has
    /// `rows * hot_cols` column indices in `dense_cols..dim`, ascending within a row.
    pub fn new(
        rows: usize,
        dim: usize,
        (dense_cols, dense): (usize, Vec<f64>),
        (hot_cols, hot): (usize, Vec<u32>),
    ) -> Result<Self, DesignError> {
        let shape = |part, expected, found| {
            if expected == found {
                Ok(())
            } else {
                Err(DesignError::Shape { rows, part, expected, found })
            }
        };
        shape("dense", rows * dense_cols, dense.len())?;
        shape("indicator", rows * hot_cols, hot.len())?;
        if hot_cols > 0 {
            for (row, indices) in hot.chunks_exact(hot_cols).enumerate() {
                let ascending = indices.windows(2).all(|pair| pair[0] < pair[1]);
                let inside = indices.iter().all(|&h| (dense_cols..dim).contains(&(h as usize)));
                if !(ascending && inside) {
                    return Err(DesignError::Indicator { row, low: dense_cols, high: dim });
                }
            }
        }
        Ok(Self { rows, dim, dense_cols, hot_cols, dense, hot })
    }

    /// A matrix without indicators.
    pub fn dense(rows: usize, cols: usize, values: Vec<f64>) -> Result<Self, DesignError> {
        Self::new(rows, cols, (cols, values), (0, Vec::new()))
    }

    /// Dense columns followed by an intercept, for numbers that are whole rows.
    pub(crate) fn with_intercept(dense_cols: usize, dense: Vec<f64>) -> Self {
        let rows = dense.len() / dense_cols;
        // Columns are indexed by 32 bits, as everywhere in this type.
        let intercept = u32::try_from(dense_cols).unwrap_or(u32::MAX);
        let hot = vec![intercept; rows];
        Self { rows, dim: dense_cols + 1, dense_cols, hot_cols: 1, dense, hot }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of encoded columns, dense and indicators together.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of dense columns, which come first.
    #[must_use]
    pub fn dense_cols(&self) -> usize {
        self.dense_cols
    }

    /// Indicators that are on in each row.
    #[must_use]
    pub fn hot_cols(&self) -> usize {
        self.hot_cols
    }

    /// Dense entries of some rows, row-major.
    #[must_use]
    pub fn dense_rows(&self, rows: Range<usize>) -> &[f64] {
        &self.dense[rows.start * self.dense_cols..rows.end * self.dense_cols]
    }

    /// Indicator columns that are on in some rows, row-major.
    #[must_use]
    pub fn hot_rows(&self, rows: Range<usize>) -> &[u32] {
        &self.hot[rows.start * self.hot_cols..rows.end * self.hot_cols]
    }

    /// The matrix of the listed rows, in the order of the list; a row listed twice is there
    /// twice.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let mut dense = Vec::with_capacity(rows.len() * self.dense_cols);
        let mut hot = Vec::with_capacity(rows.len() * self.hot_cols);
        for &row in rows {
            dense.extend_from_slice(self.dense_rows(row..row + 1));
            hot.extend_from_slice(self.hot_rows(row..row + 1));
        }
        Self { rows: rows.len(), dense, hot, ..*self }
    }

    /// Dense entries of some rows, to be changed in place.
    pub(crate) fn dense_rows_mut(&mut self, rows: Range<usize>) -> &mut [f64] {
        &mut self.dense[rows.start * self.dense_cols..rows.end * self.dense_cols]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_and_indicator_order_are_checked() {
        assert!(Design::new(1, 4, (2, vec![0.5, 1.0]), (2, vec![2, 3])).is_ok());
        let short = Design::dense(2, 2, vec![0.0; 3]);
        assert_eq!(
            short.unwrap_err(),
            DesignError::Shape { rows: 2, part: "dense", expected: 4, found: 3 }
        );
        for bad in [vec![3, 2], vec![2, 2], vec![1, 3], vec![2, 4]] {
            let error = Design::new(1, 4, (2, vec![0.5, 1.0]), (2, bad)).unwrap_err();
            assert_eq!(error, DesignError::Indicator { row: 0, low: 2, high: 4 });
        }
    }
}
