//! What all documents have in common: a kind, a version, and one way in and out.

use std::path::Path;

use corefed_core::{check_json, read_json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::DocumentError;

/// A JSON document that says what it is.
pub trait Document: Serialize + DeserializeOwned {
    /// Its `kind`.
    const KIND: &'static str;
    /// The `version` that is written, and the latest that is read.
    const VERSION: u64;

    /// The document as a JSON object, its kind and version first.
    fn to_value(&self) -> Result<Value, DocumentError> {
        let mut object = Map::new();
        object.insert("kind".to_owned(), Self::KIND.into());
        object.insert("version".to_owned(), Self::VERSION.into());
        let body = serde_json::to_value(self).map_err(|e| DocumentError::write(Self::KIND, e))?;
        if let Value::Object(fields) = body {
            object.extend(fields);
        }
        Ok(Value::Object(object))
    }

    /// The text of the file, with a final line break.
    fn to_json(&self) -> Result<String, DocumentError> {
        to_json(&self.to_value()?)
    }

    /// Reads a text; `what` names its source in messages.
    ///
    /// A text without a kind is read if its fields fit: documents of version 0.1.0 have none.
    fn parse(what: &str, text: &str) -> Result<Self, DocumentError> {
        let blame =
            |source| DocumentError::Json { what: what.to_owned(), expected: Self::KIND, source };
        check_json(text)
            .map_err(|source| DocumentError::TooLarge { what: what.to_owned(), source })?;
        let mut value: Value = serde_json::from_str(text).map_err(blame)?;
        if let Some(object) = value.as_object_mut() {
            let (kind, version) = (object.shift_remove("kind"), object.shift_remove("version"));
            if let Some(found) = kind.as_ref().and_then(Value::as_str).filter(|k| *k != Self::KIND)
            {
                let found = found.chars().take(40).collect();
                return Err(DocumentError::Kind {
                    what: what.to_owned(),
                    expected: Self::KIND,
                    found,
                });
            }
            if let Some(found) =
                version.as_ref().and_then(Value::as_u64).filter(|v| *v > Self::VERSION)
            {
                let (what, known) = (what.to_owned(), Self::VERSION);
                return Err(DocumentError::Version { what, found, known });
            }
        }
        serde_json::from_value(value).map_err(blame)
    }

    /// Reads a file.
    fn read(path: &Path) -> Result<Self, DocumentError> {
        let text = read_json(path)
            .map_err(|source| DocumentError::Read { path: path.to_owned(), source })?;
        Self::parse(&path.display().to_string(), &text)
    }
}

/// The kind that a text says it is, where it is JSON that does; nothing else of it is held.
#[must_use]
pub fn kind_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Kind {
        kind: String,
    }
    serde_json::from_str(text).ok().map(|Kind { kind }| kind)
}

/// Any value as pretty JSON with a final line break.
pub fn to_json(value: &impl Serialize) -> Result<String, DocumentError> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(DocumentError::write("answer", error)),
    }
}

/// One line of JSON.
pub fn to_json_line(value: &impl Serialize) -> Result<String, DocumentError> {
    match serde_json::to_string(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(DocumentError::write("line", error)),
    }
}
