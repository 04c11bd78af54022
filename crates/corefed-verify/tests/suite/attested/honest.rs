//! What honest answers prove is accepted, with the numbers worked out by hand.

use super::parabolas::{
    PAIR, Parabolas, blocked, first_order, hopeless, improvable, signed, stable, tangent, tangents,
    without_middle, witness,
};
use corefed_core::{AttestedCertificate, AttestedEvidence, KappaInterval, Verdict};
use corefed_verify::{AnyCertificate, Signers, check_attested, parse_any, seal};

/// Signed, written, read and checked.
fn accepted(certificate: &AttestedCertificate, targets: &[f64]) -> AttestedCertificate {
    let certificate = signed(certificate, targets);
    let text = serde_json::to_string(&certificate).expect("JSON");
    let AnyCertificate::Attested(read) = parse_any(&text).expect("a certificate") else {
        panic!("another kind");
    };
    assert_eq!(*read, certificate);
    check_attested(&read).expect("it holds");
    *read
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-13 * expected.abs(), "{found} != {expected}");
}

#[test]
fn two_parabolas_are_stable_under_a_high_ceiling_and_blocked_under_a_low_one() {
    let certificate = accepted(&stable(), &PAIR);
    assert_eq!(certificate.claim.verdict, Verdict::Stable);
    assert_near(certificate.claim.kappa.hi.0, 0.5 * 0.6 / 0.35);
    assert_near(certificate.claim.everybody.hi.0, 1.0);
    let certificate = accepted(&blocked(), &PAIR);
    assert_eq!(certificate.claim.verdict, Verdict::Blocked);
    assert_near(certificate.claim.kappa.lo.0, 0.5 * 0.4 / 0.15);
    assert_near(certificate.claim.kappa.hi.0, 0.5 * 0.4 / 0.15);
}

#[test]
fn one_gradient_of_each_bounds_everybody_where_no_loss_reaches_its_ceiling() {
    // At t = 1/2 gradients cancel; at 0.6 utilities are 9.14 and 9.34, pulls 1.2/9.14 - 0.8/9.34 = g, and
    // the gap is R|g| + g t.
    let certificate = accepted(&first_order(0.5), &PAIR);
    assert_eq!(certificate.claim.verdict, Verdict::Stable);
    assert_near(certificate.claim.kappa.hi.0, 1.0);
    let certificate = accepted(&first_order(0.6), &PAIR);
    let g = 1.2 / 9.14 - 0.8 / 9.34;
    assert_near(certificate.claim.kappa.hi.0, 1.0 + 1.3 * g);
    assert!(matches!(certificate.evidence, AttestedEvidence::FrankWolfe { .. }));
}

#[test]
fn everybody_can_gain_by_answers_of_everybody() {
    let certificate = accepted(&improvable(), &PAIR);
    assert_eq!(certificate.claim.verdict, Verdict::Improvable);
    // 9.25 instead of 9.5 - 3.61 and 9.5 - 0.81.
    assert_near(certificate.claim.everybody.lo.0, 9.25 / 8.69);
    // Headroom is what is left: half of 9.5/5.89.
    assert_near(certificate.claim.kappa.hi.0, 0.5 * 9.5 / 5.89);
}

#[test]
fn an_agent_that_never_has_anything_joins_nobody() {
    let certificate = accepted(&hopeless(), &PAIR);
    assert_near(certificate.claim.kappa.hi.0, 0.5);
    assert_eq!(certificate.claim.everybody, KappaInterval::new(0.0, 0.0));
    assert_eq!(certificate.claim.verdict, Verdict::Stable);
}

#[test]
fn without_an_agent_only_coalitions_of_the_others_are_bounded() {
    let certificate = accepted(&without_middle(), &[0.0, 1.0, 0.5]);
    // Both together have two thirds of the say and gain nothing; alone a third of 0.6/0.35.
    assert_near(certificate.claim.kappa.hi.0, 2.0 / 3.0);
    assert_eq!(certificate.claim.everybody, KappaInterval::new(0.0, f64::INFINITY));
    assert_eq!(certificate.claim.verdict, Verdict::Undecided);
    let signers = Signers::of(&certificate);
    assert_eq!((signers.absent.len(), signers.status()), (1, "attested"));
    // A group of those who answered can still be seen to leave.
    let mut draft = without_middle();
    for party in &mut draft.terms.agents {
        party.ceiling = 0.3;
    }
    draft.witness = Some(witness(&[0], 1));
    let certificate = seal(draft).expect("a draft");
    assert_eq!(certificate.claim.verdict, Verdict::Blocked);
    assert_near(certificate.claim.kappa.lo.0, 0.3 / 0.05 / 3.0);
}

