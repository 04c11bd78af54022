//! The ratio certificate: the weighted mean of all gains bounds every coalition.

use thiserror::Error;

use crate::{Weights, gain};

/// A rival gives some agent a negative gain, so the mean no longer bounds coalitions.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("the rival gives agent {agent} a gain of `{gain}`; the ratio bound needs gains >= 0")]
pub struct NegativeGain {
    /// Index of the agent.
    pub agent: usize,
    /// Its gain.
    pub gain: f64,
}

/// `kappa <= (1/W) sum_i w_i r_i` for one rival (ledger E5).
///
/// Needs gains that are not negative: the sum over a coalition is then at most the sum over all.
/// Sufficient, not necessary: the mean can be up to `H_n = 1 + 1/2 + ... + 1/n` times `kappa`.
pub fn ratio_bound(
    incumbent: &[f64],
    rival: &[f64],
    weights: &Weights,
) -> Result<f64, NegativeGain> {
    let mut sum = 0.0;
    for (agent, w) in weights.values().iter().enumerate() {
        let gain = gain(incumbent[agent], rival[agent]);
        if gain < 0.0 {
            return Err(NegativeGain { agent, gain });
        }
        sum += w * gain;
    }
    Ok(sum / weights.total())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan;

    #[test]
    fn both_ends_of_the_harmonic_bracket_are_attained() {
        let weights = Weights::equal(3);
        let kappa = |gains: &[f64]| {
            let found = scan(&[1.0; 3], gains, weights.values(), &weights.total());
            found.kappa.value().max(found.everybody.value())
        };
        // Equal gains: the mean is kappa. Gains n/k: every prefix makes one, the mean is H_3.
        let equal = [1.5, 1.5, 1.5];
        assert!((ratio_bound(&[1.0; 3], &equal, &weights).unwrap() - kappa(&equal)).abs() < 1e-15);
        let harmonic = [3.0, 1.5, 1.0];
        let mean = ratio_bound(&[1.0; 3], &harmonic, &weights).unwrap();
        assert!((kappa(&harmonic) - 1.0).abs() < 1e-15);
        assert!((mean - 11.0 / 6.0).abs() < 1e-15, "H_3 = 11/6, got {mean}");
    }

    #[test]
    fn a_negative_gain_is_not_averaged_away() {
        // The parabolas at M = 0.4: gains (8/3, -4) have mean -2/3, yet agent 0 blocks.
        let refused = ratio_bound(&[0.15, 0.15], &[0.4, -0.6], &Weights::equal(2));
        assert_eq!(refused.unwrap_err().agent, 1);
    }
}
