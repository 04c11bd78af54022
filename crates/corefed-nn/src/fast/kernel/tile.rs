//! How outputs are cut into tiles that stay in registers.

use pulp::{Arch, Simd, WithSimd};

/// As many rows of a tile, and vectors of each, as leave registers for operands.
pub(super) const fn most_rows<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { 12 } else { 6 }
}

/// Vectors of a tile's row.
pub(super) const VECTORS: usize = 2;

/// Output columns, cut into panels of one tile's width; the last may be narrower.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panels {
    /// Of a vector.
    pub(crate) lanes: usize,
    pub(crate) columns: usize,
}

/// One panel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel {
    /// Its first column.
    pub(crate) column: usize,
    /// Columns that exist.
    pub(crate) width: usize,
    /// Columns it is padded to.
    pub(crate) padded: usize,
}

impl Panels {
    /// Columns with those that pad the last panel.
    pub(crate) fn padded(self) -> usize {
        self.columns.next_multiple_of(self.lanes)
    }

    /// Where a number is, in panels of `total` rows.
    pub(crate) fn at(self, total: usize, row: usize, column: usize) -> usize {
        let first = column / self.width() * self.width();
        let padded = (self.padded() - first).min(self.width());
        first * total + row * padded + column - first
    }

    /// Columns of a whole panel.
    pub(crate) fn width(self) -> usize {
        VECTORS * self.lanes
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Panel> {
        let Self { lanes, columns } = self;
        (0..columns).step_by(self.width()).map(move |column| {
            let width = (columns - column).min(self.width());
            Panel { column, width, padded: width.next_multiple_of(lanes) }
        })
    }
}

/// Columns in panels for an instruction set.
pub(crate) fn panels(arch: Arch, columns: usize) -> Panels {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;

        fn with_simd<S: Simd>(self, _simd: S) -> usize {
            S::F32_LANES
        }
    }
    Panels { lanes: arch.dispatch(Lanes), columns }
}

/// Cuts `count` into parts of nearly equal size, none above `most`: lengths in order.
#[inline(always)]
pub(crate) fn even_parts(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let parts = count.div_ceil(most);
    (0..parts).map(move |part| (count * (part + 1)) / parts - (count * part) / parts)
}

/// Calls a function with a number of rows from 1 to 12 as a constant. Sizes that an instruction set has no registers
/// for are not compiled for it: a third of this crate's build.
macro_rules! with_rows {
    ($rows:expr, $function:ident::<$simd:ty, _, $vectors:literal>($($argument:expr),*)) => {
        match $rows {
            1 => $function::<$simd, 1, $vectors>($($argument),*),
            2 => $function::<$simd, 2, $vectors>($($argument),*),
            3 => $function::<$simd, 3, $vectors>($($argument),*),
            4 => $function::<$simd, 4, $vectors>($($argument),*),
            5 => $function::<$simd, 5, $vectors>($($argument),*),
            _ if const { most_rows::<$simd>() == 6 } => $function::<$simd, 6, $vectors>($($argument),*),
            6 => $function::<$simd, 6, $vectors>($($argument),*),
            7 => $function::<$simd, 7, $vectors>($($argument),*),
            8 => $function::<$simd, 8, $vectors>($($argument),*),
            9 => $function::<$simd, 9, $vectors>($($argument),*),
            10 => $function::<$simd, 10, $vectors>($($argument),*),
            11 => $function::<$simd, 11, $vectors>($($argument),*),
            _ => $function::<$simd, 12, $vectors>($($argument),*),
        }
    };
}
pub(super) use with_rows;

/// Stores or adds one row of a tile, of which `width` columns exist.
#[inline(always)]
pub(super) fn put<S: Simd, const V: usize>(
    simd: S,
    sums: [S::f32s; V],
    out: &mut [f32],
    add: bool,
) {
    let lanes = S::F32_LANES;
    if out.len() == V * lanes {
        let (vectors, _) = S::as_mut_simd_f32s(out);
        for (vector, sum) in vectors.iter_mut().zip(sums) {
            *vector = if add { simd.add_f32s(*vector, sum) } else { sum };
        }
        return;
    }
    for (part, sum) in out.chunks_mut(lanes).zip(sums) {
        let sum = if add { simd.add_f32s(simd.partial_load_f32s(part), sum) } else { sum };
        simd.partial_store_f32s(part, sum);
    }
}
