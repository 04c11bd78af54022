//! Safeguards: what stands between a loss at its ceiling and an exploding or climbing step.
//!
//! | safeguard | acts on |
//! |---|---|
//! | floor, warm-up, raise | CoreFed: the only rule that divides by a utility on the server |
//! | weight cap | CoreFed. TERM, AFL and q-FFL concentrate weight on purpose, by a knob of their own, and may give an agent none at all |
//! | share cap | every rule whose shares follow from reported losses: CoreFed, AFL, q-FFL, TERM |
//! | clip | every rule |
//! | finite checks | every rule |

use crate::member::Member;
use crate::{AtCeiling, Interventions, LogUtility, Safety};

/// The utilities that count, none below its floor `floor * ceiling` (ledger E23, E24).
///
/// Fills in what was done; `Raise` changes `ceilings`, which has one entry per agent.
pub(crate) fn guarded_utilities(
    safety: &Safety,
    members: &[Member],
    ceilings: &mut [f64],
    done: &mut Interventions,
) -> Vec<f64> {
    let mut guarded = |member: &Member| {
        let ceiling = ceilings[member.agent];
        let log = LogUtility { ceiling, floor: safety.floor * ceiling };
        if ceiling - member.loss < log.floor {
            match safety.at_ceiling {
                AtCeiling::Raise => {
                    let raised = (member.loss / (1.0 - safety.floor)).clamp(ceiling, f64::MAX);
                    // A loss that stays where it raised its ceiling may look short by a rounding.
                    if raised > ceiling {
                        ceilings[member.agent] = raised;
                        done.raised.push((member.agent, raised));
                    }
                    return safety.floor * raised;
                }
                AtCeiling::Floor => done.floored.push(member.agent),
                AtCeiling::WarmUp => {
                    done.floored.push(member.agent);
                    done.warm_up = true;
                }
            }
        }
        log.utility(member.loss)
    };
    members.iter().map(&mut guarded).collect()
}

/// Cuts factors down to `cap` times the smallest (ledger E25); says which.
pub(crate) fn cap_factors(factors: &mut [f64], cap: f64) -> Vec<usize> {
    let most = cap * factors.iter().copied().fold(f64::INFINITY, f64::min);
    let mut capped = Vec::new();
    for (at, factor) in factors.iter_mut().enumerate().filter(|(_, factor)| **factor > most) {
        *factor = most;
        capped.push(at);
    }
    capped
}

/// Among few agents three times a fair share is everything. Nobody has more than half of a step, unless this many
/// times its fair share is more: of two agents one may still pull harder.
const MAJORITY: f64 = 1.5;

/// Cuts every share of the pulls down to `cap` times the fair one, and to half of all unless that is less than
/// [`MAJORITY`] times the fair one (ledger E66); says whose.
///
/// What is cut goes to the others in proportion to their pulls, or by fair shares where nobody else pulls. The
/// sum of pulls stays, and with it the length of a step.
pub(crate) fn cap_shares(pulls: &mut [f64], fair: &[f64], cap: f64) -> Vec<usize> {
    let strongest = pulls.iter().copied().fold(0.0, f64::max);
    if cap == f64::INFINITY || strongest == 0.0 {
        return Vec::new();
    }
    // Relative to the strongest: sums of pulls may overflow.
    let parts: Vec<f64> = pulls.iter().map(|pull| pull / strongest).collect();
    let largest = fair.iter().copied().fold(0.0, f64::max);
    let everybody: f64 = fair.iter().map(|weight| weight / largest).sum();
    let fair: Vec<f64> = fair.iter().map(|weight| weight / largest / everybody).collect();
    let limit = |at: usize| (cap * fair[at]).min((MAJORITY * fair[at]).max(0.5)).min(1.0);
    let mut held = vec![false; pulls.len()];
    let shares = loop {
        let sum = |of: &dyn Fn(usize) -> f64, which: bool| -> f64 {
            (0..held.len()).filter(|&at| held[at] == which).map(of).sum()
        };
        let left = (1.0 - sum(&limit, true)).max(0.0);
        let (open, open_fair) = (sum(&|at| parts[at], false), sum(&|at| fair[at], false));
        let share = |at: usize| match held[at] {
            true => limit(at),
            false if open > 0.0 => left * parts[at] / open,
            false if open_fair > 0.0 => left * fair[at] / open_fair,
            false => 0.0,
        };
        let shares: Vec<f64> = (0..held.len()).map(share).collect();
        // A share that is at its limit but for rounding is not cut.
        let over = |&at: &usize| !held[at] && shares[at] > limit(at) * (1.0 + 1e-12);
        let more: Vec<usize> = (0..held.len()).filter(over).collect();
        if more.is_empty() {
            break shares;
        }
        for at in more {
            held[at] = true;
        }
    };
    let capped: Vec<usize> = (0..held.len()).filter(|&at| held[at]).collect();
    if !capped.is_empty() {
        let total: f64 = parts.iter().sum();
        for (pull, share) in pulls.iter_mut().zip(shares) {
            *pull = (share * total * strongest).min(f64::MAX);
        }
    }
    capped
}

