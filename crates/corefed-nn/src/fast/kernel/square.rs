//! Squares of vectors, multiplied with a small matrix from both sides.

use pulp::Simd;

/// A small matrix.
pub(super) trait Side<const IN: usize, const OUT: usize>: Sized {
    /// The product with a column.
    fn apply<S: Simd>(simd: S, column: [S::f32s; IN]) -> [S::f32s; OUT];

    /// The product with a square from both sides, stored or added.
    #[inline(always)]
    fn both<S: Simd>(simd: S, from: Square<&[S::f32s]>, to: Square<&mut [S::f32s]>, add: bool) {
        rows::<S, Self, Self, IN, OUT, OUT>(simd, from, to, add);
    }
}

/// Vectors, of which a square is a distance `down` and a distance `right` apart.
#[derive(Clone, Copy)]
pub(super) struct Square<V> {
    pub(super) vectors: V,
    pub(super) down: usize,
    pub(super) right: usize,
}

/// Some rows of the product: those of `P` from the left, all of `M` from the right. Rows whose halves fit into registers
/// need no memory between.
#[inline(always)]
pub(super) fn rows<S, P, M, const IN: usize, const PART: usize, const OUT: usize>(
    simd: S,
    from: Square<&[S::f32s]>,
    to: Square<&mut [S::f32s]>,
    add: bool,
) where
    S: Simd,
    P: Side<IN, PART>,
    M: Side<IN, OUT>,
{
    let Square { vectors: pixels, down, right } = from;
    let Square { vectors: out, down: out_down, right: out_right } = to;
    let zero = simd.splat_f32s(0.0);
    let mut half = [[zero; IN]; PART];
    for j in 0..IN {
        let mut column = [zero; IN];
        for (i, column) in column.iter_mut().enumerate() {
            *column = pixels[i * down + j * right];
        }
        for (half, value) in half.iter_mut().zip(P::apply(simd, column)) {
            half[j] = value;
        }
    }
    for (i, half) in half.into_iter().enumerate() {
        for (j, value) in M::apply(simd, half).into_iter().enumerate() {
            let there = &mut out[i * out_down + j * out_right];
            *there = if add { simd.add_f32s(*there, value) } else { value };
        }
    }
}
