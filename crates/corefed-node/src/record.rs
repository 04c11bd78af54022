//! What a message holds: named records of arrays, of metrics or of settings, in their order.

use prost::{Message as Wire, Oneof};

/// All records of a message.
pub(crate) type Records = Vec<(String, Record)>;

/// Named values, in their order.
pub(crate) type Values = Vec<(String, Value)>;

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record {
    Arrays(Vec<(String, Array)>),
    Metrics(Values),
    Config(Values),
}

/// An array as it travels: bytes of NumPy's format, and what they are said to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) dtype: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) stype: String,
    pub(crate) data: Vec<u8>,
}

/// A value of a record of metrics or settings; lists have a field for each type.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Value {
    #[prost(double, tag = "1")]
    Double(f64),
    #[prost(sint64, tag = "2")]
    Int(i64),
    #[prost(uint64, tag = "3")]
    Uint(u64),
    #[prost(bool, tag = "4")]
    Bool(bool),
    #[prost(string, tag = "5")]
    Text(String),
    #[prost(bytes = "vec", tag = "6")]
    Bytes(Vec<u8>),
    #[prost(message, tag = "21")]
    Doubles(Doubles),
    #[prost(message, tag = "22")]
    Ints(Ints),
    #[prost(message, tag = "23")]
    Uints(Uints),
    #[prost(message, tag = "24")]
    Bools(Bools),
    #[prost(message, tag = "25")]
    Texts(Texts),
    #[prost(message, tag = "26")]
    ByteLists(ByteLists),
}

macro_rules! list {
    ($name:ident, $kind:ident, $type:ty, $what:literal) => {
        #[doc = $what]
        #[derive(Clone, PartialEq, Wire)]
        pub(crate) struct $name {
            #[prost($kind, repeated, tag = "1")]
            pub(crate) vals: Vec<$type>,
        }
    };
}

list!(Doubles, double, f64, "Numbers.");
list!(Ints, sint64, i64, "Whole numbers.");
list!(Uints, uint64, u64, "Whole numbers that are too large for a sign.");
list!(Bools, bool, bool, "Truth values; Flower writes every empty list as one of these.");
list!(Texts, string, String, "Texts.");

/// Byte strings.
#[derive(Clone, PartialEq, Wire)]
pub(crate) struct ByteLists {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) vals: Vec<Vec<u8>>,
}

/// A record of metrics or settings, as bytes.
#[derive(Clone, PartialEq, Wire)]
pub(crate) struct ValueRecord {
    #[prost(message, repeated, tag = "1")]
    pub(crate) items: Vec<Item>,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct Item {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<ItemValue>,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct ItemValue {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5, 6, 21, 22, 23, 24, 25, 26")]
    pub(crate) value: Option<Value>,
}

impl Value {
    /// A number, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Double(value) => Some(*value),
            Self::Int(value) => Some(*value as f64),
            Self::Uint(value) => Some(*value as f64),
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            _ => None,
        }
    }

    /// A number that counts something, if it is one.
    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Self::Int(value) => u64::try_from(*value).ok(),
            Self::Uint(value) => Some(*value),
            _ => None,
        }
    }

    /// A text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Places in a list, if it is a list of them.
    pub(crate) fn places(&self) -> Option<Vec<usize>> {
        match self {
            Self::Ints(list) => list.vals.iter().map(|&at| usize::try_from(at).ok()).collect(),
            Self::Bools(list) if list.vals.is_empty() => Some(Vec::new()),
            _ => None,
        }
    }

    /// A list of texts.
    pub(crate) fn texts(vals: Vec<String>) -> Self {
        if vals.is_empty() { Self::Bools(Bools::default()) } else { Self::Texts(Texts { vals }) }
    }

    /// A list of numbers.
    pub(crate) fn doubles(vals: Vec<f64>) -> Self {
        if vals.is_empty() {
            Self::Bools(Bools::default())
        } else {
            Self::Doubles(Doubles { vals })
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The value of a key.
pub(crate) fn value<'a>(values: &'a [(String, Value)], key: &str) -> Option<&'a Value> {
    values.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}
