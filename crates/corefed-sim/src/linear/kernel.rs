//! The two inner loops of a linear model: margins of a row, and a row's part of a gradient.
//!
//! Products and sums are separate operations in a fixed order, so every machine computes the same
//! bits.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_rules::Scalar;

use super::rows::Rows;

/// Sums kept apart in a dot product, so that they fit any vector width.
const PARTS: usize = 8;

/// Writes `x . W` for one row: `L` classes at a time, `stride` in all.
#[inline(always)]
pub(super) fn margins<R: Rows, T: Scalar, const L: usize>(
    rows: &R,
    row: usize,
    weights: &[T],
    out: &mut [f64],
) {
    let stride = out.len();
    if L == 1 {
        let sparse =
            rows.sparse::<f64>(row).map(|(column, value)| value * weights[column].to_f64());
        out[0] = dot(rows.dense(row), weights) + sparse.sum::<f64>();
        return;
    }
    // Whole lanes as arrays: one bounds check, and registers from there on.
    let weights = weights.as_chunks::<L>().0;
    let out = out.as_chunks_mut::<L>().0;
    if let [out] = out {
        // One block, as with up to sixteen classes: a column is its own place.
        *out = block_margins(rows, row, |column| &weights[column]);
        return;
    }
    let blocks = stride / L;
    for (block, out) in out.iter_mut().enumerate() {
        *out = block_margins(rows, row, |column| &weights[column * blocks + block]);
    }
}

/// Adds the row's offset to its margins, where rows have one.
#[inline(always)]
pub(super) fn shift(offsets: &[f64], row: usize, margins: &mut [f64]) {
    if let Some(offset) = offsets.get(row) {
        for margin in margins {
            *margin += offset;
        }
    }
}

/// Margins of `L` classes, whose weights for a column lie where `place` says.
#[inline(always)]
fn block_margins<'a, R: Rows, T: Scalar, const L: usize>(
    rows: &R,
    row: usize,
    place: impl Fn(usize) -> &'a [T; L],
) -> [f64; L] {
    // Two sums in turn: an addition need not wait for the one before.
    let (mut even, mut odd) = ([T::ZERO; L], [T::ZERO; L]);
    for (column, &value) in rows.dense(row).iter().enumerate() {
        add_product(&mut even, T::from_f64(value), place(column));
    }
    let mut entries = rows.sparse(row);
    while let Some((column, value)) = entries.next() {
        add_product(&mut even, value, place(column));
        let Some((column, value)) = entries.next() else { break };
        add_product(&mut odd, value, place(column));
    }
    let mut sums = [0.0; L];
    for ((sum, even), odd) in sums.iter_mut().zip(even).zip(odd) {
        *sum = (even + odd).to_f64();
    }
    sums
}

/// Adds `x_j r_k` to every entry `(j, k)` of `out`, for one row and its residuals.
#[inline(always)]
pub(super) fn scatter<R: Rows, T: Scalar, const L: usize>(
    rows: &R,
    row: usize,
    residuals: &[f64],
    out: &mut [T],
) {
    let stride = residuals.len();
    if L == 1 {
        let residual = residuals[0];
        for (out, &value) in out.iter_mut().zip(rows.dense(row)) {
            *out = *out + T::from_f64(value * residual);
        }
        for (column, value) in rows.sparse::<f64>(row) {
            out[column] = out[column] + T::from_f64(value * residual);
        }
        return;
    }
    let out = out.as_chunks_mut::<L>().0;
    let residuals = residuals.as_chunks::<L>().0;
    if let [residuals] = residuals {
        let residuals = residuals.map(T::from_f64);
        for (column, &value) in rows.dense(row).iter().enumerate() {
            add_product(&mut out[column], T::from_f64(value), &residuals);
        }
        for (column, value) in rows.sparse(row) {
            add_product(&mut out[column], value, &residuals);
        }
        return;
    }
    let blocks = stride / L;
    for (block, residuals) in residuals.iter().enumerate() {
        let residuals = residuals.map(T::from_f64);
        for (column, &value) in rows.dense(row).iter().enumerate() {
            add_product(&mut out[column * blocks + block], T::from_f64(value), &residuals);
        }
        for (column, value) in rows.sparse(row) {
            add_product(&mut out[column * blocks + block], value, &residuals);
        }
    }
}

/// `sums += value * with`, lane by lane.
#[inline(always)]
fn add_product<T: Scalar, const L: usize>(sums: &mut [T; L], value: T, with: &[T; L]) {
    for (sum, with) in sums.iter_mut().zip(with) {
        *sum = *sum + value * *with;
    }
}

#[inline(always)]
fn dot<T: Scalar>(x: &[f64], weights: &[T]) -> f64 {
    let weights = &weights[..x.len()];
    let (xs, ws) = (x.chunks_exact(PARTS), weights.chunks_exact(PARTS));
    let rest = xs.remainder().iter().zip(ws.remainder());
    let rest: f64 = rest.map(|(x, w)| x * w.to_f64()).sum();
    let mut sums = [0.0; PARTS];
    for (x, w) in xs.zip(ws) {
        for ((sum, x), w) in sums.iter_mut().zip(x).zip(w) {
            *sum += x * w.to_f64();
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_data::Design;

    #[test]
    fn margins_and_gradients_match_the_plain_sums() {
        // Two dense columns, two indicators of which the second is on, weights 1..8 in two classes.
        let design = Design::new(1, 4, (2, vec![0.5, -2.0]), (1, vec![3])).unwrap();
        let weights: Vec<f64> = (1..=8).map(f64::from).collect();
        let mut out = [0.0; 2];
        margins::<_, _, 2>(&design, 0, &weights, &mut out);
        // 0.5*1 - 2*3 + 7 and 0.5*2 - 2*4 + 8.
        assert_eq!(out, [1.5, 1.0]);
        let mut gradient = [0.0_f64; 8];
        scatter::<_, _, 2>(&design, 0, &[1.0, -1.0], &mut gradient);
        assert_eq!(gradient, [0.5, -0.5, -2.0, 2.0, 0.0, 0.0, 1.0, -1.0]);

        let mut one = [0.0];
        margins::<_, _, 1>(&design, 0, &weights[..4], &mut one);
        assert_eq!(one, [0.5 - 4.0 + 4.0]);
        let mut gradient = [0.0_f64; 4];
        scatter::<_, _, 1>(&design, 0, &[2.0], &mut gradient);
        assert_eq!(gradient, [1.0, -4.0, 0.0, 2.0]);
    }

    #[test]
    fn long_rows_are_summed_completely() {
        let values: Vec<f64> = (0..21).map(f64::from).collect();
        let expected: f64 = values.iter().map(|x| x * x).sum();
        assert_eq!(dot(&values, &values), expected);
    }
}
