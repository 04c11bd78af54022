//! Tables of the user's own.

use std::path::Path;

use corefed_core::Family;
use corefed_data::{Check, Checks, EncodeOptions, Table, fit, fit_file, read_table, survey_column};

use crate::scratch;

/// Reads text, and encodes it twice: from a table in memory, and from the file in blocks.
pub(crate) fn csv(bytes: &[u8]) {
    let path = scratch::file("input.csv", bytes);
    match Table::parse("input.csv", bytes) {
        Ok(table) => encode(&path, &table, bytes.len()),
        Err(error) => {
            let _ = (error.to_string(), error.hint());
            let options = EncodeOptions::new("a", "b", Family::Linear);
            assert!(fit_file(&path, &options).is_err(), "encoded what is not a table: {error}");
        }
    }
}

/// Reads a Parquet file, and encodes it twice.
pub(crate) fn parquet(bytes: &[u8]) {
    let path = scratch::file("input.parquet", bytes);
    match read_table(&path) {
        Ok(table) => encode(&path, &table, bytes.len()),
        Err(error) => {
            let _ = (error.to_string(), error.hint());
        }
    }
}

/// The first column names agents and the last is to be predicted; the rest follows from a number that
/// changes easily.
fn encode(path: &Path, table: &Table, choice: usize) {
    let [first, .., last] = table.columns() else { return };
    for column in 0..table.columns().len().min(8) {
        let _ = survey_column(table, column);
    }
    let family = Family::ALL[choice % Family::ALL.len()];
    let options = EncodeOptions {
        l2: 0.1,
        raw: choice.is_multiple_of(7),
        allow: Check::ALL.into_iter().collect::<Checks>(),
        ..EncodeOptions::new(first, last, family)
    };
    match (fit(table, &options), fit_file(path, &options)) {
        (Ok(held), Ok(streamed)) => {
            assert_eq!(held.encoding, streamed.encoded.encoding, "two encodings of one file");
            assert_eq!(held.federation, streamed.encoded.federation, "two federations of one file");
        }
        (Err(error), Err(_)) => {
            let _ = (error.to_string(), error.hint());
        }
        (held, streamed) => panic!(
            "one way reads it, the other does not: {:?} and {:?}",
            held.err().map(|error| error.to_string()),
            streamed.err().map(|error| error.to_string())
        ),
    }
}
