//! Certificates worked by hand: agents with `L_0 = t^2` and `L_1 = (t - 1)^2` on `|t| <= 2`.
#![allow(dead_code, reason = "every test binary uses some of these")]

use corefed_core::{
    AgentStatement, Assumption, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim,
    Conflict, Digests, Encoding, Evidence, Family, Feature, KappaInterval, Number, Predictor,
    Rival, Status, Subject, Verdict, Witness, WorstLoss, digest_bytes, digest_numbers,
};
use corefed_data::{Agent, Design, Federation};

/// Digest of the imagined data file.
pub(crate) fn data_digest() -> String {
    digest_bytes(b"the data")
}

/// Two agents with one row each: `x = 1`, and targets 0 and 1.
pub(crate) fn federation() -> Federation {
    let design = Design::dense(2, 1, vec![1.0, 1.0]).expect("two rows of one");
    let agents = ["left", "right"]
        .iter()
        .enumerate()
        .map(|(i, name)| Agent { name: (*name).to_owned(), rows: i..i + 1 });
    Federation::new(design, vec![0.0, 1.0], agents.collect())
}

/// A certificate without evidence: utilities `M - t^2`, `M - (t - 1)^2`, `kappa` in `[1, inf]`.
pub(crate) fn unproven(t: f64, ceilings: [f64; 2]) -> Certificate {
    let losses = [t * t, (t - 1.0) * (t - 1.0)];
    predictor_certificate(Family::Linear, 0, vec![t], losses, ceilings)
}

/// The same for any model of one feature.
pub(crate) fn predictor_certificate(
    family: Family,
    classes: usize,
    parameters: Vec<f64>,
    losses: [f64; 2],
    ceilings: [f64; 2],
) -> Certificate {
    let agents = ["left", "right"].iter().enumerate().map(|(i, name)| AgentStatement {
        name: (*name).to_owned(),
        samples: 1,
        weight: 1.0,
        ceiling: Some(ceilings[i]),
        utility: ceilings[i] - losses[i],
    });
    Certificate {
        format: CERTIFICATE_FORMAT.to_owned(),
        version: CERTIFICATE_VERSION,
        claim: claim(Verdict::Undecided, 1.0, f64::INFINITY),
        agents: agents.collect(),
        digests: Digests { data: data_digest(), parameters: digest_numbers(&parameters) },
        subject: Subject::Predictor(Predictor {
            family,
            l2: 0.0,
            radius: 2.0,
            encoding: Encoding {
                agent_column: "agent".to_owned(),
                target_column: "y".to_owned(),
                classes: (0..classes).map(|k| k.to_string()).collect(),
                features: vec![Feature::Numeric {
                    column: "x".to_owned(),
                    mean: 0.0,
                    scale: 1.0,
                    missing: None,
                }],
            },
            parameters,
        }),
        witness: None,
        evidence: Evidence::Unbounded,
        assumptions: vec![Assumption {
            statement: "losses are convex".to_owned(),
            status: Status::Checked,
            detail: "squared error".to_owned(),
        }],
    }
}

pub(crate) fn claim(verdict: Verdict, lo: f64, hi: f64) -> Claim {
    Claim { verdict, kappa: KappaInterval { lo: Number(lo), hi: Number(hi) }, epsilon: 1e-6 }
}

/// Each agent alone gains at most `M / (M - 1/4)`, at its own optimum; together they gain nothing,
/// because at `t = 1/2` their gradients cancel.
fn conflicts(ceiling: f64) -> Evidence {
    let alone = ceiling / (ceiling - 0.25);
    let single = |agent: usize| Conflict {
        agents: vec![agent],
        multipliers: vec![1.0],
        point: vec![agent as f64],
        bound: alone,
    };
    let both =
        Conflict { agents: vec![0, 1], multipliers: vec![0.5, 0.5], point: vec![0.5], bound: 1.0 };
    Evidence::Conflicts { conflicts: vec![single(0), single(1), both] }
}

/// `M = 0.6`: alone an agent gains `0.6/0.35`, of which half is 0.857.
pub(crate) fn stable() -> Certificate {
    Certificate {
        claim: claim(Verdict::Stable, 1.0, 1.0),
        evidence: conflicts(0.6),
        ..unproven(0.5, [0.6, 0.6])
    }
}

/// `M = 0.4`: alone an agent gains `0.4/0.15 = 2.667`, of which half is 1.333.
pub(crate) fn blocked() -> Certificate {
    let kappa = 0.5 * (0.4 / 0.15);
    let witness = Witness {
        coalition: vec![0],
        gains: vec![Number(0.4 / 0.15)],
        rival: Rival::Parameters(vec![0.0]),
    };
    Certificate {
        claim: claim(Verdict::Blocked, kappa, kappa),
        witness: Some(witness),
        evidence: conflicts(0.4),
        ..unproven(0.5, [0.4, 0.4])
    }
}

/// `M = 9.5`, above the worst losses 4 and 9, so the gap at `t` bounds `kappa`.
pub(crate) fn first_order(t: f64) -> Certificate {
    let base = unproven(t, [9.5, 9.5]);
    let gradient = -(2.0 * t / base.agents[0].utility + 2.0 * (t - 1.0) / base.agents[1].utility);
    let gap = 2.0 * gradient.abs() - gradient * t;
    let hi = 1.0 + gap / 2.0;
    let verdict = if hi <= 1.0 + 1e-6 { Verdict::Stable } else { Verdict::Undecided };
    Certificate {
        claim: claim(verdict, 1.0, hi),
        evidence: Evidence::FrankWolfe {
            gradient: vec![gradient],
            gap,
            worst_losses: vec![
                WorstLoss { bound: 4.0, multiplier: Some(1.0) },
                WorstLoss { bound: 9.0, multiplier: Some(1.5) },
            ],
        },
        ..base
    }
}

/// `M_0 = 0.2`: agent 0 has -0.05 and blocks alone with `t = 0`.
pub(crate) fn unbounded() -> Certificate {
    Certificate {
        claim: claim(Verdict::Blocked, f64::INFINITY, f64::INFINITY),
        witness: Some(Witness {
            coalition: vec![0],
            gains: vec![Number(f64::INFINITY)],
            rival: Rival::Parameters(vec![0.0]),
        }),
        ..unproven(0.5, [0.2, 0.6])
    }
}

/// `M = 0.6`: nobody can gain more than `0.6/0.35`.
pub(crate) fn headroom() -> Certificate {
    Certificate {
        claim: claim(Verdict::Undecided, 1.0, 0.6 / 0.35),
        evidence: Evidence::Headroom,
        ..unproven(0.5, [0.6, 0.6])
    }
}

pub(crate) fn predictor(certificate: &mut Certificate) -> &mut Predictor {
    match &mut certificate.subject {
        Subject::Predictor(predictor) => predictor,
        Subject::Table { .. } => panic!("these certificates are about predictors"),
    }
}

pub(crate) fn conflict(certificate: &mut Certificate, k: usize) -> &mut Conflict {
    match &mut certificate.evidence {
        Evidence::Conflicts { conflicts } => &mut conflicts[k],
        other => panic!("no conflicts in {other:?}"),
    }
}

/// Signs changed parameters again, as a forger would.
pub(crate) fn sign(certificate: &mut Certificate) {
    if let Subject::Predictor(predictor) = &certificate.subject {
        certificate.digests.parameters = digest_numbers(&predictor.parameters);
    }
}
