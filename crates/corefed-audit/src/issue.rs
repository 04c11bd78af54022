//! Certificates from audits.

use corefed_core::{
    AgentStatement, Assumption, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim,
    Digests, Evidence, Family, Predictor, Status, Subject, Weights, digest_numbers,
};

use crate::Audit;

/// What a certificate says about the agents besides their utilities.
#[derive(Clone, Debug)]
pub struct Parties<'a> {
    /// Names, in agent order.
    pub names: &'a [String],
    /// Rows each one owns.
    pub samples: &'a [usize],
    /// The say of each one.
    pub weights: &'a Weights,
    /// `M_i`.
    pub ceilings: &'a [f64],
}

/// Writes down what an audit of a predictor found, as computed: a draft, without room for rounding.
#[must_use]
pub fn issue(
    audit: &Audit,
    predictor: &Predictor,
    parties: &Parties<'_>,
    data_digest: &str,
) -> Certificate {
    let agents = (0..parties.names.len())
        .map(|k| AgentStatement {
            name: parties.names[k].clone(),
            samples: parties.samples[k],
            weight: parties.weights.values()[k],
            ceiling: Some(parties.ceilings[k]),
            utility: audit.utilities[k],
            margin: 0.0,
        })
        .collect();
    Certificate {
        format: CERTIFICATE_FORMAT.to_owned(),
        version: CERTIFICATE_VERSION,
        claim: Claim {
            verdict: audit.verdict,
            kappa: audit.kappa,
            everybody: audit.everybody,
            tolerance: audit.tolerance,
        },
        agents,
        subject: Subject::Predictor(predictor.clone()),
        witness: audit.witness.clone(),
        improvement: audit.improvement.clone(),
        evidence: audit.evidence.clone(),
        assumptions: assumptions(audit, predictor.family, parties.names),
        digests: Digests {
            data: data_digest.to_owned(),
            parameters: digest_numbers(&predictor.parameters),
        },
    }
}

/// What the claim about a predictor rests on, and what it does not.
#[must_use]
pub fn assumptions(audit: &Audit, family: Family, names: &[String]) -> Vec<Assumption> {
    let used = matches!(audit.evidence, Evidence::FrankWolfe { .. });
    vec![
        Assumption::new(
            Assumption::CONVEX,
            Status::Checked,
            format!("by the form of the {family} model with l2 >= 0"),
        ),
        audit.premise.assumption(names, used),
        Assumption::new(
            "losses are those of the rows at hand",
            Status::Assumed,
            "the claim is about these rows, not about future ones",
        ),
        Assumption::truthful("data and ceilings"),
    ]
}