#[test]
fn several_tangents_of_one_agent_prove_what_none_of_them_does() {
    // L_0 = t^2 + 1 and M_0 = 3, so u_0 = 2 - t^2 and 7/4 at t = 1/2. The tangents at 1/2 and -1/2 meet at 0 with 9/4;
    // each alone gives 9/4 + 2 on |t| <= 2, and the ceiling says 3.
    let bound = |own: &[corefed_core::Tangent]| {
        let mut draft =
            Parabolas { targets: &PAIR, ceilings: &[3.0, 3.0], points: &[0.5, -0.5, 1.0] }.draft();
        draft.attestations[0].leaves.iter_mut().for_each(|leaf| leaf.loss += 1.0);
        draft.claim.kappa = KappaInterval::new(0.0, 2.0);
        draft.evidence = tangents(&[own, &[tangent(1, 2, 1.0)]]);
        let AttestedEvidence::Tangents { conflicts, .. } = seal(draft).expect("a draft").evidence
        else {
            panic!("tangents");
        };
        conflicts[0].bound
    };
    assert_near(bound(&[tangent(0, 0, 1.0)]), 3.0 / 1.75);
    assert_near(bound(&[tangent(0, 1, 2.0)]), 3.0 / 1.75);
    assert_near(bound(&[tangent(0, 0, 1.0), tangent(0, 1, 1.0)]), 2.25 / 1.75);
    // Multipliers count: with 2 and 1 the slopes leave 1 of 3, and 2/3 more.
    assert_near(bound(&[tangent(0, 0, 2.0), tangent(0, 1, 1.0)]), (2.25 + 2.0 / 3.0) / 1.75);
}

#[test]
fn nothing_that_a_proof_does_not_use_is_told() {
    let mut draft =
        Parabolas { targets: &PAIR, ceilings: &[0.6, 0.6], points: &[0.5, 1.5, 0.0, -1.0, 1.0] }
            .draft();
    draft.attestations[0].worst_loss = Some(4.0);
    draft.claim.kappa = KappaInterval::new(0.0, 0.9);
    draft.witness = Some(witness(&[0], 2));
    draft.evidence = tangents(&[
        &[tangent(0, 2, 1.0)],
        &[tangent(1, 4, 1.0)],
        &[tangent(0, 0, 1.0), tangent(1, 0, 1.0)],
    ]);
    let certificate = seal(draft).expect("a draft");
    assert_eq!(certificate.points, [vec![0.5], vec![0.0], vec![1.0]]);
    assert_eq!(certificate.attestations[0].leaves.len(), 2);
    assert_eq!(certificate.attestations[0].worst_loss, None);
    assert_eq!(certificate.witness.as_ref().map(|witness| witness.point), Some(1));
    accepted(&certificate, &PAIR);
    // Without evidence the gradients go, too.
    let mut draft = stable();
    draft.evidence = AttestedEvidence::Unbounded;
    let certificate = seal(draft).expect("a draft");
    assert_eq!(certificate.evidence, AttestedEvidence::Headroom);
    assert!(certificate.attestations.iter().flat_map(|a| &a.leaves).all(|l| l.gradient.is_none()));
}

#[test]
fn a_draft_that_claims_too_much_is_lowered_to_what_is_proven() {
    let mut draft = blocked();
    draft.claim.verdict = Verdict::Stable;
    draft.claim.kappa = KappaInterval::new(0.0, 1.0);
    let certificate = seal(draft).expect("a draft");
    // The conflicts do not cover kappa <= 1, headroom does not either: 0.4/0.15 for everybody.
    assert_eq!(certificate.claim.verdict, Verdict::Blocked);
    assert_eq!(certificate.evidence, AttestedEvidence::Headroom);
}
