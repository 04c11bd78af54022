//! The end of a session: a certificate to be attested, its audit and page, and what everybody told.

use std::path::Path;

use corefed_core::{AttestedCertificate, AttestedWitness, Factors, Verdict};
use corefed_documents::{
    ANSWERED, AUDIT, AgentLine, Answered, AnsweredAgent, AuditDocument, BallLine, CERTIFICATE,
    DeviationLine, Document, ObstacleLine, Scope, SearchLine, to_json,
};
use corefed_remote::{Ended, Outcome, Participant, Task, Traffic};
use corefed_report::{folder as pages, render};
use corefed_verify::seal;

use super::files::{MailSession, put};
use crate::RunError;
use crate::audit::{by_name, gains};

/// What a session found.
#[derive(Clone, Debug)]
pub struct Concluded {
    /// For agents to attest.
    pub certificate: AttestedCertificate,
    /// The same as every audit is told.
    pub audit: AuditDocument,
    /// What every agent told.
    pub answered: Answered,
}

/// Seals what a session proved, with the agents' keys in its terms.
pub(super) fn conclude(session: &MailSession, outcome: &Outcome) -> Result<Concluded, RunError> {
    let mut draft = outcome.draft.clone();
    for (party, key) in draft.terms.agents.iter_mut().zip(&session.keys) {
        party.key.clone_from(key);
    }
    let certificate = seal(draft)?;
    let audit = document(session, outcome, &certificate);
    let agents = session.setup.agents.iter().zip(&session.cells).zip(&outcome.traffic);
    let told = |((agent, cells), rounds): ((&Participant, &usize), &Vec<Traffic>)| AnsweredAgent {
        name: agent.name.clone(),
        cells: Some(*cells),
        answered: rounds.iter().map(|round| round.answered).collect(),
        sent: rounds.iter().map(|round| round.sent).collect(),
        left_out: None,
        unsigned: None,
    };
    let answered = Answered {
        rounds: outcome.rounds,
        training_rounds: outcome.training_rounds,
        points: outcome.points,
        agents: agents.map(told).collect(),
    };
    Ok(Concluded { certificate, audit, answered })
}

impl Concluded {
    /// `certificate.json`, `audit.json`, `answered.json` and `report.html`.
    pub(super) fn write(&self, folder: &Path) -> Result<(), RunError> {
        put(&folder.join(CERTIFICATE), &to_json(&self.certificate)?)?;
        put(&folder.join(AUDIT), &self.audit.to_json()?)?;
        put(&folder.join(ANSWERED), &self.answered.to_json()?)?;
        let mut page = pages::page_of(&self.audit, None);
        page.data.get_or_insert_default().answered = Some(self.answered.clone());
        put(&folder.join(pages::REPORT), &render(&page))
    }
}

fn document(
    session: &MailSession,
    outcome: &Outcome,
    certificate: &AttestedCertificate,
) -> AuditDocument {
    let (claim, terms) = (&certificate.claim, &certificate.terms);
    let named = |k: usize| terms.agents[k].name.clone();
    let told = |of: Verdict, witness: Option<&AttestedWitness>| {
        let witness = witness.filter(|_| claim.verdict == of)?;
        let coalition: Vec<String> = witness.coalition.iter().map(|&k| named(k)).collect();
        Some(DeviationLine {
            rival: by_name(&terms.predictor, &certificate.points[witness.point]),
            round: None,
            gains: gains(&coalition, &witness.gains),
            coalition,
        })
    };
    let agents = terms.agents.iter().zip(&outcome.utilities).zip(&session.setup.agents);
    let agents = agents.filter_map(|((party, utility), agent)| {
        let utility = (*utility)?;
        Some(AgentLine {
            name: party.name.clone(),
            samples: Some(agent.samples),
            weight: party.weight,
            ceiling: Some(party.ceiling),
            loss: Some(party.ceiling - utility),
            utility,
            alone: None,
        })
    });
    let absent: Vec<String> = outcome.absent.iter().map(|&k| format!("`{}`", named(k))).collect();
    let mut notes =
        vec!["Rows stayed with their agents: every number is one agent's answer.".to_owned()];
    if !absent.is_empty() {
        let absent = absent.join(", ");
        notes.push(format!("{absent} did not answer: kappa is about groups without them"));
    }
    let predictor = &terms.predictor;
    let norm = corefed_core::linalg::norm_l2(&predictor.parameters);
    let factors = Factors { kappa: claim.kappa, everybody: claim.everybody };
    let mut document = AuditDocument::new(Scope::Ball, factors, claim.tolerance, agents.collect());
    document.rule = (session.setup.task == Task::Train).then(|| "core".to_owned());
    document.file = Some("rows that stayed with their agents".to_owned());
    document.verdict = claim.verdict;
    document.obstacle = (claim.verdict == Verdict::Undecided).then(|| obstacle(outcome.ended));
    document.deviation = told(Verdict::Blocked, certificate.witness.as_ref());
    document.improvement = told(Verdict::Improvable, certificate.improvement.as_ref());
    document.ball = Some(BallLine {
        radius: predictor.radius,
        norm,
        active: norm >= predictor.radius * (1.0 - 1e-9),
    });
    document.search = Some(SearchLine {
        complete: outcome.ended == Ended::Complete,
        programs: outcome.programs,
        branches: 0,
    });
    document.assumptions.clone_from(&certificate.assumptions);
    document.parameters = by_name(predictor, &predictor.parameters);
    document.predictor = Some(predictor.clone());
    document.notes = notes;
    document
}

fn obstacle(ended: Ended) -> ObstacleLine {
    let (reason, help) = match ended {
        Ended::Rounds => ("the rounds ran out", Some("allow more rounds")),
        Ended::Refused => (
            "agents that would have to answer did not",
            Some("raise their budgets, or ask them again"),
        ),
        Ended::ZeroUtility { .. } => {
            ("an agent has nothing, and nobody knows whether it could", Some("raise its ceiling"))
        }
        Ended::Nobody => ("too few agents answered", Some("ask them again")),
        Ended::Complete | Ended::Verdict | Ended::Stalled => {
            ("the ends are too close to the threshold to decide", None)
        }
    };
    ObstacleLine { reason: reason.to_owned(), help: help.map(str::to_owned) }
}
