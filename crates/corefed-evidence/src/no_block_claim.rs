//! "This rival tempts no coalition", from held-out data.

use corefed_core::{Number, Weights, scan};
use serde::{Deserialize, Serialize};

use crate::held_out::PairedUtilities;
use crate::{HeldOut, HeldOutError, Level, Method, RowUtility};

/// Steps between an agent's own share and one, where there are too many shares to ask about each.
const STEPS: u32 = 64;

/// Quotients of equal sums of weights differ from one by less than this.
const ROUNDING: f64 = 1e-12;

/// What held-out data say about every coalition and one rival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoBlockClaim {
    /// What is concluded.
    pub conclusion: NoBlockConclusion,
    /// For each agent, the largest share up to which it would not join; zero if there is none.
    pub refuses_up_to: Vec<f64>,
    /// What the best coalition could make of the largest gains that are possible: at most one iff
    /// the claim is made.
    pub kappa: Number,
    /// All agents' bounds hold at once this often.
    pub level: Level,
    /// Which utility the claim is about.
    pub utility: RowUtility,
}

/// What follows from the bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoBlockConclusion {
    /// Every coalition has a member that would refuse.
    NobodyBlocks,
    /// This coalition may be tempted, or its rows are too few to tell.
    Open {
        /// Members by index, ascending.
        coalition: Vec<usize>,
    },
}

