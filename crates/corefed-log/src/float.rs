//! Floats of records: shortest decimals that read back to the same bits, infinities as
//! [`Number`] writes them.

use std::collections::BTreeMap;

use corefed_core::Number;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const NOT_A_NUMBER: &str = "a value is not a number";

/// A value that is always there.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference to the field")]
pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_nan() {
        // `null` would read as absent, where nothing may be absent.
        return Err(S::Error::custom(NOT_A_NUMBER));
    }
    Number(*value).serialize(serializer)
}

/// The inverse of [`serialize`].
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Number::deserialize(deserializer)?.0)
}

/// A value that may be absent. What is not a number counts as absent.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, Number, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands out a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        value: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.filter(|value| !value.is_nan()).map(Number).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Number>::deserialize(deserializer)?.map(|number| number.0))
    }
}

/// Values by name.
pub(crate) mod named {
    use serde::ser::Error as _;

    use super::{BTreeMap, Deserialize, Deserializer, NOT_A_NUMBER, Number, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        values: &BTreeMap<String, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if values.values().any(|value| value.is_nan()) {
            return Err(S::Error::custom(NOT_A_NUMBER));
        }
        let values: BTreeMap<_, _> = values.iter().map(|(n, v)| (n, Number(*v))).collect();
        values.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, f64>, D::Error> {
        let values = BTreeMap::<String, Number>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|(name, number)| (name, number.0)).collect())
    }
}
