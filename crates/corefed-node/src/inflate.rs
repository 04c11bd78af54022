//! Messages from objects that a stranger sends: every hash is checked, and memory is bounded.

use std::collections::HashSet;

use prost::Message as _;
use serde::Deserialize;

use crate::fields::decoded_size;
use crate::named::Named;
use crate::object::{Object, ObjectError, is_id};
use crate::record::{Array, Record, Records, ValueRecord, Values};

/// Objects of one message.
const MOST_OBJECTS: usize = 20_000;
/// Bytes of one message, once it is put together and decoded.
const MOST_BYTES: usize = 256 << 20;
/// What an `Array` says of itself is a type, a shape and a place for each 5 MiB.
const LONGEST_ABOUT: usize = 1 << 20;

/// Puts messages together from objects that `fetch` gives by name.
pub(crate) struct Inflater<F> {
    fetch: F,
    objects: usize,
    bytes: usize,
}

/// What an `Array` says of itself.
#[derive(Deserialize)]
struct AboutArray {
    dtype: String,
    shape: Vec<usize>,
    stype: String,
    arraychunk_ids: Vec<usize>,
}

impl<E: From<ObjectError>, F: FnMut(&str) -> Result<Vec<u8>, E>> Inflater<F> {
    pub(crate) fn new(fetch: F) -> Self {
        Self { fetch, objects: MOST_OBJECTS, bytes: MOST_BYTES }
    }

    /// The records of the message with this name.
    pub(crate) fn message(&mut self, id: &str) -> Result<Records, E> {
        let content = self.object(id, "a message")?;
        let message = expect(id, &content, "Message", "a message")?;
        let [records] = message.children[..] else {
            return Err(body(id, "it does not have one set of records").into());
        };
        self.records(records)
    }

    fn records(&mut self, id: &str) -> Result<Records, E> {
        let content = self.object(id, "records")?;
        let object = expect(id, &content, "RecordDict", "records")?;
        let named = references(id, &object)?;
        named.into_iter().map(|(name, id)| Ok((name, self.record(&id)?))).collect()
    }

    fn record(&mut self, id: &str) -> Result<Record, E> {
        let content = self.object(id, "a record")?;
        let object = Object::read(id, &content)?;
        match object.kind {
            "ArrayRecord" => {
                let named = references(id, &object)?;
                let arrays = named.into_iter().map(|(name, id)| Ok((name, self.array(&id)?)));
                Ok(Record::Arrays(arrays.collect::<Result<_, E>>()?))
            }
            "MetricRecord" => Ok(Record::Metrics(self.values(id, object.body)?)),
            "ConfigRecord" => Ok(Record::Config(self.values(id, object.body)?)),
            other => {
                let (id, found) = (id.to_owned(), other.chars().take(40).collect());
                Err(ObjectError::Kind { id, expected: "a record", found }.into())
            }
        }
    }

    fn array(&mut self, id: &str) -> Result<Array, E> {
        let content = self.object(id, "an array")?;
        let object = expect(id, &content, "Array", "an array")?;
        if object.body.len() > LONGEST_ABOUT {
            return Err(body(id, "it is too long for what an array says of itself").into());
        }
        let about: AboutArray = serde_json::from_slice(object.body)
            .map_err(|error| E::from(body(id, &error.to_string())))?;
        let mut chunks: Vec<Option<Vec<u8>>> = vec![None; object.children.len()];
        let mut data = Vec::new();
        for place in about.arraychunk_ids {
            let (Some(child), Some(chunk)) = (object.children.get(place), chunks.get_mut(place))
            else {
                return Err(body(id, "a chunk that is not among its children").into());
            };
            if chunk.is_none() {
                let content = self.object(child, "a chunk")?;
                *chunk = Some(expect(child, &content, "ArrayChunk", "a chunk")?.body.to_vec());
            }
            let bytes = chunk.as_deref().unwrap_or_default();
            // One chunk may stand in many places.
            self.spend(bytes.len())?;
            data.extend_from_slice(bytes);
        }
        Ok(Array { dtype: about.dtype, shape: about.shape, stype: about.stype, data })
    }

    /// Values, whose memory is counted before they are decoded.
    fn values(&mut self, id: &str, bytes: &[u8]) -> Result<Values, E> {
        self.spend(decoded_size(bytes).map_err(|_| body(id, "it is not a record of values"))?)?;
        let record = ValueRecord::decode(bytes).map_err(|error| body(id, &error.to_string()))?;
        let items = record.items.into_iter().map(|item| {
            let value = item.value.and_then(|value| value.value);
            value.map(|value| (item.key, value)).ok_or_else(|| body(id, "a key without a value"))
        });
        Ok(items.collect::<Result<_, _>>()?)
    }

    /// Fetches one object and counts it.
    fn object(&mut self, id: &str, what: &'static str) -> Result<Vec<u8>, E> {
        if !is_id(id) {
            return Err(body(id, &format!("{what} with such a name")).into());
        }
        self.objects = self
            .objects
            .checked_sub(1)
            .ok_or(ObjectError::TooLarge { most: MOST_OBJECTS, what: "objects" })?;
        let content = (self.fetch)(id)?;
        self.spend(content.len())?;
        Ok(content)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), ObjectError> {
        let over = ObjectError::TooLarge { most: MOST_BYTES, what: "bytes" };
        self.bytes = self.bytes.checked_sub(bytes).ok_or(over)?;
        Ok(())
    }
}

fn expect<'a>(
    id: &str,
    content: &'a [u8],
    kind: &str,
    expected: &'static str,
) -> Result<Object<'a>, ObjectError> {
    let object = Object::read(id, content)?;
    if object.kind == kind {
        return Ok(object);
    }
    let (id, found) = (id.to_owned(), object.kind.chars().take(40).collect());
    Err(ObjectError::Kind { id, expected, found })
}

/// Names of children, each of which must be in the head.
fn references(id: &str, object: &Object<'_>) -> Result<Vec<(String, String)>, ObjectError> {
    let Named(named) =
        serde_json::from_slice(object.body).map_err(|error| body(id, &error.to_string()))?;
    let children: HashSet<&str> = object.children.iter().copied().collect();
    if named.iter().all(|(_, child)| children.contains(child.as_str())) {
        return Ok(named);
    }
    Err(body(id, "a reference to something that is not among its children"))
}

fn body(id: &str, reason: &str) -> ObjectError {
    ObjectError::Body {
        id: id.chars().take(64).collect(),
        reason: reason.chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests;
