//! Mistakes while a spec is read.

use std::cell::{Cell, RefCell};

use crate::{Mistake, Problem};

/// Mistakes kept; a text with more is not a spec, and must not fill the memory with its mistakes.
const KEPT: usize = 1000;

/// Collects mistakes in any order, and gives them back in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Mistakes {
    found: RefCell<Vec<Found>>,
    lost: Cell<usize>,
}

/// A mistake by its place in the text.
#[derive(Debug)]
struct Found {
    /// Offset in bytes; none for what concerns the whole file.
    at: Option<usize>,
    key: String,
    problem: Problem,
}

impl Mistakes {
    pub(crate) fn add(&self, at: Option<usize>, key: impl Into<String>, problem: Problem) {
        let mut found = self.found.borrow_mut();
        if found.len() < KEPT {
            found.push(Found { at, key: key.into(), problem });
        } else {
            self.lost.set(self.lost.get() + 1);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// How many so far.
    pub(crate) fn len(&self) -> usize {
        self.found.borrow().len()
    }

    /// Those kept, sorted and with line numbers, and how many there were besides.
    pub(crate) fn in_order(self, text: &str) -> (Vec<Mistake>, usize) {
        let mut found = self.found.into_inner();
        found.sort_by_key(|mistake| mistake.at);
        let (mut line, mut counted) = (1, 0);
        let mut line_of = |at: usize| {
            let upto = at.min(text.len());
            line += text.get(counted..upto).map_or(0, |passed| passed.matches('\n').count());
            counted = upto;
            line
        };
        let mistakes = found
            .into_iter()
            .map(|Found { at, key, problem }| Mistake { line: at.map(&mut line_of), key, problem })
            .collect();
        (mistakes, self.lost.get())
    }
}

/// Line and column of an offset, both from 1; columns count characters.
pub(crate) fn place(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_come_in_the_order_of_the_text() {
        let text = "one\ntwo\n\nthree\n";
        let mistakes = Mistakes::default();
        for (at, key) in [(Some(10), "c"), (Some(4), "b"), (None, "a"), (Some(999), "d")] {
            mistakes.add(at, key, Problem::Needs { other: "x" });
        }
        let (ordered, lost) = mistakes.in_order(text);
        assert_eq!(lost, 0);
        let lines: Vec<_> = ordered.iter().map(|m| (m.key.as_str(), m.line)).collect();
        assert_eq!(lines, [("a", None), ("b", Some(2)), ("c", Some(4)), ("d", Some(5))]);
    }

    #[test]
    fn places_count_characters_from_one() {
        assert_eq!(place("é = 1\nß x", 0), (1, 1));
        // The eighth and ninth bytes are `ß`, the tenth is a space.
        assert_eq!(place("é = 1\nß x", 8), (2, 1));
        assert_eq!(place("é = 1\nß x", 9), (2, 2));
        assert_eq!(place("", 7), (1, 1));
    }
}
