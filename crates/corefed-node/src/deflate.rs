//! Messages as objects, byte for byte as Flower writes them: the SuperLink knows them by their hashes.

use prost::Message as _;
use serde_json::to_string;

use crate::object::{deflated, object_id};
use crate::proto::{Message, Metadata, ObjectTree};
use crate::record::{Array, Item, ItemValue, Record, Records, ValueRecord, Values};

/// Bytes of an array that travel in one object.
const CHUNK: usize = 5 << 20;

/// A message taken apart: the objects to send, children before their parents, and how they hang together.
#[derive(Debug)]
pub(crate) struct Parcel {
    pub(crate) objects: Vec<(String, Vec<u8>)>,
    pub(crate) tree: ObjectTree,
}

impl Parcel {
    /// A message with records, or with an error instead.
    pub(crate) fn of(message: &Message, records: Option<&Records>) -> Self {
        let mut objects = Vec::new();
        let children: Vec<ObjectTree> =
            records.iter().map(|records| record_dict(records, &mut objects)).collect();
        // Its own name is not part of what the name is made of.
        let metadata = message.metadata.clone();
        let metadata = metadata.map(|own| Metadata { message_id: String::new(), ..own });
        let body = Message { metadata, content: None, error: message.error.clone() };
        let tree = add("Message", children, &body.encode_to_vec(), &mut objects);
        Self { objects, tree }
    }

    /// The name of the whole.
    pub(crate) fn id(&self) -> &str {
        &self.tree.object_id
    }
}

type Objects = Vec<(String, Vec<u8>)>;

fn record_dict(records: &Records, objects: &mut Objects) -> ObjectTree {
    let parts = records.iter().map(|(name, record)| {
        let tree = match record {
            Record::Arrays(arrays) => array_record(arrays, objects),
            Record::Metrics(values) => value_record("MetricRecord", values, objects),
            Record::Config(values) => value_record("ConfigRecord", values, objects),
        };
        (name.as_str(), tree)
    });
    referring("RecordDict", parts.collect(), objects)
}

fn array_record(arrays: &[(String, Array)], objects: &mut Objects) -> ObjectTree {
    let parts = arrays.iter().map(|(name, array)| (name.as_str(), array_of_chunks(array, objects)));
    referring("ArrayRecord", parts.collect(), objects)
}

/// An object whose body says which child has which name.
fn referring(kind: &str, parts: Vec<(&str, ObjectTree)>, objects: &mut Objects) -> ObjectTree {
    let named =
        |(name, tree): &(&str, ObjectTree)| format!("{}: \"{}\"", quoted(name), tree.object_id);
    let body = format!("{{{}}}", parts.iter().map(named).collect::<Vec<_>>().join(", "));
    let mut children: Vec<ObjectTree> = Vec::new();
    for (_, tree) in parts {
        if !children.iter().any(|known| known.object_id == tree.object_id) {
            children.push(tree);
        }
    }
    add(kind, children, body.as_bytes(), objects)
}

fn array_of_chunks(array: &Array, objects: &mut Objects) -> ObjectTree {
    let mut children: Vec<ObjectTree> = Vec::new();
    let mut places = Vec::new();
    for chunk in array.data.chunks(CHUNK) {
        let tree = add("ArrayChunk", Vec::new(), chunk, objects);
        // Chunks of zeros are alike.
        let known = children.iter().position(|child| child.object_id == tree.object_id);
        places.push(known.unwrap_or(children.len()).to_string());
        if known.is_none() {
            children.push(tree);
        }
    }
    let shape: Vec<String> = array.shape.iter().map(ToString::to_string).collect();
    let body = format!(
        "{{\"dtype\": {}, \"shape\": [{}], \"stype\": {}, \"arraychunk_ids\": [{}]}}",
        quoted(&array.dtype),
        shape.join(", "),
        quoted(&array.stype),
        places.join(", ")
    );
    add("Array", children, body.as_bytes(), objects)
}

fn value_record(kind: &str, values: &Values, objects: &mut Objects) -> ObjectTree {
    let items = values.iter().map(|(key, value)| {
        let value = Some(ItemValue { value: Some(value.clone()) });
        Item { key: key.clone(), value }
    });
    let body = ValueRecord { items: items.collect() }.encode_to_vec();
    add(kind, Vec::new(), &body, objects)
}

fn add(kind: &str, children: Vec<ObjectTree>, body: &[u8], objects: &mut Objects) -> ObjectTree {
    let names: Vec<&str> = children.iter().map(|child| child.object_id.as_str()).collect();
    let content = deflated(kind, &names, body);
    let object_id = object_id(&content);
    if !objects.iter().any(|(known, _)| *known == object_id) {
        objects.push((object_id.clone(), content));
    }
    ObjectTree { object_id, children }
}

/// A text as Python's JSON has it: nothing beyond ASCII.
fn quoted(text: &str) -> String {
    let json = to_string(text).unwrap_or_default();
    let mut ascii = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter.is_ascii() && letter != '\u{7f}' {
            ascii.push(letter);
        } else {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            ascii.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_python_does() {
        assert_eq!(quoted("model-0"), "\"model-0\"");
        assert_eq!(quoted("Zürich \"😀\""), "\"Z\\u00fcrich \\\"\\ud83d\\ude00\\\"\"");
    }

    #[test]
    fn equal_chunks_are_one_object_and_keep_their_places() {
        let array = Array { data: vec![0; 2 * CHUNK + 1], ..Array::of(&[0], &[]) };
        let mut objects = Vec::new();
        let tree = array_of_chunks(&array, &mut objects);
        assert_eq!((tree.children.len(), objects.len()), (2, 3));
        let body = String::from_utf8(objects.pop().unwrap().1).unwrap();
        assert!(body.ends_with("\"arraychunk_ids\": [0, 0, 1]}"), "{body}");
    }
}
