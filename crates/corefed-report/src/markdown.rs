//! Text and tables as GitHub's Markdown.

use std::fmt::Write;

use corefed_core::one_line;

/// A table; the first row is its header, the first column is aligned left.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let mut said = String::new();
    for (k, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(said, "| {} |", cells.join(" | "));
        if k == 0 {
            let _ = writeln!(said, "|---|{}", "---:|".repeat(row.len().saturating_sub(1)));
        }
    }
    said
}

/// Names come from users: nothing in them may act as Markdown or HTML.
#[must_use]
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '[' | ']' | '\\' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}
