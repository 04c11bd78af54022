//! The audit of agents that keep their rows as a document: what it says is what the certificate proves.

use corefed_core::{
    AgreedModel, Assumption, AttestedCertificate, AttestedWitness, Factors, Number, Status,
    Verdict, Weights, linalg::norm_l2, log_welfare,
};
use corefed_documents::{
    AbsentLine, AgentLine, AuditDocument, BallLine, DeviationLine, ObstacleLine, Scope,
};
use corefed_remote::Ended;
use corefed_verify::Signers;
use serde_json::Value;

use crate::audit::{by_name, gains};

/// Turns a certificate into the document of its audit; `ended` says why no more was asked.
#[must_use]
pub fn attested_audit(certificate: &AttestedCertificate, ended: Ended) -> AuditDocument {
    let AttestedCertificate { claim, terms, .. } = certificate;
    let present = present(certificate);
    let names: Vec<String> = terms.agents.iter().map(|party| party.name.clone()).collect();
    let loss = |k: usize| certificate.attestations[k].leaves[0].loss;
    let line = |&k: &usize| {
        let party = &terms.agents[k];
        AgentLine {
            name: party.name.clone(),
            samples: Some(certificate.attestations[k].samples),
            weight: party.weight,
            ceiling: Some(party.ceiling),
            loss: Some(loss(k)),
            utility: party.ceiling - loss(k),
            alone: None,
        }
    };
    let agents: Vec<AgentLine> = present.iter().map(line).collect();
    let absent = terms.agents.iter().enumerate().filter(|(k, _)| !present.contains(k));
    let absent: Vec<AbsentLine> = absent
        .map(|(_, party)| AbsentLine { name: party.name.clone(), weight: party.weight })
        .collect();
    let now: Vec<f64> = agents.iter().map(|agent| agent.utility).collect();
    let weights = Weights::new(agents.iter().map(|agent| agent.weight).collect());
    let known = weights.ok().filter(|_| absent.is_empty());
    let room = known.as_ref().filter(|_| terms.predictor.is_nonnegative());
    let ceilings: Vec<f64> = terms.agents.iter().map(|party| party.ceiling).collect();
    let headroom = room.map(|weights| Factors::with_headroom(&now, &ceilings, weights).kappa.hi);
    let norm = norm_l2(terms.predictor.parameters());
    let radius = terms.predictor.radius();
    let told = |verdict: Verdict, witness: &Option<AttestedWitness>| {
        let witness = witness.as_ref().filter(|_| claim.verdict == verdict)?;
        Some(deviation(certificate, witness, &names))
    };
    let factors = Factors { kappa: claim.kappa, everybody: claim.everybody };
    let away: Vec<String> = absent.iter().map(|agent| agent.name.clone()).collect();
    let obstacle = (claim.verdict == Verdict::Undecided).then(|| obstacle(&away, ended, &names));
    AuditDocument {
        verdict: claim.verdict,
        obstacle,
        headroom,
        deviation: told(Verdict::Blocked, &certificate.witness),
        improvement: told(Verdict::Improvable, &certificate.improvement),
        log_welfare: known.map(|weights| Number(log_welfare(&now, &weights))),
        ball: Some(BallLine { radius, norm, active: norm > radius * (1.0 - 1e-6) }),
        assumptions: certificate.assumptions.iter().cloned().chain([signed(certificate)]).collect(),
        parameters: named(&terms.predictor, terms.predictor.parameters()),
        predictor: terms.predictor.known().cloned(),
        warnings: without(&away).into_iter().collect(),
        absent,
        ..AuditDocument::new(Scope::Ball, factors, claim.tolerance, agents)
    }
}

/// Agents that answered at the predictor, by index.
fn present(certificate: &AttestedCertificate) -> Vec<usize> {
    let answered = |k: &usize| !certificate.attestations[*k].leaves.is_empty();
    (0..certificate.attestations.len()).filter(answered).collect()
}

/// Parameters by the names of their features; those of a model of the agents' own have places only.
fn named(model: &AgreedModel, parameters: &[f64]) -> Value {
    match model {
        AgreedModel::Known(predictor) => by_name(predictor, parameters),
        AgreedModel::Own(_) => parameters.into(),
    }
}

fn deviation(
    certificate: &AttestedCertificate,
    witness: &AttestedWitness,
    names: &[String],
) -> DeviationLine {
    let rival = named(&certificate.terms.predictor, &certificate.points[witness.point]);
    let coalition: Vec<String> =
        witness.coalition.iter().map(|&agent| names[agent].clone()).collect();
    let gains = gains(&coalition, &witness.gains);
    DeviationLine { rival, round: None, coalition, gains }
}

fn without(absent: &[String]) -> Option<String> {
    (!absent.is_empty()).then(|| {
        format!(
            "{} did not answer: nothing is known of groups with them, nor of everybody together",
            absent.join(", ")
        )
    })
}

/// Why nothing was decided.
fn obstacle(absent: &[String], ended: Ended, names: &[String]) -> ObstacleLine {
    let (reason, help) = match ended {
        _ if !absent.is_empty() => (
            format!(
                "{} did not answer, so only groups without them are bounded",
                absent.join(", ")
            ),
            "audit again once they are there: answers are kept",
        ),
        Ended::Refused => (
            "agents that would have to answer refused to".to_owned(),
            "audit again with a larger budget of theirs: answers are kept",
        ),
        Ended::Rounds => ("the rounds ran out".to_owned(), "allow more rounds"),
        Ended::ZeroUtility { agent } => (
            format!("the utility of {} is too close to zero to tell its sign", names[agent]),
            "choose another ceiling for it",
        ),
        Ended::Complete | Ended::Verdict | Ended::Stalled | Ended::Nobody => (
            "kappa is closer to the threshold than the answers can tell".to_owned(),
            "set a larger tolerance, or ask for more Hessians",
        ),
    };
    ObstacleLine { reason, help: Some(help.to_owned()) }
}

/// Who stands for the answers.
fn signed(certificate: &AttestedCertificate) -> Assumption {
    let Signers { signed, unsigned, .. } = Signers::of(certificate);
    let list = |names: &[String]| names.join(", ");
    let (status, detail) = match (signed.is_empty(), unsigned.is_empty()) {
        (false, true) => {
            let how = match certificate.terms.predictor {
                AgreedModel::Known(_) => "a check on its own rows",
                AgreedModel::Own(_) => "computing them again by its own program",
            };
            (Status::Checked, format!("after {how}: {}", list(&signed)))
        }
        (false, false) => (
            Status::Assumed,
            format!("signed by {}; {} has not signed", list(&signed), list(&unsigned)),
        ),
        (true, _) => (Status::Assumed, "nobody has signed".to_owned()),
    };
    let statement = "every agent that answered has signed its answers".to_owned();
    Assumption { statement, status, detail }
}
