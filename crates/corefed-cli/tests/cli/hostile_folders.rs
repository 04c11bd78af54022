//! Folders that somebody sent: nothing in them is read or written through a link that leads out.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::Folder;
use crate::run_folder::same;

const PRECIOUS: &str = "precious\n";

/// A training of ten rounds that was stopped after round 6, and a file that is nobody's business.
fn stopped() -> Folder {
    let folder = Folder::new(&[("victim", PRECIOUS)]);
    let said = folder.run(
        "run hospitals-rounds --set train.rounds=10 --set train.record.checkpoint_every=3 \
         --set train.record.tensorboard=true --out r",
    );
    assert_ne!(said.code, 2, "{}", said.err);
    folder
}

/// The link is named, what it leads to is as it was, and there is a hint.
fn refused(folder: &Folder, arguments: &str, link: &str) {
    let said = folder.run(arguments);
    assert_eq!(said.code, 2, "{arguments}: {}", said.out);
    assert!(said.err.contains(&format!("`{link}` is a link")), "{arguments}: {}", said.err);
    assert!(said.err.contains("hint:"), "{}", said.err);
    assert_eq!(folder.read("victim"), PRECIOUS, "{arguments}");
}

#[test]
fn a_link_in_place_of_a_temporary_file_is_not_written_through() {
    let folder = stopped();
    symlink("../victim", folder.path("r/report.html.partial")).expect("a link");
    refused(&folder, "report r", "r/report.html.partial");
    fs::remove_file(folder.path("r/report.html.partial")).expect("removed");
    // A leftover of a process that was killed does not get in the way.
    folder.write("r/report.html.partial", "half");
    assert_eq!(folder.run("report r").code, 0);
    assert!(folder.read("r/report.html").starts_with("<!doctype html>"));
    assert!(!folder.path("r/report.html.partial").exists());
    // Beside a file of the user's own there is no folder to refuse: the link goes, the victim stays.
    symlink("victim", folder.path("o.csv.partial")).expect("a link");
    let said = folder.run("data export hospitals --out o.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(folder.read("victim"), PRECIOUS);
    assert!(folder.read("o.csv").starts_with("agent,"));
    symlink("victim", folder.path("e.csv.partial")).expect("a link");
    assert_eq!(folder.run("export r --out e.csv").code, 0);
    assert_eq!(folder.read("victim"), PRECIOUS);
}

#[test]
fn a_page_beside_a_document_is_not_written_through_a_link_nor_a_pipe_waited_for() {
    let folder = stopped();
    let solved = folder.run("run hospitals --out st");
    assert_ne!(solved.code, 2, "{}", solved.err);
    fs::create_dir(folder.path("sent")).expect("a folder");
    fs::copy(folder.path("st/core.predictor.json"), folder.path("sent/fit.json")).expect("copied");
    symlink("../victim", folder.path("sent/fit.html")).expect("a link");
    assert_eq!(folder.run("report sent/fit.json").code, 0);
    assert_eq!(folder.read("victim"), PRECIOUS);
    assert!(folder.read("sent/fit.html").starts_with("<!doctype html>"));
    fs::create_dir(folder.path("fold")).expect("a folder");
    let made = std::process::Command::new("mkfifo").arg(folder.path("fold/.unfinished")).status();
    assert!(made.expect("mkfifo runs").success());
    let said = folder.run("compare hospitals-rounds --set train.rounds=3 --out fold");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("fold/.unfinished"), "{}", said.err);
}

#[test]
fn every_file_of_a_run_that_is_a_link_out_is_refused_by_every_command() {
    let folder = stopped();
    let whole = folder.files("r");
    let commands = [
        "run --resume r",
        "report r",
        "export r --out e.csv",
        "choose r",
        "predict r r/federation.csv",
        "stay r",
    ];
    for name in [
        "rounds.jsonl",
        "agents.jsonl",
        "spec.toml",
        "audit.json",
        "model.safetensors",
        "report.html",
        ".lock",
    ] {
        let path = folder.path(&format!("r/{name}"));
        let kept = fs::read(&path).expect(name);
        fs::remove_file(&path).expect("removed");
        symlink("../victim", &path).expect("a link");
        for command in commands {
            refused(&folder, command, &format!("r/{name}"));
        }
        fs::remove_file(&path).expect("removed");
        fs::write(&path, kept).expect("written");
    }
    same(&whole, &folder.files("r"));
}

