//! The bytes of a file, inflated when they are compressed.
//!
//! Whether a file is compressed is read off its first bytes, not its name: browsers inflate
//! downloads without renaming them.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::SourceError;

/// What a gzip stream begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The most that any file holds here, compressed or not: four times the largest published one. Files are
/// checked before they are read; this is for those who waive that.
pub(super) const MOST: u64 = 4 * 47_040_016;
/// Deflate never shrinks its input by more than this factor.
const STRONGEST: u64 = 1032;
/// Memory reserved before inflating, as a multiple of the compressed size. Images shrink about
/// fivefold; what shrinks more grows its buffer only as its bytes arrive.
const RESERVED: u64 = 16;

/// A file's content as a stream that knows how much it can hold.
pub(super) struct Stored<'a> {
    file: &'a str,
    body: Body<'a>,
    /// Bytes of the file.
    size: u64,
    /// Bytes of content handed out.
    taken: u64,
}

enum Body<'a> {
    Plain(&'a [u8]),
    Gzip(Box<MultiGzDecoder<&'a [u8]>>),
}

impl<'a> Stored<'a> {
    pub(super) fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        let body = if bytes.starts_with(&GZIP) {
            Body::Gzip(Box::new(MultiGzDecoder::new(bytes)))
        } else {
            Body::Plain(bytes)
        };
        Self { file, body, size: bytes.len() as u64, taken: 0 }
    }

    /// The next big-endian number; `header` is the size of the header it belongs to.
    pub(super) fn number(&mut self, header: u64) -> Result<u32, SourceError> {
        let mut word = Vec::with_capacity(4);
        self.read(4, &mut word)?;
        let word = <[u8; 4]>::try_from(word).map_err(|short| SourceError::Truncated {
            file: self.file.to_owned(),
            expected: header,
            found: self.taken + short.len() as u64,
        })?;
        self.taken += 4;
        Ok(u32::from_be_bytes(word))
    }

    /// The rest of the content, which must be exactly `size` bytes.
    pub(super) fn rest(mut self, size: u64) -> Result<Vec<u8>, SourceError> {
        let expected = self.taken.saturating_add(size);
        let (file, stored) = (self.file.to_owned(), self.size);
        let reserved = match &self.body {
            Body::Plain(_) if expected > stored => {
                return Err(SourceError::Truncated { file, expected, found: stored });
            }
            Body::Gzip(_) if expected > stored.saturating_mul(STRONGEST) => {
                return Err(SourceError::Implausible { file, expected, stored });
            }
            _ if expected > MOST => return Err(SourceError::Swollen { file, most: MOST }),
            Body::Plain(_) => size,
            Body::Gzip(_) => size.min(stored.saturating_mul(RESERVED)),
        };
        // One byte more than wanted: it tells an oversized file from an exact one, and makes
        // the decoder reach the end of the stream, where its checksum is.
        let mut content = Vec::with_capacity(usize::try_from(reserved).map_or(0, |r| r + 1));
        self.read(size.saturating_add(1), &mut content)?;
        match content.len() as u64 {
            found if found > size => Err(SourceError::Oversized { file, expected }),
            found if found < size => {
                Err(SourceError::Truncated { file, expected, found: self.taken + found })
            }
            _ => Ok(content),
        }
    }

    fn read(&mut self, limit: u64, into: &mut Vec<u8>) -> Result<(), SourceError> {
        let read = match &mut self.body {
            Body::Plain(bytes) => bytes.take(limit).read_to_end(into),
            Body::Gzip(decoder) => decoder.take(limit).read_to_end(into),
        };
        let damaged = |source| SourceError::Gzip { file: self.file.to_owned(), source };
        read.map(drop).map_err(damaged)
    }
}

/// The bytes of a regular file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, SourceError> {
    let failed = |source| SourceError::Read { path: path.to_owned(), source };
    let metadata = fs::metadata(path).map_err(failed)?;
    // A pipe or a device may never end.
    if !metadata.is_file() {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
    }
    if metadata.len() > MOST {
        return Err(SourceError::Swollen { file: path.display().to_string(), most: MOST });
    }
    fs::read(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::catalogue::{ENTRIES, Entry};

    #[test]
    fn a_gzip_of_a_megabyte_does_not_become_two_gigabytes() {
        // A valid beginning of a stream; its end is never reached.
        let bytes = [&GZIP[..], &[8, 0, 0, 0, 0, 0, 0, 3], &vec![0; 2 << 20]].concat();
        let refused = Stored::new("t.gz", &bytes).rest(2_000_000_000).unwrap_err();
        assert!(matches!(refused, SourceError::Swollen { most: MOST, .. }), "{refused}");
    }

    #[test]
    fn every_published_file_may_be_read() {
        let files = ENTRIES.iter().flat_map(Entry::files);
        let largest = files.map(|file| file.inflated.unwrap_or(file.size)).max();
        assert_eq!(largest.map(|largest| 4 * largest), Some(MOST));
    }
}
