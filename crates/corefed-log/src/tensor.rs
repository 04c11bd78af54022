//! Named arrays of floats.

use std::io;

/// A named array, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Unique among the tensors of a file.
    pub name: String,
    /// Sizes of its axes; empty for a single value.
    pub shape: Vec<usize>,
    /// Its values, as many as the product of `shape`.
    pub data: TensorData,
}

/// Values of a tensor. Every bit is kept, those of what is not a number included.
#[derive(Clone, Debug, PartialEq)]
pub enum TensorData {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
}

/// Bytes converted at a time: enough for the disk, too few to be a second copy of a model.
const CHUNK: usize = 1 << 16;

impl TensorData {
    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of one value.
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::F32(_) => 4,
            Self::F64(_) => 8,
        }
    }

    /// Its name in a file.
    pub(crate) fn dtype(&self) -> &'static str {
        match self {
            Self::F32(_) => "F32",
            Self::F64(_) => "F64",
        }
    }

    /// Hands out the values as little-endian bytes, a chunk at a time.
    pub(crate) fn chunks(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(CHUNK);
        match self {
            Self::F32(values) => {
                for part in values.chunks(CHUNK / 4) {
                    bytes.clear();
                    bytes.extend(part.iter().flat_map(|value| value.to_le_bytes()));
                    take(&bytes)?;
                }
            }
            Self::F64(values) => {
                for part in values.chunks(CHUNK / 8) {
                    bytes.clear();
                    bytes.extend(part.iter().flat_map(|value| value.to_le_bytes()));
                    take(&bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Reads `count` values of a type; `None` if there is no such type. The caller knows that
    /// this many bytes exist.
    pub(crate) fn read(
        dtype: &str,
        count: usize,
        mut fill: impl FnMut(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<Option<Self>> {
        macro_rules! values {
            ($variant:ident, $float:ty) => {{
                const WIDTH: usize = size_of::<$float>();
                let mut values = Vec::with_capacity(count);
                let mut bytes = vec![0; CHUNK.min(count.saturating_mul(WIDTH))];
                while values.len() < count {
                    let part = (count - values.len()).min(CHUNK / WIDTH) * WIDTH;
                    fill(&mut bytes[..part])?;
                    let (whole, _) = bytes[..part].as_chunks::<WIDTH>();
                    values.extend(whole.iter().map(|value| <$float>::from_le_bytes(*value)));
                }
                Some(Self::$variant(values))
            }};
        }
        Ok(match dtype {
            "F32" => values!(F32, f32),
            "F64" => values!(F64, f64),
            _ => None,
        })
    }
}
