//! What a round will do, as far as the reports decide it.

use crate::member::Member;
use crate::rule::{Length, Round, Weighing};
use crate::safety::cap_shares;
use crate::{Interventions, Reason, Rejected, Report, Scalar, Server, ServerState};

/// Pulls that sum to less than this part of the plan's strongest count as none: in `f32` the updates
/// behind them would be lost. It takes a tilt or a power that left everything to an agent whose
/// update then was rejected.
const FAINT: f64 = 1e-30;

/// The pulls of a cohort, known before anybody trains; from [`Server::plan`](crate::Server::plan).
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) verdicts: Vec<Result<Pull, Rejected>>,
    pub(crate) length: Length,
    /// The strongest pull, rounded down to a power of two. Coefficients are pulls divided by it:
    /// exactly, and in the range of `f32` whatever the ceilings.
    pub(crate) unit: f64,
    pub(crate) interventions: Interventions,
}

/// How hard one agent pulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Index of the agent.
    pub agent: usize,
    /// The factor of its update before the common scale, finite and >= 0.
    pub value: f64,
    /// What it adds to the curvature per unit of `|D|^2/eta`; zero unless the rule divides by it.
    pub curvature: f64,
    /// The utility the pull rests on: floored or raised under CoreFed, `ceiling - loss` elsewhere.
    pub utility: f64,
}

/// An update that takes part; from [`Server::accept`](crate::Server::accept).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accepted {
    /// Position of the agent's report in the cohort.
    pub index: usize,
    /// The agent's pull.
    pub pull: Pull,
    /// What the update is folded with: the pull in units of the plan (a power of two, which the
    /// scale puts back), times what the clip leaves.
    pub coefficient: f64,
    /// `|D|^2` of the clipped update.
    pub norm_sqr: f64,
    /// Whether the clip shortened it.
    pub clipped: bool,
}

impl Plan {
    /// The pull of each report, in the order of reports, or why it has none.
    pub fn verdicts(&self) -> &[Result<Pull, Rejected>] {
        &self.verdicts
    }

    /// The pulls of those whose reports count.
    pub fn pulls(&self) -> impl Iterator<Item = &Pull> {
        self.verdicts.iter().filter_map(|verdict| verdict.as_ref().ok())
    }

    /// Those whose reports do not count.
    pub fn rejected(&self) -> impl Iterator<Item = Rejected> {
        self.verdicts.iter().filter_map(|verdict| verdict.err())
    }

    /// Where safeguards acted on pulls; clipping comes later.
    #[must_use]
    pub fn interventions(&self) -> &Interventions {
        &self.interventions
    }

    /// One over what the length divides by (ledger E21, E22, E29), in units of the plan; zero if
    /// nobody pulls.
    pub(crate) fn scale(&self, accepted: &[Accepted], eta: f64) -> f64 {
        let mut terms: Vec<&Accepted> = accepted.iter().collect();
        // Regardless of who arrives first, the sum is taken in order of agents.
        terms.sort_by_key(|term| term.pull.agent);
        let pulls = || terms.iter().map(|term| term.pull.value);
        // A ratio that overflows must not turn a curvature of zero into not-a-number.
        let ratio = |term: &Accepted| (term.norm_sqr / eta).min(f64::MAX);
        let curvature = |term: &&Accepted| term.pull.curvature * ratio(term);
        let divisor = match self.length {
            Length::Gram => return 1.0,
            Length::PerAgent => terms.len() as f64,
            Length::Normalised => pulls().sum(),
            Length::Curved => pulls().sum::<f64>() + terms.iter().map(curvature).sum::<f64>(),
        };
        if pulls().sum::<f64>() > FAINT * self.unit { self.unit / divisor } else { 0.0 }
    }
}

