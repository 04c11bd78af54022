//! The bytes of a Parquet file, whose end is an error, and whose headers were looked at.
//!
//! Where a header says that two billion numbers are to be skipped, the crate skips them one by one and takes
//! the end of the file for a number. It never asks for the end on purpose.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};

use parquet::errors::{ParquetError, Result};
use parquet::file::FOOTER_SIZE;
use parquet::file::reader::{ChunkReader, Length};

use super::parquet_headers::check_header;
use super::parquet_layout::{FILE, PAGE};

/// A file that is never read beyond its end.
pub(super) struct StrictFile(pub(super) File);

/// Bytes from somewhere in it.
pub(super) struct StrictBytes(BufReader<File>);

impl Length for StrictFile {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for StrictFile {
    type T = StrictBytes;

    /// Asked for the footer, and for the header of every page.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        if start < self.footer() {
            let header = self.0.get_read(start).map(StrictBytes)?;
            check_header(header, &PAGE).map_err(refused)?;
        }
        self.0.get_read(start).map(StrictBytes)
    }

    /// Asked for the description of the file, which ends where the footer begins, and for pages.
    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        let bytes = self.0.get_bytes(start, length)?;
        if start.checked_add(length as u64) == Some(self.footer()) {
            check_header(&bytes[..], &FILE).map_err(refused)?;
        }
        Ok(bytes)
    }
}

impl StrictFile {
    /// Where the footer begins.
    fn footer(&self) -> u64 {
        self.len().saturating_sub(FOOTER_SIZE as u64)
    }
}

fn refused(why: &str) -> ParquetError {
    ParquetError::General(why.to_owned())
}

impl Read for StrictBytes {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_end_is_an_error_and_everything_before_it_is_read() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"corefed").unwrap();
        let strict = StrictFile(file);
        assert_eq!(strict.len(), 7);
        let mut rest = [0; 4];
        let mut bytes = strict.get_read(3).unwrap();
        bytes.read_exact(&mut rest).unwrap();
        assert_eq!(&rest, b"efed");
        assert_eq!(bytes.read(&mut []).unwrap(), 0);
        assert_eq!(bytes.read(&mut rest).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
