//! The small matrices of Winograd's method, as they are multiplied from both sides of a tile.
//!
//! Products of polynomials are found from their values at a few points: 0, 1, -1 and infinity for four of them, also 2
//! and -2 for six. Any `m` outputs of a window of `r` pixels need `m + r - 1` points, and `B'` depends on the
//! points alone.
//!
//! No closures: vectors must not leave functions that are compiled for them.

use pulp::Simd;

use super::square::{Side, Square, rows};

/// `B'`: pixels of a tile.
pub(super) struct Turn;
/// `A'`: sums of products to outputs.
pub(super) struct Fold;
/// `A`: errors of outputs.
pub(super) struct Unfold;
/// `G`: weights of a window.
pub(super) struct Widen;
/// `G'`: slopes of a tile to those of weights.
pub(super) struct Narrow;

impl Side<4, 4> for Turn {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 4] {
        [simd.sub_f32s(a, c), simd.add_f32s(b, c), simd.sub_f32s(c, b), simd.sub_f32s(b, d)]
    }
}

impl Side<4, 2> for Fold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 2] {
        let first = simd.add_f32s(simd.add_f32s(a, b), c);
        [first, simd.sub_f32s(simd.sub_f32s(b, c), d)]
    }
}

impl Side<2, 4> for Unfold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b]: [S::f32s; 2]) -> [S::f32s; 4] {
        [a, simd.add_f32s(a, b), simd.sub_f32s(a, b), simd.neg_f32s(b)]
    }
}

impl Side<3, 4> for Widen {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c]: [S::f32s; 3]) -> [S::f32s; 4] {
        let half = simd.splat_f32s(0.5);
        let [plus, minus] = around(simd, simd.add_f32s(a, c), b);
        [a, simd.mul_f32s(half, plus), simd.mul_f32s(half, minus), c]
    }
}

impl Side<4, 3> for Narrow {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 3] {
        let half = simd.splat_f32s(0.5);
        let [mean, bend] = around(simd, b, c);
        let (mean, bend) = (simd.mul_f32s(half, mean), simd.mul_f32s(half, bend));
        [simd.add_f32s(a, mean), bend, simd.add_f32s(mean, d)]
    }
}

/// The first three rows for six pixels: `x^4 - 5x^2 + 4` and `(x^2 +- x)(x^2 - 4)`.
struct Upper;
/// The others: `(x^2 +- 2x)(x^2 - 1)` and `x^5 - 5x^3 + 4x`.
struct Lower;

impl Side<6, 3> for Upper {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d, e, _]: [S::f32s; 6]) -> [S::f32s; 3] {
        let zero = times(simd, -5.0, c, times(simd, 4.0, a, e));
        let one = around(simd, times(simd, -4.0, c, e), times(simd, -4.0, b, d));
        [zero, one[0], one[1]]
    }
}

impl Side<6, 3> for Lower {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [_, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 3] {
        let odd = simd.sub_f32s(d, b);
        let two = around(simd, simd.sub_f32s(e, c), simd.add_f32s(odd, odd));
        [two[0], two[1], times(simd, -5.0, d, times(simd, 4.0, b, f))]
    }
}

impl Side<6, 6> for Turn {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, column: [S::f32s; 6]) -> [S::f32s; 6] {
        let [a, b, c] = Upper::apply(simd, column);
        let [d, e, f] = Lower::apply(simd, column);
        [a, b, c, d, e, f]
    }

    #[inline(always)]
    fn both<S: Simd>(simd: S, from: Square<&[S::f32s]>, to: Square<&mut [S::f32s]>, add: bool) {
        let Square { vectors, down, right } = to;
        let (above, below) = vectors.split_at_mut(3 * down);
        let (above, below) =
            (Square { vectors: above, down, right }, Square { vectors: below, down, right });
        rows::<S, Upper, Self, 6, 3, 6>(simd, from, above, add);
        rows::<S, Lower, Self, 6, 3, 6>(simd, from, below, add);
    }
}

impl Side<6, 2> for Fold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 2] {
        let (one, two) = (around(simd, b, c), around(simd, d, e));
        let even = simd.add_f32s(simd.add_f32s(a, one[0]), two[0]);
        [even, simd.add_f32s(times(simd, 2.0, two[1], one[1]), f)]
    }
}

impl Side<2, 6> for Unfold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b]: [S::f32s; 2]) -> [S::f32s; 6] {
        let (one, two) = (around(simd, a, b), around(simd, a, simd.add_f32s(b, b)));
        [a, one[0], one[1], two[0], two[1], b]
    }
}

