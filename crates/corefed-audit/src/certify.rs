//! An audit and its certificate in one go.

use corefed_core::{Certificate, Predictor, WorstLoss};
use corefed_data::Federation;
use corefed_solve::Problem;

use crate::{Audit, Observer, Parties, audit, issue};

/// What an audit found out, and the document that says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Certified {
    /// The findings.
    pub audit: Audit,
    /// The findings, for others to check.
    pub certificate: Certificate,
}

/// Audits a predictor and writes the certificate.
///
/// Requirements: `problem` is about the rows of `federation`; its ball has the predictor's radius and
/// contains its parameters (see `ball_for`). Otherwise as [`audit`].
#[expect(clippy::too_many_arguments, reason = "an audit's givens and a document's, each once")]
#[must_use]
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
) -> Certified {
    assert_eq!(federation.agents().len(), problem.agents(), "the problem is about these rows");
    let found = audit(problem, &predictor.parameters, worst, candidates, tolerance, observer);
    let certificate = issue(&found, predictor, parties, data_digest);
    Certified { audit: found, certificate }
}
