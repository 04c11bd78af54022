//! Certificates worked by hand: agents with `L_0 = t^2` and `L_1 = (t - 1)^2` on `|t| <= 2`.

use std::ops::ControlFlow;

use corefed_core::{
    AgentStatement, Assumption, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim,
    Conflict, Digests, Encoding, Evidence, Family, Feature, KappaInterval, Number, Predictor,
    Rival, Status, Subject, Verdict, Witness, WorstLoss, digest_bytes, digest_numbers,
};
use corefed_data::{Agent, Design, Federation};
use corefed_verify::prove;

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

/// Rounds every claim of a draft to what is proven.
pub(crate) fn proven(draft: Certificate) -> Certificate {
    prove(draft, &federation(), &data_digest(), &mut |_, _| ControlFlow::Continue(()))
        .expect("a draft about this data")
}

/// A draft without evidence: utilities `M - t^2`, `M - (t - 1)^2`.
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
        margin: 1e-15,
    });
    Certificate {
        format: CERTIFICATE_FORMAT.to_owned(),
        version: CERTIFICATE_VERSION,
        claim: claim(Verdict::Undecided, (0.0, f64::INFINITY), (0.0, f64::INFINITY)),
        agents: agents.collect(),
        digests: Digests { data: data_digest(), parameters: digest_numbers(&parameters) },
        subject: Subject::Predictor(Predictor {
            family,
            l2: 0.0,
            radius: 2.0,
            encoding: Encoding {
                agent_column: "agent".to_owned(),
                target_column: "y".to_owned(),
                exposure_column: None,
                classes: (0..classes).map(|k| k.to_string()).collect(),
                target_scale: None,
                intake: corefed_core::Intake::default(),
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
        improvement: None,
        evidence: Evidence::Unbounded,
        assumptions: vec![Assumption {
            statement: "losses are convex".to_owned(),
            status: Status::Checked,
            detail: "squared error".to_owned(),
        }],
    }
}

pub(crate) fn claim(verdict: Verdict, kappa: (f64, f64), everybody: (f64, f64)) -> Claim {
    let interval = |(lo, hi)| KappaInterval::new(lo, hi);
    Claim { verdict, kappa: interval(kappa), everybody: interval(everybody), tolerance: 1e-6 }
}

pub(crate) fn alone(agent: usize, gain: f64, rival: f64) -> Witness {
    let (coalition, gains) = (vec![agent], vec![Number(gain)]);
    Witness { coalition, gains, rival: Rival::Parameters(vec![rival]) }
}

/// Each agent alone gains at most `M / (M - 1/4)`, at its own optimum; together they gain nothing,
/// because at `t = 1/2` their gradients cancel.
fn conflicts() -> Evidence {
    let conflict = |agents: Vec<usize>, point: f64| Conflict {
        multipliers: vec![1.0; agents.len()],
        agents,
        point: vec![point],
        bound: 0.0,
        correction: None,
        sphere: None,
    };
    let conflicts = vec![conflict(vec![0], 0.0), conflict(vec![1], 1.0), conflict(vec![0, 1], 0.5)];
    Evidence::Conflicts { conflicts, hopeless: Vec::new() }
}

/// The incumbent `t = 1/2` under a common ceiling, with the rival that agent 0 likes best.
fn halfway(ceiling: f64) -> Certificate {
    let kappa = 0.5 * ceiling / (ceiling - 0.25);
    proven(Certificate {
        claim: claim(Verdict::Undecided, (0.0, kappa), (0.0, 1.0)),
        witness: Some(alone(0, 0.0, 0.0)),
        evidence: conflicts(),
        ..unproven(0.5, [ceiling, ceiling])
    })
}

/// `M = 0.6`: alone an agent gains `0.6/0.35`, of which half is 0.857.
pub(crate) fn stable() -> Certificate {
    halfway(0.6)
}

/// `M = 0.4`: alone an agent gains `0.4/0.15 = 2.667`, of which half is 1.333.
pub(crate) fn blocked() -> Certificate {
    halfway(0.4)
}

/// `M = 9.5`, above the worst losses 4 and 9, so the gap at `t` bounds `kappa`.
pub(crate) fn first_order(t: f64) -> Certificate {
    let worst = |multiplier| WorstLoss { bound: 0.0, multiplier: Some(multiplier) };
    proven(Certificate {
        evidence: Evidence::FrankWolfe {
            gap: 0.0,
            worst_losses: vec![worst(1.0 + 1e-9), worst(1.5)],
        },
        ..unproven(t, [9.5, 9.5])
    })
}

/// `t = 1.9` is worse than `t = 1/2` for both: losses 3.61 and 0.81 instead of a quarter.
pub(crate) fn improvable() -> Certificate {
    let everybody = Witness {
        coalition: vec![0, 1],
        gains: vec![Number(0.0); 2],
        rival: Rival::Parameters(vec![0.5]),
    };
    proven(Certificate { improvement: Some(everybody), ..unproven(1.9, [9.5, 9.5]) })
}

/// `M_0 = 0.2`: agent 0 has -0.05 and blocks alone with `t = 0`.
pub(crate) fn unbounded() -> Certificate {
    proven(Certificate { witness: Some(alone(0, 0.0, 0.0)), ..unproven(0.5, [0.2, 0.6]) })
}

/// `M_0 = 1/4` and `t = 0`, where agent 0 has a quarter and agent 1, with `M_1 = 0`, never has
/// anything.
pub(crate) fn hopeless() -> Certificate {
    let own = Conflict {
        agents: vec![0],
        multipliers: vec![1.0],
        point: vec![0.0],
        bound: 0.0,
        correction: None,
        sphere: None,
    };
    let hopeless =
        vec![corefed_core::Hopeless { agent: 1, point: vec![1.0], correction: None, sphere: None }];
    proven(Certificate {
        claim: claim(Verdict::Undecided, (0.0, 0.5), (0.0, 1.0)),
        evidence: Evidence::Conflicts { conflicts: vec![own], hopeless },
        ..unproven(0.0, [0.25, 0.0])
    })
}

/// `M = 0.6`: nobody can gain more than `0.6/0.35`.
pub(crate) fn headroom() -> Certificate {
    proven(Certificate { evidence: Evidence::Headroom, ..unproven(0.5, [0.6, 0.6]) })
}

pub(crate) fn predictor(certificate: &mut Certificate) -> &mut Predictor {
    match &mut certificate.subject {
        Subject::Predictor(predictor) => predictor,
        Subject::Table { .. } => panic!("these certificates are about predictors"),
    }
}

pub(crate) fn conflict(certificate: &mut Certificate, k: usize) -> &mut Conflict {
    match &mut certificate.evidence {
        Evidence::Conflicts { conflicts, .. } => &mut conflicts[k],
        other => panic!("no conflicts in {other:?}"),
    }
}

/// Signs changed parameters again, as a forger would.
pub(crate) fn sign(certificate: &mut Certificate) {
    if let Subject::Predictor(predictor) = &certificate.subject {
        certificate.digests.parameters = digest_numbers(&predictor.parameters);
    }
}
