//! Headers of a Parquet file, looked at before the crate reads them.
//!
//! Headers are Thrift structs. The crate skips fields that it does not know, and a list of truth values costs it no
//! bytes: a list of two billion is skipped one by one, for seconds, and a small file has room for thousands of lists.
//! It also reads fields that it knows by their numbers, whatever type they have. So types must be those of the format
//! ([`parquet_layout`](super::parquet_layout)), and what is not of the format holds no such list. Everything else that is
//! wrong with a header is left to the crate.

use std::io::Read;

use super::parquet_layout::{Layout, Shape};

/// As deep as the crate follows.
const DEEPEST: usize = 64;

/// Thrift's types that matter here.
const TRUTH: [u8; 2] = [1, 2];
const BYTE: u8 = 3;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// Why a header is not read any further.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Odd {
    /// It must not reach the crate.
    Refused(&'static str),
    /// It ends, or is not Thrift: the crate says so itself.
    Broken,
}

/// Looks at a struct of the format, from its first byte to its last.
pub(super) fn check_header(bytes: impl Read, layout: &Layout) -> Result<(), &'static str> {
    match (Walk { bytes }).known(layout, DEEPEST) {
        Err(Odd::Refused(why)) => Err(why),
        Ok(()) | Err(Odd::Broken) => Ok(()),
    }
}

struct Walk<R> {
    bytes: R,
}

impl<R: Read> Walk<R> {
    /// A struct whose fields are known.
    fn known(&mut self, layout: &Layout, depth: usize) -> Result<(), Odd> {
        let depth = depth.checked_sub(1).ok_or(Odd::Broken)?;
        let mut last = 0;
        while let Some((kind, id)) = self.field(last)? {
            last = id;
            match layout.0.iter().find(|(known, _)| i64::from(*known) == id) {
                Some((_, shape)) => self.shaped(kind, shape, depth)?,
                None => self.unknown(kind, depth)?,
            }
        }
        Ok(())
    }

