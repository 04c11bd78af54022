//! Rows of text with aligned columns.

use std::collections::BTreeSet;

use corefed_core::one_line;

/// What a terminal shows of a line without breaking it.
const MOST: usize = 100;
/// Characters of a name; documents and CSV files have all of it.
const MOST_NAME: usize = 40;

/// A left-aligned first column and right-aligned others. What is wider than a terminal comes in parts, one
/// below the other, each with the first column.
#[must_use]
pub fn columns(rows: &[Vec<String>]) -> String {
    let plain = |row: &Vec<String>| row.iter().map(|cell| one_line(cell).into_owned()).collect();
    let rows = &shortened(&rows.iter().map(plain).collect::<Vec<_>>());
    let count = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for (k, part) in parts(&widths).iter().enumerate() {
        if k > 0 {
            text.push('\n');
        }
        for row in rows {
            let mut line = String::new();
            for &column in part {
                let cell = &row[column];
                // Not by a format, whose widths end at 65,535.
                let gap = " ".repeat(widths[column] - cell.chars().count());
                let parts = if column == 0 { ["  ", cell, &gap] } else { ["  ", &gap, cell] };
                line.extend(parts);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

/// Names that are longer than a column can be, cut where that leaves them different.
fn shortened(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let cut = |name: &String| match name.char_indices().nth(MOST_NAME) {
        Some(_) => name.chars().take(MOST_NAME - 1).chain(['…']).collect(),
        None => name.clone(),
    };
    let names: BTreeSet<&String> = rows.iter().filter_map(|row| row.first()).collect();
    let short: BTreeSet<String> = names.iter().map(|name| cut(name)).collect();
    let mut rows = rows.to_vec();
    if short.len() == names.len() {
        rows.iter_mut().filter_map(|row| row.first_mut()).for_each(|name| *name = cut(name));
    }
    rows
}

/// Which columns stand beside each other; the first in every part.
fn parts(widths: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, others)) = widths.split_first() else { return Vec::new() };
    let mut parts = vec![vec![0]];
    let mut wide = first + 2;
    for (k, width) in others.iter().enumerate() {
        let full = wide + width + 2 > MOST;
        match parts.last_mut() {
            Some(part) if !full || part.len() == 1 => part.push(k + 1),
            _ => {
                parts.push(vec![0, k + 1]);
                wide = first + 2;
            }
        }
        wide += width + 2;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align_names_left_and_numbers_right() {
        let rows = [["agent", "u"], ["Évora", "1.25"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), "  agent     u\n  Évora  1.25\n");
        assert_eq!(columns(&[]), "");
    }

    #[test]
    fn long_names_are_cut_unless_they_would_be_the_same() {
        let long = |end: &str| vec!["x".repeat(60) + end, "1".to_owned()];
        let text = columns(&[long(""), vec!["y".to_owned(), "2".to_owned()]]);
        assert_eq!(text.lines().next(), Some(format!("  {}…  1", "x".repeat(39)).as_str()));
        let text = columns(&[long("a"), long("b")]);
        assert!(text.contains(&format!("{}b  1", "x".repeat(60))), "{text}");
    }

    #[test]
    fn names_of_any_length_are_shown() {
        let long = |end: &str| vec!["x".repeat(70_000) + end, "1".to_owned()];
        let text = columns(&[long("a"), long("bc")]);
        let ends: Vec<&str> = text.lines().map(|line| &line[line.len() - 5..]).collect();
        assert_eq!(ends, ["a   1", "bc  1"]);
    }

    #[test]
    fn a_wide_table_comes_in_parts_that_fit_and_loses_no_cell() {
        let row = |name: &str, k: usize| {
            let cells = (0..30).map(|column| format!("{}", 10_000 * k + column));
            std::iter::once(name.to_owned()).chain(cells).collect::<Vec<_>>()
        };
        let rows = [row("north", 1), row("a very long name of a station", 2)];
        let text = columns(&rows);
        assert!(text.lines().all(|line| line.chars().count() <= MOST), "{text}");
        for cell in rows.iter().flat_map(|row| &row[1..]) {
            assert_eq!(text.split_whitespace().filter(|word| word == cell).count(), 1, "{cell}");
        }
        let starts = text.lines().filter(|line| line.starts_with("  north")).count();
        assert!(starts > 1 && text.contains("\n\n"), "{text}");
    }
}
