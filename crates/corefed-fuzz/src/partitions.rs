//! Partition files.

use corefed_data::PartitionFile;
use serde_json::Value;

/// Reads a partition; one whose digest alone is wrong is read again with the right one, as a forger would.
pub(crate) fn partition(bytes: &[u8]) {
    use corefed_data::PartitionFileError::Digest;
    match PartitionFile::parse("input.json", bytes) {
        Ok(read) => written_as_read(&read),
        Err(Digest { actual, .. }) => {
            let Ok(mut document) = serde_json::from_slice::<Value>(bytes) else { return };
            document["digest"] = actual.into();
            let again = PartitionFile::parse("input.json", document.to_string().as_bytes());
            if let Ok(read) = again {
                written_as_read(&read);
            }
        }
        Err(error) => {
            let _ = (error.to_string(), error.hint());
        }
    }
}

fn written_as_read(read: &PartitionFile) {
    let again = PartitionFile::parse("again.json", read.to_json().as_bytes());
    assert_eq!(again.ok().as_ref(), Some(read));
}
