//! Names from files that nobody has checked, as a terminal, a page or a table may show them.
//!
//! A name may hold anything: escapes that clear a screen, line breaks that begin a verdict of their own, marks that
//! turn a line around, characters that nobody sees. None of them is ever shown. Each becomes `\uXXXX`, as in JSON, so
//! that different names stay different and text that is JSON keeps its meaning.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something to a line, or nothing that can be seen: control characters, line and paragraph
/// separators, marks of direction, and whatever Unicode calls default ignorable.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{feff}' | '\u{3164}' | '\u{ffa0}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// A name on one line. Two names that differ are shown differently: a backslash that looks like the beginning of an
/// escape is escaped itself.
#[must_use]
pub fn shown(name: &str) -> Cow<'_, str> {
    if needs_care(name) { Cow::Owned(shown_without(name, is_hidden)) } else { Cow::Borrowed(name) }
}

/// A name that may stand between backticks; [`unquoted`] gives it back.
pub(crate) fn quotable(name: &str) -> String {
    shown_without(name, |c| is_hidden(c) || c == '`')
}

fn shown_without(name: &str, hidden: impl Fn(char) -> bool) -> String {
    let mut text = String::with_capacity(name.len() + 16);
    for (at, c) in name.char_indices() {
        if hidden(c) || c == '\\' && is_escape(&name[at..]) {
            escape(c, &mut text);
        } else {
            text.push(c);
        }
    }
    text
}

/// What [`quotable`] was given.
pub(crate) fn unquoted(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let (mut units, mut rest): (Vec<u16>, _) = (Vec::new(), text);
    while let Some(c) = rest.chars().next() {
        if is_escape(rest) {
            units.push(u16::from_str_radix(&rest[2..6], 16).unwrap_or_default());
            rest = &rest[6..];
        } else {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            rest = &rest[c.len_utf8()..];
        }
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// Whether [`shown`] would change a name.
#[must_use]
pub fn needs_care(name: &str) -> bool {
    name.char_indices().any(|(at, c)| is_hidden(c) || c == '\\' && is_escape(&name[at..]))
}

/// A message of ours on one line, in which names stand that may be shown already.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// A text of ours, in which names may be hidden: its lines stay, everything else that is hidden is shown. JSON keeps
/// its meaning, because its strings hold no line breaks.
#[must_use]
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && c != '\n')
}

fn escaped(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) { escape(c, &mut plain) } else { plain.push(c) }
    }
    Cow::Owned(plain)
}

/// `\uXXXX` of each of a character's units of UTF-16.
fn escape(c: char, text: &mut String) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a String cannot fail.
        let _ = write!(text, "\\u{unit:04x}");
    }
}

/// Whether a text that begins with a backslash begins with an escape.
fn is_escape(text: &str) -> bool {
    let digits = text.strip_prefix("\\u").unwrap_or_default().as_bytes();
    digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit)
}

/// A word as a POSIX shell takes it: as it is where nothing in it acts, else in quotes; hidden characters as `$'...'`.
#[must_use]
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@+%".contains(c);
    if !word.is_empty() && !word.starts_with('~') && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    if !word.contains(is_hidden) {
        return Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")));
    }
    let mut quoted = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if is_hidden(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(quoted, "\\x{byte:02x}");
                }
                // The digits of an escape end here, whatever follows.
                quoted.push_str("'$'");
            }
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    Cow::Owned(quoted)
}

/// A cell of a table for spreadsheets, which take what begins with `=`, `+`, `-`, `@`, a tab or a line break for a
/// formula: an apostrophe before it makes it text. Numbers stay numbers.
#[must_use]
pub fn inert_cell(cell: &str) -> Cow<'_, str> {
    let acts = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if acts && cell.parse::<f64>().is_err() {
        return Cow::Owned(format!("'{cell}"));
    }
    Cow::Borrowed(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_is_left_and_ordinary_names_stay() {
        for name in ["Évora", "北京", "C:\\users\\a", "a'b", "-12", "أ", "naïve 🙂"] {
            assert_eq!(shown(name), name);
        }
        let hostile =
            "\u{1b}[2J\r\na\tb\u{7f}\u{9b}\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}\u{2028}";
        let told = shown(hostile);
        assert!(!told.contains(is_hidden), "{told}");
        assert_eq!(shown("a\nb\u{e0041}"), "a\\u000ab\\udb40\\udc41");
        assert_eq!(shown_lines("a\nb\u{1b}"), "a\nb\\u001b");
        assert_eq!(one_line(&format!("agent `{}`\n", shown("\n"))), "agent `\\u000a`\\u000a");
    }

    #[test]
    fn different_names_are_shown_differently() {
        assert_eq!(shown("a\\u000a"), "a\\u005cu000a");
        assert_ne!(shown("a\\u000a"), shown("a\n"));
        assert_ne!(shown("a\\u005cu000a"), shown("a\\u000a"));
    }

    #[test]
    fn escaped_json_means_what_it_meant() {
        let value = serde_json::json!({"na\u{202e}me\n": "\u{e0041}\u{9b}\\u"});
        let text = serde_json::to_string_pretty(&value).unwrap();
        let plain = shown_lines(&text);
        assert!(!plain.contains(|c| is_hidden(c) && c != '\n'), "{plain}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&plain).unwrap(), value);
    }

    #[test]
    fn a_word_is_quoted_where_a_shell_would_act() {
        assert_eq!(shell_word("runs/a-1.csv"), "runs/a-1.csv");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("~root"), "'~root'");
        assert_eq!(shell_word("x$(touch pwn);`id`.csv"), "'x$(touch pwn);`id`.csv'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word("a\nb'"), "$'a\\x0a'$'b\\''");
    }

    #[test]
    fn formulas_become_text_and_numbers_stay_numbers() {
        for formula in
            ["=HYPERLINK(\"x\")", "+cmd|' /C calc'!A0", "-1+2", "@SUM(A1)", "\t=1", "＝1"]
        {
            assert_eq!(inert_cell(formula), format!("'{formula}"));
        }
        for harmless in ["-1.5", "+2e-3", "-inf", "a=1", "", "7"] {
            assert_eq!(inert_cell(harmless), harmless);
        }
    }
}
