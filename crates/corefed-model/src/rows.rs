//! A run of consecutive rows of the design matrix, as the kernels read it.

use std::ops::Range;

use corefed_data::Design;

/// A view of some rows; nothing is copied.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// Dense entries, row-major.
    pub(crate) dense: &'a [f64],
    /// Number of dense columns.
    pub(crate) dense_cols: usize,
    /// Columns that are on, row-major.
    hot: &'a [u32],
    /// Columns that are on in each row.
    hot_cols: usize,
    /// The column that is on in every row, if the last one of each row is.
    pub(crate) always: Option<usize>,
    /// Number of rows.
    pub(crate) len: usize,
    /// How much each row counts; empty where all count the same.
    pub(crate) weights: &'a [f64],
    /// What is added to the margin of each row; empty where nothing is.
    pub(crate) offsets: &'a [f64],
}

impl<'a> Rows<'a> {
    pub(crate) fn new(design: &'a Design, always: Option<usize>, rows: Range<usize>) -> Self {
        Self {
            dense: design.dense_rows(rows.clone()),
            dense_cols: design.dense_cols(),
            hot: design.hot_rows(rows.clone()),
            hot_cols: design.hot_cols(),
            always,
            len: rows.len(),
            weights: &[],
            offsets: &[],
        }
    }

    /// The same rows with weights, one per row or none.
    pub(crate) fn weighted(self, weights: &'a [f64]) -> Self {
        Self { weights, ..self }
    }

    /// The same rows with offsets, one per row or none.
    pub(crate) fn offset(self, offsets: &'a [f64]) -> Self {
        Self { offsets, ..self }
    }

    /// Rows of `cols` numbers each, without indicators.
    pub(crate) fn dense(dense: &'a [f64], cols: usize) -> Self {
        let len = dense.len() / cols.max(1);
        Self {
            dense,
            dense_cols: cols,
            hot: &[],
            hot_cols: 0,
            always: None,
            len,
            weights: &[],
            offsets: &[],
        }
    }

    /// The rows `start..start + len` of this run.
    #[inline]
    pub(crate) fn block(self, start: usize, len: usize) -> Self {
        Self {
            dense: &self.dense[start * self.dense_cols..(start + len) * self.dense_cols],
            hot: &self.hot[start * self.hot_cols..(start + len) * self.hot_cols],
            len,
            weights: self.weights.get(start..start + len).unwrap_or(&[]),
            offsets: self.offsets.get(start..start + len).unwrap_or(&[]),
            ..self
        }
    }

    /// Columns that are on in each row, but for the one that always is; nothing where no other
    /// exists.
    #[inline]
    pub(crate) fn varying(self) -> impl Iterator<Item = &'a [u32]> {
        let kept = self.hot_cols - usize::from(self.always.is_some());
        let indices = if kept == 0 { &[] } else { self.hot };
        indices.chunks_exact(self.hot_cols.max(1)).map(move |row| &row[..kept])
    }
}

/// The column that is on in every row, found where an intercept puts it: last.
///
/// Indicators ascend within a row, so an intercept behind all levels is the last one of each.
/// An always-on column elsewhere is handled as any other.
pub(crate) fn always_on(design: &Design) -> Option<usize> {
    let hot = design.hot_rows(0..design.rows());
    let last = *hot.last()?;
    let everywhere = hot.chunks_exact(design.hot_cols()).all(|row| row.last() == Some(&last));
    everywhere.then_some(last as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intercept_is_recognised_where_it_is_last_in_every_row() {
        let design = |hot| Design::new(2, 4, (1, vec![0.5, 1.5]), (2, hot)).unwrap();
        let with = design(vec![1, 3, 2, 3]);
        assert_eq!(always_on(&with), Some(3));
        let rows = Rows::new(&with, Some(3), 0..2);
        assert_eq!(rows.varying().collect::<Vec<_>>(), [[1], [2]]);
        assert_eq!(always_on(&design(vec![1, 2, 2, 3])), None);
        assert_eq!(always_on(&Design::dense(1, 1, vec![0.0]).unwrap()), None);
    }

    #[test]
    fn an_intercept_alone_leaves_no_varying_indicator() {
        let design = Design::new(2, 2, (1, vec![0.5, 1.5]), (1, vec![1, 1])).unwrap();
        assert_eq!(Rows::new(&design, Some(1), 0..2).varying().count(), 0);
    }
}
