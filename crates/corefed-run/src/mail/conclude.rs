//! The end of a session: a certificate to be attested, its audit and page, and what everybody told.

use std::path::Path;

use corefed_core::AttestedCertificate;
use corefed_documents::{
    ANSWERED, AUDIT, Answered, AnsweredAgent, AuditDocument, CERTIFICATE, Document, to_json,
};
use corefed_remote::{Outcome, Participant, Task, Traffic};
use corefed_report::{folder as pages, render};
use corefed_verify::seal;

use super::files::{MailSession, put};
use crate::{RunError, attested_audit};

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
    let mut audit = attested_audit(&certificate, outcome.ended);
    audit.rule = (session.setup.task == Task::Train).then(|| "core".to_owned());
    audit.file = Some("rows that stayed with their agents".to_owned());
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
