use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

/// Two images of 2 x 3 pixels.
fn images() -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3];
    bytes.extend(0..12);
    bytes
}

/// Their labels, 7 and 1.
fn labels() -> Vec<u8> {
    vec![0, 0, 8, 1, 0, 0, 0, 2, 7, 1]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[track_caller]
fn error(images: &[u8], labels: &[u8]) -> SourceError {
    parse(("i", images), ("l", labels), 10).unwrap_err()
}

#[test]
fn plain_and_compressed_files_hold_the_same_images() {
    for (images, labels) in
        [(images(), labels()), (gzip(&images()), labels()), (images(), gzip(&labels()))]
    {
        let read = parse(("i", &images), ("l", &labels), 10).unwrap();
        assert_eq!((read.len(), read.height(), read.width(), read.channels()), (2, 2, 3, 1));
        assert_eq!(read.image(1), [6, 7, 8, 9, 10, 11]);
        assert_eq!(read.labels(), [7, 1]);
    }
}

#[test]
fn files_of_another_kind_are_told_apart() {
    let swapped = error(&labels(), &images());
    assert_eq!(swapped.to_string(), "`l` starts with the number 0x00000803, expected 0x00000801");
    assert!(swapped.hint().unwrap().contains("mixed up"));
    let page = error(b"<!DOCTYPE html>.", &labels());
    assert_eq!(page.to_string(), "`i` starts with the number 0x3c21444f, expected 0x00000803");
    assert!(page.hint().unwrap().contains("looks like text"));
}

#[test]
fn every_cut_is_an_error_that_says_where() {
    let (images, labels) = (images(), labels());
    for cut in 0..images.len() {
        let expected = if cut < 16 { 16 } else { 28 };
        assert_eq!(
            error(&images[..cut], &labels).to_string(),
            format!("`i` is cut short: expected {expected} bytes but found {cut}")
        );
    }
    for cut in 0..labels.len() {
        let expected = if cut < 8 { 8 } else { 10 };
        assert_eq!(
            error(&images, &labels[..cut]).to_string(),
            format!("`l` is cut short: expected {expected} bytes but found {cut}")
        );
    }
}

#[test]
fn every_cut_of_a_compressed_file_is_an_error() {
    let packed = gzip(&images());
    for cut in 0..packed.len() {
        let error = error(&packed[..cut], &labels());
        let expected = if cut < 2 {
            matches!(error, SourceError::Truncated { .. })
        } else {
            matches!(error, SourceError::Gzip { .. })
        };
        assert!(expected, "{cut}: {error:?}");
    }
}

#[test]
fn a_short_stream_in_a_whole_compressed_file_is_cut_short() {
    let packed = gzip(&images()[..20]);
    assert_eq!(
        error(&packed, &labels()).to_string(),
        "`i` is cut short: expected 28 bytes but found 20"
    );
}

#[test]
fn trailing_bytes_are_refused() {
    let mut long = images();
    long.push(0);
    let message = "`i` continues after the 28 bytes its header calls for";
    assert_eq!(error(&long, &labels()).to_string(), message);
    assert_eq!(error(&gzip(&long), &labels()).to_string(), message);
    let mut packed = gzip(&images());
    packed.extend(b"rubbish");
    assert!(matches!(error(&packed, &labels()), SourceError::Gzip { .. }));
}

#[test]
fn a_flipped_bit_in_a_compressed_file_is_noticed() {
    let packed = gzip(&images());
    let mut damaged = packed.clone();
    // The last eight bytes are the checksum and the length of the content.
    damaged[packed.len() - 8] ^= 1;
    assert_eq!(error(&damaged, &labels()).to_string(), "`i`: the gzip stream is damaged");
}

#[test]
fn dimensions_must_be_possible() {
    let mut none = images();
    none[7] = 0;
    let message = "`i` claims 0 images of 2 x 3 pixels";
    assert_eq!(error(&none, &labels()).to_string(), message);
    let mut huge = images();
    huge[4..16].fill(0xff);
    assert!(matches!(error(&huge, &labels()), SourceError::Dimensions { .. }));
    // 2^32 - 1 images fit an address but not this file, compressed or not.
    let mut many = images();
    many[4..8].fill(0xff);
    assert!(matches!(error(&many, &labels()), SourceError::Truncated { .. }));
    assert!(matches!(error(&gzip(&many), &labels()), SourceError::Implausible { .. }));
}

#[test]
fn images_and_labels_must_agree_in_number() {
    let one = [0, 0, 8, 1, 0, 0, 0, 1, 7];
    assert_eq!(error(&images(), &one).to_string(), "`i` has 2 images but `l` has 1 labels");
}

#[test]
fn labels_must_be_classes() {
    let mut wrong = labels();
    wrong[9] = 10;
    assert_eq!(error(&images(), &wrong).to_string(), "`l`: sample 1 has label 10, expected 0 to 9");
}

#[test]
fn a_folder_is_read_with_either_kind_of_file_and_names_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("train-images-idx3-ubyte.gz", &gzip(&images()));
    write("train-labels-idx1-ubyte", &labels());
    write("t10k-images-idx3-ubyte", &images());
    let error = read(folder.path(), "mnist").unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("has none of `t10k-labels-idx1-ubyte.gz`, `t10k-labels-idx1-ubyte`"),
        "{error}"
    );
    assert!(error.hint().unwrap().starts_with("`corefed data fetch mnist`"));
    write("t10k-labels-idx1-ubyte", &labels());
    let split = read(folder.path(), "mnist").unwrap();
    assert_eq!(split.train, split.test);
    // The same twelve bytes as images of 3 x 2.
    let mut turned = images();
    turned[8..16].copy_from_slice(&[0, 0, 0, 3, 0, 0, 0, 2]);
    write("t10k-images-idx3-ubyte", &turned);
    let error = read(folder.path(), "mnist").unwrap_err().to_string();
    let expected = "training images are 2 x 3 pixels but test images 3 x 2";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn a_folder_in_the_place_of_a_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let error = read_pair(folder.path(), folder.path(), 10).unwrap_err();
    assert!(matches!(error, SourceError::Read { .. }), "{error:?}");
}
