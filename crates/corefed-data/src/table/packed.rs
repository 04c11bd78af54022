//! Files that are compressed, and files that are not tables of text at all.

use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;

use crate::error::TableError;

/// What a compressed file of this many bytes may hold: a hundred times as much, and 64 MiB, but a gibibyte at most.
/// Tables are seldom packed by more than twenty; beyond that, a small file could fill the memory.
pub(crate) fn most_unpacked(packed: usize) -> u64 {
    (packed as u64).saturating_mul(100).clamp(64 << 20, 1 << 30)
}

/// How a file is packed, by its first bytes; names are not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }

    /// Looks at the beginning of a file.
    pub(crate) fn of(file: &str, bytes: &[u8]) -> Result<Self, TableError> {
        let file = || file.to_owned();
        match bytes {
            [0x1f, 0x8b, ..] => Ok(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Ok(Self::Zstd),
            // The second are workbooks of Excel before 2007.
            [b'P', b'K', 3, 4, ..] | [0xd0, 0xcf, 0x11, 0xe0, ..] => {
                Err(TableError::Spreadsheet { file: file() })
            }
            [b'P', b'A', b'R', b'1', ..] => Err(TableError::ParquetName { file: file() }),
            // Without a mark, every other byte of plain text is zero.
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, 0, _, ..] | [_, 0, _, 0, ..] => {
                Err(TableError::Utf16 { file: file() })
            }
            _ => Ok(Self::None),
        }
    }

    /// The content of a packed file.
    pub(crate) fn unpack(self, file: &str, bytes: &[u8], most: u64) -> Result<Vec<u8>, TableError> {
        let damaged = |source: io::Error| TableError::Packed { file: file.to_owned(), source };
        let mut content = Vec::new();
        match self {
            Self::None => content.extend_from_slice(bytes),
            Self::Gzip => {
                MultiGzDecoder::new(bytes)
                    .take(most + 1)
                    .read_to_end(&mut content)
                    .map_err(damaged)?;
            }
            #[cfg(feature = "parquet")]
            Self::Zstd => {
                let decoder = zstd::stream::read::Decoder::new(bytes).map_err(damaged)?;
                decoder.take(most + 1).read_to_end(&mut content).map_err(damaged)?;
            }
            #[cfg(not(feature = "parquet"))]
            Self::Zstd => return Err(TableError::NoZstd { file: file.to_owned() }),
        }
        if content.len() as u64 > most {
            return Err(TableError::Bomb { file: file.to_owned(), most });
        }
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn compressed_text_comes_back_and_a_bomb_is_refused() {
        let packed = gzip(b"a,b\n1,2\n");
        assert_eq!(Packing::of("t", &packed).unwrap(), Packing::Gzip);
        assert_eq!(Packing::Gzip.unpack("t", &packed, 100).unwrap(), b"a,b\n1,2\n");
        assert_eq!(Packing::Gzip.unpack("t", &packed, 8).unwrap().len(), 8);
        let bomb = gzip(&vec![b'0'; 1_000_000]);
        assert!(bomb.len() < 5000, "{}", bomb.len());
        let refused = Packing::Gzip.unpack("t.csv.gz", &bomb, 999_999).unwrap_err();
        assert!(matches!(refused, TableError::Bomb { most: 999_999, .. }), "{refused}");
        let damaged = Packing::Gzip.unpack("t", &packed[..packed.len() - 4], 100).unwrap_err();
        assert!(matches!(damaged, TableError::Packed { .. }), "{damaged}");
    }

    #[test]
    fn what_may_be_unpacked_grows_with_the_file() {
        assert_eq!(most_unpacked(1000), 64 << 20);
        assert_eq!(most_unpacked(2_000_000), 200_000_000);
        assert_eq!(most_unpacked(usize::MAX), 1 << 30);
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn zstd_is_opened_too() {
        let packed = zstd::stream::encode_all(&b"a,b\n1,2\n"[..], 3).unwrap();
        assert_eq!(Packing::of("t", &packed).unwrap(), Packing::Zstd);
        assert_eq!(Packing::Zstd.unpack("t", &packed, 100).unwrap(), b"a,b\n1,2\n");
        let bomb = zstd::stream::encode_all(&vec![0; 1_000_000][..], 3).unwrap();
        assert!(Packing::Zstd.unpack("t", &bomb, 1000).is_err());
    }

    #[test]
    fn what_is_no_table_of_text_is_named() {
        for (bytes, word) in [
            (&b"PK\x03\x04rest"[..], "spreadsheet"),
            (b"\xd0\xcf\x11\xe0rest", "spreadsheet"),
            (b"\xff\xfea\0,\0", "UTF-16"),
            (b"a\0,\0b\0", "UTF-16"),
            (b"PAR1....", "Parquet"),
        ] {
            let error = Packing::of("t.csv", bytes).unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
            assert!(error.hint().is_some());
        }
    }
}
