//! Certificates worked by hand: agents with `L_i = (t - a_i)^2` on `|t| <= 2`, one row each.

use corefed_core::{
    ATTESTED_FORMAT, ATTESTED_VERSION, AgreedModel, Assumption, Attestation, AttestedCertificate,
    AttestedEvidence, AttestedWitness, Claim, Encoding, Family, Feature, Intake, KappaInterval,
    Leaf, LeafGradient, Number, Party, Predictor, Status, Tangent, TangentConflict,
    TangentHopeless, Terms, Verdict,
};
use corefed_data::{Agent, Design, Federation};
use corefed_verify::{AgentKey, SignedAttestation, attest, merge, seal};
use std::sync::LazyLock;

pub(crate) const NAMES: [&str; 4] = ["left", "right", "middle", "far"];

/// The key of an agent.
pub(crate) fn key(agent: usize) -> AgentKey {
    let seed = u8::try_from(agent).expect("few agents");
    AgentKey::new([seed + 1; 32], [seed + 101; 32])
}

static PUBLIC: LazyLock<[String; 4]> = LazyLock::new(|| [0, 1, 2, 3].map(|i| key(i).public()));

/// An agent's own row: `x = 1`, and its target.
pub(crate) fn rows(agent: usize, target: f64) -> Federation {
    let design = Design::dense(1, 1, vec![1.0]).expect("one row of one");
    let agents = vec![Agent { name: NAMES[agent].to_owned(), rows: 0..1 }];
    Federation::new(design, vec![target], agents)
}

/// Agents by their targets and ceilings, the incumbent, and the points that all of them answer.
pub(crate) struct Parabolas<'a> {
    pub(crate) targets: &'a [f64],
    pub(crate) ceilings: &'a [f64],
    pub(crate) points: &'a [f64],
}

impl Parabolas<'_> {
    /// A draft in which everybody answers everywhere and nothing is claimed.
    pub(crate) fn draft(&self) -> AttestedCertificate {
        let parties = self.ceilings.iter().enumerate().map(|(i, ceiling)| Party {
            name: NAMES[i].to_owned(),
            weight: 1.0,
            ceiling: *ceiling,
            policy: "agreed".to_owned(),
            key: Some(PUBLIC[i].clone()),
        });
        let open = KappaInterval::new(0.0, f64::INFINITY);
        AttestedCertificate {
            format: ATTESTED_FORMAT.to_owned(),
            version: ATTESTED_VERSION,
            claim: Claim {
                verdict: Verdict::Undecided,
                kappa: open,
                everybody: open,
                tolerance: 1e-6,
            },
            terms: Terms {
                predictor: predictor(self.points[0]).into(),
                agents: parties.collect(),
                tolerance: 1e-6,
            },
            points: self.points.iter().map(|t| vec![*t]).collect(),
            attestations: self.targets.iter().map(|a| self.answers(*a)).collect(),
            witness: None,
            improvement: None,
            evidence: AttestedEvidence::Unbounded,
            assumptions: vec![Assumption {
                statement: "losses are convex".to_owned(),
                status: Status::Checked,
                detail: "squared error".to_owned(),
            }],
        }
    }

    fn answers(&self, target: f64) -> Attestation {
        let leaf = |(point, t): (usize, &f64)| Leaf {
            point,
            loss: (t - target) * (t - target),
            margin: 1e-15,
            gradient: Some(LeafGradient { values: vec![2.0 * (t - target)], margin: 1e-15 }),
        };
        let leaves = self.points.iter().enumerate().map(leaf).collect();
        Attestation { samples: 1, rows: None, leaves, worst_loss: None, signature: None }
    }
}

fn predictor(theta: f64) -> Predictor {
    Predictor {
        family: Family::Linear,
        l2: 0.0,
        radius: 2.0,
        encoding: Encoding {
            agent_column: "agent".to_owned(),
            target_column: "y".to_owned(),
            exposure_column: None,
            classes: Vec::new(),
            target_scale: None,
            intake: Intake::default(),
            features: vec![Feature::Numeric {
                column: "x".to_owned(),
                mean: 0.0,
                scale: 1.0,
                missing: None,
            }],
        },
        parameters: vec![theta],
    }
}

/// Says that every loss has this ridge.
pub(crate) fn set_ridge(draft: &mut AttestedCertificate, l2: f64) {
    let AgreedModel::Known(predictor) = &mut draft.terms.predictor else { panic!("no predictor") };
    predictor.l2 = l2;
}

pub(crate) fn tangent(agent: usize, point: usize, multiplier: f64) -> Tangent {
    Tangent { agent, point, multiplier }
}

/// Evidence from lists of tangents, with bounds still to be proven.
pub(crate) fn tangents(conflicts: &[&[Tangent]]) -> AttestedEvidence {
    let conflict =
        |tangents: &&[Tangent]| TangentConflict { tangents: tangents.to_vec(), bound: 0.0 };
    AttestedEvidence::Tangents {
        conflicts: conflicts.iter().map(conflict).collect(),
        hopeless: Vec::new(),
    }
}

