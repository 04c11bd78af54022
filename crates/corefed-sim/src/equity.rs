//! Weighted equity: do losses fall in proportion to the data agents bring?

/// The equity gap (ledger E33): the largest `|log(L_i/L_j) - log(n_j/n_i)|` over pairs of agents.
///
/// Zero when losses are inversely proportional to numbers of samples, the *proportional* fairness of
/// Donahue and Kleinberg; `log 2` when some pair is off by a factor of two either way. `None`
/// when a loss is zero or not finite, or there are fewer than two agents.
///
/// ```
/// use corefed_sim::equity_gap;
/// // Twice the data, half the loss.
/// assert_eq!(equity_gap(&[0.4, 0.2], &[100, 200]), Some(0.0));
/// // Twice the data, the same loss: off by a factor of two.
/// let gap = equity_gap(&[0.3, 0.3], &[100, 200]).unwrap();
/// assert!((gap - 2_f64.ln()).abs() < 1e-12);
/// ```
#[must_use]
pub fn equity_gap(losses: &[f64], samples: &[usize]) -> Option<f64> {
    if losses.len() < 2 || !losses.iter().all(|loss| *loss > 0.0 && loss.is_finite()) {
        return None;
    }
    // log(L_i/L_j) - log(n_j/n_i) = v_i - v_j with v = log(L n), so extremes decide.
    let level = |(loss, count): (&f64, &usize)| libm::log(loss * *count as f64);
    let (low, high) = losses
        .iter()
        .zip(samples)
        .map(level)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    Some(high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_the_worst_pair() {
        let (losses, samples) = ([0.7, 0.2, 0.5, 0.9], [30, 10, 200, 45]);
        let mut worst: f64 = 0.0;
        for i in 0..4 {
            for j in 0..4 {
                let ratio = f64::ln(losses[i] / losses[j]);
                let sizes = f64::ln(samples[j] as f64 / samples[i] as f64);
                worst = worst.max((ratio - sizes).abs());
            }
        }
        assert!((equity_gap(&losses, &samples).unwrap() - worst).abs() < 1e-12);
    }

    #[test]
    fn losses_without_a_logarithm_have_no_gap() {
        assert_eq!(equity_gap(&[0.0, 1.0], &[1, 1]), None);
        assert_eq!(equity_gap(&[f64::INFINITY, 1.0], &[1, 1]), None);
        assert_eq!(equity_gap(&[1.0], &[1]), None);
    }
}
