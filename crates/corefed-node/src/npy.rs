//! NumPy's format of arrays: numbers in double precision are written, and single ones are read, too.

use std::fmt::Write;

use thiserror::Error;

use crate::record::Array;

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy leaves room for this many digits of the first extent, and fills up to a multiple of 64 bytes.
const DIGITS: usize = 21;
const ALIGNED: usize = 64;
/// A head is a type and some extents: longer ones are not looked at.
const LONGEST_HEAD: usize = 64 << 10;
const STYPE: &str = "numpy.ndarray";

/// Why bytes are not an array of numbers.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum NpyError {
    #[error("they do not begin as `.npy` does")]
    Head,
    #[error("they hold `{0}`; expected float64 or float32 in little-endian order")]
    Type(String),
    #[error("they hold {found} bytes of numbers; the shape needs {expected}")]
    Length { expected: usize, found: usize },
}

/// Numbers and their shape; the last axis runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

impl Array {
    /// An array of double precision, as NumPy would save it.
    pub(crate) fn of(shape: &[usize], values: &[f64]) -> Self {
        let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let tuple = match extents.as_slice() {
            [one] => format!("({one},)"),
            several => format!("({})", several.join(", ")),
        };
        let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {tuple}, }}");
        if let Some(first) = extents.first() {
            let room = DIGITS.saturating_sub(first.len());
            let _ = write!(header, "{:room$}", "");
        }
        let fixed = MAGIC.len() + 4;
        let padding = ALIGNED - (fixed + header.len() + 1) % ALIGNED;
        let _ = writeln!(header, "{:padding$}", "");
        let mut data = Vec::with_capacity(fixed + header.len() + 8 * values.len());
        data.extend_from_slice(MAGIC);
        data.extend_from_slice(&[1, 0]);
        // Of a few dozen numbers at most.
        data.extend_from_slice(&u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes());
        data.extend_from_slice(header.as_bytes());
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        Self { dtype: "float64".to_owned(), shape: shape.to_vec(), stype: STYPE.to_owned(), data }
    }

    /// What its bytes hold, before room is made for numbers.
    pub(crate) fn stored(&self) -> Result<Stored<'_>, NpyError> {
        if self.stype != STYPE {
            return Err(NpyError::Type(self.stype.chars().take(40).collect()));
        }
        Stored::read(&self.data)
    }

    /// Its numbers.
    #[cfg(test)]
    pub(crate) fn numbers(&self) -> Result<Numbers, NpyError> {
        self.stored().map(|stored| stored.numbers())
    }
}

/// `.npy` whose head is read and whose body has the length that the head says.
pub(crate) struct Stored<'a> {
    pub(crate) shape: Vec<usize>,
    single: bool,
    columns_first: bool,
    body: &'a [u8],
}

impl<'a> Stored<'a> {
    pub(crate) fn read(data: &'a [u8]) -> Result<Self, NpyError> {
        let rest = data.strip_prefix(MAGIC).ok_or(NpyError::Head)?;
        let (length, from) = match rest {
            [1, _, low, high, ..] => (usize::from(u16::from_le_bytes([*low, *high])), 4),
            [2 | 3, _, a, b, c, d, ..] => {
                let length = u32::from_le_bytes([*a, *b, *c, *d]);
                (usize::try_from(length).map_err(|_| NpyError::Head)?, 6)
            }
            _ => return Err(NpyError::Head),
        };
        if length > LONGEST_HEAD {
            return Err(NpyError::Head);
        }
        let (header, body) = rest[from..].split_at_checked(length).ok_or(NpyError::Head)?;
        let header = std::str::from_utf8(header).map_err(|_| NpyError::Head)?;
        let field = |key: &str| header.split_once(key).map(|(_, after)| after.trim_start());
        let descr = field("'descr':").and_then(|after| after.strip_prefix('\''));
        let descr = descr.and_then(|after| after.split('\'').next()).ok_or(NpyError::Head)?;
        let shape = field("'shape':").and_then(shape_of).ok_or(NpyError::Head)?;
        let columns_first =
            field("'fortran_order':").ok_or(NpyError::Head)?.starts_with("True") && shape.len() > 1;
        let single = match descr {
            "<f8" => false,
            "<f4" => true,
            other => return Err(NpyError::Type(other.chars().take(20).collect())),
        };
        let width = if single { 4 } else { 8 };
        let count = shape.iter().try_fold(1, |all: usize, &extent| all.checked_mul(extent));
        let expected = count.and_then(|count| count.checked_mul(width)).unwrap_or(usize::MAX);
        if body.len() != expected {
            return Err(NpyError::Length { expected, found: body.len() });
        }
        Ok(Self { shape, single, columns_first, body })
    }

