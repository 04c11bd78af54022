//! Lines that are too long to be rows: a gigabyte without a line end, or behind a quote that is never closed, is not a
//! table, and is not held to find out.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::packed::Packing;
use crate::error::TableError;

/// The longest line, and the longest record: a million columns of sixty bytes.
pub(crate) const LONGEST: usize = 64 << 20;

/// Refuses a file of text with a longer line. Files that are shorter themselves are not looked at, packed ones
/// when they are unpacked.
pub(crate) fn check_file(path: &Path) -> Result<(), TableError> {
    let long = |data: std::fs::Metadata| data.is_file() && data.len() > LONGEST as u64;
    if !std::fs::metadata(path).is_ok_and(long) {
        return Ok(());
    }
    let failed = |source| TableError::Read { path: path.to_owned(), source };
    let mut head = [0; 4];
    let mut file = File::open(path).map_err(failed)?;
    file.read_exact(&mut head).map_err(failed)?;
    let name = path.display().to_string();
    if Packing::of(&name, &head)? != Packing::None {
        return Ok(());
    }
    match long_line(head.chain(file), LONGEST).map_err(failed)? {
        Some(line) => Err(TableError::LongLine { file: name, line, most: LONGEST }),
        None => Ok(()),
    }
}

/// The first line, or record held together by quotes, beyond this many bytes; counted from one.
pub(super) fn long_line(mut source: impl Read, longest: usize) -> io::Result<Option<usize>> {
    let mut block = vec![0; 1 << 18];
    let mut record = Record::default();
    loop {
        let count = match source.read(&mut block) {
            Ok(0) => return Ok(None),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if !block[..count].iter().all(|&byte| record.take(byte) <= longest) {
            return Ok(Some(record.begins + 1));
        }
    }
}

/// How far a record goes, whatever separates its cells: a quote counts where a cell begins.
struct Record {
    /// Lines before it, and before the byte that comes.
    begins: usize,
    lines: usize,
    length: usize,
    quoted: bool,
    last: u8,
}

impl Default for Record {
    fn default() -> Self {
        Self { begins: 0, lines: 0, length: 0, quoted: false, last: b'\n' }
    }
}

impl Record {
    /// Takes the next byte; gives the length of the record so far.
    fn take(&mut self, byte: u8) -> usize {
        let last = std::mem::replace(&mut self.last, byte);
        self.length += 1;
        match byte {
            // Two in a row are one that is part of the cell: the second opens again what the first closed.
            b'"' if self.quoted => self.quoted = false,
            b'"' => self.quoted = matches!(last, b'"' | b',' | b';' | b'\t' | b'|' | b'\n' | b'\r'),
            b'\n' | b'\r' => {
                self.lines += usize::from(last != b'\r' || byte == b'\r');
                if !self.quoted {
                    (self.begins, self.length) = (self.lines, 0);
                }
            }
            _ => {}
        }
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_long_line_is_found_across_blocks() {
        let long = "x".repeat(300_000);
        let text = format!("a,b\n1,2\n{long}\n3,4\n");
        assert_eq!(long_line(text.as_bytes(), 299_999).unwrap(), Some(3));
        assert_eq!(long_line(text.as_bytes(), 300_000).unwrap(), None);
        assert_eq!(long_line(&b""[..], 0).unwrap(), None);
        assert_eq!(long_line(&b"ab\rc"[..], 1).unwrap(), Some(1));
        assert_eq!(long_line(&b"a\r\nb\r\nccc"[..], 2).unwrap(), Some(3));
    }

    #[test]
    fn a_quote_that_is_not_closed_holds_lines_together() {
        let of = |text: &str| long_line(text.as_bytes(), 20).unwrap();
        assert_eq!(of("a,b\n\"never\nends\nand\ngoes\non\n"), Some(2));
        assert_eq!(of("a;b\n1;\"two\nlines\"\n3;4\n5;6\n7;8\n"), None);
        // A doubled quote is part of the cell, and one in the middle of a cell is only a character.
        assert_eq!(of("\"a \"\"quote\"\"\"\nb\nc\nd\ne\nf\ng\nh\n"), None);
        assert_eq!(of("5\" pipe\n6\" pipe\n7\" pipe\n8\" pipe\n"), None);
        assert_eq!(of("x,\"\"\ny,\"\"\nz,\"\"\nx,\"\"\ny,\"\"\n"), None);
    }

    #[test]
    fn a_file_of_one_line_is_refused_and_one_of_many_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("line.csv");
        std::fs::write(&path, vec![b'x'; LONGEST + 1]).unwrap();
        let refused = check_file(&path).unwrap_err();
        assert!(matches!(refused, TableError::LongLine { line: 1, .. }), "{refused}");
        assert!(crate::read_table(&path).is_err());
        std::fs::write(&path, "a,b\n".repeat(LONGEST / 4 + 1)).unwrap();
        check_file(&path).unwrap();
    }
}
