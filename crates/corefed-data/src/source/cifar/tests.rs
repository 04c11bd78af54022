use std::fs;

use super::*;

/// A record whose red plane holds `base`, green `base + 1`, blue `base + 2`, except the first
/// pixel of the second row: 91, 92, 93.
fn record(label: u8, base: u8) -> Vec<u8> {
    let mut bytes = vec![label];
    for colour in 0..3 {
        let mut plane = vec![base + colour; PLANE];
        plane[SIDE] = 91 + colour;
        bytes.extend(plane);
    }
    bytes
}

#[test]
fn planes_are_interleaved() {
    let batch = [record(3, 10), record(9, 20)].concat();
    let images = parse("b", &batch).unwrap();
    assert_eq!((images.len(), images.height(), images.width(), images.channels()), (2, 32, 32, 3));
    assert_eq!(images.labels(), [3, 9]);
    assert_eq!(images.image(1)[..6], [20, 21, 22, 20, 21, 22]);
    assert_eq!(images.image(1)[3 * SIDE..3 * SIDE + 6], [91, 92, 93, 20, 21, 22]);
    assert_eq!(images.image(0)[IMAGE - 3..], [10, 11, 12]);
}

#[test]
fn files_of_broken_records_are_refused() {
    let whole = record(0, 0);
    let message = |bytes: &[u8]| parse("b", bytes).unwrap_err().to_string();
    assert_eq!(message(&[]), "`b` has 0 bytes, which is not a positive multiple of 3073");
    let cut = message(&whole[..3072]);
    assert_eq!(cut, "`b` has 3072 bytes, which is not a positive multiple of 3073");
    let long = message(&[&whole[..], &[0]].concat());
    assert_eq!(long, "`b` has 3074 bytes, which is not a positive multiple of 3073");
}

#[test]
fn labels_must_be_classes() {
    let batch = [record(0, 0), record(10, 0)].concat();
    let error = parse("b", &batch).unwrap_err();
    assert_eq!(error.to_string(), "`b`: sample 1 has label 10, expected 0 to 9");
}

#[test]
fn a_folder_is_read_in_the_order_of_its_batches() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for (i, name) in TRAIN.iter().enumerate() {
        // Sizes around the block, so that no boundary goes untested.
        let count = BLOCK - 2 + i;
        let label = u8::try_from(i).unwrap();
        let batch: Vec<u8> = (0..count).flat_map(|_| record(label, 10 * label)).collect();
        expected.extend(vec![label; count]);
        fs::write(folder.path().join(name), batch).unwrap();
    }
    let error = read(folder.path()).unwrap_err();
    assert!(error.to_string().ends_with("has none of `test_batch.bin`"), "{error}");
    fs::write(folder.path().join("test_batch.bin"), record(9, 0)).unwrap();
    let split = read(folder.path()).unwrap();
    assert_eq!(split.train.labels(), expected);
    assert_eq!(split.test.labels(), [9]);
    for (i, &label) in expected.iter().enumerate() {
        let base = 10 * label;
        assert_eq!(split.train.image(i)[..3], [base, base + 1, base + 2], "image {i}");
    }
}

#[test]
fn a_wrong_label_is_named_by_its_place_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.bin");
    let mut batch: Vec<u8> = (0..BLOCK + 5).flat_map(|_| record(1, 0)).collect();
    batch[(BLOCK + 2) * RECORD] = 200;
    fs::write(&path, batch).unwrap();
    let error = read_batches(&[path]).unwrap_err().to_string();
    assert!(error.ends_with("b.bin`: sample 102 has label 200, expected 0 to 9"), "{error}");
}