pub(crate) fn witness(coalition: &[usize], point: usize) -> AttestedWitness {
    let gains = vec![Number(0.0); coalition.len()];
    AttestedWitness { coalition: coalition.to_vec(), gains, point }
}

pub(crate) const PAIR: [f64; 2] = [0.0, 1.0];

/// `t = 1/2` for targets 0 and 1 under a common ceiling: alone an agent gains `M/(M - 1/4)`, together nobody
/// gains, because gradients cancel.
pub(crate) fn halfway(ceiling: f64) -> AttestedCertificate {
    let mut draft =
        Parabolas { targets: &PAIR, ceilings: &[ceiling, ceiling], points: &[0.5, 0.0, 1.0] }
            .draft();
    draft.claim.kappa = KappaInterval::new(0.0, 0.5 * ceiling / (ceiling - 0.25));
    draft.witness = Some(witness(&[0], 1));
    draft.evidence = tangents(&[
        &[tangent(0, 1, 1.0)],
        &[tangent(1, 2, 1.0)],
        &[tangent(0, 0, 1.0), tangent(1, 0, 1.0)],
    ]);
    seal(draft).expect("a draft that proves something")
}

/// `M = 0.6`: half of `0.6/0.35` is 0.857.
pub(crate) fn stable() -> AttestedCertificate {
    halfway(0.6)
}

/// `M = 0.4`: half of `0.4/0.15` is 1.333.
pub(crate) fn blocked() -> AttestedCertificate {
    halfway(0.4)
}

/// `M = 9.5` is above the worst losses 4 and 9.
pub(crate) fn first_order(t: f64) -> AttestedCertificate {
    let mut draft = Parabolas { targets: &PAIR, ceilings: &[9.5, 9.5], points: &[t] }.draft();
    for (own, worst) in draft.attestations.iter_mut().zip([4.0, 9.0]) {
        own.worst_loss = Some(worst + 1e-6);
    }
    draft.evidence = AttestedEvidence::FrankWolfe { gap: 0.0 };
    seal(draft).expect("a draft that proves something")
}

/// `t = 1.9` is worse for both than `t = 1/2`.
pub(crate) fn improvable() -> AttestedCertificate {
    let mut draft =
        Parabolas { targets: &PAIR, ceilings: &[9.5, 9.5], points: &[1.9, 0.5] }.draft();
    draft.improvement = Some(witness(&[0, 1], 1));
    seal(draft).expect("a draft that proves something")
}

/// Agent 1 has the ceiling 0 and never has anything; agent 0 has its best model.
pub(crate) fn hopeless() -> AttestedCertificate {
    let mut draft =
        Parabolas { targets: &PAIR, ceilings: &[0.25, 0.0], points: &[0.0, 1.0] }.draft();
    draft.claim.kappa = KappaInterval::new(0.0, 0.5);
    let hopeless = vec![TangentHopeless { agent: 1, tangents: vec![tangent(1, 1, 1.0)] }];
    let conflicts = vec![TangentConflict { tangents: vec![tangent(0, 0, 1.0)], bound: 0.0 }];
    draft.evidence = AttestedEvidence::Tangents { conflicts, hopeless };
    seal(draft).expect("a draft that proves something")
}

/// The third of three agents did not answer.
pub(crate) fn without_middle() -> AttestedCertificate {
    let mut draft =
        Parabolas { targets: &[0.0, 1.0, 0.5], ceilings: &[0.6; 3], points: &[0.5, 0.0, 1.0] }
            .draft();
    draft.attestations[2] = Attestation {
        samples: 0,
        rows: None,
        leaves: Vec::new(),
        worst_loss: None,
        signature: None,
    };
    draft.claim.kappa = KappaInterval::new(0.0, 2.0 / 3.0);
    draft.evidence = tangents(&[
        &[tangent(0, 1, 1.0)],
        &[tangent(1, 2, 1.0)],
        &[tangent(0, 0, 1.0), tangent(1, 0, 1.0)],
    ]);
    seal(draft).expect("a draft that proves something")
}

/// Signed by everybody who answered, on their own rows.
pub(crate) fn signed(certificate: &AttestedCertificate, targets: &[f64]) -> AttestedCertificate {
    let sign = |i: usize| {
        let present = !certificate.attestations[i].leaves.is_empty();
        present.then(|| attestation(certificate, i, targets[i]))
    };
    let all: Vec<SignedAttestation> = (0..targets.len()).filter_map(sign).collect();
    merge(certificate.clone(), all).expect("signatures that fit")
}

pub(crate) fn attestation(
    certificate: &AttestedCertificate,
    agent: usize,
    target: f64,
) -> SignedAttestation {
    let rows = rows(agent, target);
    attest(certificate, NAMES[agent], &rows, &key(agent)).expect("its own rows").0
}
