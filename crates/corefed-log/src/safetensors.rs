//! Safetensors files: eight bytes with the length of a JSON header, the header, the values.
//!
//! The `safetensors` crate keeps metadata in a hash map, so that its bytes change from run to
//! run, and wants a file in memory as one piece. Equal contents give equal bytes here: double
//! precision first, which keeps values aligned, then by name.

use std::io::{self, Read, Write as _};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{LogError, Tensor, TensorData, disk};

/// The key that is not a tensor.
const METADATA: &str = "__metadata__";

/// Writes a model as a safetensors file of its own, whole or not at all; a link of its name is replaced.
pub fn write_model(path: impl AsRef<Path>, tensors: &[Tensor]) -> Result<(), LogError> {
    let ordered = ordered(tensors)?;
    let metadata =
        [("format", "corefed-model".to_owned()), ("version", crate::VERSION.to_string())];
    disk::replace_entry(path.as_ref(), |output| {
        output.write_all(&header(&metadata, &ordered))?;
        ordered.iter().try_for_each(|t| t.data.chunks(|bytes| output.write_all(bytes)))
    })
}

/// The order of tensors in a file.
pub(crate) fn ordered(tensors: &[Tensor]) -> Result<Vec<&Tensor>, LogError> {
    let mut ordered: Vec<&Tensor> = tensors.iter().collect();
    ordered.sort_by(|a, b| (b.data.width(), &a.name).cmp(&(a.data.width(), &b.name)));
    let mut names: Vec<&str> = ordered.iter().map(|tensor| tensor.name.as_str()).collect();
    names.push(METADATA);
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(LogError::TensorName { name: pair[0].to_owned() });
    }
    for Tensor { name, shape, data } in &ordered {
        let product = shape.iter().try_fold(1, |product: usize, n| product.checked_mul(*n));
        if product != Some(data.len()) {
            let (name, shape, values) = (name.clone(), shape.clone(), data.len());
            return Err(LogError::Shape { name, shape, values });
        }
    }
    Ok(ordered)
}

/// Everything before the values, padded so that they are aligned.
pub(crate) fn header(metadata: &[(&str, String)], tensors: &[&Tensor]) -> Vec<u8> {
    let metadata: Map<String, Value> =
        metadata.iter().map(|(key, value)| ((*key).to_owned(), value.as_str().into())).collect();
    let mut header = Map::from_iter([(METADATA.to_owned(), Value::Object(metadata))]);
    let mut end = 0;
    for Tensor { name, shape, data } in tensors {
        let begin = end;
        end += data.len() * data.width();
        let entry = json!({"dtype": data.dtype(), "shape": shape, "data_offsets": [begin, end]});
        header.insert(name.clone(), entry);
    }
    let mut text = Value::Object(header).to_string();
    while !text.len().is_multiple_of(8) {
        text.push(' ');
    }
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.into_bytes());
    bytes
}

/// Why a file is not what it should be.
#[derive(Debug)]
pub(crate) enum Damage {
    /// The bytes are not those of such a file.
    Contents(String),
    /// The bytes could not be read.
    Io(io::Error),
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Contents("it is cut short".to_owned()),
            _ => Self::Io(error),
        }
    }
}

impl From<serde_json::Error> for Damage {
    fn from(error: serde_json::Error) -> Self {
        Self::Contents(format!("its header is damaged: {error}"))
    }
}

/// The part of a file before its values.
pub(crate) struct Head {
    /// As they are in the file, length included.
    pub(crate) bytes: Vec<u8>,
    pub(crate) metadata: Map<String, Value>,
    entries: Vec<(String, Entry)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

impl Head {
    /// Reads the head of a file of `length` bytes. Sizes are compared with that before anything is
    /// allocated.
    pub(crate) fn read(reader: &mut impl Read, length: u64) -> Result<Self, Damage> {
        let damaged = |reason: &str| Damage::Contents(reason.to_owned());
        let mut bytes = vec![0; 8];
        reader.read_exact(&mut bytes)?;
        let size = bytes.iter().rev().fold(0, |size: u64, byte| size << 8 | u64::from(*byte));
        let rest = length.checked_sub(8).and_then(|rest| rest.checked_sub(size));
        let (Some(values), Ok(size)) = (rest, usize::try_from(size)) else {
            return Err(damaged("it is cut short"));
        };
        bytes.resize(8 + size, 0);
        reader.read_exact(&mut bytes[8..])?;
        let mut header: Map<String, Value> = serde_json::from_slice(&bytes[8..])?;
        let metadata = match header.shift_remove(METADATA) {
            Some(Value::Object(metadata)) => metadata,
            None => Map::new(),
            Some(_) => return Err(damaged("its metadata are damaged")),
        };
        let mut entries = header
            .into_iter()
            .map(|(name, entry)| Ok((name, serde_json::from_value(entry)?)))
            .collect::<Result<Vec<(String, Entry)>, serde_json::Error>>()?;
        entries.sort_by_key(|(_, entry)| entry.data_offsets);
        let mut end = 0;
        for (name, entry) in &entries {
            if entry.data_offsets[0] != end || entry.bytes() != Some(entry.data_offsets[1]) {
                return Err(Damage::Contents(format!("tensor `{name}` does not fit")));
            }
            end = entry.data_offsets[1];
        }
        if end != values {
            return Err(damaged("its values are cut short, or followed by others"));
        }
        Ok(Self { bytes, metadata, entries })
    }

    /// Reads the values that follow.
    pub(crate) fn tensors(
        &self,
        mut fill: impl FnMut(&mut [u8]) -> io::Result<()>,
    ) -> Result<Vec<Tensor>, Damage> {
        let mut tensors = Vec::with_capacity(self.entries.len());
        for (name, entry) in &self.entries {
            let count = entry.count().unwrap_or_default();
            let data = TensorData::read(&entry.dtype, count, &mut fill)?.ok_or_else(|| {
                Damage::Contents(format!("tensor `{name}` is of type `{}`", entry.dtype))
            })?;
            tensors.push(Tensor { name: name.clone(), shape: entry.shape.clone(), data });
        }
        Ok(tensors)
    }
}

impl Entry {
    fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1, |count: usize, n| count.checked_mul(*n))
    }

    /// Where its values end, if its type and shape say so.
    fn bytes(&self) -> Option<u64> {
        let width = match self.dtype.as_str() {
            "F32" => 4,
            "F64" => 8,
            // Another type is told by name later, if its bytes are there.
            _ => return Some(self.data_offsets[1]).filter(|end| *end >= self.data_offsets[0]),
        };
        let bytes = u64::try_from(self.count()?).ok()?.checked_mul(width)?;
        self.data_offsets[0].checked_add(bytes)
    }
}

#[cfg(test)]
mod tests;
