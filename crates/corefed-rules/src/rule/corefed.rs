//! CoreFed: updates weighed by one over utility, the gradient of log-welfare (Chaudhury et al.,
//! NeurIPS 2022, arXiv 2211.02091, Algorithm 1).

use corefed_core::Range;

use super::fedavg::warm_up_pulls;
use super::{
    CeilingUse, Knob, KnobValues, Length, Member, Remembers, Round, RuleInfo, SteadiedBy, Wants,
    Weighing,
};
use crate::safety::{cap_factors, guarded_utilities};
use crate::{CoreStep, Rule};

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "Updates weighed by one over utility: log-welfare, the core.",
    needs_losses: true,
    steadied: SteadiedBy::Search(Wants::LogWelfare),
    ceilings: CeilingUse::Step,
    remembers: Remembers::Utilities,
    knobs: &[
        Knob {
            name: "step_length",
            takes: KnobValues::StepLengths,
            about: "As Algorithm 1 is printed; as long as FedAvg's; or shorter near a ceiling.",
        },
        Knob {
            name: "memory",
            takes: KnobValues::Numbers(Range::up_to(0.0, 1.0)),
            about: "Share of this round in the utilities that weigh, averaged over rounds; one: earlier rounds do not matter.",
        },
    ],
    ..RuleInfo::new(
        "corefed",
        "CoreFed",
        Rule::Corefed { step: CoreStep::Normalised, memory: MEMORY },
    )
};

/// Weights that follow the utilities of one round alone swing from round to round where agents train for
/// epochs; with this share they follow, and do not swing (docs/networks.md).
const MEMORY: f64 = 0.2;

/// CoreFed with its safeguards: utilities above their floors, pulls below the cap.
pub(crate) fn guarded_pulls(step: CoreStep, memory: f64, round: Round<'_>) -> (Weighing, Vec<f64>) {
    let Round { safety, members, ceilings, averaged, done, .. } = round;
    let mut utilities = guarded_utilities(safety, members, ceilings, done);
    if memory < 1.0 {
        remember(averaged, members, &mut utilities, memory);
    }
    // In a warm-up both direction and length are FedAvg's (ledger E24).
    if done.warm_up {
        return (warm_up_pulls(members), utilities);
    }
    let mut factors: Vec<f64> = utilities.iter().map(|utility| 1.0 / utility).collect();
    let capped = cap_factors(&mut factors, safety.weight_cap);
    done.capped = capped.into_iter().map(|at| members[at].agent).collect();
    (nash_pulls(members, &factors, step), utilities)
}

/// `ubar <- (1 - b) ubar + b u` (ledger E50); who is heard for the first time brings its own.
fn remember(averaged: &mut [f64], members: &[Member], utilities: &mut [f64], memory: f64) {
    for (member, utility) in members.iter().zip(utilities) {
        let known = &mut averaged[member.agent];
        // Utilities that count are above zero, so zero is nobody's.
        if *known > 0.0 {
            *utility = (1.0 - memory) * *known + memory * *utility;
        }
        *known = *utility;
    }
}

/// `pull_s = w_s/u_s` and what each adds to the curvature, `pull_s^2/w_s` (ledger E22).
///
/// `factors` are the `1/u_s`, after floor and cap. Weights have mean one over the federation, so
/// that weighing by samples does not multiply the printed step by the number of samples.
fn nash_pulls(members: &[Member], factors: &[f64], step: CoreStep) -> Weighing {
    let terms = || members.iter().map(|member| member.weight).zip(factors);
    let pulls = terms().map(|(weight, factor)| weight * factor).collect();
    match step {
        CoreStep::Printed => Weighing { length: Length::PerAgent, ..Weighing::normalised(pulls) },
        CoreStep::Normalised => Weighing::normalised(pulls),
        CoreStep::Dynamic => {
            let curvatures = terms().map(|(weight, factor)| weight * factor * factor).collect();
            Weighing { pulls, curvatures, length: Length::Curved }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{close, params_after, round, server, weighted_server};
    use crate::{Rule, Safety};

    const CORE: fn(CoreStep) -> Rule = |step| Rule::corefed(step);

    #[test]
    fn the_printed_step_divides_by_utility_and_cohort() {
        // M = 3, L = (1, 2.5): u = (2, 0.5). (1/2)(4/2 + 1/0.5) = 2.
        let server = server(CORE(CoreStep::Printed), 2);
        close(params_after(&server, &[(1.0, 4.0), (2.5, 1.0)], 0.1), 2.0);
    }

    #[test]
    fn the_printed_step_does_not_grow_with_sample_counts() {
        // Weights 100 and 300 are 0.5 and 1.5: (1/2)(0.5*4/2 + 1.5*1/0.5) = 2.
        let safety = Safety::default();
        let server = weighted_server(CORE(CoreStep::Printed), safety, vec![100.0, 300.0], 3.0);
        close(params_after(&server, &[(1.0, 4.0), (2.5, 1.0)], 0.1), 2.0);
    }

    #[test]
    fn the_normalised_step_is_a_mean_by_inverse_utility() {
        // u = (2, 0.5): pulls (0.5, 2), so weights (0.2, 0.8): 0.2*4 + 0.8*1 = 1.6.
        let server = server(CORE(CoreStep::Normalised), 2);
        close(params_after(&server, &[(1.0, 4.0), (2.5, 1.0)], 0.1), 1.6);
    }

    #[test]
    fn averaged_utilities_move_a_share_of_the_way_each_round() {
        // M = 3, b = 1/4. Round one: u = (2, 0.5). Round two: L = (2.5, 1), u = (0.5, 2), so
        // ubar = (1.625, 0.875): pulls 8/13 and 8/7, weights 7/20 and 13/20.
        let rule = Rule::Corefed { step: CoreStep::Normalised, memory: 0.25 };
        let server = server(rule, 2);
        let mut state = server.init();
        close(round(&server, &mut state, &[(1.0, 4.0), (2.5, 1.0)], 0.1).0, 1.6);
        assert_eq!(state.utilities, [2.0, 0.5]);
        let second = round(&server, &mut state, &[(2.5, 4.0), (1.0, 1.0)], 0.1).0;
        close(second, 4.0 * 0.35 + 0.65);
        assert_eq!(state.utilities, [1.625, 0.875]);
    }

    #[test]
    fn utilities_that_stay_are_averaged_to_themselves() {
        let with = |memory| Rule::Corefed { step: CoreStep::Normalised, memory };
        let step = |memory| {
            let server = server(with(memory), 2);
            let mut state = server.init();
            let terms = [(1.0, 4.0), (2.5, 1.0)];
            (0..5).map(|_| round(&server, &mut state, &terms, 0.1).0).next_back()
        };
        assert_eq!(step(0.5), step(1.0));
        assert_eq!(server(with(1.0), 2).init::<f64>().utilities, [0.0; 0]);
    }

    #[test]
    fn the_dynamic_step_is_divided_by_the_curvature() {
        // u = (2, 0.5), D = (4, 1), eta = 0.5. Numerator 4/2 + 1/0.5 = 4.
        // Denominator 1/2 + 16/(0.5*4) + 1/0.5 + 1/(0.5*0.25) = 0.5 + 8 + 2 + 8 = 18.5.
        let server = server(CORE(CoreStep::Dynamic), 2);
        close(params_after(&server, &[(1.0, 4.0), (2.5, 1.0)], 0.5), 4.0 / 18.5);
    }
}
