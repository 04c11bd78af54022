//! Agents that answer about other rows than their own.

use super::parabolas::{Parabolas, set_ridge, tangent, tangents};
use corefed_core::{AttestedEvidence, KappaInterval, Tangent};
use corefed_verify::{check_attested, seal};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    /// One agent answers about another target than its own. Every conflict that does not use it still bounds what
    /// its agents can get: a liar spoils claims about coalitions with it, and no others (ledger E87).
    #[test]
    fn a_liar_spoils_only_claims_about_coalitions_that_contain_it(
        targets in prop::collection::vec(-1.5..1.5_f64, 4),
        told in -1.5..1.5_f64,
        liar in 0_usize..4,
        points in prop::collection::vec(-1.9..1.9_f64, 4),
        ceilings in prop::collection::vec(8.0..14.0_f64, 4),
        used in prop::collection::vec(
            prop::collection::vec((0..4_usize, 0..4_usize, 0.1..3.0_f64), 1..5), 1..6),
    ) {
        let mut claimed = targets.clone();
        claimed[liar] = told;
        let mut draft = Parabolas { targets: &claimed, ceilings: &ceilings, points: &points }.draft();
        draft.terms.agents.iter_mut().for_each(|party| party.key = None);
        for leaf in draft.attestations.iter_mut().flat_map(|own| &mut own.leaves) {
            leaf.margin = 1e-12;
            leaf.gradient.as_mut().unwrap().margin = 1e-12;
        }
        let lists: Vec<Vec<Tangent>> = used
            .iter()
            .map(|list| list.iter().map(|&(i, j, p)| tangent(i, j, p)).collect())
            .chain((0..4).map(|i| vec![tangent(i, 0, 1.0)]))
            .collect();
        draft.evidence = tangents(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>());
        draft.claim.kappa = KappaInterval::new(0.0, 1e6);
        let certificate = seal(draft).unwrap();
        check_attested(&certificate).unwrap();
        let AttestedEvidence::Tangents { conflicts, .. } = &certificate.evidence else {
            return Ok(());
        };
        let utility = |i: usize, t: f64| ceilings[i] - (t - targets[i]) * (t - targets[i]);
        let theta = points[0];
        let honest = |conflict: &&corefed_core::TangentConflict| {
            conflict.tangents.iter().all(|tangent| tangent.agent != liar)
        };
        prop_assert!(conflicts.iter().filter(honest).count() >= 3);
        for conflict in conflicts.iter().filter(honest) {
            for step in -200..=200_i32 {
                let t = 2.0 * f64::from(step) / 200.0;
                let gain = |tangent: &Tangent| {
                    utility(tangent.agent, t) / utility(tangent.agent, theta)
                };
                let least = conflict.tangents.iter().map(gain).fold(f64::INFINITY, f64::min);
                prop_assert!(least <= conflict.bound * (1.0 + 1e-12), "{least} {conflict:?}");
            }
        }
    }
}

#[test]
fn answers_of_no_convex_function_are_refused() {
    let draft =
        Parabolas { targets: &[0.0, 1.0], ceilings: &[0.6, 0.6], points: &[0.5, 0.0, 1.0] }.draft();
    let mut bent = draft.clone();
    // The tangent at 1/2 says at least 1/4 at t = 1; 0.2 is below it.
    bent.attestations[0].leaves[2].loss = 0.7;
    let said = check_attested(&bent).expect_err("no convex function").to_string();
    assert!(said.contains("`left` at points 0 and 2 fit no convex function"), "{said}");
    // Margins that are wide enough make it possible.
    bent.attestations[0].leaves[2].margin = 0.1;
    assert!(check_attested(&bent).is_ok());
    // With a ridge that the losses do not have, the same answers are impossible.
    let mut ridge = draft;
    set_ridge(&mut ridge, 2.5);
    let said = check_attested(&ridge).expect_err("less curved").to_string();
    assert!(said.contains("fit no convex function"), "{said}");
}
