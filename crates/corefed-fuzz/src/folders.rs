//! Run folders that somebody sent.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use corefed_documents::Document;
use corefed_log::{RecordTable, RunFolder, export_file};
use corefed_report::{folder as pages, render};
use corefed_run::{
    FittedModel, MailSession, MailTerms, audit_answers, choices, known_changes, verify_file,
};
use sha2::{Digest as _, Sha256};

use crate::answers::POST;
use crate::partitions::partition;
use crate::scratch;
use crate::templates::{TEMPLATES, asked};

/// What an input replaces: its first byte chooses.
const FILES: [&str; 21] = [
    "trained/run.json",
    "trained/spec.toml",
    "trained/rounds.jsonl",
    "trained/agents.jsonl",
    "trained/audit.json",
    "exact/run.json",
    "exact/core.predictor.json",
    "exact/coalitions.json",
    "trained/certificate.json",
    "trained/digests.sha256",
    "trained/changes.json",
    "trained/partition.json",
    "exact/core.certificate.json",
    "exact/digests.sha256",
    "exact/stay.json",
    "compared/compare.json",
    "compared/.unfinished",
    "compared/digests.sha256",
    "swept/sweep.json",
    "stayed/stay.json",
    "post/session.json",
];

/// Replaces a file of a folder and does with the folder what readers do.
pub(crate) fn folder(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let name = FILES[usize::from(*choice) % FILES.len()];
    let (kind, file) = name.split_once('/').expect("a folder and a file");
    if kind == "post" {
        return session(bytes);
    }
    // Only the file that differs is written anew.
    let folder = scratch_of(kind);
    fs::write(folder.join(file), bytes).expect("a file of the folder");
    read(&folder);
    match file {
        "certificate.json" | "core.certificate.json" => {
            for data in [&[][..], &[scratch::tiny().to_owned()]] {
                let _ = verify_file(&folder.join(file), data, None);
            }
        }
        "partition.json" => partition(bytes),
        // Dropped, it leaves a folder in which there is something.
        ".unfinished" => drop(asked().claim(&folder, true)),
        _ => {}
    }
    let template = TEMPLATES.join(name);
    if template.is_file() {
        scratch::again(&template, &folder.join(file));
    } else {
        let _ = fs::remove_file(folder.join(file));
    }
}

/// A federation by mail whose coordinator's session somebody has edited.
fn session(bytes: &[u8]) {
    let folder = scratch::copy(&POST, "edited-session");
    let path = folder.join("session.json");
    fs::write(&path, bytes).expect("a session");
    if let Ok(session) = MailSession::read(&path) {
        let _ = session.digest();
    }
    let _ = audit_answers(&folder, &MailTerms::default(), &[]);
}

/// The copy of a template that inputs are put into, made when it is first asked for.
fn scratch_of(kind: &str) -> PathBuf {
    static MADE: Mutex<Vec<(String, PathBuf)>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, folder)) = made.iter().find(|(name, _)| name == kind) {
        return folder.clone();
    }
    let folder = scratch::copy(&TEMPLATES.join(kind), &format!("{kind}-run"));
    made.push((kind.to_owned(), folder.clone()));
    folder
}

fn read(folder: &Path) {
    match pages::page(folder) {
        Ok(page) => assert!(render(&page).starts_with("<!doctype html>")),
        Err(error) => {
            let _ = error.to_string();
        }
    }
    let _ = FittedModel::find(folder, None);
    let _ = choices(folder, None);
    if let Ok(view) = RunFolder::peek(folder) {
        let _ = (view.model(), view.partition());
        for table in [RecordTable::Rounds, RecordTable::Agents] {
            let _ = export_file(&view, table, &folder.join("export.csv"));
        }
        let _ = fs::remove_file(folder.join("export.csv"));
    }
    if folder.join("changes.json").is_file()
        && let Ok(run) = RunFolder::open(folder)
    {
        let _ = known_changes(&run);
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
