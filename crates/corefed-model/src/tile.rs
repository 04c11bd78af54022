//! The dense inner loop of Hessians: `out += x' scaled`, lower triangle, for a block of rows.
//!
//! A tile of the output stays in registers while all rows of the block add to it. Both inputs
//! are read as they lie, with no packing, which is what a general matrix product spends its
//! time on when the matrix is narrow. Up to 1024 columns this was faster than faer's triangular
//! product, scaling included; at 2048 columns, where the output leaves the cache between blocks
//! of rows, it took half as long again.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Simd;

/// Rows of `scaled` and `out` are padded to a multiple of this many numbers, the widest vector.
pub(crate) const PAD: usize = 8;

/// Adds `sum_r x_r' scaled_r` to `out`: `x` has `cols` columns, `scaled` and the `cols` rows of
/// `out` have `stride`. Entries right of the diagonal hold anything afterwards.
#[inline(always)]
pub(crate) fn lower_product<S: Simd>(
    simd: S,
    (x, cols): (&[f64], usize),
    (scaled, stride): (&[f64], usize),
    out: &mut [f64],
) {
    let mut first = 0;
    while first < cols {
        let left = cols - first;
        let args = (first, x, cols, scaled, stride);
        // Eight rows of three vectors need 24 of the 32 registers of AVX-512.
        first += if left >= 8 && S::REGISTER_COUNT >= 32 {
            strip::<S, 8>(simd, args, out)
        } else if left >= 4 {
            strip::<S, 4>(simd, args, out)
        } else if left >= 2 {
            strip::<S, 2>(simd, args, out)
        } else {
            strip::<S, 1>(simd, args, out)
        };
    }
}

/// `first` row of the strip, then `x`, its columns, `scaled` and its columns.
type Operands<'a> = (usize, &'a [f64], usize, &'a [f64], usize);

/// `R` rows of the output, up to the diagonal.
#[inline(always)]
fn strip<S: Simd, const R: usize>(simd: S, operands: Operands<'_>, out: &mut [f64]) -> usize {
    let (first, _, _, _, stride) = operands;
    let out = &mut out[first * stride..(first + R) * stride];
    let end = (first + R).div_ceil(S::F64_LANES) * S::F64_LANES;
    let mut col = 0;
    while col < end {
        col += match (end - col) / S::F64_LANES {
            1 => tile::<S, R, 1>(simd, operands, col, out),
            2 => tile::<S, R, 2>(simd, operands, col, out),
            _ => tile::<S, R, 3>(simd, operands, col, out),
        };
    }
    R
}

/// `R` rows and `V` vectors of the output, from column `col`.
#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(
    simd: S,
    (first, x, cols, scaled, stride): Operands<'_>,
    col: usize,
    out: &mut [f64],
) -> usize {
    let width = V * S::F64_LANES;
    let mut sums = [[simd.splat_f64s(0.0); V]; R];
    for (x, scaled) in x.chunks_exact(cols).zip(scaled.chunks_exact(stride)) {
        let (vectors, _) = S::as_simd_f64s(&scaled[col..col + width]);
        let (Some(vectors), Some(factors)) =
            (vectors.first_chunk::<V>(), x[first..].first_chunk::<R>())
        else {
            break;
        };
        for (sums, &factor) in sums.iter_mut().zip(factors) {
            let factor = simd.splat_f64s(factor);
            for (sum, &vector) in sums.iter_mut().zip(vectors) {
                *sum = simd.mul_add_e_f64s(factor, vector, *sum);
            }
        }
    }
    for (out, sums) in out.chunks_exact_mut(stride).zip(sums) {
        let (vectors, _) = S::as_mut_simd_f64s(&mut out[col..col + width]);
        for (vector, sum) in vectors.iter_mut().zip(sums) {
            *vector = simd.add_f64s(*vector, sum);
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use pulp::Arch;

    use super::*;

    struct Product<'a>(&'a [f64], usize, &'a [f64], usize, &'a mut [f64]);

    impl pulp::WithSimd for Product<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            lower_product(simd, (self.0, self.1), (self.2, self.3), self.4);
        }
    }

    #[test]
    fn every_tile_shape_sums_products_on_every_instruction_set() {
        // Small integers, so that sums are exact in any order.
        for (arch, cols) in (1..40).flat_map(|cols| [(Arch::new(), cols), (Arch::Scalar, cols)]) {
            let (rows, stride) = (5, usize::next_multiple_of(cols, PAD));
            let x: Vec<_> = (0..rows * cols).map(|k| (k % 7) as f64 - 3.0).collect();
            let mut scaled = vec![0.0; rows * stride];
            for (k, value) in x.iter().enumerate() {
                scaled[k / cols * stride + k % cols] = 2.0 * value;
            }
            let mut out = vec![1.0; cols * stride];
            arch.dispatch(Product(&x, cols, &scaled, stride, &mut out));
            for i in 0..cols {
                for j in 0..=i {
                    let sum: f64 = (0..rows).map(|r| x[r * cols + i] * x[r * cols + j]).sum();
                    let (found, expected) = (out[i * stride + j], 1.0 + 2.0 * sum);
                    assert!((found - expected).abs() < 0.5, "{i},{j}: {found} != {expected}");
                }
            }
        }
    }
}
