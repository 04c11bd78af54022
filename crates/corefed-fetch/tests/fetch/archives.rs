//! Sets that are published as one `.tar.gz`.

use std::io::Write as _;

use corefed_data::source::catalogue::{Archive, Entry};
use corefed_fetch::FetchError;
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use crate::server::{Reply, Server};
use crate::setting::{Folder, content, entry, known};

/// A member as the archive states it; the tar crate itself would refuse some of these paths.
fn member(path: &str, kind: EntryType, content: &[u8]) -> (Header, Vec<u8>) {
    let mut header = Header::new_gnu();
    header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    if kind == EntryType::Symlink {
        header.as_old_mut().linkname[..4].copy_from_slice(b"/etc");
    }
    header.set_cksum();
    (header, content.to_vec())
}

fn file(path: &str, content: &[u8]) -> (Header, Vec<u8>) {
    member(path, EntryType::Regular, content)
}

fn pack(members: &[(Header, Vec<u8>)]) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (header, content) in members {
        builder.append(header, &content[..]).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

/// The set of `a.bin` and `b.bin` in an archive that is published as it is.
fn set(address: &str, packed: &[u8]) -> Entry {
    let archive = Archive { file: known("all.tar.gz", packed), prefix: "inner/" };
    entry(&[address], vec![known("a.bin", &content()), known("b.bin", b"bb")], Some(archive))
}

/// Fetches that set.
fn fetch(packed: &[u8]) -> (Folder, Result<corefed_fetch::Fetched, FetchError>, Vec<String>) {
    let served = packed.to_vec();
    let server = Server::start(move |_, _| Reply::File(served.clone()));
    let folder = Folder::new();
    let (fetched, told) = folder.fetch(&set(&server.address, packed));
    (folder, fetched, told)
}

#[test]
fn wanted_files_are_unpacked_and_the_archive_goes() {
    let (folder, fetched, told) = fetch(&pack(&[
        member("inner/", EntryType::Directory, b""),
        file("inner/readme.html", b"not wanted"),
        file("inner/b.bin", b"bb"),
        file("inner/a.bin", &content()),
    ]));
    assert_eq!(fetched.unwrap().placed, ["a.bin", "b.bin"]);
    assert_eq!(folder.names(), ["a.bin", "b.bin"]);
    assert_eq!(folder.read("a.bin").unwrap(), content());
    assert_eq!(folder.read("b.bin").unwrap(), b"bb");
    let unpacking = ["unpacking b.bin", "placed b.bin", "unpacking a.bin", "placed a.bin"];
    assert_eq!(told, [&["asking", "received", "verifying"][..], &unpacking].concat());
}

#[test]
fn an_archive_is_not_fetched_for_files_that_are_there() {
    let folder = Folder::new();
    folder.write("a.bin", &content());
    folder.write("b.bin", b"bb");
    let (fetched, _) = folder.fetch(&set("http://127.0.0.1:9/", b"unused"));
    assert_eq!(fetched.unwrap().kept, ["a.bin", "b.bin"]);
}

#[test]
fn paths_that_lead_out_are_refused() {
    for path in ["../evil", "inner/../../evil", "/evil", "inner\\..\\evil", "C:evil"] {
        let (folder, fetched, _) = fetch(&pack(&[file(path, b"evil")]));
        let error = fetched.unwrap_err();
        assert!(matches!(error, FetchError::UnsafeMember { .. }), "{path}: {error:?}");
        assert_eq!(folder.names(), ["all.tar.gz.partial"], "{path}");
        assert!(!folder.path("../evil").exists(), "{path}");
    }
}

#[test]
fn links_and_devices_are_refused() {
    for kind in [EntryType::Symlink, EntryType::Link, EntryType::Char, EntryType::Fifo] {
        let (folder, fetched, _) = fetch(&pack(&[member("inner/a.bin", kind, b"")]));
        let error = fetched.unwrap_err();
        assert!(matches!(error, FetchError::UnsafeMember { .. }), "{kind:?}: {error:?}");
        assert_eq!(folder.names(), ["all.tar.gz.partial"], "{kind:?}");
    }
}

#[test]
fn members_must_be_there_and_have_their_size() {
    let (folder, fetched, _) = fetch(&pack(&[file("inner/b.bin", b"bb"), file("a.bin", b"x")]));
    let error = fetched.unwrap_err().to_string();
    assert!(error.ends_with("has 0 bytes of `a.bin`, expected 200000"), "{error}");
    // What was right stays.
    assert_eq!(folder.names(), ["all.tar.gz.partial", "b.bin"]);
    let (_, fetched, _) = fetch(&pack(&[file("inner/b.bin", b"bbb")]));
    let error = fetched.unwrap_err().to_string();
    assert!(error.ends_with("has 3 bytes of `b.bin`, expected 2"), "{error}");
}

#[test]
fn members_must_have_their_checksum() {
    let (folder, fetched, _) = fetch(&pack(&[file("inner/b.bin", b"bc")]));
    let error = fetched.unwrap_err();
    assert!(matches!(error, FetchError::Checksum { file: "b.bin", .. }), "{error:?}");
    assert_eq!(folder.names(), ["all.tar.gz.partial"]);
}

#[test]
fn a_damaged_archive_is_named() {
    let whole = pack(&[file("inner/a.bin", &content()), file("inner/b.bin", b"bb")]);
    let (folder, fetched, _) = fetch(&whole[..whole.len() / 2]);
    let error = fetched.unwrap_err();
    assert!(matches!(error, FetchError::Archive { .. }), "{error:?}");
    assert_eq!(folder.read("a.bin"), None);
}

#[test]
fn an_archive_that_inflates_without_end_is_cut_off() {
    // 64 MB of zeros in 64 kB, before the files that are wanted.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let (header, _) = file("inner/zeros", b"");
    let mut header = header;
    header.set_size(64 << 20);
    header.set_cksum();
    encoder.write_all(header.as_bytes()).unwrap();
    for _ in 0..64 {
        encoder.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let (_, fetched, _) = fetch(&encoder.finish().unwrap());
    let error = fetched.unwrap_err();
    assert!(matches!(error, FetchError::Archive { .. }), "{error:?}");
}
