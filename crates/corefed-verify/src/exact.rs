//! Definition 1 in exact arithmetic, for one listed rival and any signs of the utilities.

use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Up to this many agents every coalition is tried.
const MOST_ENUMERATED: usize = 8;

/// What coalitions can make of one rival.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reach {
    /// The largest factor; `None` is infinite.
    pub(crate) kappa: Option<BigRational>,
    /// Whether some coalition blocks by the strict rule.
    pub(crate) blocked: bool,
}

/// Tries coalitions against one rival. Weights are positive.
pub(crate) fn reach(now: &[BigRational], then: &[BigRational], weights: &[BigRational]) -> Reach {
    let mut reach = Reach { kappa: Some(BigRational::zero()), blocked: false };
    let candidates = if now.len() <= MOST_ENUMERATED {
        every_coalition(now.len())
    } else {
        sufficient_coalitions(now, then)
    };
    for coalition in candidates {
        let (kappa, blocks) = coalition_reach(&coalition, now, then, weights);
        reach.blocked |= blocks;
        reach.kappa = match (reach.kappa, kappa) {
            (Some(most), Some(kappa)) => Some(if kappa > most { kappa } else { most }),
            _ => None,
        };
    }
    reach
}

/// The factor one coalition reaches (`None` is infinite), and whether it blocks: everybody's share
/// of the rival is worth at least as much as now, and somebody's more.
pub(crate) fn coalition_reach(
    coalition: &[usize],
    now: &[BigRational],
    then: &[BigRational],
    weights: &[BigRational],
) -> (Option<BigRational>, bool) {
    let total: BigRational = weights.iter().sum();
    let share = coalition.iter().map(|&i| &weights[i]).sum::<BigRational>() / total;
    let worth = |i: usize| &share * &then[i];
    let willing = coalition.iter().all(|&i| worth(i) >= now[i]);
    let strict = coalition.iter().any(|&i| worth(i) > now[i]);
    // Somebody with nothing to lose multiplies it by any factor.
    if willing && coalition.iter().any(|&i| !now[i].is_positive() && worth(i) > now[i]) {
        return (None, true);
    }
    let mut least: Option<BigRational> = None;
    for &i in coalition {
        if now[i].is_positive() && then[i].is_positive() {
            let factor = worth(i) / &now[i];
            least = Some(least.map_or(factor.clone(), |other| other.min(factor)));
        } else if !(now[i].is_zero() && then[i].is_zero()) {
            return (Some(BigRational::zero()), willing && strict);
        }
    }
    (Some(least.unwrap_or_else(BigRational::zero)), willing && strict)
}

fn every_coalition(agents: usize) -> Vec<Vec<usize>> {
    let sets = 1_usize..1 << agents;
    sets.map(|set| (0..agents).filter(|i| set >> i & 1 == 1).collect()).collect()
}

/// Coalitions that suffice: every agent alone, and everybody who gains at least as much as it.
///
/// An agent without positive utility either blocks alone or adds nothing but, at zero now and then,
/// its weight. Among the others a coalition is no better than all whose gain is at least the
/// smallest in it: the share grows and the smallest gain does not change.
fn sufficient_coalitions(now: &[BigRational], then: &[BigRational]) -> Vec<Vec<usize>> {
    let agents = 0..now.len();
    let gain =
        |i: usize| (now[i].is_positive() && then[i].is_positive()).then(|| &then[i] / &now[i]);
    let gains: Vec<Option<BigRational>> = agents.clone().map(gain).collect();
    let idle = |i: usize| now[i].is_zero() && then[i].is_zero();
    let mut coalitions: Vec<Vec<usize>> = agents.clone().map(|i| vec![i]).collect();
    for least in gains.iter().flatten() {
        let joins = |i: &usize| idle(*i) || gains[*i].as_ref().is_some_and(|g| g >= least);
        coalitions.push(agents.clone().filter(joins).collect());
    }
    coalitions
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
        assert_eq!(tie, Reach { kappa: row(&[1]).pop(), blocked: false });
        // (4, 2, 0) against (1, 1, 1) with 2/3 of it: 8/3 and 4/3; alone 4/3.
        let block = reach(&row(&[1, 1, 1]), &row(&[4, 2, 0]), &row(&[1, 1, 1]));
        assert_eq!(block.kappa, Some(BigRational::new(4.into(), 3.into())));
        // Nothing to lose.
        assert_eq!(reach(&row(&[0, 5]), &row(&[1, 0]), &row(&[1, 1])).kappa, None);
    }

    proptest! {
        #[test]
        fn the_sufficient_coalitions_suffice(
            agents in prop::collection::vec((-2_i64..4, -2_i64..9, 1_i64..4), 1..6),
        ) {
            let column = |pick: fn(&(i64, i64, i64)) -> i64| {
                row(&agents.iter().map(pick).collect::<Vec<_>>())
            };
            let (now, then, weights) = (column(|a| a.0), column(|a| a.1), column(|a| a.2));
            let all = reach(&now, &then, &weights);
            let mut few = Reach { kappa: Some(BigRational::zero()), blocked: false };
            for coalition in sufficient_coalitions(&now, &then) {
                let (kappa, blocks) = coalition_reach(&coalition, &now, &then, &weights);
                few.blocked |= blocks;
                few.kappa = few.kappa.and_then(|most| kappa.map(|k| k.max(most)));
            }
            prop_assert_eq!(all, few);
        }
    }
}
