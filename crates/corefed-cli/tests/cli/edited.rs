//! Documents of a folder that were edited after they were written: every reader names them.

use std::fs;

use crate::harness::Folder;

/// Edits each document in turn, has the folder reported, and puts it back.
fn every_edit_is_told(folder: &Folder, name: &str, documents: &[&str]) {
    let report = format!("report {name}");
    let untouched = folder.run(&report);
    assert_eq!((untouched.code, untouched.err.as_str()), (0, ""), "{name}");
    for document in documents {
        let path = format!("{name}/{document}");
        let text = folder.read(&path);
        folder.write(&path, &format!("{text}\n"));
        let said = folder.run(&report);
        let told = format!("warning: `{path}` was edited after it was written");
        assert!(said.code == 0 && said.err.contains(&told), "{path}: {}", said.err);
        let page = folder.read(&format!("{name}/report.html"));
        assert!(page.contains(&format!("`{path}` was edited after it was written")), "{path}");
        folder.write(&path, &text);
    }
    let again = folder.run(&report);
    assert_eq!((again.code, again.err.as_str()), (0, ""), "{name}");
    assert!(!folder.read(&format!("{name}/report.html")).contains("was edited"), "{name}");
}

#[test]
fn every_kind_of_folder_knows_its_documents() {
    let folder = Folder::hospitals();
    let exact = ["run.json", "spec.toml", "federation.csv", "core.predictor.json"];
    let more = ["core.certificate.json", "summary.md", "utilities.svg"];
    every_edit_is_told(&folder, "run", &[&exact[..], &more].concat());
    let made = [
        ("compare hospitals-rounds --rules fedavg,corefed --set train.rounds=5 --out", "compare"),
        ("sweep hospitals --values 0.72,1 --out", "sweep"),
        ("ceiling hospitals --policy pooled-constant --out", "ceiling"),
        ("stay hospitals --out", "stay"),
    ];
    for (command, name) in made {
        let said = folder.run(&format!("{command} {name}"));
        assert_ne!(said.code, 2, "{}", said.err);
        every_edit_is_told(&folder, name, &[&format!("{name}.json"), &format!("{name}.md")]);
    }
    every_edit_is_told(&folder, "compare", &["spec.toml", "fedavg-seed-8/audit.json"]);
}

#[test]
fn what_comes_later_is_listed_and_vouches_for_nothing_else() {
    let folder = Folder::new(&[]);
    let said = folder.run("run hospitals-rounds --set train.rounds=5 --out run");
    assert_ne!(said.code, 2, "{}", said.err);
    let said = folder.run("stay run");
    assert_ne!(said.code, 2, "{}", said.err);
    every_edit_is_told(&folder, "run", &["audit.json", "stay.json", "summary.md", "run.json"]);
    // A resume writes its own documents again; what it does not write stays edited, and is said.
    for name in ["audit.json", "stay.json"] {
        let path = format!("run/{name}");
        folder.write(&path, &(folder.read(&path) + "\n"));
    }
    let said = folder.run("run --resume run");
    for name in ["audit.json", "stay.json"] {
        let told = format!("warning: `run/{name}` was edited");
        assert!(said.err.contains(&told), "{}", said.err);
    }
    let said = folder.run("report run");
    assert!(!said.err.contains("audit.json"), "{}", said.err);
    assert!(said.err.contains("`run/stay.json` was edited"), "{}", said.err);
    assert_ne!(folder.run("stay run").code, 2);
    assert_eq!(folder.run("report run").err, "");
    // Folders of earlier versions have no list.
    fs::remove_file(folder.path("run/digests.sha256")).expect("removed");
    folder.write("run/stay.md", "x");
    assert_eq!(folder.run("report run").err, "");
}
