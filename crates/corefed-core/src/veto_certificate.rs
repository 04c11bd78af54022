//! The certificate of a choice among listed models: which of them lie in the proportional veto core.
//!
//! Everything in it is checked by adding fractions. These are its types; checking lives in
//! `corefed-verify`.

use num_rational::BigRational;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Value of [`VetoCertificate::format`].
pub const VETO_FORMAT: &str = "corefed-veto-certificate";
/// Value of [`VetoCertificate::version`]; documents of other versions are refused.
pub const VETO_VERSION: u32 = 1;

/// A checkable statement about every model of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VetoCertificate {
    /// Always [`VETO_FORMAT`].
    pub format: String,
    /// Always [`VETO_VERSION`].
    pub version: u32,
    /// What the numbers of the table are.
    pub prefer: Prefer,
    /// The column of the table that groups models, where there is one.
    pub group: Option<String>,
    /// The agents, in the order of the table's columns.
    pub agents: Vec<VetoAgent>,
    /// The models, in the order of the table's rows.
    pub models: Vec<VetoModel>,
    /// SHA-256 of the table.
    pub table: String,
}

impl VetoCertificate {
    /// The models that are said to lie in the core, in the order of the table.
    #[must_use]
    pub fn kept(&self) -> Vec<&str> {
        let kept = |model: &&VetoModel| matches!(model.evidence, VetoEvidence::Kept { .. });
        self.models.iter().filter(kept).map(|model| model.name.as_str()).collect()
    }
}

/// What an agent prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Prefer {
    /// Utilities, accuracies: the larger the better.
    #[default]
    Larger,
    /// Losses, errors: the smaller the better.
    Smaller,
}

/// One agent and its part of the power to veto.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VetoAgent {
    /// Its name.
    pub name: String,
    /// Its weight over the sum of weights.
    pub share: Fraction,
}

/// One model and why it can, or cannot, be vetoed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VetoModel {
    /// Its name.
    pub name: String,
    /// Its part of all models; the parts sum to one.
    pub measure: Fraction,
    /// The evidence.
    pub evidence: VetoEvidence,
}

/// Why a model lies in the core, or does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum VetoEvidence {
    /// Nobody can veto it: each agent's share is spent on models that it does not prefer.
    Kept {
        /// What is spent on what.
        flow: Vec<VetoFlow>,
    },
    /// A coalition vetoes it: it prefers more models than its share leaves to the others.
    Vetoed {
        /// The members, by index, ascending.
        coalition: Vec<usize>,
        /// Models that every member prefers, by index, ascending.
        better: Vec<usize>,
    },
}

/// A part of one agent's share, spent on one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VetoFlow {
    /// The agent, by index.
    pub agent: usize,
    /// A model that it does not prefer, by index.
    pub model: usize,
    /// How much.
    pub amount: Fraction,
}

/// An exact fraction, written `"3/7"`, or `"2"` where it is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction(pub BigRational);

/// Fractions of a million digits are refused before they are computed with.
const MOST_DIGITS: usize = 4_000;

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;

        let text = String::deserialize(deserializer)?;
        let plain = |part: &str| {
            !part.is_empty()
                && part.len() <= MOST_DIGITS
                && part.bytes().all(|b| b.is_ascii_digit())
        };
        let (above, below) = text.split_once('/').unwrap_or((&text, "1"));
        // Checked by hand: the parser of fractions panics at a zero below the line.
        if !plain(above) || !plain(below) || below.bytes().all(|b| b == b'0') {
            return Err(D::Error::custom("a fraction is written as `3/7`, with digits only"));
        }
        match (above.parse(), below.parse()) {
            (Ok(above), Ok(below)) => Ok(Self(BigRational::new(above, below))),
            _ => Err(D::Error::custom("a fraction is written as `3/7`, with digits only")),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Fraction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fraction".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A fraction such as `3/7`, or a whole number, as text.",
            "type": "string",
            "pattern": "^[0-9]+(/[0-9]+)?$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_written_as_people_write_them() {
        let third = Fraction(BigRational::new(2.into(), 6.into()));
        assert_eq!(serde_json::to_string(&third).unwrap(), "\"1/3\"");
        assert_eq!(serde_json::from_str::<Fraction>("\"2/6\"").unwrap(), third);
        let whole = Fraction(BigRational::from_integer(2.into()));
        assert_eq!(serde_json::from_str::<Fraction>("\"2\"").unwrap(), whole);
        for wrong in
            ["\"\"", "\"1/0\"", "\"-1/2\"", "\"1/2/3\"", "\"0x1\"", "0.5", "\"1/00\"", "\"1 /2\""]
        {
            assert!(serde_json::from_str::<Fraction>(wrong).is_err(), "{wrong}");
        }
    }
}
