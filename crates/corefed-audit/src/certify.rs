//! An audit and its certificate in one go.

use corefed_core::{Certificate, Obstacle, Predictor, Verdict, WorstLoss};
use corefed_data::Federation;
use corefed_solve::Problem;
use corefed_verify::{VerifyError, prove};

use crate::{Audit, Observer, Parties, Progress, audit, issue};

/// What an audit found out, and the document that says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Certified {
    /// The findings, as far as they are proven.
    pub audit: Audit,
    /// The findings, for others to check.
    pub certificate: Certificate,
}

/// Audits a predictor and writes the certificate.
///
/// Requirements: `problem` is about the rows of `federation`; its ball has the predictor's radius and
/// contains its parameters (see `ball_for`). Otherwise as [`audit`].
/// Guarantee: the checker accepts the certificate, and the audit says no more than it: what the search
/// found and rounding leaves unproven widens the intervals, and may leave the verdict undecided.
/// The observer watches the search and then the proof: a proof that it breaks leaves the upper end that needs none.
/// An error means that not even the weakest claim can be made about these parameters and rows.
#[expect(clippy::too_many_arguments, reason = "an audit's givens and a document's, each once")]
pub fn certify(
    problem: &Problem<'_>,
    federation: &Federation,
    predictor: &Predictor,
    parties: &Parties<'_>,
    worst: &[WorstLoss],
    candidates: &[Vec<f64>],
    tolerance: f64,
    data_digest: &str,
    observer: &mut dyn Observer,
) -> Result<Certified, VerifyError> {
    assert_eq!(federation.agents().len(), problem.agents(), "the problem is about these rows");
    let found = audit(problem, &predictor.parameters, worst, candidates, tolerance, observer);
    let draft = issue(&found, predictor, parties, data_digest);
    let mut cut = false;
    let mut watch = |done: usize, all: usize| {
        let said = observer.progress(&Progress { proven: Some((done, all)), ..found.progress });
        cut |= said.is_break() && done < all;
        said
    };
    let certificate = prove(draft, federation, data_digest, &mut watch)?;
    let mut audit = found.into_proven(&certificate);
    if cut {
        audit.obstacle = audit.obstacle.map(|_| Obstacle::Time);
    }
    Ok(Certified { audit, certificate })
}

impl Audit {
    /// The findings with every number replaced by what the certificate proves.
    fn into_proven(self, certificate: &Certificate) -> Self {
        let claim = &certificate.claim;
        let obstacle = match claim.verdict {
            Verdict::Undecided => Some(self.obstacle.unwrap_or_else(|| obstacle(certificate))),
            _ => None,
        };
        Self {
            verdict: claim.verdict,
            kappa: claim.kappa,
            everybody: claim.everybody,
            witness: certificate.witness.clone(),
            improvement: certificate.improvement.clone(),
            evidence: certificate.evidence.clone(),
            utilities: certificate.agents.iter().map(|agent| agent.utility).collect(),
            obstacle,
            ..self
        }
    }
}

/// Why the search decided what the checker cannot prove: a utility whose sign rounding hides, or an end
/// too close to the threshold.
fn obstacle(certificate: &Certificate) -> Obstacle {
    let unclear = |agent: &corefed_core::AgentStatement| agent.utility.abs() <= agent.margin;
    match certificate.agents.iter().position(unclear) {
        Some(agent) => Obstacle::ZeroUtility { agent },
        None => Obstacle::Precision,
    }
}
