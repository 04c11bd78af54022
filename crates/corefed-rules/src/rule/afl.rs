//! AFL: multipliers on the simplex follow the losses (Mohri, Sivek, Suresh, *Agnostic Federated
//! Learning*, ICML 2019, arXiv 1902.00146).

use corefed_core::Range;

use super::{Knob, KnobValues, Member, Remembers, RuleInfo, SteadiedBy, Wants, Weighing};
use crate::{Rule, project_simplex};

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "Multipliers on the simplex follow the losses: min-max.",
    needs_losses: true,
    needs_each: Some("everybody's loss, by which its multipliers move"),
    steadied: SteadiedBy::Search(Wants::LargestLoss),
    remembers: Remembers::Multipliers,
    knobs: &[Knob {
        name: "gamma",
        takes: KnobValues::Numbers(Range::POSITIVE),
        about: "Step of the multipliers, per nat of loss.",
    }],
    ..RuleInfo::new("afl", "AFL", Rule::Afl { gamma: 0.1 })
};

/// `lambda <- Proj(lambda + gamma L)` (ledger E27). Agents outside the cohort add nothing, so their
/// multipliers can only fall.
pub(crate) fn follow_losses(multipliers: &mut [f64], members: &[Member], gamma: f64) {
    for member in members {
        // A product that overflows stays comparable instead of turning into not-a-number.
        multipliers[member.agent] += (gamma * member.loss).min(1e300);
    }
    project_simplex(multipliers);
}

/// `pull_s = lambda_s`, normalised over the cohort (ledger E27). The pulls use the multipliers that
/// have already followed this round's losses.
pub(crate) fn multiplier_pulls(members: &[Member], multipliers: &[f64]) -> Weighing {
    Weighing::normalised(members.iter().map(|member| multipliers[member.agent]).collect())
}

#[cfg(test)]
mod tests {
    use crate::testing::{close, params_after, round, server};
    use crate::{Report, Rule, Server, ServerState};

    fn plan(server: &Server, state: &mut ServerState<f64>, losses: &[(usize, f64)]) {
        let report = |&(agent, loss): &(usize, f64)| Report { agent, samples: 1, loss };
        let _ = server.plan(state, &losses.iter().map(report).collect::<Vec<_>>());
    }

    #[test]
    fn multipliers_climb_with_losses() {
        // Uniform (1/2, 1/2) plus 0.1*(1, 3) is (0.6, 0.8); minus 0.2 each: (0.4, 0.6).
        // Step 0.4*5 + 0.6*10 = 8.
        let server = server(Rule::Afl { gamma: 0.1 }, 2);
        close(params_after(&server, &[(1.0, 5.0), (3.0, 10.0)], 0.1), 8.0);
    }

    #[test]
    fn the_well_off_lose_their_multiplier_entirely() {
        // (1/2, 1/2) + (0, 2) = (0.5, 2.5): the first is more than one behind, so (0, 1).
        let server = server(Rule::Afl { gamma: 1.0 }, 2);
        let mut state = server.init();
        plan(&server, &mut state, &[(0, 0.0), (1, 2.0)]);
        assert_eq!(state.multipliers, [0.0, 1.0]);
    }

    #[test]
    fn a_cohort_without_multipliers_takes_no_step() {
        let server = server(Rule::Afl { gamma: 1.0 }, 2);
        let mut state = server.init();
        plan(&server, &mut state, &[(0, 0.0), (1, 2.0)]);
        // Agent 0 alone: (0, 1) + (0.0, 0) stays, so its pull is zero.
        let (params, applied) = round(&server, &mut state, &[(0.0, 5.0)], 0.1);
        assert_eq!(params, 0.0);
        assert!(applied.no_pull);
        assert_eq!(applied.coefficients, [(0, 0.0)]);
    }

    #[test]
    fn overflowing_losses_leave_multipliers_on_the_simplex() {
        let server = server(Rule::Afl { gamma: 1e300 }, 3);
        let mut state = server.init();
        plan(&server, &mut state, &[(0, 1e300), (1, 1e290), (2, 0.0)]);
        assert_eq!(state.multipliers, [0.5, 0.5, 0.0]);
    }
}
