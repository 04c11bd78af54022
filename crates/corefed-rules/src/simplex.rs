//! The nearest point of the probability simplex.

/// Replaces `values` by the nearest point whose entries are non-negative and sum to one (ledger
/// E28): `max(v - shift, 0)` with the one shift that makes the sum one.
///
/// Exact up to rounding, by sorting (Held, Wolfe, Crowder 1974); `O(n log n)`. Values must be
/// finite. An empty slice stays empty.
///
/// ```
/// let mut values = [0.6, 0.8];
/// corefed_rules::project_simplex(&mut values);
/// assert!((values[0] - 0.4).abs() < 1e-15 && (values[1] - 0.6).abs() < 1e-15);
/// ```
pub fn project_simplex(values: &mut [f64]) {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Adding a constant to all entries changes nothing, and near zero nothing is lost to rounding.
    for value in values.iter_mut() {
        *value -= largest;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (count, value) in sorted.iter().enumerate() {
        let candidate = (sum + value - 1.0) / (count + 1) as f64;
        if *value <= candidate {
            break;
        }
        sum += value;
        shift = candidate;
    }
    for value in values.iter_mut() {
        *value = (*value - shift).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projected(values: &[f64]) -> Vec<f64> {
        let mut values = values.to_vec();
        project_simplex(&mut values);
        values
    }

    #[test]
    fn projections_by_hand() {
        // (1, 0.6, -3): the shift 0.3 leaves (0.7, 0.3, 0).
        for (value, expected) in projected(&[1.0, 0.6, -3.0]).iter().zip([0.7, 0.3, 0.0]) {
            assert!((value - expected).abs() < 1e-15);
        }
        assert_eq!(projected(&[5.0]), [1.0]);
        assert_eq!(projected(&[0.0; 4]), [0.25; 4]);
        assert_eq!(projected(&[1e300, 0.0, 1e300]), [0.5, 0.0, 0.5]);
        assert!(projected(&[]).is_empty());
    }
}
