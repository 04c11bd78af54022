//! Columns of records, and a spread as eight of them.

use std::fmt;

use corefed_core::Number;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserializer, Serializer};

use crate::Spread;

/// One column of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, unique among the record's columns.
    pub name: &'static str,
    /// What it holds where it is not null.
    pub kind: Kind,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A count, or a round.
    Whole,
    /// A number, possibly infinite.
    Float,
    /// Text.
    Text,
    /// True or false.
    Truth,
    /// A list or a map, as JSON text where a table has no such thing.
    Json,
}

impl Column {
    pub(super) const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind }
    }
}

/// Names of a spread's columns, in the order of its fields.
pub(super) type SpreadNames = [&'static str; 8];

/// A module that writes an `Option<Spread>` as eight columns with a common prefix.
macro_rules! spread_columns {
    ($module:ident, $prefix:literal) => {
        mod $module {
            use serde::{Deserializer, Serializer};

            use super::super::columns::{SpreadNames, read_spread, write_spread};
            use crate::Spread;

            pub(super) const NAMES: SpreadNames = [
                concat!($prefix, "_mean"),
                concat!($prefix, "_std"),
                concat!($prefix, "_min"),
                concat!($prefix, "_max"),
                concat!($prefix, "_worst10"),
                concat!($prefix, "_best10"),
                concat!($prefix, "_entropy"),
                concat!($prefix, "_cos1"),
            ];

            #[expect(clippy::ref_option, reason = "serde hands out a reference to the field")]
            pub(super) fn serialize<S: Serializer>(
                spread: &Option<Spread>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                write_spread(&NAMES, spread.as_ref(), serializer)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<Spread>, D::Error> {
                read_spread(&NAMES, deserializer)
            }
        }
    };
}
pub(super) use spread_columns;

pub(super) fn write_spread<S: Serializer>(
    names: &SpreadNames,
    spread: Option<&Spread>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let values = spread.map_or([None; 8], |s| {
        let always = [s.mean, s.std, s.min, s.max, s.worst10, s.best10].map(Some);
        let [a, b, c, d, e, f] = always;
        [a, b, c, d, e, f, s.entropy, s.cos1]
    });
    let mut map = serializer.serialize_map(Some(names.len()))?;
    for (name, value) in names.iter().zip(values) {
        map.serialize_entry(name, &value.filter(|v| !v.is_nan()).map(Number))?;
    }
    map.end()
}

pub(super) fn read_spread<'de, D: Deserializer<'de>>(
    names: &'static SpreadNames,
    deserializer: D,
) -> Result<Option<Spread>, D::Error> {
    deserializer.deserialize_struct("Spread", names, SpreadVisitor(names))
}

struct SpreadVisitor(&'static SpreadNames);

impl<'de> Visitor<'de> for SpreadVisitor {
    type Value = Option<Spread>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "columns `{}` to `{}`", self.0[0], self.0[7])
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; 8];
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value::<Option<Number>>()?.map(|number| number.0);
            if let Some(place) = self.0.iter().position(|known| *known == name) {
                values[place] = value;
            }
        }
        if values.iter().all(Option::is_none) {
            return Ok(None);
        }
        let there = |place: usize| {
            values[place]
                .ok_or_else(|| A::Error::custom(format!("column `{}` is null", self.0[place])))
        };
        Ok(Some(Spread {
            mean: there(0)?,
            std: there(1)?,
            min: there(2)?,
            max: there(3)?,
            worst10: there(4)?,
            best10: there(5)?,
            entropy: values[6],
            cos1: values[7],
        }))
    }
}
