//! Messages that are whole, and those that are not.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::deflate::Parcel;
use crate::object::{deflated, object_id};
use crate::proto::Message;
use crate::record::Value;

fn records() -> Records {
    let arrays = vec![
        ("weight".to_owned(), Array::of(&[1, 2], &[0.5, -1.0])),
        ("bias".to_owned(), Array::of(&[1], &[2.0])),
    ];
    let config = vec![
        ("corefed-ask".to_owned(), Value::from("losses")),
        ("server-round".to_owned(), Value::Int(-3)),
        ("lr".to_owned(), Value::Double(0.1)),
        ("none".to_owned(), Value::doubles(Vec::new())),
    ];
    let metrics = vec![("loss-before".to_owned(), Value::Double(0.7))];
    vec![
        ("arrays".to_owned(), Record::Arrays(arrays.clone())),
        ("again".to_owned(), Record::Arrays(arrays)),
        ("config".to_owned(), Record::Config(config)),
        ("metrics".to_owned(), Record::Metrics(metrics)),
    ]
}

fn inflate(id: &str, objects: &HashMap<String, Vec<u8>>) -> Result<Records, ObjectError> {
    let missing = |id: &str| ObjectError::Missing { id: id.to_owned() };
    Inflater::new(|id: &str| objects.get(id).cloned().ok_or_else(|| missing(id))).message(id)
}

#[test]
fn records_come_back_as_they_were_and_in_their_order() {
    let parcel = Parcel::of(&Message::default(), Some(&records()));
    let objects = parcel.objects.iter().cloned().collect();
    assert_eq!(inflate(parcel.id(), &objects).unwrap(), records());
}

#[test]
fn a_small_chunk_in_a_million_places_does_not_fill_the_memory() {
    let chunk = deflated("ArrayChunk", &[], &vec![7; 1 << 20]);
    let places = vec!["0"; 100_000].join(", ");
    let about = format!(
        "{{\"dtype\": \"float64\", \"shape\": [1], \"stype\": \"numpy.ndarray\", \
         \"arraychunk_ids\": [{places}]}}"
    );
    let array = deflated("Array", &[&object_id(&chunk)], about.as_bytes());
    let named = |id: &str| format!("{{\"a\": \"{id}\"}}").into_bytes();
    let up = |kind: &str, child: &[u8]| {
        let id = object_id(child);
        deflated(kind, &[&id], &named(&id))
    };
    let record = up("ArrayRecord", &array);
    let dict = up("RecordDict", &record);
    let message = deflated("Message", &[&object_id(&dict)], &[]);
    let id = object_id(&message);
    let all = [chunk, array, record, dict, message];
    let objects = all.into_iter().map(|content| (object_id(&content), content)).collect();
    let refused = inflate(&id, &objects);
    assert_eq!(refused, Err(ObjectError::TooLarge { most: MOST_BYTES, what: "bytes" }));
}

/// Objects that name each other rightly, around a body that may be anything.
fn wrapped(kind: &str, body: &[u8]) -> (String, HashMap<String, Vec<u8>>) {
    let chain: &[&str] = match kind {
        "Array" => &["ArrayRecord", "RecordDict", "Message"],
        "RecordDict" => &["Message"],
        _ => &["RecordDict", "Message"],
    };
    let child = object_id(b"child");
    let mut content = deflated(kind, &[&child], body);
    let mut objects = HashMap::new();
    for parent in chain {
        let id = object_id(&content);
        let named = format!("{{\"a\": \"{id}\"}}");
        let above = deflated(parent, &[&id], named.as_bytes());
        objects.insert(id, std::mem::replace(&mut content, above));
    }
    let id = object_id(&content);
    objects.insert(id.clone(), content);
    (id, objects)
}

/// Two bytes on the way may be a hundred in memory.
#[test]
fn values_that_are_small_on_the_way_and_large_in_memory_are_refused() {
    let empty_items = [0x0a, 0x00].repeat(4 << 20);
    let texts = [0x0a, 0x00].repeat(6 << 20);
    let list = |tag: u8, body: &[u8]| {
        let field = |key: &[u8], body: &[u8]| {
            let mut whole = key.to_vec();
            prost::encode_length_delimiter(body.len(), &mut whole).unwrap();
            [whole.as_slice(), body].concat()
        };
        // Tags from 16 on take two bytes.
        field(&[0x0a], &field(&[0x12], &field(&[tag & 0x7f | 0x82, 0x01], body)))
    };
    assert!(ValueRecord::decode(list(25 << 3, &[0x0a, 0x00]).as_slice()).is_ok());
    for body in [empty_items, list(25 << 3, &texts)] {
        let (id, objects) = wrapped("ConfigRecord", &body);
        let refused = inflate(&id, &objects);
        assert_eq!(refused, Err(ObjectError::TooLarge { most: MOST_BYTES, what: "bytes" }));
    }
}

#[test]
fn many_names_and_many_children_are_compared_in_no_time() {
    let child = object_id(b"child");
    let names: Vec<String> = (0..15_000).map(|k| format!("\"{k}\": \"{child}\"")).collect();
    let children: Vec<String> = (0..15_000).map(|k: u32| object_id(&k.to_le_bytes())).collect();
    let mut all: Vec<&str> = children.iter().map(String::as_str).collect();
    all.push(&child);
    let dict = deflated("RecordDict", &all, format!("{{{}}}", names.join(", ")).as_bytes());
    let message = deflated("Message", &[&object_id(&dict)], &[]);
    let id = object_id(&message);
    let objects = [dict, message].map(|content| (object_id(&content), content)).into();
    assert_eq!(inflate(&id, &objects), Err(ObjectError::Missing { id: child }));
}

proptest! {
    #[test]
    fn no_body_under_a_right_name_makes_it_panic(
        kind in prop::sample::select(vec!["Array", "ArrayRecord", "ConfigRecord", "RecordDict"]),
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..120),
            "[\\{\\}\\[\\]\",:a-z0-9 ]{0,80}".prop_map(String::into_bytes),
            Just(br#"{"dtype": "", "shape": [1], "stype": "", "arraychunk_ids": [9]}"#.to_vec()),
        ],
    ) {
        let (id, objects) = wrapped(kind, &body);
        let _ = inflate(&id, &objects);
    }

    /// A byte that is changed anywhere is noticed by the hash, and one that is changed with its hash by what
    /// refers to it.
    #[test]
    fn altered_objects_are_refused(which in 0usize..20, at in 0usize..400, with in 1u8..=255) {
        let parcel = Parcel::of(&Message::default(), Some(&records()));
        let mut objects: HashMap<_, _> = parcel.objects.iter().cloned().collect();
        let (id, content) = &parcel.objects[which % parcel.objects.len()];
        let mut altered = content.clone();
        let place = at % altered.len();
        altered[place] ^= with;
        objects.insert(id.clone(), altered.clone());
        let hash = ObjectError::Hash { id: id.clone() };
        prop_assert_eq!(inflate(parcel.id(), &objects), Err(hash));
        objects.remove(id);
        objects.insert(object_id(&altered), altered.clone());
        prop_assert!(inflate(parcel.id(), &objects).is_err());
        // On its own it is read or refused, and nothing worse.
        let _ = inflate(&object_id(&altered), &objects);
    }
}
