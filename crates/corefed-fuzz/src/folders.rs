//! Run folders that somebody sent.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use corefed_log::{RecordTable, RunFolder, export_file};
use corefed_report::{folder as pages, render};
use corefed_run::{FittedModel, Silent, Stop, run_exact, train};
use corefed_spec::Spec;
use sha2::{Digest as _, Sha256};

use crate::scratch;

/// What an input replaces: its first byte chooses.
const FILES: [&str; 8] = [
    "trained/run.json",
    "trained/spec.toml",
    "trained/rounds.jsonl",
    "trained/agents.jsonl",
    "trained/audit.json",
    "exact/run.json",
    "exact/core.predictor.json",
    "exact/coalitions.json",
];

/// A small training and a small exact run, made once: they are of the format of this very build.
static TEMPLATES: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = scratch::folder("templates");
    let data = scratch::tiny().display().to_string();
    let read = |text: &str| Spec::parse("template.toml", text).expect("a spec");
    let both = format!(
        "name = \"tiny\"\ndata = {data:?}\nagent = \"agent\"\ntarget = \"sick\"\nmodel = \"logistic\"\n\
         l2 = 0.1\n"
    );
    let stop = Stop::default();
    run_exact(&read(&both), None, &folder.join("exact"), &stop, &Silent).expect("an exact run");
    let rounds = format!("{both}[train]\nrounds = 3\n");
    train(&read(&rounds), None, &folder.join("trained"), &stop, &mut Silent).expect("a training");
    folder
});

/// Replaces a file of a run and does with the folder what readers do.
pub(crate) fn folder(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let name = FILES[usize::from(*choice) % FILES.len()];
    let (kind, file) = name.split_once('/').expect("a folder and a file");
    // Only the file that differs is written anew.
    let folder = scratch_of(kind);
    fs::write(folder.join(file), bytes).expect("a file of the folder");
    read(&folder);
    scratch::again(&TEMPLATES.join(name), &folder.join(file));
}

/// The copy of a template that inputs are put into.
fn scratch_of(kind: &str) -> PathBuf {
    static EXACT: LazyLock<PathBuf> =
        LazyLock::new(|| scratch::copy(&TEMPLATES.join("exact"), "exact-run"));
    static TRAINED: LazyLock<PathBuf> =
        LazyLock::new(|| scratch::copy(&TEMPLATES.join("trained"), "trained-run"));
    if kind == "exact" { EXACT.clone() } else { TRAINED.clone() }
}

fn read(folder: &Path) {
    match pages::page(folder) {
        Ok(page) => assert!(render(&page).starts_with("<!doctype html>")),
        Err(error) => {
            let _ = error.to_string();
        }
    }
    let _ = FittedModel::find(folder, None);
    if let Ok(view) = RunFolder::peek(folder) {
        let _ = (view.model(), view.partition());
        for table in [RecordTable::Rounds, RecordTable::Agents] {
            let _ = export_file(&view, table, &folder.join("export.csv"));
        }
        let _ = fs::remove_file(folder.join("export.csv"));
    }
}

/// An input is a model, or, where its metadata leave room for a digest, a checkpoint whose digest is corrected.
pub(crate) fn safetensors(bytes: &[u8]) {
    let folder = scratch_of("trained");
    fs::write(folder.join("model.safetensors"), bytes).expect("a model");
    let view = RunFolder::peek(&folder).expect("a run");
    match view.model() {
        Ok(_) => {}
        Err(error) => {
            let _ = (error.to_string(), error.hint());
        }
    }
    let checkpoints = folder.join("checkpoints");
    let _ = fs::remove_dir_all(&checkpoints);
    fs::create_dir_all(&checkpoints).expect("a folder");
    fs::write(checkpoints.join("00000003.checkpoint"), with_digest(bytes)).expect("a checkpoint");
    if let Ok(mut run) = RunFolder::open(&folder) {
        let _ = run.restore();
    }
    // Restoring forgets records that came later; the next input begins with all of them.
    for name in ["rounds.jsonl", "agents.jsonl"] {
        scratch::again(&TEMPLATES.join("trained").join(name), &folder.join(name));
    }
}

/// The same bytes with their own digest where a checkpoint has it.
fn with_digest(bytes: &[u8]) -> Vec<u8> {
    let before = b"{\"__metadata__\":{\"sha256\":\"";
    let place = 8 + before.len()..8 + before.len() + 64;
    let mut bytes = bytes.to_vec();
    if bytes.get(8..8 + before.len()) == Some(before) && bytes.len() >= place.end {
        bytes[place.clone()].fill(b'0');
        let digest = Sha256::digest(&bytes);
        let digits = b"0123456789abcdef";
        let pairs = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for (place, digit) in place.zip(pairs) {
            bytes[place] = digits[usize::from(digit)];
        }
    }
    bytes
}
