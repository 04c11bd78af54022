//! Images that stay on the device.

use crate::form::Form;
use std::sync::atomic::{AtomicU64, Ordering};

use corefed_nn::Shape;

use crate::arena::Arena;
use crate::{CudaError, Device};

/// Pixels of images: row by row, pixel by pixel, channel by channel.
#[derive(Clone, Copy, Debug)]
pub enum Pixels<'a> {
    /// A number is `byte * scale + shift`, by channel.
    Bytes {
        /// One after the other.
        bytes: &'a [u8],
        /// By channel.
        scale: &'a [f32],
        /// By channel.
        shift: &'a [f32],
    },
    /// Numbers as they are.
    Floats(&'a [f32]),
}

/// Images and their labels on the device.
#[derive(Debug)]
pub struct Images {
    pub(crate) pixels: Arena,
    /// Scales, then shifts, of bytes.
    pub(crate) shade: Arena,
    pub(crate) labels: Arena,
    pub(crate) form: Form,
    pub(crate) len: usize,
    /// Told apart from images that lie where others lay before.
    pub(crate) id: u64,
}

impl Images {
    pub(crate) fn upload(
        device: &Device,
        shape: Shape,
        classes: usize,
        convolves: bool,
        pixels: Pixels<'_>,
        labels: &[u8],
    ) -> Result<Self, CudaError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let len = labels.len();
        let wanted = len * shape.len();
        let exact = |what: &'static str, found: usize, wanted: usize| {
            if found == wanted { Ok(()) } else { Err(CudaError::Length { what, found, wanted }) }
        };
        if let Some(row) = labels.iter().position(|label| usize::from(*label) >= classes) {
            return Err(CudaError::Range {
                what: format!("the label of row {row}"),
                found: labels[row].to_string(),
                wanted: format!("below {classes}"),
            });
        }
        if u32::try_from(labels.len()).is_err() {
            return Err(CudaError::Range {
                what: "the number of images".to_owned(),
                found: labels.len().to_string(),
                wanted: "below 2^32".to_owned(),
            });
        }
        let stream = &device.stream;
        let (form, shade, pixels) = match pixels {
            Pixels::Bytes { bytes, scale, shift } => {
                exact("`bytes`", bytes.len(), wanted)?;
                exact("`scale`", scale.len(), shape.channels)?;
                exact("`shift`", shift.len(), shape.channels)?;
                let form = Form::new(true, shape.channels, convolves);
                (form, [scale, shift].concat(), Arena::of(stream, &form.widened(bytes))?)
            }
            Pixels::Floats(floats) => {
                exact("`floats`", floats.len(), wanted)?;
                let form = Form::new(false, shape.channels, convolves);
                (form, Vec::new(), Arena::of(stream, &form.widened(floats))?)
            }
        };
        let (shade, labels) = (Arena::of(stream, &shade)?, Arena::of(stream, labels)?);
        // Other streams may read them, and do not wait for this one.
        device.wait()?;
        Ok(Self { pixels, shade, labels, form, len, id: NEXT.fetch_add(1, Ordering::Relaxed) })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Rows must be of these images.
    pub(crate) fn check(&self, what: &str, rows: &[u32]) -> Result<(), CudaError> {
        match rows.iter().find(|row| **row as usize >= self.len) {
            None => Ok(()),
            Some(row) => Err(CudaError::Range {
                what: format!("a row of {what}"),
                found: row.to_string(),
                wanted: format!("below {}", self.len),
            }),
        }
    }
}
