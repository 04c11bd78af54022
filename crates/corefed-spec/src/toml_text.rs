//! Values as TOML.

use std::fmt::Write;

/// Digits that read back as the same number, with a point or an exponent: TOML tells apart whole
/// numbers and others.
pub(crate) fn number(value: f64) -> String {
    format!("{value:?}")
}

/// A string on one line, whatever is in it.
pub(crate) fn text(value: &str) -> String {
    let mut quoted = String::from('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Writing to a String cannot fail.
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A key, quoted where it must be.
pub(crate) fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { text(name) }
}

/// Values in brackets.
pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_toml_reads_them() {
        assert_eq!([number(1.0), number(1e-7), number(f64::INFINITY)], ["1.0", "1e-7", "inf"]);
        assert_eq!(text("a\"b\\c\nd\u{7f}é"), "\"a\\\"b\\\\c\\u000Ad\\u007Fé\"");
        assert_eq!([key("agent-1"), key("a.b"), key("")], ["agent-1", "\"a.b\"", "\"\""]);
        assert_eq!(list(["1".to_owned(), "2".to_owned()]), "[1, 2]");
    }
}
