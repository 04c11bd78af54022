//! Rows of numbers as local training visits them: a dense beginning, then the entries that are not
//! zero.

#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_data::{Design, Images};
use corefed_rules::Scalar;

/// Samples of one width.
pub trait Rows: Sync {
    /// Number of columns, intercept included.
    fn dim(&self) -> usize;
    /// The first columns of a row, whatever their values.
    fn dense(&self, row: usize) -> &[f64];
    /// Column and value of every other entry that is not zero, in column order.
    fn sparse<T: Scalar>(&self, row: usize) -> impl Iterator<Item = (usize, T)>;
}

impl Rows for Design {
    fn dim(&self) -> usize {
        Design::dim(self)
    }

    #[inline(always)]
    fn dense(&self, row: usize) -> &[f64] {
        self.dense_rows(row..row + 1)
    }

    #[inline(always)]
    fn sparse<T: Scalar>(&self, row: usize) -> impl Iterator<Item = (usize, T)> {
        self.hot_rows(row..row + 1).iter().map(|&column| (column as usize, T::from_f64(1.0)))
    }
}

impl<R: Rows> Rows for &R {
    fn dim(&self) -> usize {
        (*self).dim()
    }

    #[inline(always)]
    fn dense(&self, row: usize) -> &[f64] {
        (*self).dense(row)
    }

    #[inline(always)]
    fn sparse<T: Scalar>(&self, row: usize) -> impl Iterator<Item = (usize, T)> {
        (*self).sparse(row)
    }
}

/// Images as rows of pixels in `[0, 1]` with an intercept, without their zeros: four fifths of
/// MNIST are background.
#[derive(Clone, Debug)]
pub struct PixelRows {
    pixels: usize,
    /// Where the entries of each row begin; one more than there are rows.
    starts: Vec<usize>,
    columns: Vec<u16>,
    /// A byte per entry; its value is looked up.
    codes: Vec<u8>,
    single: [f32; 256],
    double: [f64; 256],
}

impl PixelRows {
    /// The listed images, in the order of the list. `None` when an image has more pixels than
    /// 16 bits can number.
    #[must_use]
    pub fn new(images: &Images, rows: impl IntoIterator<Item = u32>) -> Option<Self> {
        let pixels = images.sample_size();
        let intercept = u16::try_from(pixels).ok()?;
        let mut double = [0.0; 256];
        for (code, value) in (0_u8..=255).zip(&mut double) {
            *value = f64::from(code) / 255.0;
        }
        let mut made = Self {
            pixels,
            starts: vec![0],
            columns: Vec::new(),
            codes: Vec::new(),
            single: double.map(f32::from_f64),
            double,
        };
        for row in rows {
            made.push(images.image(row as usize), intercept);
        }
        Some(made)
    }

    /// One image more; apart, so that it is compiled here, whatever the list is made of.
    fn push(&mut self, image: &[u8], intercept: u16) {
        for (column, &code) in (0..).zip(image) {
            if code > 0 {
                self.columns.push(column);
                self.codes.push(code);
            }
        }
        // White is one, and so is an intercept.
        self.columns.push(intercept);
        self.codes.push(255);
        self.starts.push(self.columns.len());
    }

    /// Length of a row, intercept included.
    #[must_use]
    pub fn norm(&self, row: usize) -> f64 {
        self.sparse(row).map(|(_, value): (_, f64)| value * value).sum::<f64>().sqrt()
    }
}

impl Rows for PixelRows {
    fn dim(&self) -> usize {
        self.pixels + 1
    }

    #[inline(always)]
    fn dense(&self, _: usize) -> &[f64] {
        &[]
    }

    #[inline(always)]
    fn sparse<T: Scalar>(&self, row: usize) -> impl Iterator<Item = (usize, T)> {
        let entries = self.starts[row]..self.starts[row + 1];
        let codes = &self.codes[entries.clone()];
        // Widening and narrowing again is nothing at all to the compiler.
        let value = |code: u8| match T::NAME {
            f32::NAME => T::from_f64(f64::from(self.single[usize::from(code)])),
            _ => T::from_f64(self.double[usize::from(code)]),
        };
        let entries = self.columns[entries].iter().zip(codes);
        entries.map(move |(&column, &code)| (usize::from(column), value(code)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_without_zeros_and_with_an_intercept() {
        let images = Images::new(1, 3, 1, vec![0, 255, 51, 0, 0, 0], vec![0, 1], 2).unwrap();
        let rows = PixelRows::new(&images, [1, 0]).unwrap();
        let entries = |row| rows.sparse(row).collect::<Vec<(usize, f64)>>();
        assert_eq!(entries(0), [(3, 1.0)]);
        assert_eq!(entries(1), [(1, 1.0), (2, 0.2), (3, 1.0)]);
        assert!((rows.norm(1) - 2.04_f64.sqrt()).abs() < 1e-15);
        assert_eq!(rows.dim(), 4);
    }
}
