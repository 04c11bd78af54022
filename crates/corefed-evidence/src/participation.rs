//! Would a group leave, or would every group have a member that would not? From paired differences on
//! held-out rows.
//!
//! A *gain* is the mean of the shared model's loss minus that of the group's own model on an agent's
//! held-out rows: positive where the agent is better off in the group.

use crate::PairedMean;

/// How often gains like these would be seen if some member were not better off: every member's test must
/// pass by itself, so no correction over members is needed (ledger E58). One where a member has no
/// difference to show.
#[must_use]
pub fn p_leaves(gains: &[Option<PairedMean>]) -> f64 {
    let each = gains.iter().map(|gain| gain.map_or(1.0, |gain| gain.p_above_zero()));
    each.fold(0.0, f64::max)
}

/// How often gains like these would be seen if every member were better off by more than the margin, which
/// the caller has taken off: one member that is not keeps the group, and any of them may be it, so the
/// smallest is multiplied by their number (ledger E59). Members without a difference to show keep nobody.
#[must_use]
pub fn p_stays(gains_beyond_margin: &[Option<PairedMean>]) -> f64 {
    let shown: Vec<f64> =
        gains_beyond_margin.iter().flatten().map(PairedMean::p_below_zero).collect();
    // Nobody to ask: one.
    let least = shown.iter().copied().reduce(f64::min).unwrap_or(1.0);
    (shown.len().max(1) as f64 * least).min(1.0)
}

/// Which of several hypotheses are rejected so that any false rejection has probability at most `miss`:
/// Holm's procedure.
#[must_use]
pub fn holm(p: &[f64], miss: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]).then(a.cmp(&b)));
    let mut rejected = vec![false; p.len()];
    for (done, &k) in order.iter().enumerate() {
        if p[k] * (p.len() - done) as f64 > miss {
            break;
        }
        rejected[k] = true;
    }
    rejected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(mean: f64) -> PairedMean {
        PairedMean { rows: 100, units: 100, mean, error: 1.0, skewness: 0.0 }
    }

    #[test]
    fn the_least_sure_member_decides_whether_a_group_leaves() {
        let weak = gain(1.0).p_above_zero();
        assert_eq!(p_leaves(&[Some(gain(5.0)), Some(gain(1.0)), Some(gain(3.0))]), weak);
        assert_eq!(p_leaves(&[Some(gain(5.0)), None]), 1.0, "too few rows keep the question open");
    }

    #[test]
    fn the_surest_member_keeps_a_group_and_pays_for_being_chosen() {
        let sure = gain(-3.0).p_below_zero();
        assert_eq!(p_stays(&[Some(gain(2.0)), Some(gain(-3.0))]), 2.0 * sure);
        assert_eq!(p_stays(&[Some(gain(-3.0)), None]), sure);
        assert_eq!(p_stays(&[None, None]), 1.0);
    }

    #[test]
    fn holm_by_hand() {
        // 0.01 * 4 and 0.013 * 3 pass at 0.05, 0.03 * 2 does not, so 0.04 does not either.
        assert_eq!(holm(&[0.04, 0.01, 0.03, 0.013], 0.05), [false, true, false, true]);
        assert!(holm(&[], 0.1).is_empty());
    }
}
