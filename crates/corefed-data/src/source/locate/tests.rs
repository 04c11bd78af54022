use super::*;
use crate::source::catalogue::{Archive, Published, Reader, find};

/// NIST's example: SHA-256 of "abc".
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const fn abc(name: &'static str) -> KnownFile {
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    KnownFile { name, size: 3, sha256: ABC, md5, inflated: Some(5) }
}

const SET: Entry = Entry {
    name: "set",
    title: "",
    about: "",
    licence: "",
    citation: "",
    agent: None,
    target: None,
    origin: Origin::Published(Published {
        addresses: &[],
        files: &[abc("a.gz"), abc("b")],
        archive: Some(Archive { file: abc("all.tar.gz"), prefix: "" }),
        read: Reader::Whole(|_| unreachable!("nobody reads it")),
    }),
};

/// The state of a folder that holds these files.
#[track_caller]
fn state(files: &[(&str, &str)], depth: Depth) -> State {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("set")).unwrap();
    for (name, content) in files {
        fs::write(folder.path().join("set").join(name), content).unwrap();
    }
    locate(&SET, folder.path(), depth).unwrap()
}

#[test]
fn a_set_is_absent_partial_or_present() {
    let both = Depth::Checksums;
    assert_eq!(state(&[], both), State::Absent);
    assert_eq!(state(&[("a.gz", "abc")], both), State::Partial { missing: vec!["b"] });
    let whole = [("a.gz", "abc"), ("b", "abc")];
    assert_eq!(state(&whole, both), State::Present { verified: true });
    assert_eq!(state(&whole, Depth::Sizes), State::Present { verified: false });
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(locate(&SET, folder.path(), both).unwrap(), State::Absent);
}

#[test]
fn a_begun_download_is_partial() {
    for name in ["b.partial", "all.tar.gz.partial"] {
        let found = state(&[(name, "")], Depth::Sizes);
        assert_eq!(found, State::Partial { missing: vec!["a.gz", "b"] }, "{name}");
    }
}

#[test]
fn a_wrong_size_is_damage_at_once_and_wrong_bytes_when_asked() {
    let damage = Damage::Size { expected: 3, found: 2 };
    assert_eq!(state(&[("b", "ab")], Depth::Sizes), State::Damaged { file: "b", damage });
    let files = [("a.gz", "abc"), ("b", "abd")];
    assert_eq!(state(&files, Depth::Sizes), State::Present { verified: false });
    let found = state(&files, Depth::Checksums);
    let State::Damaged { file: "b", damage: Damage::Checksum { expected: ABC, .. } } = found else {
        panic!("{found:?}")
    };
}

#[test]
fn a_decompressed_file_counts_but_cannot_be_verified() {
    let files = [("a", "12345"), ("b", "abc")];
    assert_eq!(state(&files, Depth::Checksums), State::Present { verified: false });
    let damage = Damage::Size { expected: 5, found: 4 };
    assert_eq!(state(&[("a", "1234")], Depth::Sizes), State::Damaged { file: "a.gz", damage });
}

#[test]
fn generated_sets_need_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let entry = find("hospitals").unwrap();
    assert_eq!(locate(entry, folder.path(), Depth::Sizes).unwrap(), State::Generated);
}
