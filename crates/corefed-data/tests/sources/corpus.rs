//! Small files made by hand, one per way to be wrong. The name of a file is the start of the
//! name of its reader, then what is wrong with it.

use std::fs;
use std::path::Path;

use corefed_data::source::{SourceError, adult, cifar, heart, idx};

/// Reads a file of the corpus with the reader its name asks for.
fn read(name: &str, bytes: &[u8]) -> Result<(), SourceError> {
    let labels = [0, 0, 8, 1, 0, 0, 0, 1, 0];
    let images = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9];
    match name.split('-').next() {
        Some("images") => idx::parse((name, bytes), ("labels", &labels), 10).map(drop),
        Some("labels") => idx::parse(("images", &images), (name, bytes), 10).map(drop),
        Some("cifar") => cifar::parse(name, bytes).map(drop),
        Some("adult") => adult::parse(name, bytes).map(drop),
        Some("heart") => heart::parse("heart", [(name, bytes); 4]).map(drop),
        _ => panic!("no reader for `{name}`"),
    }
}

#[test]
fn every_file_of_the_corpus_gets_its_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let answers = fs::read_to_string(folder.join("ANSWERS")).unwrap();
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !matches!(name.as_str(), "ANSWERS" | ".gitattributes"))
        .collect();
    names.sort();
    let found: String = names
        .iter()
        .map(|name| match read(name, &fs::read(folder.join(name)).unwrap()) {
            Ok(()) => format!("{name}: read\n"),
            Err(error) => format!("{name}: {error}\n"),
        })
        .collect();
    assert!(found == answers, "expected:\n{answers}\nfound:\n{found}");
}