/// `min(1, clip/|D|)`: what shortens an update (ledger E25).
pub(crate) fn shrinkage(clip: f64, norm_sqr: f64) -> f64 {
    let norm = norm_sqr.sqrt();
    if norm > clip { clip / norm } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CEILING: f64 = 2.0;

    fn guard(at_ceiling: AtCeiling, losses: &[f64]) -> (Vec<f64>, Vec<f64>, Interventions) {
        guard_with(at_ceiling, losses, vec![CEILING; losses.len()])
    }

    fn guard_with(
        at_ceiling: AtCeiling,
        losses: &[f64],
        mut ceilings: Vec<f64>,
    ) -> (Vec<f64>, Vec<f64>, Interventions) {
        let member = |(agent, &loss)| Member { agent, loss, weight: 1.0, average: 1.0 };
        let members: Vec<Member> = losses.iter().enumerate().map(member).collect();
        let mut done = Interventions::default();
        let safety = Safety { at_ceiling, ..Safety::default() };
        let utilities = guarded_utilities(&safety, &members, &mut ceilings, &mut done);
        (utilities, ceilings, done)
    }

    #[test]
    fn the_floor_holds_for_losses_at_and_above_the_ceiling() {
        // The floor is 0.1 * 2.
        let (utilities, ceilings, done) = guard(AtCeiling::Floor, &[0.5, 1.9, 2.0, 1e9]);
        assert_eq!(utilities, [1.5, 0.2, 0.2, 0.2]);
        assert_eq!(ceilings, [CEILING; 4]);
        assert_eq!(done, Interventions { floored: vec![1, 2, 3], ..Interventions::default() });
    }

    #[test]
    fn a_raised_ceiling_leaves_exactly_the_floor() {
        // L = 9: ceiling 9/(1 - 0.1) = 10, utility 1 = 0.1 * 10.
        let (utilities, ceilings, done) = guard(AtCeiling::Raise, &[0.5, 9.0]);
        assert_eq!((utilities[0], ceilings[0]), (1.5, CEILING));
        assert!((utilities[1] - 1.0).abs() < 1e-15 && (ceilings[1] - 10.0).abs() < 1e-14);
        assert_eq!(done.raised, [(1, ceilings[1])]);
        assert!(done.floored.is_empty());
        // Once is enough for the same loss.
        let again = guard_with(AtCeiling::Raise, &[0.5, 9.0], ceilings);
        assert!(again.2.raised.is_empty());
        let (utilities, ceilings, _) = guard(AtCeiling::Raise, &[f64::MAX]);
        assert!(utilities[0].is_finite() && ceilings[0].is_finite());
    }

    #[test]
    fn one_agent_below_its_floor_keeps_the_cohort_warming_up() {
        assert!(guard(AtCeiling::WarmUp, &[0.5, 1.95]).2.warm_up);
        assert!(!guard(AtCeiling::WarmUp, &[0.5, 1.75]).2.warm_up);
    }

    #[test]
    fn large_factors_are_cut_to_the_cap() {
        let mut factors = [1.0, 8.0, 2.0, 5.0];
        assert_eq!(cap_factors(&mut factors, 4.0), [1, 3]);
        assert_eq!(factors, [1.0, 4.0, 2.0, 4.0]);
        assert!(cap_factors(&mut factors, f64::INFINITY).is_empty());
        assert!(cap_factors(&mut [], 4.0).is_empty());
    }

    #[test]
    fn large_shares_are_cut_to_the_cap_and_the_rest_is_divided_by_pulls() {
        // Shares 0.8, 0.1, 0.1 of 10; fair ones a third, cap 1.5: half, and a quarter each.
        let mut pulls = [8.0, 1.0, 1.0];
        assert_eq!(cap_shares(&mut pulls, &[1.0; 3], 1.5), [0]);
        assert_eq!(pulls, [5.0, 2.5, 2.5]);
        // Cutting the first lifts the second above its own limit: 0.4, 0.4, 0.2.
        let mut pulls = [6.0, 3.0, 1.0];
        assert_eq!(cap_shares(&mut pulls, &[1.0; 3], 1.2), [0, 1]);
        close(&pulls, &[4.0, 4.0, 2.0]);
        // Fair shares are those of weights: 0.6 of 0.9 is not too much for somebody with half the say.
        let mut pulls = [6.0, 3.0, 1.0];
        assert!(cap_shares(&mut pulls, &[2.0, 1.0, 1.0], 1.5).is_empty());
        assert_eq!(pulls, [6.0, 3.0, 1.0]);
    }

    #[test]
    fn no_share_outweighs_all_others_together() {
        // Three times a third is everything, and three times a fifth more than half.
        for n in [3, 4, 5] {
            let mut pulls = vec![1.0; n];
            pulls[0] = 1e9;
            assert_eq!(cap_shares(&mut pulls, &vec![1.0; n], 3.0), [0]);
            let sum: f64 = pulls.iter().sum();
            close(&[pulls[0] / sum, pulls[1] / sum], &[0.5, 0.5 / (n - 1) as f64]);
        }
        // Of two, one has at most three times what the other has.
        let mut pulls = [9.0, 1.0];
        cap_shares(&mut pulls, &[1.0; 2], 3.0);
        close(&pulls, &[7.5, 2.5]);
        // Half the say by weight may become three quarters.
        let mut pulls = [98.0, 1.0, 1.0];
        cap_shares(&mut pulls, &[2.0, 1.0, 1.0], 3.0);
        close(&pulls, &[75.0, 12.5, 12.5]);
    }

    #[test]
    fn a_share_that_nobody_else_pulls_for_goes_by_fair_shares() {
        let mut pulls = [1e300, 0.0, 0.0];
        assert_eq!(cap_shares(&mut pulls, &[1.0, 1.0, 2.0], 2.0), [0]);
        close(&pulls.map(|pull| pull / 1e300), &[0.5, 0.5 / 3.0, 1.0 / 3.0]);
        assert!(cap_shares(&mut [0.0, 0.0], &[1.0; 2], 1.0).is_empty());
        // Weights whose sum overflows, and one that is nothing beside them.
        let mut pulls = [1e308, 1e-308, 0.0];
        cap_shares(&mut pulls, &[1e308, 1e308, 1e-320], 1.5);
        close(&pulls.map(|pull| pull / 1e308), &[0.75, 0.25, 0.0]);
        assert!(cap_shares(&mut [1e300, 1.0], &[1.0; 2], f64::INFINITY).is_empty());
        // At a cap of one, everybody has the share of its weight.
        let mut pulls = [5.0, 1.0, 2.0];
        cap_shares(&mut pulls, &[1.0, 1.0, 2.0], 1.0);
        close(&pulls, &[2.0, 2.0, 4.0]);
    }

    fn close(found: &[f64], expected: &[f64]) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{found:?} {expected:?}");
        }
    }

    #[test]
    fn long_updates_are_shortened_to_the_clip() {
        assert_eq!(shrinkage(2.0, 25.0), 0.4);
        assert_eq!(shrinkage(5.0, 25.0), 1.0);
        assert_eq!(shrinkage(f64::INFINITY, 25.0), 1.0);
        assert_eq!(shrinkage(2.0, 0.0), 1.0);
    }
}
