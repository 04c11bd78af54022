//! What an agent with a table answers to an exact audit: numbers about points, what ceilings go by, and its
//! signature.

use std::collections::BTreeSet;

use corefed_core::{AttestedCertificate, Feature, Predictor};
use corefed_remote::{Answers, Request};
use corefed_spec::Ceiling;
use corefed_verify::{AgentKey, SignedAttestation, attest};

use super::{AgentError, LinearAgent, Posed};
use crate::declared::{check_declared, declaration};

impl LinearAgent {
    /// Numbers in its table: rows times columns that are used, the target included.
    #[must_use]
    pub fn cells(&self) -> usize {
        let column = |feature: &Feature| match feature {
            Feature::Numeric { column, .. } | Feature::Level { column, .. } => Some(column.clone()),
            Feature::Intercept => None,
        };
        let columns: BTreeSet<String> = self.encoding.features.iter().filter_map(column).collect();
        self.samples() * (columns.len() + 1)
    }

    /// Answers one round of questions, unless that goes beyond the budget; see [`Posed`].
    pub fn answer(
        &self,
        request: Request,
        radius: f64,
        answered: usize,
        budget: Option<f64>,
    ) -> Result<(Answers, usize), AgentError> {
        let losses = self.losses();
        Posed::new(request, self.dim(), radius, answered, budget)?.answer(&losses, self.cells())
    }

    /// What a policy of ceilings goes by, as far as these rows tell; own models lie in a ball of this radius.
    pub fn declare(&self, policy: &str, radius: f64) -> Result<Vec<f64>, AgentError> {
        let told = || policy.to_owned();
        let known: Ceiling = policy.parse().map_err(|_| AgentError::Policy { policy: told() })?;
        let predictor = Predictor {
            family: self.family,
            l2: self.l2,
            radius,
            encoding: self.encoding.clone(),
            parameters: Vec::new(),
        };
        declaration(&known, &predictor, &self.federation)
            .ok_or_else(|| AgentError::Undeclared { policy: known.to_string() })
    }

    /// Checks a certificate, its own answers in it on its rows, and its ceiling where these rows give it, and
    /// signs.
    pub fn attest(
        &self,
        certificate: &AttestedCertificate,
        key: &AgentKey,
    ) -> Result<SignedAttestation, AgentError> {
        let same = certificate.terms.predictor.known().is_some_and(|predictor| {
            predictor.encoding == self.encoding
                && predictor.family == self.family
                && predictor.l2.to_bits() == self.l2.to_bits()
        });
        if !same {
            return Err(AgentError::OtherModel);
        }
        let (attestation, _) = attest(certificate, self.name(), &self.federation, key)?;
        check_declared(certificate, self.name(), &self.federation)?;
        Ok(attestation)
    }
}
