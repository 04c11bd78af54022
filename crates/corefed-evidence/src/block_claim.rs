//! "This coalition would leave for this rival", from held-out data.

use corefed_core::Weights;
use serde::{Deserialize, Serialize};

use crate::{HeldOut, HeldOutError, Interval, Level, Method, RowUtility};

/// Whether held-out data say that a coalition blocks, and what each member's rows say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BlockClaim {
    /// What is concluded.
    pub conclusion: BlockConclusion,
    /// Members by index, ascending.
    pub coalition: Vec<usize>,
    /// `w(S)/W`.
    pub share: f64,
    /// For each member, a lower bound of the mean of `(w(S)/W) u' - u`.
    pub members: Vec<MemberBound>,
    /// A claim is false at most this often.
    pub level: Level,
    /// Which utility the claim is about.
    pub utility: RowUtility,
}

/// What one member's rows say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MemberBound {
    /// Index of the agent.
    pub agent: usize,
    /// Held-out rows.
    pub rows: usize,
    /// Average of `(w(S)/W) u' - u`.
    pub mean: f64,
    /// Its lower bound, at the level of the claim.
    pub bound: Interval,
    /// A lower bound of the mean of `u'`, at the same level; absent where no row is worth less than
    /// nothing, because a positive difference then says that the rival gives something.
    pub given: Option<Interval>,
}

impl MemberBound {
    /// Whether its rows show that the member is better off and that it gets something.
    fn joins(&self) -> bool {
        self.bound.lo > 0.0 && self.given.is_none_or(|given| given.lo > 0.0)
    }
}

/// What follows from the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BlockConclusion {
    /// Every member is better off with its share of the rival.
    Blocks,
    /// For this member, the first of them, it may as well not be so.
    Open {
        /// Index of the agent.
        agent: usize,
    },
}

/// Claims that a coalition blocks iff every member's lower bounds pass zero (ledger E38).
///
/// `rows` holds the members' held-out losses in the order of `coalition`, which is ascending.
/// Coalition and rival must have been chosen without these rows. No correction over members is
/// needed: a false claim must be wrong about one particular member, and that happens with
/// probability at most `1 - level`.
pub fn claim_block(
    coalition: &[usize],
    rows: &[HeldOut<'_>],
    weights: &Weights,
    utility: RowUtility,
    level: Level,
    method: Method,
) -> Result<BlockClaim, HeldOutError> {
    let agents = weights.values().len();
    let ascending = coalition.is_sorted_by(|a, b| a < b);
    if coalition.is_empty() || !ascending || coalition.iter().any(|agent| *agent >= agents) {
        return Err(HeldOutError::Coalition { members: coalition.to_vec(), agents });
    }
    if rows.len() != coalition.len() {
        return Err(HeldOutError::Agents { given: rows.len(), expected: coalition.len() });
    }
    let share = weights.share(coalition);
    let member = |(&agent, rows): (&usize, &HeldOut<'_>)| {
        let pair = utility.pair(agent, rows)?;
        let samples = pair.differences(share)?;
        let given =
            if pair.may_be_negative() { Some(pair.given()?.lower(level, method)) } else { None };
        let (rows, mean) = (samples.count(), samples.mean());
        Ok(MemberBound { agent, rows, mean, bound: samples.lower(level, method), given })
    };
    let members: Vec<MemberBound> =
        coalition.iter().zip(rows).map(member).collect::<Result<_, HeldOutError>>()?;
    let conclusion = match members.iter().find(|member| !member.joins()) {
        Some(open) => BlockConclusion::Open { agent: open.agent },
        None => BlockConclusion::Blocks,
    };
    let coalition = coalition.to_vec();
    Ok(BlockClaim { conclusion, coalition, share, members, level, utility })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Losses `now` and `then` on every one of 200 rows, M = 1, three agents of equal weight.
    fn claim(coalition: &[usize], losses: &[(f64, f64)]) -> Result<BlockClaim, HeldOutError> {
        let rows: Vec<_> =
            losses.iter().map(|(now, then)| (vec![*now; 200], vec![*then; 200])).collect();
        let rows: Vec<_> = rows
            .iter()
            .map(|(incumbent, rival)| HeldOut { ceiling: 1.0, incumbent, rival })
            .collect();
        let (utility, level) = (RowUtility::LossUpTo(1.0), Level::default());
        claim_block(coalition, &rows, &Weights::equal(3), utility, level, Method::default())
    }

    #[test]
    fn a_block_is_claimed_when_every_member_is_better_off() {
        // 2/3 * 0.9 - 0.4 = 0.2 each.
        let found = claim(&[0, 2], &[(0.6, 0.1), (0.6, 0.1)]).unwrap();
        assert_eq!(found.conclusion, BlockConclusion::Blocks);
        assert!((found.share - 2.0 / 3.0).abs() < 1e-15);
        for member in found.members {
            assert!((member.mean - 0.2).abs() < 1e-12 && member.rows == 200);
            assert!(0.0 < member.bound.lo && member.bound.lo < member.mean);
        }
    }

    #[test]
    fn one_doubtful_member_leaves_the_claim_open() {
        // 2/3 * 0.6 - 0.4 = 0: agent 2 only breaks even.
        let found = claim(&[0, 2], &[(0.6, 0.1), (0.6, 0.4)]).unwrap();
        assert_eq!(found.conclusion, BlockConclusion::Open { agent: 2 });
    }

    #[test]
    fn a_member_that_gets_nothing_does_not_leave() {
        // -0.5 -> -0.6: a share of 1/2 of it is -0.3, but both count as nothing.
        let (now, then) = (vec![1.0; 4000], vec![1.1; 4000]);
        let rows = HeldOut { ceiling: 0.5, incumbent: &now, rival: &then };
        let (utility, level) = (RowUtility::LossUpTo(2.0), Level::default());
        let weights = Weights::equal(2);
        let found = claim_block(&[0], &[rows], &weights, utility, level, Method::Better).unwrap();
        assert!(found.members[0].bound.lo > 0.0, "{found:?}");
        assert_eq!(found.conclusion, BlockConclusion::Open { agent: 0 });
        // With a rival that gives it something it does.
        let something = vec![0.3; 4000];
        let rows = HeldOut { rival: &something, ..rows };
        let found = claim_block(&[0], &[rows], &weights, utility, level, Method::Better).unwrap();
        assert_eq!(found.conclusion, BlockConclusion::Blocks);
    }

    #[test]
    fn what_is_no_coalition_is_refused() {
        let losses = [(0.5, 0.5), (0.5, 0.5)];
        for members in [&[][..], &[0, 3], &[1, 1], &[2, 0]] {
            let refused = claim(members, &losses[..members.len()]).unwrap_err();
            assert!(matches!(refused, HeldOutError::Coalition { .. }), "{members:?}");
        }
        assert_eq!(
            claim(&[0], &losses).unwrap_err(),
            HeldOutError::Agents { given: 2, expected: 1 }
        );
    }
}
