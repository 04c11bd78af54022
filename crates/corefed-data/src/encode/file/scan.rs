//! Reading a stream as records of CSV, block by block.
//!
//! A block of the file is read, the places of all commas, quotes and line ends in it are listed
//! in one branch-free sweep, and records are then cut from the list. A record that the block
//! does not complete is moved to the front and read on.

use std::io::{self, Read};
use std::ops::ControlFlow;

use sha2::{Digest, Sha256};

use super::cut::{Block, Cell, Cut};
use super::marks::list_marks;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A stream that is being read.
#[derive(Debug)]
pub(super) struct Scanner<R> {
    source: R,
    /// Bytes to read at once.
    block: usize,
    buffer: Vec<u8>,
    /// How much of the buffer holds bytes of the stream.
    filled: usize,
    /// Where the next record starts, or blank lines before it.
    next: usize,
    ended: bool,
    /// Bytes of the stream before the buffer.
    before: u64,
    digest: Sha256,
}

/// One record.
#[derive(Debug)]
pub(super) struct Record<'a> {
    /// Bytes of the stream before it.
    pub(super) offset: u64,
    /// Whether the whole record is known to be UTF-8; if not, single cells may still be.
    pub(super) is_text: bool,
    cells: &'a [Cell],
    bytes: &'a [u8],
    /// The longest part of `bytes` from its start that is UTF-8.
    text: &'a str,
    unquoted: &'a [u8],
}

impl<R: Read> Scanner<R> {
    /// Starts reading, `block` bytes at a time.
    pub(super) fn new(source: R, block: usize) -> io::Result<Self> {
        let mut scanner = Self {
            source,
            block,
            buffer: Vec::new(),
            filled: 0,
            next: 0,
            ended: false,
            before: 0,
            digest: Sha256::new(),
        };
        // The table reader removes one mark and the `csv` crate another.
        for _ in 0..2 {
            while scanner.filled - scanner.next < BYTE_ORDER_MARK.len() && !scanner.ended {
                scanner.refill()?;
            }
            if scanner.buffer[scanner.next..scanner.filled].starts_with(BYTE_ORDER_MARK) {
                scanner.next += BYTE_ORDER_MARK.len();
            }
        }
        Ok(scanner)
    }

    /// Visits the records in order until there are no more or the visitor has enough.
    pub(super) fn visit(
        &mut self,
        mut visitor: impl FnMut(&Record<'_>) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let (mut marks, mut cells, mut unquoted) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let bytes = &self.buffer[..self.filled];
            let valid = std::str::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), str::len);
            // Known to succeed.
            let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
            list_marks(bytes, &mut marks);
            let mut block = Block::new(bytes, &marks, self.next, self.ended);
            while let Cut::Record { start } = block.cut(&mut cells, &mut unquoted) {
                let record = Record {
                    offset: self.before + start as u64,
                    is_text: block.next() <= valid,
                    cells: &cells,
                    bytes,
                    text,
                    unquoted: &unquoted,
                };
                if visitor(&record).is_break() {
                    self.next = block.next();
                    return Ok(());
                }
            }
            self.next = block.next();
            if self.ended {
                return Ok(());
            }
            self.refill()?;
        }
    }

    /// SHA-256 of what was read.
    pub(super) fn digest(self) -> Sha256 {
        self.digest
    }

    /// Forgets finished records and reads more.
    fn refill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.next..self.filled, 0);
        self.before += self.next as u64;
        self.filled -= self.next;
        self.next = 0;
        // What is left will be looked at again: reading at least as much keeps the work linear
        // even if one record is the whole file.
        let wanted = self.filled + self.block.max(self.filled);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while self.filled < wanted && !self.ended {
            match self.source.read(&mut self.buffer[self.filled..wanted]) {
                Ok(count) => {
                    self.digest.update(&self.buffer[self.filled..self.filled + count]);
                    self.filled += count;
                    self.ended = count == 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<'a> Record<'a> {
    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Bytes of the cells.
    pub(super) fn bytes(&self) -> impl Iterator<Item = &'a [u8]> {
        self.cells.iter().map(|cell| match cell {
            Cell::Plain(range) => &self.bytes[range.clone()],
            Cell::Unquoted(range) => &self.unquoted[range.clone()],
        })
    }

    /// Untrimmed text of the cells; empty where a cell is not UTF-8.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.cells.iter().map(|cell| match cell {
            Cell::Plain(range) => self.text.get(range.clone()).unwrap_or_else(|| {
                std::str::from_utf8(&self.bytes[range.clone()]).unwrap_or_default()
            }),
            Cell::Unquoted(range) => {
                std::str::from_utf8(&self.unquoted[range.clone()]).unwrap_or_default()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(bytes: &[u8], block: usize) -> Vec<Vec<Vec<u8>>> {
        let mut records = Vec::new();
        let visited = Scanner::new(bytes, block).unwrap().visit(|record| {
            records.push(record.bytes().map(<[u8]>::to_vec).collect());
            ControlFlow::Continue(())
        });
        visited.unwrap();
        records
    }

    fn expected(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut builder = csv::ReaderBuilder::new();
        let reader = builder.has_headers(false).flexible(true).from_reader(bytes);
        let records = reader.into_byte_records().map(Result::unwrap);
        records.map(|record| record.iter().map(<[u8]>::to_vec).collect()).collect()
    }

    #[test]
    fn every_short_text_is_cut_as_the_csv_crate_cuts_it() {
        let alphabet = b"a,\"\n\r";
        for length in 0..=6_u32 {
            for index in 0..5_usize.pow(length) {
                let digit = |k| alphabet[index / 5_usize.pow(k) % 5];
                let text: Vec<u8> = (0..length).map(digit).collect();
                for block in [1, 2, 5, 100] {
                    let shown = String::from_utf8_lossy(&text);
                    assert_eq!(scanned(&text, block), expected(&text), "{shown:?} by {block}");
                }
            }
        }
    }

    #[test]
    fn offsets_point_at_records() {
        let bytes = &b"\xef\xbb\xbf\na,b\r\n\r\n\"c\n\",d"[..];
        let mut offsets = Vec::new();
        let visited = Scanner::new(bytes, 3).unwrap().visit(|record| {
            offsets.push(record.offset);
            ControlFlow::Continue(())
        });
        visited.unwrap();
        assert_eq!(offsets, [4, 11]);
    }

    #[test]
    fn digest_is_of_the_whole_stream() {
        let bytes = b"\xef\xbb\xbfa\r\n1\r\n";
        let mut scanner = Scanner::new(&bytes[..], 2).unwrap();
        scanner.visit(|_| ControlFlow::Continue(())).unwrap();
        assert_eq!(scanner.digest().finalize(), Sha256::digest(bytes));
    }
}
