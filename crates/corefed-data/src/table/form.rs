//! How a file writes a table: what separates cells, and what decimals.

use corefed_core::{DecimalMark, Writing};

use crate::note::Note;

/// Bytes looked at to find out.
pub(crate) const SAMPLE: usize = 1 << 16;
/// Lines below the header looked at.
const LINES: usize = 50;

/// What separates cells, and what decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) separator: u8,
    pub(crate) decimal_comma: bool,
}

impl Form {
    /// Commas between cells and points before decimals.
    pub(crate) const USUAL: Self = Self { separator: b',', decimal_comma: false };

    /// Looks at the beginning of a file for what is not told. Commas are preferred wherever they give every
    /// line as many cells as the header, so that a file that was ever read with commas always is.
    pub(crate) fn of(bytes: &[u8], told: Writing) -> Self {
        let sample = &bytes[..bytes.len().min(SAMPLE)];
        let cut = sample.len() == SAMPLE;
        let told_separator = told.separator.map(corefed_core::Separator::mark);
        let separators = told_separator.map_or(vec![b',', b';', b'\t'], |mark| vec![mark]);
        let told_comma = told.decimal.map(|mark| mark == DecimalMark::Comma);
        let Some(found) = separators
            .into_iter()
            .map(|separator| (separator, records(sample, separator, cut)))
            .filter(|(_, records)| records.first().is_some_and(|header| header.len() > 1))
            .max_by_key(|(separator, records)| {
                let width = records[0].len();
                let even = records.iter().all(|record| record.len() == width);
                (even, *separator == b',', width)
            })
        else {
            let separator = told_separator.unwrap_or(Self::USUAL.separator);
            return Self { separator, decimal_comma: told_comma.unwrap_or(false) };
        };
        let (separator, records) = found;
        let cells = || records[1..].iter().flatten().map(|cell| cell.trim());
        let decimal_comma = told_comma.unwrap_or_else(|| {
            separator != b','
                && cells().any(|cell| decimal_comma(cell).is_some_and(|_| cell.contains(',')))
                && !cells().any(has_decimal_point)
        });
        Self { separator, decimal_comma }
    }

    /// What is unusual about it.
    pub(crate) fn notes(self) -> Vec<Note> {
        let by = match self.separator {
            b';' => Some("semicolons"),
            b'\t' => Some("tabs"),
            b'|' => Some("bars"),
            _ => None,
        };
        let separator = by.map(|by| Note::Separator { by: by.to_owned() });
        separator.into_iter().chain(self.decimal_comma.then_some(Note::DecimalComma)).collect()
    }
}

/// `1.234,5` or `1,5` with a point before its decimals and nothing between its thousands.
pub(crate) fn decimal_comma(cell: &str) -> Option<String> {
    let (sign, digits) = match cell.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", cell),
    };
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, decimals) = digits.split_once(',').map_or((digits, None), |(w, d)| (w, Some(d)));
    let mut groups = whole.split('.');
    let head = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let grouped = rest.iter().all(|group| group.len() == 3 && is_digits(group))
        && (rest.is_empty() || head.len() <= 3);
    let changed = decimals.is_some() || !rest.is_empty();
    let fits = !head.is_empty() && is_digits(head) && grouped && changed;
    (fits && decimals.is_none_or(is_digits)).then(|| {
        let decimals = decimals.map(|d| format!(".{d}")).unwrap_or_default();
        format!("{sign}{head}{}{decimals}", rest.concat())
    })
}

/// Whether a cell can only be a number with a decimal point: thousands come in groups of three.
fn has_decimal_point(cell: &str) -> bool {
    cell.contains('.') && cell.parse::<f64>().is_ok() && decimal_comma(cell).is_none()
}

fn records(sample: &[u8], separator: u8, cut: bool) -> Vec<Vec<String>> {
    let mut builder = csv::ReaderBuilder::new();
    let reader = builder.has_headers(false).flexible(true).delimiter(separator).from_reader(sample);
    let mut records: Vec<Vec<String>> = reader
        .into_byte_records()
        .take(LINES + 1)
        .map_while(Result::ok)
        .map(|record| record.iter().map(|c| String::from_utf8_lossy(c).into_owned()).collect())
        .collect();
    // The sample may end within a line.
    if cut && records.len() <= LINES {
        records.pop();
    }
    records
}

#[cfg(test)]
mod tests {
    use corefed_core::Separator;

    use super::*;

    fn of(text: &str) -> (char, bool) {
        told(text, Writing::default())
    }

    fn told(text: &str, told: Writing) -> (char, bool) {
        let form = Form::of(text.as_bytes(), told);
        (char::from(form.separator), form.decimal_comma)
    }

    #[test]
    fn what_is_told_is_not_looked_for() {
        let separator = |mark| Writing { separator: Some(mark), decimal: None };
        let decimal = |mark| Writing { separator: None, decimal: Some(mark) };
        let even = "a,b;c\n1,2;3\n";
        assert_eq!(
            (of(even), told(even, separator(Separator::Semicolon))),
            ((',', false), (';', true))
        );
        let grouped = "a;b\n1.234;2\n";
        assert_eq!(of(grouped), (';', false));
        assert_eq!(told(grouped, decimal(DecimalMark::Comma)), (';', true));
        let list = "a;b\n1,5;2\n";
        assert_eq!(
            (of(list), told(list, decimal(DecimalMark::Point))),
            ((';', true), (';', false))
        );
        assert_eq!(told("a|b\n1|2\n", separator(Separator::Pipe)), ('|', false));
        // One column, whatever is said.
        assert_eq!(told("a\n1\n", separator(Separator::Tab)), ('\t', false));
        assert_eq!(told("", decimal(DecimalMark::Comma)), (',', true));
    }

    #[test]
    fn separators_and_decimal_commas_are_seen() {
        assert_eq!(of("a,b\n1,2\n"), (',', false));
        assert_eq!(of("a;b\n1;2\n"), (';', false));
        assert_eq!(of("a\tb\n1.5\t2\n"), ('\t', false));
        assert_eq!(of("a;b\n1,5;2\n3;4,25\n"), (';', true));
        assert_eq!(of("a;b, in mm\n1;2,5\n1;2\n"), (';', true));
        assert_eq!(of("a;b\nx, y;1.5\n"), (';', false));
        // One column, or a file that says nothing.
        assert_eq!(of("a\n1\n"), (',', false));
        assert_eq!(of(""), (',', false));
        // What was always read with commas still is, whatever else is in the cells.
        assert_eq!(of("a,b;c;d\n1,2;3;4\n"), (',', false));
    }

    #[test]
    fn decimal_commas_become_points() {
        for (cell, expected) in [
            ("1,5", Some("1.5")),
            ("-0,25", Some("-0.25")),
            ("1.234,5", Some("1234.5")),
            ("1.234.567", Some("1234567")),
            ("12", None),
            ("1.5", None),
            ("1,2,3", None),
            ("a,5", None),
            (",5", None),
        ] {
            assert_eq!(decimal_comma(cell).as_deref(), expected, "{cell}");
        }
    }
}
