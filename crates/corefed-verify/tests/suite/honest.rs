//! Certificates that are true are accepted.

use std::ops::ControlFlow;

use crate::parabolas::{
    self, alone, blocked, claim, data_digest, federation, first_order, headroom, hopeless,
    improvable, predictor_certificate, proven, stable, unbounded, unproven,
};
use corefed_core::{Certificate, Conflict, Evidence, Family, Number, Rival, Verdict, WorstLoss};
use corefed_verify::{VerifyError, check_document, check_on_data, parse, prove};

fn accept(name: &str, certificate: &Certificate, verdict: Verdict) {
    assert_eq!(certificate.claim.verdict, verdict, "{name}: {:?}", certificate.claim);
    let text = serde_json::to_string(certificate).expect("plain data");
    let read = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(&read, certificate, "{name}");
    let alone = check_document(&read).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(alone.unchecked.iter().any(|line| line.contains("no data")), "{name}");
    let full = check_on_data(&read, &federation(), &data_digest())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(full.checked.len() > alone.checked.len(), "{name}");
}

#[test]
fn every_kind_of_evidence_is_accepted_when_it_is_true() {
    accept("stable", &stable(), Verdict::Stable);
    accept("blocked", &blocked(), Verdict::Blocked);
    accept("first order, undecided", &first_order(0.6), Verdict::Undecided);
    accept("first order, stable", &first_order(0.5), Verdict::Stable);
    accept("unbounded", &unbounded(), Verdict::Blocked);
    accept("headroom", &headroom(), Verdict::Undecided);
    accept("improvable", &improvable(), Verdict::Improvable);
    accept("hopeless", &hopeless(), Verdict::Stable);
}

#[test]
fn what_is_proven_is_as_tight_as_rounding_allows() {
    let close = |found: f64, exact: f64| (found - exact).abs() < 1e-14 * exact.max(1.0);
    let claim = stable().claim;
    assert!(close(claim.kappa.lo.0, 0.3 / 0.35) && close(claim.kappa.hi.0, 0.3 / 0.35));
    assert!(close(claim.everybody.lo.0, 1.0) && close(claim.everybody.hi.0, 1.0));
    let claim = blocked().claim;
    assert!(close(claim.kappa.lo.0, 4.0 / 3.0) && close(claim.kappa.hi.0, 4.0 / 3.0));
    assert!(claim.kappa.lo.0 <= claim.kappa.hi.0);
    // At t = 1.9 the utilities are 5.89 and 8.69, at 1/2 both are 9.25.
    assert!(close(improvable().claim.everybody.lo.0, 9.25 / 8.69));
    let claim = headroom().claim;
    assert!(close(claim.kappa.hi.0, 0.3 / 0.35) && close(claim.everybody.hi.0, 0.6 / 0.35));
    // The gap at t = 3/5 is that of the gradient 2 * 0.6/9.14 - 2 * 0.4/9.34, with R = 2.
    let slope: f64 = 1.2 / 9.14 - 0.8 / 9.34;
    let hi = 1.0 + 1.3 * slope;
    assert!(close(first_order(0.6).claim.kappa.hi.0, hi));
}

#[test]
fn a_weaker_claim_is_accepted_too() {
    let mut weaker = stable();
    weaker.claim = claim(Verdict::Undecided, (0.1, 1.5), (0.9, 1.5));
    accept("weaker", &weaker, Verdict::Undecided);
}

#[test]
fn a_draft_that_proves_nothing_claims_nothing() {
    // Points that lie outside the ball, a rival outside, multipliers of the wrong agents.
    let mut draft = stable();
    for k in 0..3 {
        parabolas::conflict(&mut draft, k).point[0] = 2.5;
    }
    draft.witness = Some(alone(0, 9.0, 2.5));
    let weak = proven(draft);
    assert!(matches!(weak.evidence, Evidence::Headroom));
    assert_eq!((weak.witness, weak.claim.kappa.lo), (None, Number(0.0)));
    // A model outside the ball is not certified at all.
    let mut outside = unproven(0.5, [0.6, 0.6]);
    parabolas::predictor(&mut outside).parameters[0] = 2.1;
    parabolas::sign(&mut outside);
    let error =
        prove(outside, &federation(), &data_digest(), &mut |_, _| ControlFlow::Continue(()))
            .unwrap_err();
    assert!(matches!(error, VerifyError::OutsideBall { .. }), "{error}");
}

