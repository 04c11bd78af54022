//! Records read back, one line at a time.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Take};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use crate::{LogError, Row};

/// Bytes of a line. A record of a hundred thousand agents has a tenth of it.
const LONGEST: u64 = 32 << 20;

/// Iterates over the whole lines of a file of records. It ends before a line that was not
/// finished: a run may be writing it, or was cut off while it did.
#[derive(Debug)]
pub struct Records<R> {
    path: PathBuf,
    reader: BufReader<Take<File>>,
    line: u64,
    buffer: Vec<u8>,
    row: PhantomData<R>,
}

impl<R> Records<R> {
    /// Reads the first `limit` bytes of a file.
    pub(crate) fn open(path: &Path, limit: u64) -> Result<Self, LogError> {
        let file = File::open(path).map_err(|source| LogError::read(path, source))?;
        let reader = BufReader::with_capacity(1 << 16, file.take(limit));
        Ok(Self { path: path.to_owned(), reader, line: 0, buffer: Vec::new(), row: PhantomData })
    }
}

impl<R: Row> Iterator for Records<R> {
    type Item = Result<R, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.buffer.clear();
        let mut line = (&mut self.reader).take(LONGEST + 1);
        if let Err(source) = line.read_until(b'\n', &mut self.buffer) {
            return Some(Err(LogError::read(&self.path, source)));
        }
        if self.buffer.len() as u64 > LONGEST {
            let (path, line) = (self.path.clone(), self.line + 1);
            return Some(Err(LogError::LongRecord { path, line, most: LONGEST }));
        }
        if self.buffer.pop()? != b'\n' {
            return None;
        }
        self.line += 1;
        let (path, line) = (&self.path, self.line);
        Some(R::parse(&self.buffer).map_err(|source| LogError::Record {
            path: path.clone(),
            line,
            source,
        }))
    }
}
