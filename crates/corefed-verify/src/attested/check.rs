//! The public check: everything that needs no rows.

use corefed_core::{ATTESTED_FORMAT, AgreedModel, AttestedCertificate, attested_version};
use corefed_data::excerpt;

use super::book::Book;
use super::evidence::check_evidence;
use super::leaves::{check_convexity, check_leaves};
use super::signatures::{Signers, check_signatures};
use super::terms::check_terms;
use super::witness::check_witnesses;
use crate::claim::check_follows;
use crate::{AttestedError, Checked, VerifyError};

/// Checks a certificate of a federation that pools nothing, as anybody can.
///
/// What passes is proven of agents that told the truth: a bound on a coalition uses its members' answers
/// only, so whatever others answered, it holds for members whose answers are those of their rows
/// (ledger E87).
pub fn check_attested(certificate: &AttestedCertificate) -> Result<Checked, VerifyError> {
    let mut checked = Checked::default();
    if certificate.format != ATTESTED_FORMAT {
        return Err(VerifyError::Format { found: Some(certificate.format.clone()) });
    }
    let model = &certificate.terms.predictor;
    if certificate.version != attested_version(model) {
        let (found, needed) = (certificate.version, attested_version(model));
        return Err(AttestedError::ModelVersion { found, needed }.into());
    }
    check_follows(&certificate.claim, false, certificate.witness.is_some())?;
    checked.pass("the verdict follows from the intervals and the tolerance");
    check_terms(certificate)?;
    checked.pass("agents have distinct names and keys, positive weights and finite ceilings");
    check_leaves(certificate)?;
    checked.pass("points lie in the ball, the first is the predictor, and every one was answered");
    // Before any arithmetic: a changed number is first of all one that nobody signed.
    check_signatures(certificate)?;
    check_convexity(certificate)?;
    checked.pass(
        "each agent's answers fit some convex function: a sanity check, not a proof of honesty",
    );
    let book = Book::of(certificate);
    let (agents, now) = (book.statements(), book.now());
    check_witnesses(certificate, &agents, &now, &mut checked)?;
    check_evidence(certificate, &agents, &now, &mut checked)?;
    tell_signers(&Signers::of(certificate), model, &mut checked);
    for assumption in &certificate.assumptions {
        checked.skip(format!(
            "assumption as worded and marked `{}`: {}",
            assumption.status, assumption.statement
        ));
    }
    Ok(checked)
}

/// What the claim rests on, in words.
fn tell_signers(signers: &Signers, model: &AgreedModel, checked: &mut Checked) {
    if !signers.signed.is_empty() {
        checked.pass(format!("signed by {}", listed(&signers.signed)));
        checked.pass(
            "a bound on a coalition uses its members' answers only: no coalition of agents who told the \
             truth does better than stated",
        );
    }
    if !signers.unsigned.is_empty() {
        checked.skip(format!(
            "not signed by {}: nothing vouches for claims about coalitions with them",
            listed(&signers.unsigned)
        ));
    }
    if !signers.absent.is_empty() {
        checked.skip(format!(
            "{} did not answer: the claim is about coalitions without them, and nothing is known about \
             everybody together",
            listed(&signers.absent)
        ));
    }
    checked
        .skip("whether a key is that of the agent it is named for: compare it with what they sent");
    match model {
        AgreedModel::Known(_) => checked
            .skip("whether answers are those of real rows: an agent checks its own with `--data`"),
        AgreedModel::Own(own) => tell_own(&own.own, checked),
    }
    checked.skip("weights and ceilings are choices: the claim holds for those stated");
}

/// What nobody but the agents can know of a model of their own, in words.
fn tell_own(name: &str, checked: &mut Checked) {
    checked.skip(format!(
        "the model `{}` is the agents' own: each agent stands for its own losses; nobody can recompute them \
         from rows with this program",
        excerpt(name)
    ));
    checked.skip(
        "whether these losses are convex: the agents claim it, and only the points that they answered are \
         checked",
    );
}

/// Names in a document are somebody else's words: nothing in them may act on a terminal.
fn listed(names: &[String]) -> String {
    names.iter().map(|name| excerpt(name)).collect::<Vec<_>>().join(", ")
}
