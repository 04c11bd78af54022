//! Names in messages: kept short, listed in backticks, and guessed when misspelt.
//!
//! Names and cells come from files that nobody has checked, so what reaches a message is cut
//! to a length, and nothing in it is hidden.

use corefed_core::shown;

/// Longest name or cell shown in full, in characters.
const SHOWN: usize = 60;
/// Most names listed one by one.
const LISTED: usize = 12;

/// The text as a message may show it: hidden characters escaped, cut when long.
#[must_use]
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", shown(&text[..end])),
        None => shown(text).into_owned(),
    }
}

/// Names in backticks, separated by commas; a long list is cut and the rest counted.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let shown: Vec<_> =
        names.iter().take(LISTED).map(|name| format!("`{}`", excerpt(name.as_ref()))).collect();
    let rest = names.len() - shown.len();
    if rest == 0 { shown.join(", ") } else { format!("{} and {rest} more", shown.join(", ")) }
}

/// The known name a misspelt one most likely meant: at most a third of its characters differ.
#[must_use]
pub fn nearest<'a, S: AsRef<str>>(meant: &str, known: &'a [S]) -> Option<&'a str> {
    let allowed = (meant.chars().count() / 3).max(1);
    known
        .iter()
        .map(AsRef::as_ref)
        .filter_map(|name| Some((edit_distance(meant, name)?, name)))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Insertions, deletions and replacements of one character, ignoring case; `None` for names
/// so long that comparing them would cost more than the guess is worth.
fn edit_distance(a: &str, b: &str) -> Option<usize> {
    let [a, b]: [Vec<char>; 2] = [a, b].map(|s| s.to_lowercase().chars().collect());
    if a.len().max(b.len()) > SHOWN {
        return None;
    }
    // `row[j]` is the distance between the characters of `a` read so far and the first `j` of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_single_changes() {
        for (a, b, expected) in
            [("kitten", "sitting", 3), ("", "abc", 3), ("age", "AGE", 0), ("agent", "aget", 1)]
        {
            assert_eq!(edit_distance(a, b), Some(expected), "{a} -> {b}");
            assert_eq!(edit_distance(b, a), Some(expected), "{b} -> {a}");
        }
        assert_eq!(edit_distance(&"x".repeat(1000), "x"), None);
    }

    #[test]
    fn a_misspelt_name_finds_its_neighbour_and_a_strange_one_finds_nothing() {
        let known = ["hospital", "age", "disease"];
        assert_eq!(nearest("hospitals", &known), Some("hospital"));
        assert_eq!(nearest("aeg", &["eager", "age", "ages"]), None);
        assert_eq!(nearest("Age", &known), Some("age"));
        assert_eq!(nearest("income", &known), None);
    }

    #[test]
    fn messages_stay_short_and_printable() {
        assert_eq!(excerpt("a\u{1b}[31mb"), "a\\u001b[31mb");
        assert_eq!(excerpt(&"x".repeat(100)).chars().count(), SHOWN + 1);
        assert_eq!(listed(&["a", "b"]), "`a`, `b`");
        assert!(listed(&vec!["a"; 20]).ends_with("`a` and 8 more"));
    }
}