#[test]
fn a_proof_that_is_broken_off_leaves_what_needs_none() {
    let mut draft = stable();
    let Evidence::Conflicts { conflicts, .. } = &mut draft.evidence else { panic!("conflicts") };
    // More than are proven between two looks at the clock.
    *conflicts = conflicts.iter().cycle().take(1000).cloned().collect();
    let mut said = Vec::new();
    let whole = prove(draft.clone(), &federation(), &data_digest(), &mut |done, all| {
        said.push((done, all));
        ControlFlow::Continue(())
    });
    let whole = whole.unwrap();
    assert!(matches!(whole.evidence, Evidence::Conflicts { .. }));
    assert_eq!(said.last(), Some(&(1000, 1000)));
    assert!(said.len() > 2 && said.is_sorted(), "{said:?}");
    let cut = prove(draft, &federation(), &data_digest(), &mut |_, _| ControlFlow::Break(()));
    let cut = cut.unwrap();
    assert!(matches!(cut.evidence, Evidence::Headroom));
    // Alone each agent has its whole ceiling, which headroom knows; what both could have it does not.
    assert!(cut.claim.everybody.hi.0 > 1.5 && whole.claim.everybody.hi.0 < 1.001);
    check_on_data(&cut, &federation(), &data_digest()).unwrap();
}

/// Two rows `x = 1` with labels 1 and 0 at `theta = 0`, where their gradients cancel; the worst
/// loss on `|t| <= 2` is `log(1 + e^2) = 2.1269`.
fn logistic(ceiling: f64) -> Certificate {
    let loss = 2.0_f64.ln();
    proven(Certificate {
        evidence: Evidence::FrankWolfe {
            gap: 0.0,
            worst_losses: vec![WorstLoss { bound: 0.0, multiplier: None }; 2],
        },
        ..predictor_certificate(Family::Logistic, 2, vec![0.0], [loss; 2], [ceiling; 2])
    })
}

/// Labels 0 and 1 of three classes at zero: the slopes are `(1/3 - [k = label])`, so the gradient
/// of log-welfare is `(1, 1, -2) / (3 u)` with `|G| = sqrt(6) / (3 u)`.
fn softmax(ceiling: f64) -> Certificate {
    let loss = 3.0_f64.ln();
    proven(Certificate {
        evidence: Evidence::FrankWolfe {
            gap: 0.0,
            worst_losses: vec![WorstLoss { bound: 0.0, multiplier: None }; 2],
        },
        ..predictor_certificate(Family::Softmax, 3, vec![0.0; 3], [loss; 2], [ceiling; 2])
    })
}

#[test]
fn classifiers_are_recomputed_in_their_own_loss() {
    accept("logistic", &logistic(2.2), Verdict::Stable);
    accept("softmax", &softmax(3.7), Verdict::Undecided);
    let hi = 1.0 + 6.0_f64.sqrt() / (3.0 * (3.7 - 3.0_f64.ln()));
    assert!((softmax(3.7).claim.kappa.hi.0 - hi).abs() < 1e-14);
    // The ceiling 2.1 is below the worst loss 2.1269: the premise fails, and headroom is left.
    assert!(matches!(logistic(2.1).evidence, Evidence::Headroom));
    let refuse = |mut certificate: Certificate, bound: f64| {
        if let Evidence::FrankWolfe { worst_losses, .. } = &mut certificate.evidence {
            worst_losses[1].bound = bound;
        }
        check_on_data(&certificate, &federation(), &data_digest()).unwrap_err()
    };
    assert!(matches!(refuse(logistic(2.2), 2.1), VerifyError::Worst { .. }));
    assert!(matches!(refuse(softmax(3.7), 3.0), VerifyError::Worst { .. }));
    let mut stable = softmax(3.7);
    stable.claim = claim(Verdict::Stable, (0.0, 1.0), (1.0, 1.0));
    let error = check_on_data(&stable, &federation(), &data_digest()).unwrap_err();
    assert!(matches!(error, VerifyError::Overclaimed { .. }), "{error}");
}

