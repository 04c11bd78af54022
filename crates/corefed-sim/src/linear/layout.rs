//! Parameters as local training keeps them: feature by feature, so that one entry of a row touches
//! the weights of all classes at once.

use corefed_rules::Scalar;

use super::aligned::Aligned;

/// How `blocks` vectors of `dim` weights, class after class, are stored feature after feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) dim: usize,
    pub(super) blocks: usize,
    /// Classes that are computed together: 1, 2, 4, 8 or 16.
    pub(super) lanes: usize,
    /// Numbers per feature: `blocks`, padded to whole lanes.
    pub(super) stride: usize,
}

impl Layout {
    pub(super) fn new(dim: usize, blocks: usize) -> Self {
        let lanes = blocks.next_power_of_two().min(16);
        Self { dim, blocks, lanes, stride: blocks.next_multiple_of(lanes) }
    }

    pub(super) fn len(self) -> usize {
        self.dim * self.stride
    }

    /// Packs parameters; the padding is zero.
    pub(super) fn pack<T: Scalar>(self, params: &[T]) -> Aligned<T> {
        let mut aligned = Aligned::default();
        let packed = aligned.resize(self.len());
        for (class, weights) in params.chunks_exact(self.dim).enumerate() {
            for (row, weight) in packed.chunks_exact_mut(self.stride).zip(weights) {
                row[class] = *weight;
            }
        }
        aligned
    }

    /// Writes `packed - base`, both packed, class after class.
    #[inline(always)]
    pub(super) fn unpack_difference<T: Scalar>(self, packed: &[T], base: &[T], out: &mut [T]) {
        // Eight features at a time: each class's run of the output is then a whole cache line.
        const RUN: usize = 8;
        let rows = RUN * self.stride;
        let minus = T::from_f64(-1.0);
        for (run, (packed, base)) in packed.chunks(rows).zip(base.chunks(rows)).enumerate() {
            let features = packed.len() / self.stride;
            for class in 0..self.blocks {
                let start = class * self.dim + run * RUN;
                for (k, out) in out[start..start + features].iter_mut().enumerate() {
                    let at = k * self.stride + class;
                    *out = packed[at] + minus * base[at];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacking_undoes_packing_for_every_shape() {
        for dim in [1, 7, 8, 9, 20] {
            for blocks in [1, 2, 3, 10, 16, 17, 40] {
                let layout = Layout::new(dim, blocks);
                let params: Vec<f64> = (0..dim * blocks).map(|k| k as f64 + 1.0).collect();
                let packed = layout.pack(&params);
                let packed = packed.as_slice();
                assert_eq!(packed.iter().sum::<f64>(), params.iter().sum::<f64>());
                let mut back = vec![0.0; params.len()];
                layout.unpack_difference(packed, &vec![0.0; packed.len()], &mut back);
                assert_eq!(back, params, "{layout:?}");
            }
        }
    }
}
