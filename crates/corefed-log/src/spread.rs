//! How a quantity is spread over agents.

/// Summary of one value per agent, in the values' own unit unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Arithmetic mean; agents count equally.
    pub mean: f64,
    /// Population standard deviation, >= 0.
    pub std: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Mean of the lowest tenth, rounded up to whole agents.
    pub worst10: f64,
    /// Mean of the highest tenth, rounded up to whole agents.
    pub best10: f64,
    /// Entropy in nats of the values divided by their sum, in [0, ln n]; `ln n` if all are equal.
    /// `None` if a value is negative or all are zero.
    pub entropy: Option<f64>,
    /// Cosine with the vector of ones, in [-1, 1]; one if all are equal. `None` for zeros.
    pub cos1: Option<f64>,
}

impl Spread {
    /// Summarises one value per agent. `None` where there is none, or one is not finite: a mean
    /// over the others would look better than what happened.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let tenth = n.div_ceil(10);
        let mean = mean(values);
        let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        Some(Self {
            mean,
            std: (square / n as f64).sqrt(),
            min: sorted[0],
            max: sorted[n - 1],
            worst10: self::mean(&sorted[..tenth]),
            best10: self::mean(&sorted[n - tenth..]),
            entropy: entropy(values),
            cos1: cosine_with_ones(values),
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn entropy(values: &[f64]) -> Option<f64> {
    let total: f64 = values.iter().sum();
    if values.iter().any(|value| *value < 0.0) || total <= 0.0 || total.is_infinite() {
        return None;
    }
    let shares = values.iter().map(|value| value / total).filter(|share| *share > 0.0);
    // From zero, so that a single agent has `0` and not `-0`.
    Some(shares.fold(0.0, |sum, share| sum - share * share.ln()))
}

fn cosine_with_ones(values: &[f64]) -> Option<f64> {
    let norm = values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let cosine = values.iter().sum::<f64>() / (norm * (values.len() as f64).sqrt());
    // Zeros, or values whose squares leave the range of floats.
    cosine.is_finite().then_some(cosine.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-15 * b.abs().max(1.0)
    }

    #[test]
    fn three_agents_worked_by_hand() {
        // Mean (1 + 2 + 5) / 3 = 8/3; squares about it 25/9 + 4/9 + 49/9 = 78/9, variance 26/9.
        // One tenth of three agents is one agent. Shares 1/8, 2/8, 5/8.
        let spread = Spread::of(&[2.0, 5.0, 1.0]).unwrap();
        assert!(close(spread.mean, 8.0 / 3.0), "{spread:?}");
        assert!(close(spread.std, 26f64.sqrt() / 3.0), "{spread:?}");
        assert_eq!((spread.min, spread.max), (1.0, 5.0));
        assert_eq!((spread.worst10, spread.best10), (1.0, 5.0));
        let entropy = 8f64.ln() / 8.0 + 4f64.ln() / 4.0 + 0.625 * 1.6f64.ln();
        assert!(close(spread.entropy.unwrap(), entropy), "{spread:?}");
        // 8 / (sqrt(30) sqrt(3)) = 8 / sqrt(90).
        assert!(close(spread.cos1.unwrap(), 8.0 / 90f64.sqrt()), "{spread:?}");
    }

    #[test]
    fn a_tenth_of_eleven_agents_is_two() {
        let values: Vec<f64> = (0..11).rev().map(f64::from).collect();
        let spread = Spread::of(&values).unwrap();
        assert_eq!((spread.worst10, spread.best10), (0.5, 9.5));
        // Mean 5, variance (121 - 1) / 12 = 10.
        assert_eq!((spread.mean, spread.std), (5.0, 10f64.sqrt()));
    }

    #[test]
    fn ten_agents_have_one_in_their_worst_tenth() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let spread = Spread::of(&values).unwrap();
        assert_eq!((spread.worst10, spread.best10), (1.0, 10.0));
    }

    #[test]
    fn equal_agents_have_no_spread() {
        let spread = Spread::of(&[0.5; 4]).unwrap();
        assert_eq!((spread.mean, spread.std, spread.cos1), (0.5, 0.0, Some(1.0)));
        assert!(close(spread.entropy.unwrap(), 4f64.ln()), "{spread:?}");
        let alone = Spread::of(&[3.0]).unwrap();
        assert!(alone.entropy.unwrap().is_sign_positive(), "{alone:?}");
        assert_eq!((alone.std, alone.entropy, alone.cos1), (0.0, Some(0.0), Some(1.0)));
    }

    #[test]
    fn zero_utilities_count_nothing_in_the_entropy() {
        // Shares 0, 1/2, 1/2.
        let spread = Spread::of(&[0.0, 2.0, 2.0]).unwrap();
        assert!(close(spread.entropy.unwrap(), 2f64.ln()), "{spread:?}");
    }

    #[test]
    fn what_is_undefined_is_none() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[1.0, f64::NAN]), None);
        assert_eq!(Spread::of(&[1.0, f64::INFINITY]), None);
        let zeros = Spread::of(&[0.0, 0.0]).unwrap();
        assert_eq!((zeros.mean, zeros.std, zeros.entropy, zeros.cos1), (0.0, 0.0, None, None));
        // Sum 0, so the cosine is zero, and a negative value has no share.
        let opposed = Spread::of(&[-1.0, 1.0]).unwrap();
        assert_eq!((opposed.entropy, opposed.cos1, opposed.std), (None, Some(0.0), 1.0));
    }

    #[test]
    fn nothing_becomes_nan_at_the_edge_of_floats() {
        for values in [[1e200, 2e200], [f64::MAX, f64::MAX], [-f64::MAX, f64::MAX], [5e-324, 0.0]] {
            let s = Spread::of(&values).unwrap();
            let all = [s.mean, s.std, s.min, s.max, s.worst10, s.best10];
            assert!(all.iter().all(|value| !value.is_nan()), "{s:?}");
            assert!(s.entropy.is_none_or(|value| !value.is_nan()), "{s:?}");
            assert!(s.cos1.is_none_or(|value| !value.is_nan()), "{s:?}");
        }
    }
}
