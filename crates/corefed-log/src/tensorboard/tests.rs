//! Events are parsed by a reader that shares nothing with the writer but the checksum, which has
//! published vectors of its own.

use std::fs;

use super::*;
use crate::RunFolder;
use crate::testing::{agents, full_round, header, record};

#[derive(Debug, PartialEq)]
enum Value {
    Varint(u64),
    Double(f64),
    Single(f32),
    Bytes(Vec<u8>),
}

/// The records of a file, with both checksums of each checked bit by bit.
fn events(mut file: &[u8]) -> Vec<Vec<u8>> {
    let unmask = |masked: u32| masked.wrapping_sub(0xa282_ead8).rotate_left(15);
    let u32_at = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().unwrap());
    let mut events = Vec::new();
    while !file.is_empty() {
        let length = usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
        assert_eq!(unmask(u32_at(&file[8..])), crc32c(&file[..8]));
        let event = &file[12..12 + length];
        assert_eq!(unmask(u32_at(&file[12 + length..])), crc32c(event));
        events.push(event.to_vec());
        file = &file[16 + length..];
    }
    events
}

fn read_varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    unreachable!()
}

/// The fields of a protocol buffer.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Value)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = read_varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Varint(read_varint(&mut bytes)),
            1 => {
                let (value, rest) = bytes.split_at(8);
                bytes = rest;
                Value::Double(f64::from_le_bytes(value.try_into().unwrap()))
            }
            2 => {
                let length = usize::try_from(read_varint(&mut bytes)).unwrap();
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                Value::Bytes(value.to_vec())
            }
            5 => {
                let (value, rest) = bytes.split_at(4);
                bytes = rest;
                Value::Single(f32::from_le_bytes(value.try_into().unwrap()))
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, value));
    }
    fields
}

/// Step and scalars of an event.
fn scalars(event: &[u8]) -> (u64, Vec<(String, f32)>) {
    let fields = fields(event);
    let [(1, Value::Double(time)), (2, Value::Varint(step)), (5, Value::Bytes(summary))] =
        &fields[..]
    else {
        panic!("{fields:?}")
    };
    assert_eq!(*time, *step as f64);
    let scalar = |(field, value): (u64, Value)| {
        let (1, Value::Bytes(value)) = (field, value) else { panic!("field {field}") };
        let parts = self::fields(&value);
        let [(1, Value::Bytes(tag)), (2, Value::Single(value))] = &parts[..] else {
            panic!("{parts:?}")
        };
        (String::from_utf8(tag.clone()).unwrap(), *value)
    };
    (*step, self::fields(summary).into_iter().map(scalar).collect())
}

fn file(folder: &Path) -> Vec<u8> {
    fs::read(folder.join(FILE)).unwrap()
}

#[test]
fn every_number_of_a_round_is_a_scalar() {
    let folder = tempfile::tempdir().unwrap();
    let mut board = TensorBoard::create(folder.path()).unwrap();
    let mut round = full_round();
    round.round = 300;
    round.bound = None;
    board.round(&round, &agents(300, [0.5, 0.25])).unwrap();
    let events = events(&file(folder.path()));
    let version = Value::Bytes(b"brain.Event:2".to_vec());
    assert_eq!(fields(&events[0]), [(1, Value::Double(0.0)), (3, version)]);
    let (step, scalars) = scalars(&events[1]);
    assert_eq!(step, 300);
    let get = |tag: &str| scalars.iter().find(|(name, _)| name == tag).map(|(_, value)| *value);
    assert_eq!(get("kappa"), Some(1.25));
    assert_eq!(get("log_welfare"), Some(f32::NEG_INFINITY));
    assert_eq!(get("utility_max"), Some(0.7));
    assert_eq!(get("cohort"), Some(4.0));
    assert_eq!(get("utility/a"), Some(0.5));
    assert_eq!(get("utility/b"), Some(0.25));
    assert_eq!((get("bound"), get("warm_up"), get("worst_agent")), (None, None, None));
    let numeric = RoundRecord::COLUMNS
        .iter()
        .filter(|column| matches!(column.kind, Kind::Whole | Kind::Float))
        .count();
    // Without the bound, the entropy of negative and of zero values and the cosine of zeros.
    assert_eq!(scalars.len(), numeric - 4 + 2);
    assert_eq!(events.len(), 2);
}

#[test]
fn a_run_that_goes_on_writes_the_curves_of_its_records_again() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create(parent.path().join("run"), &header(), "", None).unwrap();
    let mut board = run.tensorboard().unwrap();
    for round in 0..3 {
        let (record, agents) = (record(round, [0.5, 1.0]), agents(round, [0.5, 1.0]));
        run.append(&record, &agents).unwrap();
        board.round(&record, &agents).unwrap();
    }
    drop(board);
    let folder = run.path().join("tensorboard");
    let before = file(&folder);
    fs::write(folder.join(FILE), b"half an event").unwrap();
    run.tensorboard().unwrap();
    assert_eq!(file(&folder), before);
    assert_eq!(events(&before).len(), 4);
}