#[test]
fn a_pipe_in_a_folder_is_refused_and_nobody_waits_for_it() {
    let folder = stopped();
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo").arg(folder.path(name)).status();
        assert!(made.expect("mkfifo runs").success());
    };
    for name in ["spec.toml", "rounds.jsonl", "audit.json", "report.html.partial"] {
        let path = folder.path(&format!("r/{name}"));
        let kept = fs::read(&path).ok();
        if kept.is_some() {
            fs::remove_file(&path).expect("removed");
        }
        pipe(&format!("r/{name}"));
        for command in ["run --resume r", "report r", "export r --out e.csv", "choose r"] {
            let said = folder.run(command);
            assert_eq!(said.code, 2, "{command}: {}", said.out);
            let told = format!("`r/{name}` is a pipe, a socket or a device");
            assert!(said.err.contains(&told), "{command}: {}", said.err);
        }
        assert_eq!(folder.run("stay r").code, 2);
        fs::remove_file(&path).expect("removed");
        if let Some(bytes) = kept {
            fs::write(&path, bytes).expect("written");
        }
    }
    // Beside a file of the user's own there is no folder to refuse: the pipe is removed.
    pipe("o.csv.partial");
    let said = folder.run("data export hospitals --out o.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!folder.path("o.csv.partial").exists());
}

#[test]
fn linked_folders_lose_nothing() {
    let folder = stopped();
    for name in ["checkpoints", "tensorboard"] {
        fs::create_dir(folder.path("elsewhere")).expect("a folder");
        let theirs = ["a.partial", "00000001.checkpoint", "00000002.checkpoint", "notes.txt"];
        for file in theirs {
            folder.write(&format!("elsewhere/{file}"), PRECIOUS);
        }
        let path = folder.path(&format!("r/{name}"));
        let moved = folder.path("moved");
        fs::rename(&path, &moved).expect("moved");
        symlink("../elsewhere", &path).expect("a link");
        refused(&folder, "run --resume r", &format!("r/{name}"));
        assert_eq!(fs::read_dir(folder.path("elsewhere")).expect("a folder").count(), theirs.len());
        fs::remove_file(&path).expect("removed");
        fs::rename(&moved, &path).expect("moved");
        fs::remove_dir_all(folder.path("elsewhere")).expect("removed");
    }
    assert_ne!(folder.run("run --resume r").code, 2);
}

#[test]
fn links_that_stay_inside_are_read_and_a_run_behind_a_link_is_a_run() {
    let folder = stopped();
    symlink("summary.md", folder.path("r/README.md")).expect("a link");
    symlink("r", folder.path("latest")).expect("a link");
    assert_eq!(folder.run("report latest").code, 0);
    assert_ne!(folder.run("run --resume latest").code, 2);
}

#[test]
fn comparisons_sweeps_and_mail_from_strangers_are_searched_for_links() {
    let folder = Folder::new(&[("victim", PRECIOUS)]);
    let compare = "compare hospitals-rounds --set train.rounds=2 --rules fedavg,corefed --out c";
    assert_eq!(folder.run(compare).code, 0);
    symlink("../../victim", folder.path("c/fedavg-seed-8/notes")).expect("a link");
    refused(&folder, "report c", "c/fedavg-seed-8/notes");
    refused(&folder, "choose c", "c/fedavg-seed-8/notes");
    refused(&folder, &format!("{compare} --resume"), "c/fedavg-seed-8/notes");
    assert_eq!(folder.run("sweep hospitals --values 1,2 --out s").code, 0);
    symlink("/etc", folder.path("s/etc")).expect("a link");
    refused(&folder, "report s", "s/etc");
    fs::create_dir(folder.path("post")).expect("a folder");
    symlink("../victim", folder.path("post/a.summary.json")).expect("a link");
    refused(&folder, "audit --answers post", "post/a.summary.json");
}