/// At `theta = 0` with ceiling 1 both have `1 - ln 2`. Alone, agent 0 would go to the edge `t = -2`,
/// where its gradient points outwards and the tangent bound is exact; together they cancel.
fn logistic_conflicts() -> Certificate {
    let now = 1.0 - 2.0_f64.ln();
    let best = (1.0 - (-2.0_f64).exp().ln_1p()) / now;
    let conflict = |agents: Vec<usize>, point: f64| Conflict {
        multipliers: vec![1.0; agents.len()],
        agents,
        point: vec![point],
        bound: 0.0,
        correction: None,
        sphere: None,
    };
    let conflicts =
        vec![conflict(vec![0], -2.0), conflict(vec![1], 2.0), conflict(vec![0, 1], 0.0)];
    proven(Certificate {
        claim: claim(Verdict::Blocked, (0.0, 0.5 * best), (0.0, 1.0)),
        witness: Some(alone(1, 0.0, 2.0)),
        evidence: Evidence::Conflicts { conflicts, hopeless: Vec::new() },
        ..predictor_certificate(Family::Logistic, 2, vec![0.0], [2.0_f64.ln(); 2], [1.0; 2])
    })
}

#[test]
fn a_classifier_is_blocked_from_the_edge_of_the_ball() {
    accept("logistic conflicts", &logistic_conflicts(), Verdict::Blocked);
    let mut larger = logistic_conflicts();
    parabolas::predictor(&mut larger).radius = 2.1;
    let error = check_on_data(&larger, &federation(), &data_digest()).unwrap_err();
    assert!(matches!(error, VerifyError::Bound { conflict: 0, .. }), "{error}");
}

#[test]
fn the_curved_bound_does_not_grow_with_the_ball() {
    // (t - 1)^2 near its optimum: the tangent at 0.999 rises by 2e-3 R over the ball, the parabola
    // itself by 1e-6.
    for radius in [2.0, 1e3, 1e9] {
        let mut draft = stable();
        parabolas::predictor(&mut draft).radius = radius;
        for (k, point) in [(0, 1e-3), (1, 0.999), (2, 0.5)] {
            let conflict = parabolas::conflict(&mut draft, k);
            (conflict.point, conflict.sphere) = (vec![point], Some(0.0));
        }
        draft.claim.kappa.hi = Number(0.3 / 0.35);
        let certificate = proven(draft);
        accept("curved", &certificate, Verdict::Stable);
        let bound = parabolas::conflict(&mut certificate.clone(), 1).bound;
        assert!((bound - 0.6 / 0.35).abs() < 1e-14, "{bound}");
    }
}

#[test]
fn somebody_with_nothing_blocks_only_for_something() {
    // M_0 = 1/4: agent 0 has exactly nothing at t = 1/2, and nothing at t = -1/2 either.
    let draft = |rival: f64| Certificate {
        witness: Some(alone(0, f64::INFINITY, rival)),
        ..unproven(0.5, [0.25, 0.6])
    };
    assert_eq!(proven(draft(-0.5)).witness, None);
    accept("nothing to lose", &proven(draft(0.0)), Verdict::Blocked);
    let mut forged = proven(draft(0.0));
    forged.witness.as_mut().unwrap().rival = Rival::Parameters(vec![-0.5]);
    let error = check_on_data(&forged, &federation(), &data_digest()).unwrap_err();
    assert!(matches!(error, VerifyError::Gain { .. }), "{error}");
}
