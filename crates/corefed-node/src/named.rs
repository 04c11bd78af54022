//! Names and the objects they stand for, as a body in JSON has them.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// More names than a message may have objects are not read.
const MOST_NAMES: usize = 20_000;

/// Pairs of a name and an object, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named(pub(crate) Vec<(String, String)>);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Pairs)
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Named;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "names of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
        let (mut pairs, mut known) = (Vec::new(), HashSet::new());
        while let Some((name, object)) = map.next_entry::<String, String>()? {
            if pairs.len() == MOST_NAMES {
                return Err(A::Error::custom(format!("more than {MOST_NAMES} names")));
            }
            if !known.insert(name.clone()) {
                return Err(A::Error::custom("a name stands there twice"));
            }
            pairs.push((name, object));
        }
        Ok(Named(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_stand_for_one_object() {
        let read = |text: &str| serde_json::from_str::<Named>(text);
        let pair = |name: &str, object: &str| (name.to_owned(), object.to_owned());
        assert_eq!(
            read(r#"{"b": "1", "a": "2"}"#).unwrap(),
            Named(vec![pair("b", "1"), pair("a", "2")])
        );
        assert!(read(r#"{"a": "1", "a": "2"}"#).is_err());
        assert!(read(r#"{"a": ["1"]}"#).is_err());
    }

    #[test]
    fn no_more_names_are_read_than_a_message_may_have_objects() {
        let names = |count: usize| {
            let pairs: Vec<String> = (0..count).map(|k| format!("\"{k}\": \"\"")).collect();
            serde_json::from_str::<Named>(&format!("{{{}}}", pairs.join(", ")))
        };
        assert!(names(MOST_NAMES).is_ok());
        assert!(names(MOST_NAMES + 1).is_err());
    }
}
