//! Drafts from pooled certificates: what agents would have answered, had they kept their rows.

use corefed_core::{
    ATTESTED_FORMAT, ATTESTED_VERSION, Attestation, AttestedCertificate, AttestedEvidence,
    AttestedWitness, Certificate, Conflict, Evidence, Leaf, LeafGradient, Party, Rival, Subject,
    Tangent, TangentConflict, Terms,
};
use corefed_data::{Federation, apply_file};
use corefed_verify::parse;

use crate::harness::Folder;

/// How well sums of plain doubles are known here.
const MARGIN: f64 = 1e-13;

/// A draft about the data and the logistic predictor of a pooled certificate with conflicts: one point per conflict,
/// one for the witness, and answers of everybody at all of them.
pub(crate) fn draft(
    folder: &Folder,
    certificate: &str,
    data: &str,
    keys: &[String],
) -> AttestedCertificate {
    let pooled = parse(&folder.read(certificate)).expect("a certificate");
    let Subject::Predictor(predictor) = pooled.subject.clone() else { panic!("no predictor") };
    let rows = apply_file(&folder.path(data), &predictor.encoding, predictor.family).expect("rows");
    let Evidence::Conflicts { conflicts, .. } = pooled.evidence.clone() else {
        panic!("no conflicts");
    };
    let mut points = vec![predictor.parameters.clone()];
    points.extend(conflicts.iter().map(|conflict| conflict.point.clone()));
    let witness = pooled.witness.clone().map(|witness| {
        let Rival::Parameters(rival) = witness.rival else { panic!("a rival") };
        points.push(rival);
        let (coalition, gains) = (witness.coalition, witness.gains);
        AttestedWitness { coalition, gains, point: points.len() - 1 }
    });
    let parties = pooled.agents.iter().zip(keys).map(|(agent, key)| Party {
        name: agent.name.clone(),
        weight: agent.weight,
        ceiling: agent.ceiling.expect("a ceiling"),
        policy: "agreed".to_owned(),
        key: Some(key.clone()),
    });
    let evidence = AttestedEvidence::Tangents {
        conflicts: conflicts.iter().enumerate().map(as_tangents).collect(),
        hopeless: Vec::new(),
    };
    let tolerance = pooled.claim.tolerance;
    AttestedCertificate {
        format: ATTESTED_FORMAT.to_owned(),
        version: ATTESTED_VERSION,
        claim: pooled.claim,
        terms: Terms { agents: parties.collect(), tolerance, predictor: predictor.into() },
        attestations: answers(&pooled, &rows.federation, &points),
        points,
        witness,
        improvement: None,
        evidence,
        assumptions: pooled.assumptions.clone(),
    }
}

/// The point of conflict `k` is number `k + 1`.
fn as_tangents((k, conflict): (usize, &Conflict)) -> TangentConflict {
    let members = conflict.agents.iter().zip(&conflict.multipliers);
    let tangent =
        |(&agent, &multiplier): (&usize, &f64)| Tangent { agent, point: k + 1, multiplier };
    TangentConflict { tangents: members.map(tangent).collect(), bound: conflict.bound }
}

fn answers(pooled: &Certificate, rows: &Federation, points: &[Vec<f64>]) -> Vec<Attestation> {
    let leaf = |agent: usize, point: usize| {
        let (loss, values) = logistic(rows, agent, &points[point]);
        let gradient = Some(LeafGradient { values, margin: MARGIN });
        Leaf { point, loss, margin: MARGIN, gradient }
    };
    let own = |agent: usize| Attestation {
        samples: pooled.agents[agent].samples,
        rows: None,
        leaves: (0..points.len()).map(|point| leaf(agent, point)).collect(),
        worst_loss: None,
        signature: None,
    };
    (0..pooled.agents.len()).map(own).collect()
}

/// `mean log(1 + exp(-s x.theta))` over an agent's rows, and its gradient.
fn logistic(rows: &Federation, agent: usize, theta: &[f64]) -> (f64, Vec<f64>) {
    let owned = rows.agents()[agent].rows.clone();
    let count = f64::from(u32::try_from(owned.len()).expect("few rows"));
    let (mut loss, mut gradient) = (0.0, vec![0.0; theta.len()]);
    for row in owned {
        let dense = rows.design().dense_rows(row..row + 1).iter().copied().enumerate();
        let hot = rows.design().hot_rows(row..row + 1).iter().map(|k| (*k as usize, 1.0));
        let entries: Vec<(usize, f64)> = dense.chain(hot).collect();
        let score: f64 = entries.iter().map(|(k, x)| theta[*k] * x).sum();
        let sign = 2.0 * rows.target()[row] - 1.0;
        let against = -sign * score;
        loss += against.max(0.0) + (-against.abs()).exp().ln_1p();
        let slope = -sign / (1.0 + (-against).exp());
        for (k, x) in entries {
            gradient[k] += slope * x / count;
        }
    }
    (loss / count, gradient)
}
