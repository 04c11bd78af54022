//! From text to a certificate: syntax, format, version, and no field left unread.

use corefed_core::{CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate};
use serde_json::Value;

use crate::VerifyError;

/// Reads a certificate.
///
/// Format and version are looked at first and leniently, so that a document of another version is
/// told so, and not that it lacks some field.
pub fn parse(text: &str) -> Result<Certificate, VerifyError> {
    let document: Value =
        serde_json::from_str(text).map_err(|source| VerifyError::Syntax { source })?;
    let format = document.get("format").and_then(Value::as_str);
    if format != Some(CERTIFICATE_FORMAT) {
        return Err(VerifyError::Format { found: format.map(str::to_owned) });
    }
    let version = document.get("version").cloned().unwrap_or(Value::Null);
    if version.as_u64() != Some(u64::from(CERTIFICATE_VERSION)) {
        return Err(VerifyError::Version {
            found: version.to_string(),
            supported: CERTIFICATE_VERSION,
        });
    }
    // From the text and not from `document`: a map has already forgotten a key given twice.
    let certificate: Certificate =
        serde_json::from_str(text).map_err(|source| VerifyError::Shape { source })?;
    let understood =
        serde_json::to_value(&certificate).map_err(|source| VerifyError::Shape { source })?;
    // Tagged enums let unknown fields pass; what was understood says which ones.
    match unread(&document, &understood, "") {
        Some(field) => Err(VerifyError::UnknownField { field }),
        None => Ok(certificate),
    }
}

/// Path of the first key of `document` that is not in `understood`.
fn unread(document: &Value, understood: &Value, path: &str) -> Option<String> {
    match (document, understood) {
        (Value::Object(given), Value::Object(known)) => given.iter().find_map(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match known.get(key) {
                Some(kept) => unread(value, kept, &path),
                None => Some(path),
            }
        }),
        (Value::Array(given), Value::Array(known)) => given
            .iter()
            .zip(known)
            .enumerate()
            .find_map(|(k, (value, kept))| unread(value, kept, &format!("{path}[{k}]"))),
        _ => None,
    }
}