    /// A value that the format knows: it has the type that it must have.
    fn shaped(&mut self, kind: u8, shape: &Shape, depth: usize) -> Result<(), Odd> {
        let right = match shape {
            Shape::Truth => TRUTH.contains(&kind),
            Shape::Plain(expected) => kind == *expected,
            Shape::Struct(_) => kind == STRUCT,
            Shape::List(_) => kind == LIST,
        };
        if !right {
            return Err(Odd::Refused("a field of a header has another type"));
        }
        match shape {
            Shape::Struct(layout) => self.known(layout, depth),
            Shape::List(element) => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.shaped(kind, element, depth))
            }
            Shape::Truth | Shape::Plain(_) => self.unknown(kind, depth),
        }
    }

    /// A value as the crate skips it.
    fn unknown(&mut self, kind: u8, depth: usize) -> Result<(), Odd> {
        let depth = depth.checked_sub(1).ok_or(Odd::Broken)?;
        match kind {
            1 | 2 => Ok(()),
            BYTE => self.byte().map(drop),
            4..=6 => self.number().map(drop),
            DOUBLE => self.skip(8),
            BINARY => {
                let length = self.number()?;
                self.skip(length)
            }
            LIST | SET => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.element(kind, depth))
            }
            MAP => {
                let count = self.count()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                (0..count).try_for_each(|_| {
                    self.element(kinds >> 4, depth)?;
                    self.element(kinds & 15, depth)
                })
            }
            STRUCT => {
                while let Some((kind, _)) = self.field(0)? {
                    self.unknown(kind, depth)?;
                }
                Ok(())
            }
            _ => Err(Odd::Broken),
        }
    }

    /// An element takes a byte at least, so that the end of the file ends every list.
    fn element(&mut self, kind: u8, depth: usize) -> Result<(), Odd> {
        if TRUTH.contains(&kind) {
            return Err(Odd::Refused("a header holds a list of truth values"));
        }
        self.unknown(kind, depth)
    }

    /// The type and number of the next field; `None` at the end of a struct.
    fn field(&mut self, last: i64) -> Result<Option<(u8, i64)>, Odd> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 15);
        if kind == 0 {
            return Ok(None);
        }
        if step > 0 {
            return Ok(Some((kind, last + i64::from(step))));
        }
        let number = self.number()?;
        let id = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
        i16::try_from(id).map_or(Err(Odd::Broken), |id| Ok(Some((kind, id.into()))))
    }

    /// The type of a list's elements, and how many there are.
    fn list(&mut self) -> Result<(u8, u64), Odd> {
        let byte = self.byte()?;
        let count = if byte >> 4 == 15 { self.count()? } else { (byte >> 4).into() };
        Ok((byte & 15, count))
    }

    fn count(&mut self) -> Result<u64, Odd> {
        let count = self.number()?;
        i32::try_from(count).map_or(Err(Odd::Broken), |_| Ok(count))
    }

    /// Seven bits a byte, the lowest first; what is shifted out comes in again, as in the crate.
    fn number(&mut self) -> Result<u64, Odd> {
        let (mut number, mut shift) = (0, 0_u32);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 127).wrapping_shl(shift);
            if byte & 128 == 0 {
                return Ok(number);
            }
            shift = shift.wrapping_add(7);
        }
    }

    fn skip(&mut self, count: u64) -> Result<(), Odd> {
        let read = std::io::copy(&mut self.bytes.by_ref().take(count), &mut std::io::sink());
        if read.is_ok_and(|read| read == count) { Ok(()) } else { Err(Odd::Broken) }
    }

    fn byte(&mut self) -> Result<u8, Odd> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte).map_or(Err(Odd::Broken), |()| Ok(byte[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parquet_layout::{FILE, PAGE};
    use super::*;

    /// Type, sizes, and the header of a data page with plain values, as writers write it.
    const PLAIN: [u8; 17] =
        [0x15, 0, 0x15, 24, 0x15, 28, 0x2c, 0x15, 24, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];

    #[test]
    fn headers_of_the_format_pass() {
        assert_eq!(check_header(&PLAIN[..], &PAGE), Ok(()));
        // Unknown fields, in both forms: a number, a text, a list of numbers, a map without entries.
        let more = [0x95, 2, 0x18, 1, 65, 0x19, 0x25, 2, 4, 0x0b, 60, 0, 0];
        let bytes = [&PLAIN[..16], &more[..]].concat();
        assert_eq!(check_header(&bytes[..], &PAGE), Ok(()));
        // What ends in the middle is for the crate to tell.
        assert_eq!(check_header(&PLAIN[..9], &PAGE), Ok(()));
        assert_eq!(check_header(&[0x15][..], &FILE), Ok(()));
    }

    #[test]
    fn lists_that_cost_no_bytes_are_refused_wherever_they_are() {
        let billions = [0xf1, 255, 255, 255, 255, 7];
        let told = Err("a header holds a list of truth values");
        for prefix in [&[0x99][..], &[0x9a], &[0x9c, 0x19], &[0x99, 0x29]] {
            let bytes = [&PLAIN[..16], prefix, &billions].concat();
            assert_eq!(check_header(&bytes[..], &PAGE), told, "{prefix:?}");
        }
        // A map from truth values to truth values.
        let bytes = [&PLAIN[..16], &[0x9b, 255, 255, 255, 255, 7, 0x11]].concat();
        assert_eq!(check_header(&bytes[..], &PAGE), told);
    }

    #[test]
    fn fields_have_the_types_of_the_format() {
        let told = Err("a field of a header has another type");
        // The number of values as a truth value, the statistics as a list.
        let truth = [0x15, 0, 0x15, 24, 0x15, 28, 0x2c, 0x11, 0, 0];
        assert_eq!(check_header(&truth[..], &PAGE), told);
        let list = [0x15, 0, 0x15, 24, 0x15, 28, 0x2c, 0x15, 24, 0x49, 0xf1, 255, 255, 255, 255, 7];
        assert_eq!(check_header(&list[..], &PAGE), told);
        // A schema that is not a list.
        assert_eq!(check_header(&[0x15, 2, 0x15, 2, 0][..], &FILE), told);
    }

    #[test]
    fn lists_end_with_the_file() {
        // Two billion numbers are announced, and three are there.
        let bytes = [&PLAIN[..16], &[0x99, 0xf5, 255, 255, 255, 255, 7, 1, 2, 3]].concat();
        assert_eq!(check_header(&bytes[..], &PAGE), Ok(()));
        // Lists in lists, deeper than anybody follows.
        let deep = [&PLAIN[..16], &[0x99][..], &[0x19; 200]].concat();
        assert_eq!(check_header(&deep[..], &PAGE), Ok(()));
    }
}
