//! A table of results, as text, Markdown, CSV and LaTeX.

use std::fmt::Write;

use corefed_core::{Choice, inert_cell, one_line};

use crate::columns::columns;
use crate::{ReportError, markdown};

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Aligned columns.
    Text,
    /// A table of GitHub's Markdown.
    Markdown,
    /// Full precision, one header line.
    Csv,
    /// A `tabular` that needs no package.
    Latex,
}

impl Choice for TableFormat {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Text, "text", "Aligned columns"),
        (Self::Markdown, "markdown", "A Markdown table"),
        (Self::Csv, "csv", "Full precision"),
        (Self::Latex, "latex", "A `tabular`"),
    ];
}

/// Rows of cells under a header.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// Names of the columns.
    pub header: Vec<String>,
    /// As many cells each.
    pub rows: Vec<Vec<Cell>>,
}

/// A value as people read it and as programs do.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// For people.
    pub shown: String,
    /// For programs.
    pub exact: String,
}

impl Cell {
    /// Text, the same for both.
    pub fn text(text: impl Into<String>) -> Self {
        let shown = text.into();
        Self { exact: shown.clone(), shown }
    }

    /// A number with some digits for people and all of them for programs.
    #[must_use]
    pub fn number(value: f64, digits: usize) -> Self {
        let size = value.abs();
        let shown = if value.is_infinite() {
            value.to_string()
        } else if size >= 1e5 || (size > 0.0 && size < 0.5 * 10_f64.powi(-i32_digits(digits))) {
            format!("{value:.*e}", digits.saturating_sub(1))
        } else {
            format!("{value:.digits$}")
        };
        Self { shown, exact: value.to_string() }
    }

    /// An empty cell.
    #[must_use]
    pub fn missing() -> Self {
        Self::text("")
    }
}

fn i32_digits(digits: usize) -> i32 {
    i32::try_from(digits).unwrap_or(i32::MAX)
}

impl Grid {
    fn shown(&self) -> Vec<Vec<String>> {
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| cell.shown.clone()).collect());
        std::iter::once(self.header.clone()).chain(rows).collect()
    }

    /// The table in one of its formats.
    pub fn to_format(&self, format: TableFormat) -> Result<String, ReportError> {
        Ok(match format {
            TableFormat::Text => self.to_text(),
            TableFormat::Markdown => self.to_markdown(),
            TableFormat::Csv => self.to_csv()?,
            TableFormat::Latex => self.to_latex(),
        })
    }

    /// Aligned columns.
    #[must_use]
    pub fn to_text(&self) -> String {
        columns(&self.shown())
    }

    /// A table of GitHub's Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::table(&self.shown())
    }

    /// Full precision, one header line. Names are shown, and nothing in a cell is a formula to a spreadsheet.
    pub fn to_csv(&self) -> Result<String, ReportError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let cell = |text: &str| inert_cell(&one_line(text)).into_owned();
        writer.write_record(self.header.iter().map(|name| cell(name)))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(|value| cell(&value.exact)))?;
        }
        let bytes =
            writer.into_inner().map_err(|error| ReportError::Csv { reason: error.to_string() })?;
        String::from_utf8(bytes).map_err(|error| ReportError::Csv { reason: error.to_string() })
    }

    /// A `tabular` that needs no package.
    #[must_use]
    pub fn to_latex(&self) -> String {
        let columns = self.header.len();
        let mut said =
            format!("\\begin{{tabular}}{{l{}}}\n\\hline\n", "r".repeat(columns.saturating_sub(1)));
        for (k, row) in self.shown().iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| latex(cell)).collect();
            let _ = writeln!(said, "{} \\\\", cells.join(" & "));
            if k == 0 {
                said.push_str("\\hline\n");
            }
        }
        said.push_str("\\hline\n\\end{tabular}\n");
        said
    }
}

/// Names come from users: nothing in them may act as a command.
fn latex(cell: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(cell).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '±' => escaped.push_str("$\\pm$"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid {
            header: vec!["rule".into(), "u(A_1)".into()],
            rows: vec![vec![Cell::text("q-FFL 50 %"), Cell::number(1.0 / 3.0, 3)]],
        }
    }

    #[test]
    fn every_format_shows_the_same_table() {
        assert_eq!(grid().to_text(), "  rule        u(A_1)\n  q-FFL 50 %   0.333\n");
        assert_eq!(
            grid().to_markdown(),
            "| rule | u(A\\_1) |\n|---|---:|\n| q-FFL 50 % | 0.333 |\n"
        );
        assert_eq!(grid().to_csv().unwrap(), "rule,u(A_1)\nq-FFL 50 %,0.3333333333333333\n");
        assert_eq!(
            grid().to_latex(),
            "\\begin{tabular}{lr}\n\\hline\nrule & u(A\\_1) \\\\\n\\hline\nq-FFL 50 \\% & 0.333 \
             \\\\\n\\hline\n\\end{tabular}\n"
        );
    }

    #[test]
    fn nothing_in_a_name_acts_in_any_format() {
        let name = "=1+1\u{1b}[2J\nstable\u{202e}";
        let grid = Grid { header: vec![name.into()], rows: vec![vec![Cell::text(name)]] };
        assert!(grid.to_csv().unwrap().starts_with("'=1+1\\u001b[2J\\u000astable\\u202e\n"));
        for (k, (_, word, _)) in TableFormat::WORDS.iter().enumerate() {
            let text = grid.to_format(TableFormat::WORDS[k].0).unwrap();
            let hidden = |c: char| corefed_core::is_hidden(c) && c != '\n';
            assert!(!text.contains(hidden) && !text.contains("\nstable"), "{word}: {text}");
        }
    }

    #[test]
    fn numbers_keep_their_meaning_at_any_size() {
        for (value, shown) in
            [(7084.25, "7084.250"), (1.5e9, "1.50e9"), (2e-7, "2.00e-7"), (0.0, "0.000")]
        {
            assert_eq!(Cell::number(value, 3).shown, shown);
        }
        assert_eq!(Cell::number(f64::INFINITY, 3).shown, "inf");
    }
}