impl Side<6, 4> for Fold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 4] {
        let (one, two) = (around(simd, b, c), around(simd, d, e));
        [
            simd.add_f32s(simd.add_f32s(a, one[0]), two[0]),
            times(simd, 2.0, two[1], one[1]),
            times(simd, 4.0, two[0], one[0]),
            simd.add_f32s(times(simd, 8.0, two[1], one[1]), f),
        ]
    }
}

impl Side<4, 6> for Unfold {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 6] {
        let one = around(simd, simd.add_f32s(a, c), simd.add_f32s(b, d));
        let odd = times(simd, 4.0, d, b);
        let two = around(simd, times(simd, 4.0, c, a), simd.add_f32s(odd, odd));
        [a, one[0], one[1], two[0], two[1], d]
    }
}

/// Products of the differences between points are 4, -6 and 24: what remains of them when `B'` has whole numbers.
const SHARES: [f32; 3] = [1.0 / 4.0, -1.0 / 6.0, 1.0 / 24.0];

impl Side<5, 6> for Widen {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c, d, e]: [S::f32s; 5]) -> [S::f32s; 6] {
        let even = simd.add_f32s(simd.add_f32s(a, c), e);
        let one = around(simd, even, simd.add_f32s(b, d));
        let odd = times(simd, 4.0, d, b);
        let even = times(simd, 16.0, e, times(simd, 4.0, c, a));
        widened(simd, a, one, around(simd, even, simd.add_f32s(odd, odd)), e)
    }
}

impl Side<3, 6> for Widen {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, [a, b, c]: [S::f32s; 3]) -> [S::f32s; 6] {
        let one = around(simd, simd.add_f32s(a, c), b);
        let two = around(simd, times(simd, 4.0, c, a), simd.add_f32s(b, b));
        widened(simd, a, one, two, c)
    }
}

impl Side<6, 5> for Narrow {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, values: [S::f32s; 6]) -> [S::f32s; 5] {
        let [a, one, one_odd, two, two_odd, f] = narrowed(simd, values);
        [
            simd.add_f32s(simd.add_f32s(a, one), two),
            times(simd, 2.0, two_odd, one_odd),
            times(simd, 4.0, two, one),
            times(simd, 8.0, two_odd, one_odd),
            simd.add_f32s(times(simd, 16.0, two, one), f),
        ]
    }
}

impl Side<6, 3> for Narrow {
    #[inline(always)]
    fn apply<S: Simd>(simd: S, values: [S::f32s; 6]) -> [S::f32s; 3] {
        let [a, one, one_odd, two, two_odd, f] = narrowed(simd, values);
        [
            simd.add_f32s(simd.add_f32s(a, one), two),
            times(simd, 2.0, two_odd, one_odd),
            simd.add_f32s(times(simd, 4.0, two, one), f),
        ]
    }
}

/// Values at the points, each with its share.
#[inline(always)]
fn widened<S: Simd>(
    simd: S,
    zero: S::f32s,
    [one, minus_one]: [S::f32s; 2],
    [two, minus_two]: [S::f32s; 2],
    infinity: S::f32s,
) -> [S::f32s; 6] {
    let [a, b, c] = splats(simd);
    [
        simd.mul_f32s(a, zero),
        simd.mul_f32s(b, one),
        simd.mul_f32s(b, minus_one),
        simd.mul_f32s(c, two),
        simd.mul_f32s(c, minus_two),
        infinity,
    ]
}

/// Sums and differences of opposite points, each with its share.
#[inline(always)]
fn narrowed<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 6] {
    let [zero, one, two] = splats(simd);
    let (ones, twos) = (around(simd, b, c), around(simd, d, e));
    [
        simd.mul_f32s(zero, a),
        simd.mul_f32s(one, ones[0]),
        simd.mul_f32s(one, ones[1]),
        simd.mul_f32s(two, twos[0]),
        simd.mul_f32s(two, twos[1]),
        f,
    ]
}

#[inline(always)]
fn splats<S: Simd>(simd: S) -> [S::f32s; 3] {
    let [a, b, c] = SHARES;
    [simd.splat_f32s(a), simd.splat_f32s(b), simd.splat_f32s(c)]
}

/// Sum and difference: values at a point and at its opposite, from even and odd parts.
#[inline(always)]
fn around<S: Simd>(simd: S, even: S::f32s, odd: S::f32s) -> [S::f32s; 2] {
    [simd.add_f32s(even, odd), simd.sub_f32s(even, odd)]
}

/// `factor * x + y`.
#[inline(always)]
fn times<S: Simd>(simd: S, factor: f32, x: S::f32s, y: S::f32s) -> S::f32s {
    simd.mul_add_e_f32s(simd.splat_f32s(factor), x, y)
}
