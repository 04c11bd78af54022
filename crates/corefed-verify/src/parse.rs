//! From text to a certificate: syntax, format, version, and no field left unread.

use corefed_core::{
    ATTESTED_FORMAT, ATTESTED_VERSION, AttestedCertificate, CERTIFICATE_FORMAT,
    CERTIFICATE_VERSION, Certificate, OWN_MODEL_VERSION, VETO_FORMAT, VETO_VERSION,
    VetoCertificate, check_json,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::VerifyError;

/// A document that this crate checks.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyCertificate {
    /// About a predictor, or a row of a table.
    Core(Box<Certificate>),
    /// About a choice among the rows of a table.
    Veto(VetoCertificate),
    /// About a predictor, from answers of agents that keep their rows.
    Attested(Box<AttestedCertificate>),
}

/// Reads a certificate of any kind.
pub fn parse_any(text: &str) -> Result<AnyCertificate, VerifyError> {
    let document = json(text)?;
    Ok(match document.get("format").and_then(Value::as_str) {
        Some(VETO_FORMAT) => {
            AnyCertificate::Veto(strictly(text, &document, VETO_FORMAT, VETO_VERSION)?)
        }
        Some(ATTESTED_FORMAT) => {
            let own = document.get("version") == Some(&Value::from(OWN_MODEL_VERSION));
            let version = if own { OWN_MODEL_VERSION } else { ATTESTED_VERSION };
            let attested = strictly(text, &document, ATTESTED_FORMAT, version)?;
            AnyCertificate::Attested(Box::new(attested))
        }
        _ => {
            let core = strictly(text, &document, CERTIFICATE_FORMAT, CERTIFICATE_VERSION)?;
            AnyCertificate::Core(Box::new(core))
        }
    })
}

/// Reads a certificate about a predictor or a row of a table.
pub fn parse(text: &str) -> Result<Certificate, VerifyError> {
    strictly(text, &json(text)?, CERTIFICATE_FORMAT, CERTIFICATE_VERSION)
}

pub(crate) fn json(text: &str) -> Result<Value, VerifyError> {
    check_json(text).map_err(VerifyError::TooLarge)?;
    serde_json::from_str(text).map_err(|source| VerifyError::Syntax { source })
}

/// Format and version are looked at first and leniently, so that a document of another version is
/// told so, and not that it lacks some field.
pub(crate) fn strictly<T: Serialize + DeserializeOwned>(
    text: &str,
    document: &Value,
    format: &str,
    supported: u32,
) -> Result<T, VerifyError> {
    let found = document.get("format").and_then(Value::as_str);
    if found != Some(format) {
        return Err(VerifyError::Format { found: found.map(str::to_owned) });
    }
    let version = document.get("version").cloned().unwrap_or(Value::Null);
    if version.as_u64() != Some(u64::from(supported)) {
        return Err(VerifyError::Version { found: version.to_string(), supported });
    }
    // From the text and not from `document`: a map has already forgotten a key given twice.
    let certificate: T =
        serde_json::from_str(text).map_err(|source| VerifyError::Shape { source })?;
    let understood =
        serde_json::to_value(&certificate).map_err(|source| VerifyError::Shape { source })?;
    // Readers are lenient where this must not be: a tag as a number, a list for an object, a field left
    // out for null, an unknown field beside a tag. What was understood says what should be there.
    match difference(document, &understood, "") {
        Some(field) => Err(VerifyError::UnknownField { field }),
        None => Ok(certificate),
    }
}

/// Path of the first place where `document` is not written as it was `understood`; numbers may be
/// written in any way.
fn difference(document: &Value, understood: &Value, path: &str) -> Option<String> {
    match (document, understood) {
        (Value::Object(given), Value::Object(known)) => {
            let within = |key: &String| {
                if path.is_empty() { key.clone() } else { format!("{path}.{key}") }
            };
            let left_out = known.keys().find(|key| !given.contains_key(*key));
            left_out.map(within).or_else(|| {
                given.iter().find_map(|(key, value)| match known.get(key) {
                    Some(kept) => difference(value, kept, &within(key)),
                    None => Some(within(key)),
                })
            })
        }
        (Value::Array(given), Value::Array(known)) if given.len() == known.len() => given
            .iter()
            .zip(known)
            .enumerate()
            .find_map(|(k, (value, kept))| difference(value, kept, &format!("{path}[{k}]"))),
        (Value::Number(_), Value::Number(_)) => None,
        (given, known) => (given != known).then(|| path.to_owned()),
    }
}
