//! Every kept input, without the fuzzer: what once went wrong does not go wrong again.

use std::fs;
use std::path::Path;

use corefed_fuzz::TARGETS;

#[test]
fn every_kept_input_is_taken() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&corpus).unwrap() {
        names.push(entry.unwrap().file_name().into_string().unwrap());
    }
    names.sort();
    let mut known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    known.sort_unstable();
    assert_eq!(names, known, "one folder of inputs for each target");
    for target in TARGETS {
        let mut inputs = 0;
        for entry in fs::read_dir(corpus.join(target.name)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let run = std::panic::catch_unwind(|| (target.run)(&bytes));
            assert!(run.is_ok(), "{}", path.display());
            inputs += 1;
        }
        assert!(inputs >= 3, "`{}` has {inputs} inputs", target.name);
        (target.run)(b"");
    }
}
