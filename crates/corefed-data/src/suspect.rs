//! Columns of text that are hardly categories: dates, numbers in disguise, identifiers.

use crate::date::{Moment, is_ambiguous};
use crate::reading::Reading;

/// With at most this many different texts a column may well be a category, whatever they look like.
const FEW: usize = 12;
/// An identifier has at least this many different texts, in less than twice as many rows.
const NAMES: usize = 50;

/// What a column of text more likely is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Suspect {
    /// Dates.
    Dates,
    /// Dates whose day and month cannot be told apart, such as this one.
    AmbiguousDates { cell: String },
    /// Numbers with a unit behind them.
    Unit { cell: String, unit: String },
    /// Numbers whose thousands are set apart.
    Thousands { cell: String },
    /// Names of rows.
    Identifier { texts: usize, rows: usize },
}

/// Looks at the different texts of a column that has them in this many rows; holes do not count.
pub(crate) fn suspect<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    rows: usize,
) -> Option<Suspect> {
    let texts = texts.filter(|text| !Reading::of(text).is_hole());
    let count = texts.clone().count();
    if count <= FEW {
        return None;
    }
    let first = texts.clone().next()?.to_owned();
    if texts.clone().all(|text| Moment::of(text).is_some()) {
        return Some(Suspect::Dates);
    }
    if texts.clone().all(is_ambiguous) {
        return Some(Suspect::AmbiguousDates { cell: first });
    }
    if let Some((_, unit)) = with_unit(&first)
        && texts.clone().all(|text| with_unit(text).is_some_and(|(_, own)| own == unit))
    {
        return Some(Suspect::Unit { unit: unit.to_owned(), cell: first });
    }
    let number = |text: &str| matches!(Reading::of(text), Reading::Finite(_));
    if let Some(cell) = texts.clone().find(|text| without_thousands(text).is_some())
        && texts.clone().all(|text| number(text) || without_thousands(text).is_some())
    {
        return Some(Suspect::Thousands { cell: cell.to_owned() });
    }
    (count >= NAMES && 2 * count > rows).then_some(Suspect::Identifier { texts: count, rows })
}

/// `120 mmHg` as `120` and `mmHg`; a unit starts with a letter, a degree or a percent sign.
pub(crate) fn with_unit(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | ',')))?;
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let starts =
        unit.starts_with(|c: char| c.is_alphabetic() || matches!(c, '%' | '°' | 'µ' | '€' | '$'));
    let is_number =
        matches!(Reading::of(number), Reading::Finite(_)) || without_thousands(number).is_some();
    // One letter behind a digit is more likely a slip: `3O`.
    let apart = text[end..].starts_with(' ') || unit.chars().count() > 1 || !unit.is_ascii();
    (starts && is_number && (apart || unit == "%")).then_some((number, unit))
}

/// `1,751.34` or `1 751.34` or `1'751.34` as `1751.34`.
pub(crate) fn without_thousands(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, decimals) = digits.split_once('.').map_or((digits, None), |(w, d)| (w, Some(d)));
    let separator = whole.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(separator, ',' | ' ' | '\'' | '\u{a0}' | '\u{202f}' | '’') {
        return None;
    }
    let mut groups = whole.split(separator);
    let head = groups.next()?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let rest: Vec<&str> = groups.collect();
    let grouped =
        is_digits(head) && head.len() <= 3 && rest.iter().all(|g| g.len() == 3 && is_digits(g));
    let fits = grouped && decimals.is_none_or(|d| d.is_empty() || is_digits(d));
    fits.then(|| {
        let decimals = decimals.map(|d| format!(".{d}")).unwrap_or_default();
        format!("{sign}{head}{}{decimals}", rest.concat())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[String], rows: usize) -> Option<Suspect> {
        suspect(texts.iter().map(String::as_str), rows)
    }

    fn many(make: impl Fn(usize) -> String) -> Vec<String> {
        (0..60).map(make).collect()
    }

    #[test]
    fn numbers_in_disguise_are_found() {
        let units = many(|i| format!("{} mmHg", 90 + i));
        let unit = "mmHg".to_owned();
        assert_eq!(of(&units, 1000), Some(Suspect::Unit { cell: "90 mmHg".to_owned(), unit }));
        let mut prices = many(|i| format!("{i}"));
        prices.push("1,751.34".to_owned());
        assert_eq!(of(&prices, 1000), Some(Suspect::Thousands { cell: "1,751.34".to_owned() }));
        let mixed = many(|i| format!("{i} {}", if i % 2 == 0 { "kg" } else { "lb" }));
        assert_eq!(of(&mixed, 1000), None);
    }

    #[test]
    fn dates_and_names_are_found_and_categories_are_not() {
        let dates = many(|i| format!("2024-{:02}-{:02}", 1 + i / 28, 1 + i % 28));
        assert_eq!(of(&dates, 1000), Some(Suspect::Dates));
        assert_eq!(of(&dates[..FEW], 1000), None);
        let names = many(|i| format!("patient {i}"));
        assert_eq!(of(&names, 61), Some(Suspect::Identifier { texts: 60, rows: 61 }));
        assert_eq!(of(&names, 120), None);
    }

    #[test]
    fn thousands_are_groups_of_three() {
        for (text, plain) in [
            ("1,751.34", Some("1751.34")),
            ("-12 345", Some("-12345")),
            ("1'000'000", Some("1000000")),
            ("1,5", None),
            ("12,34,567", None),
            ("1751", None),
            (",751", None),
            ("1,751.3x", None),
        ] {
            assert_eq!(without_thousands(text).as_deref(), plain, "{text}");
        }
        assert_eq!(with_unit("37.5°C"), Some(("37.5", "°C")));
        assert_eq!(with_unit("37.5"), None);
        assert_eq!(with_unit("mmHg"), None);
    }
}
