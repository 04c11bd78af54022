//! Certificates that are true are accepted.

mod parabolas;

use corefed_core::{
    Certificate, Conflict, Evidence, Family, Number, Rival, Verdict, Witness, WorstLoss,
};
use corefed_verify::{VerifyError, check_document, check_on_data, parse};
use parabolas::{
    blocked, claim, data_digest, federation, first_order, headroom, predictor_certificate, stable,
    unbounded,
};

fn accept(name: &str, certificate: &Certificate) {
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
    accept("stable", &stable());
    accept("blocked", &blocked());
    accept("first order, stable", &first_order(0.5));
    accept("first order, undecided", &first_order(0.6));
    accept("unbounded", &unbounded());
    accept("headroom", &headroom());
}

#[test]
fn a_weaker_claim_is_accepted_too() {
    let mut weaker = stable();
    weaker.claim = claim(Verdict::Undecided, 0.9, 1.5);
    accept("weaker", &weaker);
}

/// Two rows `x = 1` with labels 1 and 0 at `theta = 0`, where their gradients cancel; the worst
/// loss on `|t| <= 2` is `log(1 + e^2) = 2.1269`.
fn logistic(ceiling: f64) -> Certificate {
    let loss = 2.0_f64.ln();
    let worst = WorstLoss { bound: (1.0 + 2.0_f64.exp()).ln(), multiplier: None };
    Certificate {
        claim: claim(Verdict::Stable, 1.0, 1.0),
        evidence: Evidence::FrankWolfe {
            gradient: vec![0.0],
            gap: 0.0,
            worst_losses: vec![worst; 2],
        },
        ..predictor_certificate(Family::Logistic, 2, vec![0.0], [loss; 2], [ceiling; 2])
    }
}

/// Labels 0 and 1 of three classes at zero: the slopes are `(1/3 - [k = label])`, so the gradient
/// of log-welfare is `(1, 1, -2) / (3 u)` with `|G| = sqrt(6) / (3 u)`.
fn softmax(ceiling: f64) -> Certificate {
    let loss = 3.0_f64.ln();
    let u = ceiling - loss;
    let gap = 2.0 * 6.0_f64.sqrt() / (3.0 * u);
    let worst = (1.0 + 2.0 * (2.0 * 2.0_f64.sqrt()).exp()).ln();
    Certificate {
        claim: claim(Verdict::Undecided, 1.0, 1.0 + gap / 2.0),
        evidence: Evidence::FrankWolfe {
            gradient: vec![1.0 / (3.0 * u), 1.0 / (3.0 * u), -2.0 / (3.0 * u)],
            gap,
            worst_losses: vec![WorstLoss { bound: worst, multiplier: None }; 2],
        },
        ..predictor_certificate(Family::Softmax, 3, vec![0.0; 3], [loss; 2], [ceiling; 2])
    }
}

#[test]
fn classifiers_are_recomputed_in_their_own_loss() {
    accept("logistic", &logistic(2.2));
    accept("softmax", &softmax(3.7));
    let refuse = |mut certificate: Certificate, bound: f64| {
        if let Evidence::FrankWolfe { worst_losses, .. } = &mut certificate.evidence {
            worst_losses[1].bound = bound;
        }
        check_on_data(&certificate, &federation(), &data_digest()).unwrap_err()
    };
    // The ceiling 2.1 is below the worst loss 2.1269, whatever is stated.
    assert!(matches!(refuse(logistic(2.2), 2.1), VerifyError::ForgedWorstLoss { .. }));
    let mut low = logistic(2.1);
    if let Evidence::FrankWolfe { worst_losses, .. } = &mut low.evidence {
        worst_losses[0].bound = 2.05;
    }
    assert!(matches!(refuse(low, 2.05), VerifyError::PremiseViolated { .. }));
    assert!(matches!(refuse(softmax(3.7), 3.0), VerifyError::ForgedWorstLoss { .. }));
    let mut stable = softmax(3.7);
    stable.claim = claim(Verdict::Stable, 1.0, 1.0);
    let error = check_on_data(&stable, &federation(), &data_digest()).unwrap_err();
    assert!(matches!(error, VerifyError::Overclaimed { .. }), "{error}");
}

/// At `theta = 0` with ceiling 1 both have `1 - ln 2`. Alone, agent 0 would go to the edge `t = -2`,
/// where its gradient points outwards and the tangent bound is exact; together they cancel.
fn logistic_conflicts() -> Certificate {
    let now = 1.0 - 2.0_f64.ln();
    let best = (1.0 - (-2.0_f64).exp().ln_1p()) / now;
    let conflict = |agents: Vec<usize>, point: f64, bound: f64| Conflict {
        multipliers: vec![1.0 / agents.len() as f64; agents.len()],
        agents,
        point: vec![point],
        bound,
    };
    let conflicts = vec![
        conflict(vec![0], -2.0, best),
        conflict(vec![1], 2.0, best),
        conflict(vec![0, 1], 0.0, 1.0),
    ];
    Certificate {
        claim: claim(Verdict::Blocked, 0.5 * best, 0.5 * best),
        witness: Some(Witness {
            coalition: vec![1],
            gains: vec![Number(best)],
            rival: Rival::Parameters(vec![2.0]),
        }),
        evidence: Evidence::Conflicts { conflicts },
        ..predictor_certificate(Family::Logistic, 2, vec![0.0], [2.0_f64.ln(); 2], [1.0; 2])
    }
}

#[test]
fn a_classifier_is_blocked_from_the_edge_of_the_ball() {
    accept("logistic conflicts", &logistic_conflicts());
    let mut larger = logistic_conflicts();
    parabolas::predictor(&mut larger).radius = 2.1;
    let error = check_on_data(&larger, &federation(), &data_digest()).unwrap_err();
    assert!(matches!(error, VerifyError::ForgedBound { conflict: 0, .. }), "{error}");
}

#[test]
fn a_member_with_nothing_to_lose_may_be_joined_only_by_the_willing() {
    // At t = 0 agent 1 would have 0.6 - 1 < 0 instead of 0.35: it does not leave with agent 0.
    let mut certificate = unbounded();
    let witness = certificate.witness.as_mut().unwrap();
    witness.coalition = vec![0, 1];
    witness.gains.push(Number(-0.4 / 0.35));
    let error = check_on_data(&certificate, &federation(), &data_digest()).unwrap_err();
    assert!(matches!(error, VerifyError::WouldStay { ref agent, .. } if agent == "right"));
}

#[test]
fn somebody_with_nothing_blocks_only_for_something() {
    // M_0 = 1/4: agent 0 has exactly nothing at t = 1/2, and nothing at t = -1/2 either.
    let mut certificate =
        Certificate { claim: unbounded().claim, ..parabolas::unproven(0.5, [0.25, 0.6]) };
    let witness = |t: f64, gain: f64| Witness {
        coalition: vec![0],
        gains: vec![Number(gain)],
        rival: Rival::Parameters(vec![t]),
    };
    certificate.witness = Some(witness(-0.5, 0.0));
    let error = check_on_data(&certificate, &federation(), &data_digest()).unwrap_err();
    assert!(matches!(error, VerifyError::Unwitnessed { .. }), "{error}");
    certificate.witness = Some(witness(0.0, f64::INFINITY));
    accept("nothing to lose", &certificate);
}