/// Claims that no coalition blocks with one rival, if the data allow it (ledger E39).
///
/// `rows` holds every agent's held-out losses, in the order of agents. Each agent is asked, at
/// `(1 - level)/n`, up to which share it would refuse the rival; `1/share` bounds its gain, and
/// the scan over those bounds decides for all coalitions at once. The rival must have been chosen
/// without these rows.
pub fn claim_no_block(
    rows: &[HeldOut<'_>],
    weights: &Weights,
    utility: RowUtility,
    level: Level,
    method: Method,
) -> Result<NoBlockClaim, HeldOutError> {
    let agents = weights.values().len();
    if rows.len() != agents {
        return Err(HeldOutError::Agents { given: rows.len(), expected: agents });
    }
    let miss = level.miss() / agents as f64;
    let ask = |pair: &PairedUtilities, agent: usize| {
        let shares = shares(weights, agent);
        if !pair.may_be_negative() {
            return refuses_up_to_share(pair, &shares, miss, method);
        }
        // An agent that gets nothing joins nobody, whatever it has now. That is a question of its
        // own, so each of the two has half of the misses.
        if pair.given()?.mean_is_below(0.0, miss / 2.0, method) {
            return Ok(1.0);
        }
        refuses_up_to_share(pair, &shares, miss / 2.0, method)
    };
    let mut refuses_up_to = Vec::with_capacity(agents);
    for (agent, rows) in rows.iter().enumerate() {
        let pair = utility.pair(agent, rows)?;
        refuses_up_to.push(ask(&pair, agent)?);
    }
    let best = scan(&refuses_up_to, &vec![1.0; agents], weights.values(), &weights.total());
    let kappa = best.kappa.value();
    let conclusion = if kappa <= 1.0 + ROUNDING {
        NoBlockConclusion::NobodyBlocks
    } else {
        NoBlockConclusion::Open { coalition: best.coalition }
    };
    Ok(NoBlockClaim { conclusion, refuses_up_to, kappa: Number(kappa), level, utility })
}

/// Shares at which an agent is asked, ascending from its own weight to everybody's. They depend on
/// weights only, as the proof needs.
fn shares(weights: &Weights, agent: usize) -> Vec<f64> {
    let values = weights.values();
    if values.len() <= STEPS as usize && values.iter().all(|w| w == &values[0]) {
        // Every coalition has one of these shares.
        return (1..=values.len()).map(|k| k as f64 / values.len() as f64).collect();
    }
    let own = values[agent] / weights.total();
    let inner = (1..STEPS).map(|k| own.powf(1.0 - f64::from(k) / f64::from(STEPS)));
    std::iter::once(own).chain(inner).chain([1.0]).collect()
}

/// The last share that is refused before the first that may be accepted.
///
/// An agent that accepts a share accepts every larger one, and where it accepts, `share * u' - u` is
/// not negative. Asking in ascending order and stopping at the first doubt needs no correction: the
/// first share that the agent truly accepts is the only one whose refusal would be a mistake that
/// counts.
fn refuses_up_to_share(
    pair: &PairedUtilities,
    shares: &[f64],
    miss: f64,
    method: Method,
) -> Result<f64, HeldOutError> {
    let mut refused = 0.0;
    for &share in shares {
        if !pair.differences(share)?.mean_is_below(0.0, miss, method) {
            break;
        }
        refused = share;
    }
    Ok(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Losses `now` and `then` on every one of `count` rows, M = 1.
    fn claim(losses: &[(f64, f64)], weights: &Weights, count: usize) -> NoBlockClaim {
        let rows: Vec<_> =
            losses.iter().map(|(now, then)| (vec![*now; count], vec![*then; count])).collect();
        let rows: Vec<_> = rows
            .iter()
            .map(|(incumbent, rival)| HeldOut { ceiling: 1.0, incumbent, rival })
            .collect();
        let (utility, level) = (RowUtility::LossUpTo(1.0), Level::default());
        claim_no_block(&rows, weights, utility, level, Method::default()).expect("sound rows")
    }

    #[test]
    fn a_rival_that_helps_one_agent_a_little_tempts_nobody() {
        // Gains 1.8, 0.8 and 0.8: kappa = max(1.8/3, 0.8) < 1.
        let losses = [(0.5, 0.1), (0.5, 0.6), (0.5, 0.6)];
        let found = claim(&losses, &Weights::equal(3), 400);
        assert_eq!(found.conclusion, NoBlockConclusion::NobodyBlocks);
        // Agent 0 accepts at a share of 1/1.8 = 0.56, so it surely refuses at 1/3; the others
        // always.
        assert_eq!(found.refuses_up_to, [1.0 / 3.0, 1.0, 1.0]);
        assert_eq!(found.kappa, Number(1.0));
    }

    #[test]
    fn few_rows_leave_the_claim_open_and_name_who_may_leave() {
        let losses = [(0.5, 0.1), (0.5, 0.6), (0.5, 0.6)];
        let found = claim(&losses, &Weights::equal(3), 3);
        let NoBlockConclusion::Open { coalition } = found.conclusion else {
            panic!("three rows say nothing: {found:?}");
        };
        assert!(!coalition.is_empty());
        assert_eq!(found.kappa, Number(f64::INFINITY));
    }

    #[test]
    fn a_blocking_pair_is_not_explained_away() {
        // Gains 1.8, 1.8 and 0: 2/3 * 1.8 > 1.
        let losses = [(0.5, 0.1), (0.5, 0.1), (0.5, 1.0)];
        let found = claim(&losses, &Weights::equal(3), 4000);
        assert_eq!(found.conclusion, NoBlockConclusion::Open { coalition: vec![0, 1] });
        assert_eq!(found.kappa, Number(2.0));
    }

    #[test]
    fn unequal_weights_are_asked_on_a_fixed_grid() {
        // Gains 1.2 and 0.5 at weights 1 and 3: kappa = max(1.2/4, 0.5).
        let weights = Weights::new(vec![1.0, 3.0]).unwrap();
        let found = claim(&[(0.5, 0.4), (0.5, 0.75)], &weights, 1000);
        assert_eq!(found.conclusion, NoBlockConclusion::NobodyBlocks);
        assert_eq!(found.refuses_up_to[1], 1.0);
        // It truly refuses below 1/1.2.
        let first = found.refuses_up_to[0];
        assert!(first > 0.7 && first < 1.0 / 1.2, "{first}");
        let grid = shares(&weights, 0);
        assert_eq!((grid.len(), grid[0], grid[64]), (65, 0.25, 1.0));
        assert!(grid.is_sorted_by(|a, b| a < b), "{grid:?}");
        // So are many agents of equal weight, of whom each is asked as often as a few.
        assert_eq!(shares(&Weights::equal(64), 5).len(), 64);
        assert_eq!(shares(&Weights::equal(5000), 5).len(), 65);
    }

    #[test]
    fn negative_utilities_follow_the_definition() {
        let [a, b, c, d, e] = [1.0, 1.1, 0.1, 0.4, 0.3].map(|loss| vec![loss; 4000]);
        let badly = HeldOut { ceiling: 0.5, incumbent: &a, rival: &b };
        let well = HeldOut { ceiling: 0.5, incumbent: &c, rival: &d };
        let (utility, weights) = (RowUtility::LossUpTo(2.0), Weights::equal(2));
        let (level, method) = (Level::default(), Method::Better);
        // -0.5 -> -0.6: nothing before and after, so agent 0 has no reason to leave.
        let found = claim_no_block(&[badly, well], &weights, utility, level, method).unwrap();
        assert_eq!(found.conclusion, NoBlockConclusion::NobodyBlocks);
        assert_eq!(found.refuses_up_to, [1.0, 1.0]);
        // -0.5 -> 0.2: something after nothing, so it leaves alone.
        let badly = HeldOut { rival: &e, ..badly };
        let found = claim_no_block(&[badly, well], &weights, utility, level, method).unwrap();
        assert_eq!(found.conclusion, NoBlockConclusion::Open { coalition: vec![0] });
        assert_eq!(found.kappa, Number(f64::INFINITY));
    }
}
