//! The published sets themselves, in the folder that `COREFED_DATA` names. Without it, or without
//! a set in it, these tests say so and pass.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use corefed_data::source::catalogue::{ENTRIES, find};
use corefed_data::source::{Depth, State, adult, cifar, heart, idx, locate};
use md5::{Digest as _, Md5};

/// The folder of a set, if it is there.
fn folder(name: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("COREFED_DATA").map(PathBuf::from) else {
        eprintln!("skipped: COREFED_DATA is not set");
        return None;
    };
    let state = locate(find(name).unwrap(), &root, Depth::Sizes).unwrap();
    if matches!(state, State::Present { .. }) {
        return Some(root.join(name));
    }
    eprintln!("skipped: `{name}` in `{}` is {state:?}", root.display());
    None
}

/// How many rows have this text in this column.
fn count(table: &corefed_data::Table, column: &str, text: &str) -> usize {
    let column = table.column(column).unwrap();
    (0..table.rows()).filter(|&row| table.cell(row, column) == text).count()
}

#[test]
fn checksums_are_those_of_the_catalogue() {
    for entry in ENTRIES {
        if entry.files().is_empty() {
            continue;
        }
        let Some(folder) = folder(entry.name) else { continue };
        let root = folder.parent().unwrap();
        let state = locate(entry, root, Depth::Checksums).unwrap();
        assert_eq!(state, State::Present { verified: true }, "{}", entry.name);
        for file in entry.files() {
            let bytes = std::fs::read(folder.join(file.name)).unwrap();
            let mut found = String::new();
            for byte in Md5::digest(&bytes) {
                write!(found, "{byte:02x}").unwrap();
            }
            assert_eq!(found, file.md5, "{}", file.name);
        }
    }
}

#[test]
fn adult_has_its_rows_and_two_classes() {
    let Some(folder) = folder("adult") else { return };
    let split = adult::read(&folder).unwrap();
    // As `adult.names` states.
    assert_eq!((split.train.rows(), split.test.rows()), (32_561, 16_281));
    for table in [&split.train, &split.test] {
        let [low, high] = ["<=50K", ">50K"].map(|class| count(table, "income", class));
        assert_eq!(low + high, table.rows());
        // `adult.names`: 23.93 % of all earn more; each file is close to that.
        let share = high as f64 / table.rows() as f64;
        assert!((0.23..0.25).contains(&share), "{share}");
    }
    assert!(count(&split.train, "native-country", "?") > 0);
}

#[test]
fn heart_has_its_hospitals() {
    let Some(folder) = folder("heart") else { return };
    let table = heart::read(&folder).unwrap();
    // As `heart-disease.names` states, with its numbers of patients without disease.
    let expected =
        [("cleveland", 303), ("hungary", 294), ("switzerland", 123), ("long-beach", 200)];
    for (hospital, patients) in expected {
        assert_eq!(count(&table, "hospital", hospital), patients, "{hospital}");
    }
    assert_eq!(count(&table, "disease", "0"), 164 + 188 + 8 + 51);
    assert_eq!(count(&table, "chol", "0"), 0);
}

/// Ten classes of equal or nearly equal size, and not all pixels black.
#[track_caller]
fn assert_balanced(images: &corefed_data::Images, least: usize) {
    let mut counts = [0; 10];
    for &label in images.labels() {
        counts[usize::from(label)] += 1;
    }
    assert!(counts.iter().all(|&count| count >= least), "{counts:?}");
    assert!(images.pixels().contains(&255));
}

fn idx_set(name: &'static str, folder: &Path) {
    let start = Instant::now();
    let split = idx::read(folder, name).unwrap();
    eprintln!("{name}: read in {:?}", start.elapsed());
    assert_eq!((split.train.len(), split.test.len()), (60_000, 10_000));
    assert_eq!((split.train.height(), split.train.width(), split.train.channels()), (28, 28, 1));
    assert_balanced(&split.train, 5_000);
    assert_balanced(&split.test, 800);
}

#[test]
fn mnist_is_read_whole() {
    if let Some(folder) = folder("mnist") {
        idx_set("mnist", &folder);
        // Well known: the training set begins with a 5, a 0, a 4, a 1 and a 9.
        let split = idx::read(&folder, "mnist").unwrap();
        assert_eq!(split.train.labels()[..5], [5, 0, 4, 1, 9]);
    }
}

#[test]
fn fashion_mnist_is_read_whole() {
    if let Some(folder) = folder("fashion-mnist") {
        idx_set("fashion-mnist", &folder);
    }
}

#[test]
fn cifar10_is_read_whole() {
    let Some(folder) = folder("cifar10") else { return };
    let start = Instant::now();
    let split = cifar::read(&folder).unwrap();
    eprintln!("cifar10: read in {:?}", start.elapsed());
    assert_eq!((split.train.len(), split.test.len()), (50_000, 10_000));
    // The publishers: 1,000 test images of every class, 5,000 training images in all.
    assert_balanced(&split.train, 5_000);
    assert_balanced(&split.test, 1_000);
}
