//! The files of published sets. Digests are compared before they are read in earnest; readers must hold all
//! the same, for those who waive that.

use corefed_data::source::{adult, cifar, heart, idx};

/// Images and labels in one input: the labels begin where the magic number of a file of labels last stands,
/// packed or not.
pub(crate) fn idx(bytes: &[u8]) {
    let labels = [0, 0, 8, 1];
    let gzip = [0x1f, 0x8b];
    let find = |mark: &[u8]| bytes.windows(mark.len()).rposition(|place| place == mark);
    let cut = find(&labels).or_else(|| find(&gzip)).unwrap_or(bytes.len() / 2);
    let (images, labels) = bytes.split_at(cut);
    if let Ok(read) = idx::parse(("images", images), ("labels", labels), 10) {
        let size = read.height() * read.width() * read.channels();
        assert_eq!(read.pixels().len(), read.len() * size);
        assert!(read.labels().iter().all(|label| *label < 10));
    }
}

/// One batch.
pub(crate) fn cifar(bytes: &[u8]) {
    if let Ok(read) = cifar::parse("batch", bytes) {
        assert_eq!(bytes.len(), read.len() * 3073);
    }
}

/// Tables without a header.
pub(crate) fn uci(bytes: &[u8]) {
    let _ = adult::parse("adult.data", bytes);
    let _ = heart::parse("heart", [("hospital", bytes); 4]);
}
