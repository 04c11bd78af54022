//! Lines that are too long to be rows: a gigabyte without a line end is not a table, and is not held to find out.

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

/// The first line beyond this many bytes, counted from one.
pub(super) fn long_line(mut source: impl Read, longest: usize) -> io::Result<Option<usize>> {
    let mut block = vec![0; 1 << 18];
    let (mut line, mut length) = (1, 0);
    loop {
        let count = match source.read(&mut block) {
            Ok(0) => return Ok(None),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        for (k, piece) in block[..count].split(|&byte| matches!(byte, b'\n' | b'\r')).enumerate() {
            if k > 0 {
                (line, length) = (line + 1, 0);
            }
            length += piece.len();
            if length > longest {
                return Ok(Some(line));
            }
        }
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
