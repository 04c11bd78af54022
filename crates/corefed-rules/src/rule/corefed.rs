//! CoreFed: updates weighed by one over utility, the gradient of log-welfare (Chaudhury et al.,
//! NeurIPS 2022, arXiv 2211.02091, Algorithm 1).

use super::fedavg::warm_up_pulls;
use super::{CeilingUse, Knob, KnobValues, Length, Member, Round, RuleInfo, SteadiedBy, Weighing};
use crate::safety::{cap_factors, guarded_utilities};
use crate::{CoreStep, Rule};

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "Updates weighed by one over utility: log-welfare, the core.",
    needs_losses: true,
    steadied: SteadiedBy::Search,
    ceilings: CeilingUse::Step,
    knobs: &[Knob {
        name: "step_length",
        takes: KnobValues::StepLengths,
        about: "As Algorithm 1 is printed; as long as FedAvg's; or shorter near a ceiling.",
    }],
    ..RuleInfo::new("corefed", "CoreFed", Rule::Corefed { step: CoreStep::Normalised })
};

/// CoreFed with its safeguards: utilities above their floors, pulls below the cap.
pub(crate) fn guarded_pulls(step: CoreStep, round: Round<'_>) -> (Weighing, Vec<f64>) {
    let Round { safety, members, ceilings, done, .. } = round;
    let utilities = guarded_utilities(safety, members, ceilings, done);
    // In a warm-up both direction and length are FedAvg's (ledger E24).
    if done.warm_up {
        return (warm_up_pulls(members), utilities);
    }
    let mut factors: Vec<f64> = utilities.iter().map(|utility| 1.0 / utility).collect();
    let capped = cap_factors(&mut factors, safety.weight_cap);
    done.capped = capped.into_iter().map(|at| members[at].agent).collect();
    (nash_pulls(members, &factors, step), utilities)
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
    use crate::testing::{close, params_after, server, weighted_server};
    use crate::{Rule, Safety};

    const CORE: fn(CoreStep) -> Rule = |step| Rule::Corefed { step };

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
    fn the_dynamic_step_is_divided_by_the_curvature() {
        // u = (2, 0.5), D = (4, 1), eta = 0.5. Numerator 4/2 + 1/0.5 = 4.
        // Denominator 1/2 + 16/(0.5*4) + 1/0.5 + 1/(0.5*0.25) = 0.5 + 8 + 2 + 8 = 18.5.
        let server = server(CORE(CoreStep::Dynamic), 2);
        close(params_after(&server, &[(1.0, 4.0), (2.5, 1.0)], 0.5), 4.0 / 18.5);
    }
}
