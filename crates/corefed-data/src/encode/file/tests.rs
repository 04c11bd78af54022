//! The table path is the oracle: same encoding, same rows, same words.

mod oracle;
#[cfg(feature = "parquet")]
mod parquet;

use std::path::{Path, PathBuf};

use super::open::is_stream;
use super::*;
use crate::encode::{ColumnType, Missing, apply, fit};
use crate::{Check, Checks, Table, read_table};

/// Block sizes that cut files everywhere, and limits that give up on texts at once.
const TINY: [Settings; 4] = [
    Settings { block: 1, most_texts: 0 },
    Settings { block: 7, most_texts: 1 },
    Settings { block: 64, most_texts: 3 },
    SETTINGS,
];

/// Everything that a caller sees of a result; `Debug` shows all bits of a number.
fn shown<T: std::fmt::Debug>(result: Result<T, DataError>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{error:?}\n{error}\n{:?}", error.hint()),
    }
}

fn fit_small(path: &Path, settings: Settings, options: &EncodeOptions) -> String {
    let found = fit_with(path, options, settings);
    shown(found.map(|fit| (fit.encoded, fit.digest, fit.file)))
}

fn fit_whole(path: &Path, options: &EncodeOptions) -> String {
    let found = Table::read(path).and_then(|table| {
        let encoded = fit(&table, options)?;
        Ok((encoded, table.digest().to_owned(), table.file().to_owned()))
    });
    shown(found)
}

fn apply_small(path: &Path, settings: Settings, encoding: &Encoding, family: Family) -> String {
    let found = apply_with(path, encoding, family, settings);
    shown(found.map(|applied| applied.federation))
}

fn apply_whole(path: &Path, encoding: &Encoding, family: Family) -> String {
    shown(Table::read(path).and_then(|table| apply(&table, encoding, family)))
}

/// A folder with one file in it.
struct Fixture {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Fixture {
    fn new(bytes: &[u8]) -> Self {
        Self::named("t.csv", bytes)
    }

    fn named(name: &str, bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self { _folder: folder, path }
    }
}

fn options(family: Family) -> EncodeOptions {
    EncodeOptions {
        agent_column: "who".to_owned(),
        target_column: "y".to_owned(),
        exposure_column: None,
        family,
        intercept: true,
        raw: false,
        l2: 1.0,
        allow: Check::ALL.into_iter().collect::<Checks>(),
        missing: Missing::default(),
        written: corefed_core::Writing::default(),
        na: Vec::new(),
        types: Vec::new(),
    }
}

#[test]
fn a_pipe_is_read_once() {
    let file = Fixture::new(b"who,x,y\na,1,2\nb,3,4\n");
    let fitted = fit_file(&file.path, &options(Family::Linear)).unwrap();
    assert_eq!(fitted.file, file.path.display().to_string());
    assert!(!is_stream(&file.path));
    assert!(is_stream(Path::new("/dev/null")) || !Path::new("/dev/null").exists());
    let error = fit_file(&file.path.join("absent"), &options(Family::Linear)).unwrap_err();
    assert!(error.to_string().starts_with("cannot read"), "{error}");
}

#[test]
fn a_column_that_turns_out_otherwise_is_read_again() {
    // A hundred rows of numbers, then words: text, because numbers are fewer than half.
    let lines = |count: usize, line: &dyn Fn(usize) -> String| -> String {
        (0..count).map(line).collect::<Vec<_>>().concat()
    };
    let numbers = lines(150, &|i| format!("a,{i}.0,{i}\n"));
    let words = lines(400, &|i| format!("b,w{},{i}\n", i % 7));
    let file = Fixture::new(format!("who,x,y\n{numbers}{words}").as_bytes());
    // The other way round: nothing but holes, then numbers of a text each.
    let holes = lines(150, &|i| format!("a,?,{i}\n"));
    let values = lines(400, &|i| format!("b,{i},{i}\n"));
    let late = Fixture::new(format!("who,x,y\n{holes}{values}").as_bytes());
    for missing in Missing::ALL {
        let options = EncodeOptions { missing, ..options(Family::Linear) };
        for settings in TINY {
            assert_eq!(fit_small(&file.path, settings, &options), fit_whole(&file.path, &options));
            assert_eq!(fit_small(&late.path, settings, &options), fit_whole(&late.path, &options));
        }
    }
}

#[test]
fn a_record_larger_than_many_blocks_is_one_record() {
    let long = "x".repeat(10_000);
    let file = Fixture::new(
        format!("who,x,y\na,\"{long}\n,\"\"{long}\",1\nb,z,2\n\"c\nc\",z,2\n").as_bytes(),
    );
    for settings in TINY {
        let options = options(Family::Linear);
        assert_eq!(fit_small(&file.path, settings, &options), fit_whole(&file.path, &options));
    }
}
