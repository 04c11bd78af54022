//! Which numbers a dropout layer zeroes.

/// The choices of one dropout layer for one sample in one step. A choice is a hash of where the number is,
/// so nothing has to be kept between the way forwards and the way back, and the order of work is free.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask {
    key: u64,
}

impl Mask {
    /// `seed` of the step, then which layer and which row of its batch.
    pub(crate) fn new(seed: u64, layer: usize, row: usize) -> Self {
        let place = (layer as u64) << 48 ^ row as u64;
        Self { key: mix(seed ^ mix(place.wrapping_add(0x9e37_79b9_7f4a_7c15))) }
    }

    /// What number `index` is multiplied by: zero with probability `rate`, and otherwise so much that
    /// its expectation stays.
    pub(crate) fn factor(self, index: usize, rate: f32) -> f32 {
        if self.hash(index) < threshold(rate) { 0.0 } else { 1.0 / (1.0 - rate) }
    }

    #[expect(clippy::cast_possible_truncation, reason = "both halves of the key are used")]
    fn hash(self, index: usize) -> u32 {
        let (low, high) = (self.key as u32, (self.key >> 32) as u32);
        let mut x = (index as u32).wrapping_mul(0x9e37_79b1) ^ low;
        x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b).wrapping_add(high);
        x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
        x ^ x >> 16
    }
}

/// Hashes below it are dropped.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 2^32")]
fn threshold(rate: f32) -> u32 {
    (f64::from(rate) * 4_294_967_296.0) as u32
}

/// A bijection in which every bit depends on every other.
fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_is_dropped_is_the_rate() {
        for rate in [0.0, 0.1, 0.5, 0.9] {
            let (rows, numbers) = (200, 1000);
            let mut per_row = Vec::new();
            let mut per_number = vec![0; numbers];
            for row in 0..rows {
                let mask = Mask::new(7, 3, row);
                let dropped: Vec<usize> =
                    (0..numbers).filter(|i| mask.factor(*i, rate) == 0.0).collect();
                for i in &dropped {
                    per_number[*i] += 1;
                }
                per_row.push(dropped.len() as f64);
            }
            // Seven standard deviations of a binomial number.
            let rate = f64::from(rate);
            let near = |count: f64, of: usize| {
                (count - rate * of as f64).abs() <= 7.0 * (rate * (1.0 - rate) * of as f64).sqrt()
            };
            assert!(per_row.iter().all(|count| near(*count, numbers)), "{rate}");
            assert!(per_number.iter().all(|count| near(f64::from(*count), rows)), "{rate}");
            assert!(near(per_row.iter().sum(), rows * numbers), "{rate}");
        }
    }

    #[test]
    fn neighbours_seeds_layers_and_rows_choose_independently() {
        let numbers = 20_000;
        let masks = [(7, 3, 0), (8, 3, 0), (7, 4, 0), (7, 3, 1)]
            .map(|(seed, layer, row)| Mask::new(seed, layer, row));
        let kept = |mask: Mask, i: usize| mask.factor(i, 0.5) > 0.0;
        let agree = |a: Mask, b: Mask, shift: usize| {
            (0..numbers).filter(|i| kept(a, *i) == kept(b, i + shift)).count() as f64
        };
        // Half of them, within seven standard deviations.
        let near = |count: f64| (count - 1e4).abs() < 7.0 * 5000_f64.sqrt();
        for mask in &masks[1..] {
            assert!(near(agree(masks[0], *mask, 0)));
        }
        for shift in [1, 2, 3, 8, 16, 64, 512] {
            assert!(near(agree(masks[0], masks[0], shift)), "{shift}");
        }
    }

    #[test]
    fn what_is_kept_is_scaled_up() {
        let mask = Mask::new(1, 0, 0);
        let factors: Vec<f32> = (0..64).map(|i| mask.factor(i, 0.75)).collect();
        assert!(factors.iter().all(|factor| [0.0, 4.0].contains(factor)));
    }
}