    /// How many numbers there are.
    pub(crate) fn count(&self) -> usize {
        self.body.len() / if self.single { 4 } else { 8 }
    }

    /// The numbers.
    pub(crate) fn numbers(&self) -> Numbers {
        let single = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let double =
            |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
        let values: Vec<f64> = if self.single {
            self.body.chunks_exact(4).map(single).collect()
        } else {
            self.body.chunks_exact(8).map(double).collect()
        };
        let turned = self.columns_first.then(|| last_axis_fastest(&self.shape, &values));
        Numbers { shape: self.shape.clone(), values: turned.unwrap_or(values) }
    }
}

/// `(1, 7)`, `(7,)` or `()`.
fn shape_of(text: &str) -> Option<Vec<usize>> {
    let inside = text.strip_prefix('(')?.split_once(')')?.0;
    let extents = inside.split(',').map(str::trim).filter(|extent| !extent.is_empty());
    extents.map(|extent| extent.parse().ok()).collect()
}

/// Numbers whose first axis runs fastest, in the other order.
fn last_axis_fastest(shape: &[usize], values: &[f64]) -> Vec<f64> {
    let mut at = vec![0; shape.len()];
    let mut strides = vec![1; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    }
    let mut ordered = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        ordered
            .push(values[at.iter().zip(&strides).map(|(at, stride)| at * stride).sum::<usize>()]);
        for axis in (0..shape.len()).rev() {
            at[axis] += 1;
            if at[axis] < shape[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(data: &[u8]) -> Result<Numbers, NpyError> {
        Stored::read(data).map(|stored| stored.numbers())
    }

    fn saved(header: &str, values: &[f64]) -> Vec<u8> {
        let mut data =
            [MAGIC, &[1, 0], &u16::try_from(header.len()).unwrap().to_le_bytes()].concat();
        data.extend_from_slice(header.as_bytes());
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        data
    }

    #[test]
    fn numbers_by_columns_are_turned() {
        let header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n";
        let found = read(&saved(header, &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0])).unwrap();
        assert_eq!(found.shape, [2, 3]);
        assert_eq!(found.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn shapes_that_promise_more_than_there_is_are_refused() {
        for shape in
            ["(3,)", "(18446744073709551615, 18446744073709551615)", "(9223372036854775807,)"]
        {
            let header =
                format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
            let refused = read(&saved(&header, &[1.0, 2.0]));
            assert!(matches!(refused, Err(NpyError::Length { found: 16, .. })), "{refused:?}");
        }
        let objects = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n";
        assert_eq!(read(&saved(objects, &[1.0])), Err(NpyError::Type("|O".to_owned())));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in 0usize..4, values in prop::collection::vec(any::<f64>(), 0..5)) {
            let whole = values.repeat(rows);
            let array = Array::of(&[rows, values.len()], &whole);
            prop_assert_eq!(array.data.len() % ALIGNED, (8 * whole.len()) % ALIGNED);
            let found = array.numbers().unwrap();
            prop_assert_eq!(found.shape, vec![rows, values.len()]);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&found.values), bits(&whole));
        }

        #[test]
        fn no_bytes_make_it_panic(cut in 0usize..200, at in 0usize..200, byte: u8) {
            let mut data = Array::of(&[2, 3], &[1.0; 6]).data;
            let place = at % data.len();
            data[place] = byte;
            data.truncate(cut);
            let _ = read(&data);
        }
    }
}
