//! A node of Flower: what a SuperLink sends to it.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use corefed_core::{Family, digest_bytes};
use corefed_data::{EncodeOptions, fit, read_table};
use corefed_node::{Objects, Rehearsal, Settings};

use crate::answers::own_rows;
use crate::scratch;

/// Types of objects; a byte chooses.
const KINDS: [&str; 8] = [
    "Message",
    "RecordDict",
    "ArrayRecord",
    "ConfigRecord",
    "MetricRecord",
    "Array",
    "ArrayChunk",
    "Other",
];
/// Types of messages.
const ASKED: [&str; 3] = ["train", "evaluate", "query"];
/// Objects of one message, and children of one object.
const MOST_OBJECTS: usize = 64;
const MOST_CHILDREN: u8 = 10;

static KEEP: LazyLock<PathBuf> = LazyLock::new(|| scratch::folder("kept-by-a-node"));

/// The node of one of three agents.
static NODE: LazyLock<Rehearsal> = LazyLock::new(|| {
    let options = EncodeOptions::new("agent", "sick", Family::Logistic);
    let table = read_table(scratch::tiny()).expect("a table");
    let encoding = fit(&table, &options).expect("an encoding").encoding;
    let encoding = serde_json::to_vec(&encoding).expect("JSON");
    let settings = Settings {
        superlink: String::new(),
        data: own_rows("Ada"),
        key: PathBuf::new(),
        encoding: Some(scratch::file("encoding.json", &encoding)),
        model: Family::Logistic,
        l2: 0.1,
        root_certificates: None,
        insecure: true,
        keep: Some(KEEP.clone()),
        budget: Some(100.0),
        learning_rate: 1.0,
        local_epochs: 1,
        batch_size: 0,
        momentum: 0.0,
    };
    Rehearsal::new(&settings, ([1; 32], [2; 32])).expect("a node")
});

/// The first byte says what the others are: an answer to a call, an object, an array, or the objects of a message.
pub(crate) fn node(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else { return };
    match usize::from(*choice) % (3 + ASKED.len()) {
        0 => Rehearsal::answers(rest),
        1 => Rehearsal::object(rest),
        2 => Rehearsal::numbers(rest),
        asked => {
            let (id, objects) = objects(rest);
            NODE.message(ASKED[asked - 3], &id, &objects);
            // Every input begins with an account without entries.
            let _ = fs::remove_file(KEEP.join("answered.json"));
        }
    }
}

/// Objects from bytes, children before their parents; each has its hash as its name, as a forger would see to. The
/// last is the message.
///
/// An object is a type, a number of children, their places among those before it, two bytes for the length of its
/// body, and the body. In a body that refers to others, `@3` is the name of the fourth child.
fn objects(mut bytes: &[u8]) -> (String, Objects) {
    let (mut names, mut objects) = (Vec::<String>::new(), Objects::new());
    while let [kind, children, rest @ ..] = bytes
        && names.len() < MOST_OBJECTS
    {
        let kind = KINDS[usize::from(*kind) % KINDS.len()];
        let (children, rest) = cut(rest, usize::from(children % (MOST_CHILDREN + 1)));
        let (length, rest) = cut(rest, 2);
        let length = length.iter().rev().fold(0, |all, &byte| 256 * all + usize::from(byte));
        let (body, rest) = cut(rest, length);
        let name = |&place: &u8| names.get(usize::from(place)).cloned();
        let children: Vec<String> = children.iter().filter_map(name).collect();
        let body = if matches!(kind, "RecordDict" | "ArrayRecord") {
            referring(body, &children)
        } else {
            body.to_vec()
        };
        let head = format!("{kind} {} {}\0", children.join(","), body.len());
        let content = [head.into_bytes(), body].concat();
        names.push(digest_bytes(&content));
        objects.insert(digest_bytes(&content), content);
        bytes = rest;
    }
    (names.pop().unwrap_or_default(), objects)
}

/// The first bytes, as many as there are, and the others.
fn cut(bytes: &[u8], length: usize) -> (&[u8], &[u8]) {
    bytes.split_at(length.min(bytes.len()))
}

fn referring(body: &[u8], children: &[String]) -> Vec<u8> {
    let (mut whole, mut rest) = (Vec::new(), body);
    while let [byte, after @ ..] = rest {
        rest = after;
        match after {
            [digit @ b'0'..=b'9', beyond @ ..] if *byte == b'@' => {
                let child = children.get(usize::from(digit - b'0'));
                whole.extend_from_slice(child.map_or(b"", |name| name.as_bytes()));
                rest = beyond;
            }
            _ => whole.push(*byte),
        }
    }
    whole
}
