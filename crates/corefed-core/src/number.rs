//! Numbers that may be infinite, in JSON.
//!
//! JSON has no infinity, and `null` would hide which sign was meant; `"inf"` and `"-inf"` are read
//! back by every `float()` a user is likely to call.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An `f64` that serialises infinities as `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Number(pub f64);

#[derive(Deserialize)]
#[serde(untagged)]
enum Repr {
    Finite(f64),
    Text(String),
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&self.0.to_string())
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Repr::deserialize(deserializer)? {
            Repr::Finite(value) => Ok(Self(value)),
            Repr::Text(text) => match text.as_str() {
                "inf" => Ok(Self(f64::INFINITY)),
                "-inf" => Ok(Self(f64::NEG_INFINITY)),
                _ => Err(serde::de::Error::custom(format!("`{text}` is not a number"))),
            },
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number; infinities are text.",
            "anyOf": [{ "type": "number" }, { "enum": ["inf", "-inf"] }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinities_survive_json() {
        for value in [1.5, 0.1, f64::INFINITY, f64::NEG_INFINITY] {
            let text = serde_json::to_string(&Number(value)).unwrap();
            assert_eq!(serde_json::from_str::<Number>(&text).unwrap(), Number(value), "{text}");
        }
        assert!(serde_json::from_str::<Number>("\"nan\"").is_err());
    }
}
