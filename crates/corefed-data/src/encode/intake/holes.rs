//! Rows that are left out because of their holes.

use corefed_core::{Family, UsedRows};

use crate::Table;
use crate::encode::decimal_cell::read_number;
use crate::error::FitError;
use crate::names::excerpt;
use crate::note::Note;
use crate::reading::is_no_class;

/// Rows that can be used.
pub(super) struct Holes {
    pub(super) keep: Vec<bool>,
    by_column: Vec<(String, usize)>,
}

impl Holes {
    /// Rows without target and, if rows must be complete, with a hole in a column that is used.
    pub(super) fn of(
        table: &Table,
        rows: UsedRows,
        (target, family, classes): (usize, Family, &[String]),
        used: &[usize],
        is_hole: impl Fn(usize, &str) -> bool,
    ) -> Self {
        let mut keep = vec![true; table.rows()];
        let mut by_column = Vec::new();
        let no_target = |cell: &str| {
            if family.targets().is_class() {
                is_no_class(cell) && !classes.iter().any(|class| class == cell)
            } else {
                read_number(cell).is_hole()
            }
        };
        let mut look = |index: usize, is_hole: &dyn Fn(&str) -> bool| {
            let mut holes = 0;
            for (row, keep) in keep.iter_mut().enumerate() {
                if is_hole(table.cell(row, index)) {
                    *keep = false;
                    holes += 1;
                }
            }
            if holes > 0 {
                by_column.push((table.columns()[index].clone(), holes));
            }
        };
        if rows != UsedRows::All {
            look(target, &no_target);
        }
        if rows == UsedRows::Complete {
            for &index in used {
                look(index, &|cell| is_hole(index, cell));
            }
        }
        by_column.sort_by_key(|(_, holes)| std::cmp::Reverse(*holes));
        Self { keep, by_column }
    }

    /// What to say, if a row is left out.
    pub(super) fn note(&self, table: &Table) -> Result<Option<Note>, FitError> {
        let of = self.keep.len();
        let rows = self.keep.iter().filter(|keep| !**keep).count();
        let Some((column, holes)) = self.by_column.first() else { return Ok(None) };
        if rows == of {
            let (file, column) = (table.file().to_owned(), excerpt(column));
            return Err(FitError::NoRowsLeft { file, column, holes: *holes, rows });
        }
        Ok(Some(Note::RowsLeftOut { rows, of, holes: self.by_column.clone() }))
    }
}
