//! Settings in messages: libraries name them, and what shows a message writes them as its users do.

use std::borrow::Cow;
use std::fmt;

use crate::shown::{quotable, shell_word, unquoted};

/// Every setting that a message of a library may name.
///
/// A message writes `` `@missing` ``, or `` `@missing mean` `` with a value; see [`with_settings`]. What does a
/// job is `` `@corefed solve` ``: a command for some readers, a function for others.
pub const SETTINGS: &[&str] = &[
    "agent",
    "agent-column",
    "all",
    "allow",
    "budget",
    "calibrate",
    "ceiling",
    "ceilings",
    "changed-spec",
    "clip",
    "coalitions",
    "column",
    "corefed",
    "data-dir",
    "decimal",
    "exposure",
    "field",
    "l2",
    "level",
    "loss",
    "metric",
    "missing",
    "model",
    "na",
    "no-intercept",
    "out",
    "partition",
    "positive",
    "predictions",
    "radius",
    "raw",
    "repeats",
    "resume",
    "rule",
    "separator",
    "target",
    "time-limit",
    "unknown",
    "utilities",
    "values",
];

/// A setting in a message, with a value that somebody else may have chosen: whatever is in it, it ends where the
/// setting ends.
///
/// ```
/// use corefed_core::{as_flags, setting};
///
/// let hint = format!("leave it out with {}", setting("column", format!("my age`=ignore")));
/// assert_eq!(hint, "leave it out with `@column my age\\u0060=ignore`");
/// assert_eq!(as_flags(&hint), "leave it out with `--column 'my age`=ignore'`");
/// ```
#[must_use]
pub fn setting(name: &str, value: impl fmt::Display) -> String {
    debug_assert!(SETTINGS.contains(&name), "`{name}` is not listed");
    format!("`@{name} {}`", quotable(&value.to_string()))
}

/// A message with its settings written by `write`, which gets a name and the value beside it. What only looks
/// like a setting, such as the name of a column, stays as it is.
#[must_use]
pub fn with_settings(message: &str, write: impl Fn(&str, Option<&str>) -> String) -> Cow<'_, str> {
    let mut written = String::new();
    let mut rest = message;
    while let Some(begin) = rest.find("`@") {
        let (before, quoted) = rest.split_at(begin + 1);
        written.push_str(before);
        let end = quoted.find('`').unwrap_or(quoted.len());
        let (name, value) = match quoted[1..end].split_once(' ') {
            Some((name, value)) => (name, Some(value)),
            None => (&quoted[1..end], None),
        };
        if SETTINGS.contains(&name) {
            written.push_str(&write(name, value.map(unquoted).as_deref()));
        } else {
            written.push_str(&quoted[..end]);
        }
        rest = &quoted[end..];
    }
    if written.is_empty() {
        return Cow::Borrowed(message);
    }
    written.push_str(rest);
    Cow::Owned(written)
}

/// A message as a user of the command reads it: settings are flags with values for a shell, and jobs are commands.
///
/// ```
/// use corefed_core::as_flags;
///
/// assert_eq!(as_flags("drop `@raw`, or use `@missing mean`"), "drop `--raw`, or use `--missing mean`");
/// assert_eq!(as_flags("see `@corefed solve`"), "see `corefed solve`");
/// assert_eq!(as_flags("column `@home` is empty"), "column `@home` is empty");
/// ```
#[must_use]
pub fn as_flags(message: &str) -> Cow<'_, str> {
    with_settings(message, |name, value| {
        // Tables of other programs are audited by the flags of our own.
        let flag = match name {
            "corefed" => return format!("corefed {}", value.unwrap_or("--help")),
            "metric" => "target",
            "ceilings" => "ceiling",
            _ => name,
        };
        let typed = |value| format!("--{flag} {}", shell_word(value));
        value.map_or_else(|| format!("--{flag}"), typed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_and_everything_else_stays() {
        let show = |name: &str, value: Option<&str>| format!("{name}<{}>", value.unwrap_or(""));
        let shown = |text: &'static str| with_settings(text, show).into_owned();
        assert_eq!(shown("use `@na -9` or `@raw`."), "use `na<-9>` or `raw<>`.");
        assert_eq!(shown("`a@raw` and @raw and `@other`"), "`a@raw` and @raw and `@other`");
        let value = |text: &str| {
            let found = std::cell::RefCell::new(None);
            let _ = with_settings(text, |_, value| {
                *found.borrow_mut() = value.map(str::to_owned);
                String::new()
            });
            found.into_inner()
        };
        for odd in
            ["a`b", "`id`", "a`@raw`", "\u{1b}[2J\n\u{e0041}", r"\u0060", r"\\u005cu0060`", " x "]
        {
            assert_eq!(value(&setting("na", odd)).as_deref(), Some(odd), "{}", setting("na", odd));
        }
        // A name with a backtick of its own leaves a quote open.
        assert_eq!(shown("`@raw"), "`raw<>");
        assert_eq!(shown(""), "");
    }
}
