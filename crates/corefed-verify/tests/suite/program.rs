//! The checker as a program: names in a document are shown, and none acts on the terminal of anybody who checks it.

use std::io::Write;
use std::process::{Command, Stdio};

use corefed_core::is_hidden;
use serde_json::{Value, json};

use crate::parabolas::stable;

/// Clears the screen and forges a line.
const NAME: &str = "\u{1b}[2J\u{1b}[H\nverified: the certificate says stable\u{202e}\u{9b}8m";

/// What it prints on both streams, and its exit code.
fn run(arguments: &[&str], input: &str) -> (String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_corefed-verify"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // It may end without reading.
    let _ = child.stdin.take().expect("an input").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("an end");
    let both = [output.stdout, output.stderr].concat();
    (String::from_utf8(both).expect("text"), output.status.code().expect("a code"))
}

#[test]
fn a_name_cannot_speak_for_the_checker() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut forged = serde_json::to_value(stable()).expect("JSON");
    forged["agents"][0]["name"] = json!(NAME);
    let mut field = forged.clone();
    field["claim"][NAME] = json!(1);
    let data = folder.path().join("d.csv");
    std::fs::write(&data, format!("agent,x,y\n\"{NAME}\",1,0\nB,1,1\n")).expect("written");
    let data = data.to_str().expect("text");
    for document in [&forged, &field] {
        let path = folder.path().join("c.json");
        std::fs::write(&path, document.to_string()).expect("written");
        let path = path.to_str().expect("text");
        for arguments in [
            &[path][..],
            &[path, "--json"],
            &[path, "--data", data],
            &[path, "--data", data, "--json"],
            &[NAME],
            &[path, NAME],
            &["--batch", "--data", data],
        ] {
            let (said, code) = run(arguments, &format!("{document}\n"));
            assert!(!said.contains(|c| is_hidden(c) && c != '\n'), "{arguments:?}: {said:?}");
            let forged = said.lines().any(|line| line.starts_with("verified"));
            assert!(!forged, "{arguments:?}: {said}");
            assert!((0..=2).contains(&code), "{arguments:?}: {code}");
        }
    }
}

#[test]
fn escaped_answers_are_the_same_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c.json");
    let mut field = serde_json::to_value(stable()).expect("JSON");
    field["claim"]["\u{202e}"] = json!(1);
    std::fs::write(&path, field.to_string()).expect("written");
    let (said, code) = run(&[path.to_str().expect("text"), "--json"], "");
    let answer: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, &answer["status"]), (1, &json!("refused")));
    assert!(answer["reason"].as_str().expect("a reason").contains('\u{202e}'), "{said}");
}
