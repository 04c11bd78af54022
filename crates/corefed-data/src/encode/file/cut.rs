//! Cutting records from a block of bytes.
//!
//! What is a cell is decided as by the `csv` crate: quotes count only at the start of a cell, any
//! of `\n`, `\r`, `\r\n` ends a record, and blank lines are none.

use std::ops::Range;

/// Where the text of a cell is.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    /// In the block as it is.
    Plain(Range<usize>),
    /// Put together from a quoted cell, beside the block.
    Unquoted(Range<usize>),
}

/// What came of an attempt to cut a record.
#[derive(Debug)]
pub(super) enum Cut {
    /// A record that starts here.
    Record { start: usize },
    /// What is left, if anything, is not a whole record.
    Incomplete,
}

/// A part of a stream.
#[derive(Debug)]
pub(super) struct Block<'a> {
    bytes: &'a [u8],
    /// Places of commas, quotes and line ends.
    marks: &'a [usize],
    next: usize,
    /// The first mark at or after `next`.
    mark: usize,
    /// Whether the stream ends with the block.
    last: bool,
}

impl<'a> Block<'a> {
    /// Records are cut from the byte `next` on.
    pub(super) fn new(bytes: &'a [u8], marks: &'a [usize], next: usize, last: bool) -> Self {
        Self { bytes, marks, next, mark: 0, last }
    }

    /// Where the next record starts, or blank lines before it.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Cuts one record into `cells`, and puts text that is not in the block into `unquoted`.
    pub(super) fn cut(&mut self, cells: &mut Vec<Cell>, unquoted: &mut Vec<u8>) -> Cut {
        let mut at = self.next;
        while self.bytes.get(at).is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            at += 1;
        }
        let mut mark = self.mark;
        while self.marks.get(mark).is_some_and(|&place| place < at) {
            mark += 1;
        }
        // Blank lines are done with, whatever follows.
        (self.next, self.mark) = (at, mark);
        if at == self.bytes.len() {
            return Cut::Incomplete;
        }
        let start = at;
        cells.clear();
        unquoted.clear();
        loop {
            let end = if self.bytes.get(at) == Some(&b'"') {
                let Some((cell, end)) = self.quoted(at, &mut mark, unquoted) else {
                    return Cut::Incomplete;
                };
                cells.push(cell);
                end
            } else {
                let Some(end) = self.plain(&mut mark) else { return Cut::Incomplete };
                cells.push(Cell::Plain(at..end));
                end
            };
            at = end + 1;
            if self.bytes.get(end) != Some(&b',') {
                // At the end of the stream there is not a line end to skip.
                (self.next, self.mark) = (at.min(self.bytes.len()), mark);
                return Cut::Record { start };
            }
        }
    }

    /// The end of a cell without quotes, or of what follows a closing quote. Leaves `mark` behind
    /// it.
    #[inline]
    fn plain(&self, mark: &mut usize) -> Option<usize> {
        while let Some(&place) = self.marks.get(*mark) {
            *mark += 1;
            if self.bytes[place] != b'"' {
                return Some(place);
            }
        }
        self.last.then_some(self.bytes.len())
    }

    /// A cell that starts with a quote, and its end.
    fn quoted(
        &self,
        start: usize,
        mark: &mut usize,
        unquoted: &mut Vec<u8>,
    ) -> Option<(Cell, usize)> {
        let open = start + 1;
        let mut doubled = false;
        *mark += 1;
        let close = loop {
            let Some(&place) = self.marks.get(*mark) else {
                if !self.last {
                    return None;
                }
                break self.bytes.len();
            };
            *mark += 1;
            if self.bytes[place] != b'"' {
                continue;
            }
            match self.bytes.get(place + 1) {
                Some(b'"') => {
                    doubled = true;
                    *mark += 1;
                }
                None if !self.last => return None,
                _ => break place,
            }
        };
        let after = (close + 1).min(self.bytes.len());
        let end = self.plain(mark)?;
        if !doubled && end <= after {
            return Some((Cell::Plain(open..close), end));
        }
        let from = unquoted.len();
        let mut inside = self.bytes[open..close].iter();
        while let Some(&byte) = inside.next() {
            unquoted.push(byte);
            if byte == b'"' {
                inside.next();
            }
        }
        unquoted.extend_from_slice(&self.bytes[after..end]);
        Some((Cell::Unquoted(from..unquoted.len()), end))
    }
}
