//! The distinct texts of a column, numbered in order of appearance.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::encode::tally::Tally;
use crate::reading::Reading;

/// Distinct texts with what a column needs to know of each. All text is one string, so that a
/// column of names costs little more than the names.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    /// Seeded at random, against files made to collide; nothing is ever read in its order.
    hasher: DefaultHashBuilder,
    codes: HashTable<u32>,
    text: String,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    end: usize,
    first: usize,
    count: usize,
}

impl Dictionary {
    /// The number of a text, counted as a cell of `row`.
    pub(super) fn code(&mut self, cell: &str, row: usize) -> u32 {
        let hash = self.hasher.hash_one(cell.as_bytes());
        let (text, entries) = (&self.text, &self.entries);
        let found = self.codes.find(hash, |&code| lookup(text, entries, code as usize) == cell);
        if let Some(&code) = found {
            self.entries[code as usize].count += 1;
            return code;
        }
        // Columns of a design are indexed by 32 bits, too.
        let code = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.text.push_str(cell);
        self.entries.push(Entry { end: self.text.len(), first: row, count: 1 });
        let (hasher, text, entries) = (&self.hasher, &self.text, &self.entries);
        self.codes.insert_unique(hash, code, |&code| {
            hasher.hash_one(lookup(text, entries, code as usize).as_bytes())
        });
        code
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// A text by its number.
    pub(super) fn get(&self, code: usize) -> &str {
        lookup(&self.text, &self.entries, code)
    }

    /// The texts in order of appearance.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|code| self.get(code))
    }

    /// The texts with the row of their first cell.
    pub(super) fn firsts(&self) -> impl Iterator<Item = (usize, &str)> {
        self.entries.iter().map(|entry| entry.first).zip(self.iter())
    }

    /// The texts with their numbers of cells.
    pub(super) fn counts(&self) -> impl Iterator<Item = (usize, &str)> {
        self.entries.iter().map(|entry| entry.count).zip(self.iter())
    }

    /// What the cells look like.
    pub(super) fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for (entry, text) in self.entries.iter().zip(self.iter()) {
            tally.add_many(entry.first, Reading::of(text), entry.count);
        }
        tally
    }

    /// The numbers of the texts, sorted by the bytes of the texts.
    pub(super) fn sorted(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&code| self.get(code));
        order
    }
}

fn lookup<'a>(text: &'a str, entries: &[Entry], code: usize) -> &'a str {
    let start = if code == 0 { 0 } else { entries[code - 1].end };
    &text[start..entries[code].end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_by_appearance_and_counted() {
        let mut dictionary = Dictionary::default();
        let codes: Vec<u32> = ["b", "", "b", "a", ""]
            .iter()
            .zip(3..)
            .map(|(c, row)| dictionary.code(c, row))
            .collect();
        assert_eq!(codes, [0, 1, 0, 2, 1]);
        assert_eq!(dictionary.firsts().collect::<Vec<_>>(), [(3, "b"), (4, ""), (6, "a")]);
        assert_eq!(dictionary.counts().collect::<Vec<_>>(), [(2, "b"), (2, ""), (1, "a")]);
        assert_eq!(dictionary.sorted(), [1, 2, 0]);
    }

    #[test]
    fn many_texts_keep_their_numbers() {
        let mut dictionary = Dictionary::default();
        for _ in 0..2 {
            for i in 0..10_000_u32 {
                assert_eq!(dictionary.code(&format!("level {i}"), 0), i);
            }
        }
        assert_eq!(dictionary.len(), 10_000);
    }
}
