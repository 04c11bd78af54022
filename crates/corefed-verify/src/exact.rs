//! The definitions in exact arithmetic, for one listed rival and any signs of the utilities.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Up to this many agents every coalition is tried.
const MOST_ENUMERATED: usize = 8;

/// A factor; `None` is infinite.
pub(crate) type Factor = Option<BigRational>;

/// What coalitions can make of some rivals.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reach {
    /// The largest factor of a coalition that leaves somebody behind.
    pub(crate) kappa: Factor,
    /// The largest factor by which everybody gains.
    pub(crate) everybody: Factor,
    /// Whether some coalition that leaves somebody behind blocks by the strict rule.
    pub(crate) blocked: bool,
    /// Whether everybody together does.
    pub(crate) improvable: bool,
}

impl Reach {
    pub(crate) fn nothing() -> Self {
        let zero = Some(BigRational::zero());
        Self { kappa: zero.clone(), everybody: zero, blocked: false, improvable: false }
    }

    /// The larger of both, number by number.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            kappa: larger(self.kappa, other.kappa),
            everybody: larger(self.everybody, other.everybody),
            blocked: self.blocked || other.blocked,
            improvable: self.improvable || other.improvable,
        }
    }
}

fn larger(a: Factor, b: Factor) -> Factor {
    a.and_then(|a| b.map(|b| a.max(b)))
}

/// What coalitions can make of one rival. Weights are positive.
pub(crate) fn reach(now: &[BigRational], then: &[BigRational], weights: &[BigRational]) -> Reach {
    let all: Vec<usize> = (0..now.len()).collect();
    let (everybody, improvable) = coalition_reach(&all, now, then, weights);
    let (kappa, blocked) = if now.len() <= MOST_ENUMERATED {
        best_of_all(now, then, weights)
    } else {
        best_in_order(now, then, weights)
    };
    Reach { kappa, everybody, blocked, improvable }
}

/// Every coalition that leaves somebody behind, one after the other.
fn best_of_all(
    now: &[BigRational],
    then: &[BigRational],
    weights: &[BigRational],
) -> (Factor, bool) {
    let mut best = (Some(BigRational::zero()), false);
    for set in 1..(1_usize << now.len()) - 1 {
        let coalition: Vec<usize> = (0..now.len()).filter(|i| set >> i & 1 == 1).collect();
        let (kappa, blocks) = coalition_reach(&coalition, now, then, weights);
        best = (larger(best.0, kappa), best.1 || blocks);
    }
    best
}

/// Only coalitions that can be best: an agent without positive utility blocks alone or joins nobody;
/// among the others a coalition is no better than all whose gain is at least the smallest in it, since
/// the share grows and the smallest gain does not change; where that is everybody, somebody has to
/// be left behind.
fn best_in_order(
    now: &[BigRational],
    then: &[BigRational],
    weights: &[BigRational],
) -> (Factor, bool) {
    if (0..now.len()).any(|i| !now[i].is_positive() && then[i].is_positive()) {
        return (None, true);
    }
    let served = (0..now.len()).filter(|&i| now[i].is_positive() && then[i].is_positive());
    let mut gains: Vec<(BigRational, usize)> = served.map(|i| (&then[i] / &now[i], i)).collect();
    gains.sort_by(|a, b| b.cmp(a));
    let (total, one) = (weights.iter().sum::<BigRational>(), BigRational::one());
    let mut best = (BigRational::zero(), false);
    let mut offer = |weight: &BigRational, least: &BigRational, most: &BigRational| {
        let share = weight / &total;
        let factor = &share * least;
        best.1 |= factor >= one && share * most > one;
        if factor > best.0 {
            best.0 = factor;
        }
    };
    let mut weight = BigRational::zero();
    for (k, (gain, agent)) in gains.iter().enumerate() {
        weight += &weights[*agent];
        let tied = gains.get(k + 1).is_some_and(|(next, _)| next == gain);
        if !tied && k + 1 < now.len() {
            offer(&weight, gain, &gains[0].0);
        }
    }
    let last = gains.len().saturating_sub(1);
    if gains.len() == now.len() && last > 0 {
        for (k, (_, left)) in gains.iter().enumerate() {
            let least = &gains[if k == last { last - 1 } else { last }].0;
            offer(&(&total - &weights[*left]), least, &gains[usize::from(k == 0)].0);
        }
    }
    (Some(best.0), best.1)
}

/// The factor one coalition reaches (`None` is infinite), and whether it blocks: everybody's share of
/// the rival is worth at least what it has, somebody's more, and nobody gets nothing who has
/// nothing.
pub(crate) fn coalition_reach(
    coalition: &[usize],
    now: &[BigRational],
    then: &[BigRational],
    weights: &[BigRational],
) -> (Factor, bool) {
    let total: BigRational = weights.iter().sum();
    let share = coalition.iter().map(|&i| &weights[i]).sum::<BigRational>() / total;
    if coalition.iter().any(|&i| !then[i].is_positive()) {
        return (Some(BigRational::zero()), false);
    }
    let gains = coalition.iter().filter(|&&i| now[i].is_positive());
    let factors: Vec<BigRational> = gains.map(|&i| &share * &then[i] / &now[i]).collect();
    let freed = factors.len() < coalition.len();
    let one = BigRational::one();
    let blocks = factors.iter().all(|f| *f >= one) && (freed || factors.iter().any(|f| *f > one));
    (factors.into_iter().min(), blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(values: &[i64]) -> Vec<BigRational> {
        values.iter().map(|v| BigRational::from_integer((*v).into())).collect()
    }

    #[test]
    fn ties_break_even_and_do_not_block() {
        // (2, 0) against (1, 1): half of 2 is 1, nobody is strictly better off.
        let tie = reach(&row(&[1, 1]), &row(&[2, 0]), &row(&[1, 1]));
        assert_eq!(tie, Reach { kappa: row(&[1]).pop(), ..Reach::nothing() });
        // (4, 2, 0) against (1, 1, 1) with 2/3 of it: 8/3 and 4/3; alone 4/3.
        let block = reach(&row(&[1, 1, 1]), &row(&[4, 2, 0]), &row(&[1, 1, 1]));
        assert_eq!(block.kappa, Some(BigRational::new(4.into(), 3.into())));
        // Nothing to lose and something to get; nothing to lose and nothing to get.
        assert_eq!(reach(&row(&[0, 5]), &row(&[1, 0]), &row(&[1, 1])).kappa, None);
        let stay = reach(&row(&[-1, 5]), &row(&[-1, 5]), &row(&[1, 1]));
        assert_eq!(stay.kappa, Some(BigRational::new(1.into(), 2.into())));
        // Everybody doubles: half of it alone breaks even, together it is an improvement.
        let all = reach(&row(&[1, 1]), &row(&[2, 2]), &row(&[1, 1]));
        assert_eq!((all.everybody, all.blocked, all.improvable), (row(&[2]).pop(), false, true));
    }

    proptest! {
        #[test]
        fn the_coalitions_tried_in_order_suffice(
            agents in prop::collection::vec((-2_i64..4, -2_i64..9, 1_i64..4), 1..7),
        ) {
            let column = |pick: fn(&(i64, i64, i64)) -> i64| {
                row(&agents.iter().map(pick).collect::<Vec<_>>())
            };
            let (now, then, weights) = (column(|a| a.0), column(|a| a.1), column(|a| a.2));
            if now.len() > 1 {
                let all = best_of_all(&now, &then, &weights);
                prop_assert_eq!(all, best_in_order(&now, &then, &weights));
            }
        }
    }
}