impl Server {
    /// The pulls of a cohort from its reports; multipliers, ceilings and averaged
    /// utilities of the state move on.
    ///
    /// A report that cannot count (its loss is negative or not finite, its agent unknown or heard
    /// before) is left out and listed.
    ///
    /// ```
    /// use corefed_core::Weights;
    /// use corefed_rules::{CoreStep, Report, Rule, Safety, Server, ServerStep};
    ///
    /// let rule = Rule::corefed(CoreStep::Normalised);
    /// let weights = Weights::equal(2);
    /// let server = Server::new(rule, Safety::default(), ServerStep::default(), &weights, vec![3.0; 2])?;
    /// let mut state = server.init::<f32>();
    /// let report = |agent, loss| Report { agent, samples: 100, loss };
    /// let plan = server.plan(&mut state, &[report(0, 1.0), report(1, 2.5)]);
    /// // Utilities 2 and 1/2: the second agent pulls four times as hard.
    /// let pulls: Vec<f64> = plan.pulls().map(|pull| pull.value).collect();
    /// assert_eq!(pulls, [0.5, 2.0]);
    /// # Ok::<(), corefed_rules::ServerError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the state belongs to a federation of another size.
    pub fn plan<T: Scalar>(&self, state: &mut ServerState<T>, reports: &[Report]) -> Plan {
        let ServerState { multipliers, ceilings, utilities, .. } = state;
        self.plan_on(multipliers, ceilings, utilities, reports)
    }

    pub(crate) fn plan_on(
        &self,
        multipliers: &mut [f64],
        ceilings: &mut [f64],
        averaged: &mut [f64],
        reports: &[Report],
    ) -> Plan {
        let mut heard = vec![false; self.weights.len()];
        let mut members = Vec::with_capacity(reports.len());
        let mut position = |report| {
            members.push(self.check(report, &mut heard)?);
            Ok(members.len() - 1)
        };
        let positions: Vec<Result<usize, Rejected>> = reports.iter().map(&mut position).collect();
        let mut interventions = Interventions::default();
        let done = &mut interventions;
        let round = Round {
            safety: &self.safety,
            members: &members,
            multipliers,
            ceilings,
            averaged,
            done,
        };
        let (mut weighing, utilities) = self.rule.weigh(round);
        if self.rule.info().needs_losses && !interventions.warm_up {
            let capped = self.cap_shares(&members, &mut weighing);
            interventions.capped.extend(capped);
            interventions.capped.sort_unstable();
            interventions.capped.dedup();
        }
        let pull = |at: usize| Pull {
            agent: members[at].agent,
            value: weighing.pulls[at],
            curvature: weighing.curvatures[at],
            utility: utilities[at],
        };
        Plan {
            verdicts: positions.into_iter().map(|position| position.map(pull)).collect(),
            length: weighing.length,
            unit: power_of_two_below(weighing.pulls.iter().copied().fold(0.0, f64::max)),
            interventions,
        }
    }

    /// Keeps shares that follow from what agents report below a multiple of their fair ones; says whose.
    fn cap_shares(&self, members: &[Member], weighing: &mut Weighing) -> Vec<usize> {
        let fair: Vec<f64> = members.iter().map(|member| member.weight).collect();
        let before = weighing.pulls.clone();
        let capped = cap_shares(&mut weighing.pulls, &fair, self.safety.share_cap);
        for ((curvature, before), now) in
            weighing.curvatures.iter_mut().zip(before).zip(&weighing.pulls)
        {
            // What a member adds to the curvature goes with its pull.
            if before > 0.0 && before != *now {
                *curvature = (*curvature * (now / before).min(f64::MAX)).min(f64::MAX);
            }
        }
        capped.into_iter().map(|at| members[at].agent).collect()
    }

    /// The agent behind a report that counts.
    fn check(&self, report: &Report, heard: &mut [bool]) -> Result<Member, Rejected> {
        let &Report { agent, loss, .. } = report;
        let reason = match heard.get(agent) {
            None => Reason::Unknown,
            Some(true) => Reason::Repeated,
            Some(false) if !loss.is_finite() => Reason::LossNotFinite,
            Some(false) if loss < 0.0 => Reason::LossNegative,
            Some(false) => {
                heard[agent] = true;
                let (weight, average) = (self.weights[agent], self.warm_up[agent]);
                return Ok(Member { agent, loss, weight, average });
            }
        };
        Err(Rejected { agent, reason })
    }
}

/// The largest power of two that is not above a positive number; one for zero.
pub(crate) fn power_of_two_below(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF << 52;
    let power = f64::from_bits(value.to_bits() & EXPONENT);
    if power > 0.0 { power } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_two_not_above_the_value() {
        for (value, unit) in [(1.0, 1.0), (1.9, 1.0), (0.3, 0.25), (1e-300, 2_f64.powi(-997))] {
            assert_eq!(power_of_two_below(value), unit, "{value}");
        }
        assert_eq!(power_of_two_below(0.0), 1.0);
    }
}
