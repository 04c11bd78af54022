//! What a liar can do: spoil claims about coalitions that contain it, and no others.

use corefed_audit::coalition_program;
use corefed_core::{AttestedEvidence, Family};
use corefed_remote::{Account, Ceiling, RowOracle};
use corefed_solve::{Problem, Rule, Until, solve};
use proptest::prelude::*;

use crate::testing::{ask, equal, federation, honest, losses, predictor, setup};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn every_conflict_without_the_liar_holds_for_the_honest(
        seed in 0..1000_u64,
        ceiling in 0.68..0.9_f64,
        liar in 0..5_usize,
    ) {
        let truth = federation(seed, Family::Logistic, 5, 3);
        let other = federation(seed + 5000, Family::Logistic, 5, 3);
        let (truth, other) =
            (losses(&truth, Family::Logistic, 0.0), losses(&other, Family::Logistic, 0.0));
        let problem = Problem::new(truth.as_ref(), vec![ceiling; 5], equal(5), 10.0);
        let Ok(optimum) = solve(&problem, Rule::Core, 1e-10) else { return Ok(()) };
        let theta = optimum.params;
        let subject = predictor(Family::Logistic, 4, (0.0, 10.0), theta.clone());
        let mut oracles = honest(truth.as_ref(), 10.0);
        let account = Account::new(60, 4, None);
        oracles[liar] = RowOracle::new(other.as_ref(), liar, 10.0, None, account);
        let found = ask(setup(subject, 5, &Ceiling::Absolute(ceiling)), &mut oracles);
        let now = problem.utilities_at(&theta);
        let AttestedEvidence::Tangents { conflicts, .. } = &found.draft.evidence else {
            // The liar has nothing, or claims that it could have something.
            return Ok(());
        };
        let mut checked = 0;
        for conflict in conflicts {
            let mut agents: Vec<usize> = conflict.tangents.iter().map(|t| t.agent).collect();
            agents.dedup();
            agents.sort_unstable();
            agents.dedup();
            if !agents.contains(&liar) {
                let program =
                    coalition_program(&problem, &now, &agents, &theta, Until::Gap(1e-9));
                prop_assert!(program.bounds.lower <= conflict.bound * (1.0 + 1e-9));
                checked += 1;
            }
        }
        prop_assert!(checked > 0);
    }
}
