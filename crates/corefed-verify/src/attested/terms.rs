//! The terms: what everybody signs, checked on its own.

use std::collections::{BTreeMap, BTreeSet};

use corefed_core::{AgreedModel, AttestedCertificate, Predictor, Terms};

use super::keys::public_key;
use crate::predictor::{check_own_model, check_predictor};
use crate::sum::sum;
use crate::{AttestedError, VerifyError};

/// Checks the predictor, and names, weights, ceilings and keys of all agents.
pub(crate) fn check_terms(certificate: &AttestedCertificate) -> Result<(), VerifyError> {
    let terms = &certificate.terms;
    match &terms.predictor {
        AgreedModel::Known(predictor) => {
            check_predictor(predictor, "terms.predictor")?;
            if !predictor.encoding.intake.written.is_recognised() {
                // Agents have files of their own, and nobody signs how another's is written.
                return Err(AttestedError::Written.into());
            }
        }
        AgreedModel::Own(own) => check_own_model(own, "terms.predictor")?,
    }
    let (claimed, agreed) = (certificate.claim.tolerance, terms.tolerance);
    if claimed.to_bits() != agreed.to_bits() {
        return Err(AttestedError::Tolerance { claimed, agreed }.into());
    }
    check_parties(terms)?;
    check_keys(terms)
}

/// The predictor of a certificate whose losses follow from rows.
pub(crate) fn computable(certificate: &AttestedCertificate) -> Result<&Predictor, AttestedError> {
    match &certificate.terms.predictor {
        AgreedModel::Known(predictor) => Ok(predictor),
        AgreedModel::Own(own) => Err(AttestedError::OwnModel { model: own.own.clone() }),
    }
}

fn check_parties(terms: &Terms) -> Result<(), VerifyError> {
    let found = terms.agents.len();
    if found < 2 {
        return Err(VerifyError::TooFewAgents { found });
    }
    let mut names = BTreeSet::new();
    for (i, party) in terms.agents.iter().enumerate() {
        if party.name.trim().is_empty() {
            return Err(VerifyError::EmptyName { agent: i });
        }
        if !names.insert(party.name.as_str()) {
            return Err(VerifyError::DuplicateName { name: party.name.clone() });
        }
        let number = |field: &str, value, must| {
            Err(VerifyError::Number { field: format!("terms.agents[{i}].{field}"), value, must })
        };
        if !(party.weight > 0.0 && party.weight.is_finite()) {
            return number("weight", party.weight, "positive and finite");
        }
        if !party.ceiling.is_finite() {
            return number("ceiling", party.ceiling, "finite");
        }
    }
    let value = sum(terms.agents.iter().map(|party| party.weight)).hi();
    if !value.is_finite() {
        let (field, must) = ("terms.agents[].weight".to_owned(), "finite in total");
        return Err(VerifyError::Number { field, value, must });
    }
    Ok(())
}

fn check_keys(terms: &Terms) -> Result<(), VerifyError> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (i, party) in terms.agents.iter().enumerate() {
        let Some(key) = &party.key else { continue };
        if public_key(key).is_none() {
            let (field, text) = (format!("terms.agents[{i}].key"), key.clone());
            return Err(AttestedError::Key { field, text }.into());
        }
        if let Some(first) = owners.insert(key, &party.name) {
            let (first, second) = (first.to_owned(), party.name.clone());
            return Err(AttestedError::SharedKey { first, second }.into());
        }
    }
    Ok(())
}
