//! The table behind a chart: shown in the page, embedded as JSON, saved as CSV.

use std::fmt::Write;

use corefed_core::Number;
use serde_json::{Value, json};

use crate::html::percent;
use crate::html::{escape, factor, number, whole};

/// Rows beyond this are left to the download: a page has to open at once.
const MOST_ROWS: usize = 100;

/// A value as people and programs see it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    /// Text made of numbers, which stands in line with them.
    Figures(String),
    Number(f64),
    /// A number near one, where the fourth digit matters.
    Factor(f64),
    /// A part of the whole, in [0, 1].
    Share(f64),
    Whole(usize),
    Missing,
}

impl Cell {
    pub(crate) fn of(value: Option<f64>) -> Self {
        value.map_or(Self::Missing, Self::Number)
    }

    pub(crate) fn factor(value: Option<f64>) -> Self {
        value.map_or(Self::Missing, Self::Factor)
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Figures(text) => escape(text),
            Self::Number(value) => number(*value),
            Self::Factor(value) => factor(*value),
            Self::Share(value) => percent(*value),
            Self::Whole(value) => whole(*value),
            Self::Missing => "–".to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) | Self::Figures(text) => json!(text),
            Self::Number(value) | Self::Factor(value) | Self::Share(value) => {
                if value.is_nan() {
                    Value::Null
                } else {
                    json!(Number(*value))
                }
            }
            Self::Whole(value) => json!(value),
            Self::Missing => Value::Null,
        }
    }
}

/// Rows of cells under named columns; the first column names the row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Name in the page and of the file it is saved as.
    pub(crate) id: String,
    pub(crate) caption: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table in a box of its own that scrolls when it is too wide.
    pub(crate) fn html(&self) -> String {
        let label = escape(&self.caption);
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\
             <caption>{label}</caption><thead><tr>"
        );
        for (k, column) in self.columns.iter().enumerate() {
            let class = if self.is_text(k) { "" } else { " class=\"n\"" };
            // Writing to a String cannot fail.
            let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escape(column));
        }
        html.push_str("</tr></thead><tbody>\n");
        for row in self.rows.iter().take(MOST_ROWS) {
            html.push_str("<tr>");
            for (k, cell) in row.iter().enumerate() {
                let class = if self.is_text(k) { "" } else { " class=\"n\"" };
                let _ = match k {
                    0 => write!(html, "<th scope=\"row\"{class}>{}</th>", cell.shown()),
                    _ => write!(html, "<td{class}>{}</td>", cell.shown()),
                };
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>\n");
        if self.rows.len() > MOST_ROWS {
            let _ = writeln!(
                html,
                "<p class=\"small\">{} of {} rows are shown; the downloads have all.</p>",
                MOST_ROWS,
                whole(self.rows.len())
            );
        }
        html
    }

    /// The table folded away under its chart.
    pub(crate) fn folded(&self) -> String {
        format!(
            "<details class=\"data\"><summary>Table: {}</summary>\n{}<p class=\"save\" \
             data-table=\"{}\"></p></details>\n",
            escape(&self.caption),
            self.html(),
            escape(&self.id)
        )
    }

    fn is_text(&self, column: usize) -> bool {
        self.rows.first().is_some_and(|row| matches!(row.get(column), Some(Cell::Text(_))))
    }

    /// Full precision; infinities as text, what is missing as `null`.
    pub(crate) fn json(&self) -> Value {
        let rows: Vec<Vec<Value>> =
            self.rows.iter().map(|row| row.iter().map(Cell::json).collect()).collect();
        json!({ "caption": self.caption, "columns": self.columns, "rows": rows })
    }
}
