//! Protobuf as far as it can be read without memory: what a message would take is known before it is decoded.

use std::mem::size_of;

use crate::record::Item;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<'a> {
    /// A number of any kind.
    Number,
    /// A text, bytes, a message, or numbers side by side.
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order; the last is an error where the bytes are not a message.
pub(crate) struct Fields<'a>(&'a [u8]);

/// Bytes that are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Torn;

impl<'a> Fields<'a> {
    pub(crate) fn of(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn varint(&mut self) -> Result<u64, Torn> {
        let mut value = 0;
        for (place, &byte) in self.0.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                self.0 = &self.0[place + 1..];
                return Ok(value);
            }
        }
        Err(Torn)
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Torn> {
        let length = usize::try_from(length).map_err(|_| Torn)?;
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Torn)?;
        self.0 = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<(u64, Field<'a>), Torn> {
        let key = self.varint()?;
        let field = match key & 7 {
            0 => self.varint().map(|_| Field::Number)?,
            1 => self.take(8).map(|_| Field::Number)?,
            5 => self.take(4).map(|_| Field::Number)?,
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(length)?)
            }
            // Groups, which Flower does not use.
            _ => return Err(Torn),
        };
        Ok((key >> 3, field))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>), Torn>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

/// How often a message has a field.
pub(crate) fn occurrences(message: &[u8], tag: u64) -> Result<usize, Torn> {
    let mut found = 0;
    for field in Fields::of(message) {
        found += usize::from(field?.0 == tag);
    }
    Ok(found)
}

/// A list grows to twice its size while it is read.
const GROWTH: usize = 2;
/// An item, once more as a pair of its name and its value.
const ITEM: usize = (GROWTH + 1) * size_of::<Item>();

/// Bytes of memory that a record of metrics or settings takes while it is decoded. An item without a value has two
/// bytes on the way, and a hundred in memory.
pub(crate) fn decoded_size(record: &[u8]) -> Result<usize, Torn> {
    sum(record, |tag, item| match (tag, item) {
        (1, Field::Bytes(item)) => Ok(ITEM + sum(item, item_size)?),
        _ => Ok(0),
    })
}

fn item_size(tag: u64, field: Field<'_>) -> Result<usize, Torn> {
    match (tag, field) {
        (1, Field::Bytes(key)) => Ok(key.len()),
        (2, Field::Bytes(value)) => sum(value, value_size),
        _ => Ok(0),
    }
}

fn value_size(tag: u64, field: Field<'_>) -> Result<usize, Torn> {
    let Field::Bytes(content) = field else { return Ok(0) };
    match tag {
        21..=24 => sum(content, |_, field| match field {
            // The smallest number has one byte.
            Field::Bytes(numbers) => Ok(GROWTH * size_of::<u64>() * numbers.len()),
            Field::Number => Ok(GROWTH * size_of::<u64>()),
        }),
        25 | 26 => sum(content, |_, field| match field {
            Field::Bytes(text) => Ok(GROWTH * size_of::<String>() + text.len()),
            Field::Number => Ok(0),
        }),
        _ => Ok(content.len()),
    }
}

fn sum(
    message: &[u8],
    size: impl Fn(u64, Field<'_>) -> Result<usize, Torn>,
) -> Result<usize, Torn> {
    Fields::of(message).try_fold(0_usize, |all, field| {
        let (tag, field) = field?;
        Ok(all.saturating_add(size(tag, field)?))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prost::Message as _;

    use super::*;
    use crate::record::{ItemValue, Texts, Value, ValueRecord};

    fn record(value: Value) -> Vec<u8> {
        let value = Some(ItemValue { value: Some(value) });
        ValueRecord { items: vec![Item { key: "key".to_owned(), value }] }.encode_to_vec()
    }

    #[test]
    fn empty_texts_weigh_what_they_take_in_memory() {
        let texts = record(Value::Texts(Texts { vals: vec![String::new(); 1000] }));
        assert!(texts.len() < 2100);
        assert!(decoded_size(&texts).unwrap() > 1000 * size_of::<String>());
        let items = ValueRecord { items: vec![Item::default(); 1000] }.encode_to_vec();
        assert_eq!(items.len(), 2000);
        assert!(decoded_size(&items).unwrap() > 1000 * size_of::<Item>());
    }

    #[test]
    fn a_long_text_weighs_little_more_than_itself() {
        let text = record(Value::Text("x".repeat(1 << 20)));
        assert!(decoded_size(&text).unwrap() < (1 << 20) + 1000);
    }

    #[test]
    fn fields_are_counted_without_being_decoded() {
        assert_eq!(occurrences(&[0x12, 0, 0x12, 0, 0x08, 1, 0x12, 1, 0xff], 2), Ok(3));
        assert_eq!(occurrences(&[0x12, 9], 2), Err(Torn));
        assert_eq!(occurrences(&[0x0b], 2), Err(Torn));
    }

    proptest! {
        #[test]
        fn what_prost_reads_is_weighed(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let groups = |byte: &u8| matches!(byte & 7, 3 | 4);
            if ValueRecord::decode(bytes.as_slice()).is_ok() && !bytes.iter().any(groups) {
                prop_assert!(decoded_size(&bytes).is_ok());
            }
        }
    }
}
