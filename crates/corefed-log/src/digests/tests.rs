use std::fs;

use super::*;
use crate::{NewFolder, write_entry};

fn told(folder: &Path) -> Vec<String> {
    altered_documents(folder).unwrap().iter().map(ToString::to_string).collect()
}

fn made(parent: &Path) -> std::path::PathBuf {
    let folder = NewFolder::create(parent.join("run")).unwrap();
    for name in ["audit.json", "spec.toml", PAGE, ROUNDS] {
        folder.write(name, name).unwrap();
    }
    folder.finish().unwrap()
}

#[test]
fn the_list_is_what_sha256sum_writes() {
    let parent = tempfile::tempdir().unwrap();
    let folder = NewFolder::create(parent.path().join("run")).unwrap();
    folder.write("b", "abc").unwrap();
    folder.write("a", "").unwrap();
    let folder = folder.finish().unwrap();
    let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
                    ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n\
                    # 2 documents\n";
    assert_eq!(fs::read_to_string(folder.join(DIGESTS)).unwrap(), expected);
}

#[test]
fn an_edited_or_removed_document_is_told_and_a_page_or_records_are_not() {
    let parent = tempfile::tempdir().unwrap();
    let folder = made(parent.path());
    assert_eq!(told(&folder), Vec::<String>::new());
    for name in [PAGE, ROUNDS] {
        fs::write(folder.join(name), "other").unwrap();
    }
    assert_eq!(told(&folder), Vec::<String>::new());
    fs::write(folder.join("audit.json"), "other").unwrap();
    fs::remove_file(folder.join("spec.toml")).unwrap();
    let said = told(&folder);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("audit.json` was edited"), "{said:?}");
    assert!(said[1].contains("spec.toml` was removed"), "{said:?}");
}

#[test]
fn what_is_written_by_us_is_listed_anew() {
    let parent = tempfile::tempdir().unwrap();
    let folder = made(parent.path());
    // An edit is forgotten when the document is written again, be it as it was.
    for text in ["audit.json", "another"] {
        fs::write(folder.join("audit.json"), "edited").unwrap();
        assert_eq!(told(&folder).len(), 1);
        write_entry(folder.join("audit.json"), text).unwrap();
        assert_eq!(told(&folder), Vec::<String>::new());
    }
    write_entry(folder.join("stay.json"), "new").unwrap();
    fs::write(folder.join("stay.json"), "edited").unwrap();
    assert!(told(&folder)[0].contains("stay.json` was edited"));
    // Anybody who writes another document does not vouch for this one.
    write_entry(folder.join("stay.md"), "new").unwrap();
    list(&folder, &["stay.json"]).unwrap();
    assert_eq!(told(&folder).len(), 1);
    forget(&folder, "stay.json").unwrap();
    assert_eq!(told(&folder), Vec::<String>::new());
}

#[test]
fn folders_without_a_list_have_nothing_to_tell_and_get_none() {
    let parent = tempfile::tempdir().unwrap();
    let folder = made(parent.path());
    fs::remove_file(folder.join(DIGESTS)).unwrap();
    write_entry(folder.join("audit.json"), "other").unwrap();
    list(&folder, &["audit.json"]).unwrap();
    assert_eq!(told(&folder), Vec::<String>::new());
    assert!(!folder.join(DIGESTS).exists());
}

#[test]
fn a_damaged_list_is_told_and_leads_nowhere() {
    let parent = tempfile::tempdir().unwrap();
    let folder = made(parent.path());
    fs::write(parent.path().join("secret"), "x").unwrap();
    let whole = fs::read_to_string(folder.join(DIGESTS)).unwrap();
    let digest = &whole[..64];
    let others = [
        format!("{whole}x"),
        whole.replacen("  ", " ", 1),
        whole.to_uppercase(),
        format!("{whole}{digest}  ../secret\n"),
        format!("{whole}{digest}  /etc/hostname\n"),
        whole[..whole.len() - 1].to_owned(),
        // Cut off at the end of a line.
        whole.split_inclusive('\n').take(1).collect(),
        whole.split_inclusive('\n').take(2).collect(),
        String::new(),
    ];
    for other in others {
        fs::write(folder.join(DIGESTS), &other).unwrap();
        let said = told(&folder);
        assert!(said.len() == 1 && said[0].contains("digests.sha256` was edited"), "{said:?}");
    }
    fs::write(folder.join(DIGESTS), b"\xff\n").unwrap();
    assert!(told(&folder)[0].contains(DIGESTS));
}

#[test]
fn a_list_of_what_came_grows_and_begins_anew_where_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["a.json", "b.json", "c.json"] {
        fs::write(folder.join(name), name).unwrap();
    }
    list(folder, &["a.json"]).unwrap();
    assert!(!folder.join(DIGESTS).exists(), "nobody has begun one");
    begin_list(folder, &["a.json", "absent.json", ".hidden"]).unwrap();
    list(folder, &["b.json"]).unwrap();
    assert_eq!(told(folder), Vec::<String>::new());
    for name in ["a.json", "b.json", "c.json"] {
        fs::write(folder.join(name), "other").unwrap();
    }
    list(folder, &["b.json"]).unwrap();
    assert_eq!(told(folder).len(), 2, "nobody vouches for an edit, and `c.json` was never listed");
    begin_list(folder, &["a.json"]).unwrap();
    assert_eq!(told(folder), Vec::<String>::new());
}
