//! Servers, disks and requests that fail, and what is left behind.

use std::net::TcpListener;

use corefed_fetch::{FetchError, Options, fetch};

use crate::server::{Reply, Server};
use crate::setting::{Folder, content, one_file, sha256};

#[test]
fn a_wrong_checksum_names_both_and_deletes_only_the_partial_file() {
    let mut wrong = content();
    wrong[100] ^= 1;
    let served = wrong.clone();
    let server = Server::start(move |_, _| Reply::File(served.clone()));
    let folder = Folder::new();
    folder.write("file.bin", b"what was there");
    folder.write("notes.txt", b"mine");
    let error = folder.fetch(&one_file(&[&server.address])).0.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`{}file.bin`: the checksum of `file.bin` is {}, expected {}",
            server.address,
            sha256(&wrong),
            sha256(&content())
        )
    );
    assert_eq!(folder.names(), ["file.bin", "notes.txt"]);
    assert_eq!(folder.read("file.bin").unwrap(), b"what was there");
}

#[test]
fn a_connection_that_keeps_breaking_leaves_what_arrived() {
    // The first reply gives 5,000 bytes, every later one nothing.
    let server = Server::start(|count, _| Reply::Cut(content(), if count == 0 { 5000 } else { 0 }));
    let folder = Folder::new();
    let error = folder.fetch(&one_file(&[&server.address])).0.unwrap_err();
    let expected = "file.bin` stopped after 5000 of 200000 bytes";
    assert!(error.to_string().ends_with(expected), "{error}");
    assert!(error.hint().unwrap().contains("resumes where it stopped"));
    assert_eq!(server.ranges(), [None, Some(5000)]);
    assert_eq!(folder.names(), ["file.bin.partial"]);
    assert_eq!(folder.read("file.bin.partial").unwrap(), content()[..5000]);
}

#[test]
fn patience_with_a_server_that_drips_is_limited() {
    let server = Server::start(|_, _| Reply::Cut(content(), 1));
    let error = Folder::new().fetch(&one_file(&[&server.address])).0.unwrap_err();
    assert!(matches!(error, FetchError::Interrupted { received: 6, .. }), "{error:?}");
}

#[test]
fn a_missing_file_suggests_a_mirror_and_leaves_nothing() {
    let server = Server::start(|_, _| Reply::Status("404 Not Found".to_owned()));
    let folder = Folder::new();
    let error = folder.fetch(&one_file(&[&server.address])).0.unwrap_err();
    let expected = format!("`{}file.bin` answers with status 404", server.address);
    assert_eq!(error.to_string(), expected);
    assert!(error.hint().unwrap().contains("--mirror"));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_refused_connection_suggests_a_mirror_and_keeps_what_had_arrived() {
    // A port that was just free and is closed again.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = Folder::new();
    folder.write("file.bin.partial", &content()[..10]);
    let entry = one_file(&[&format!("http://127.0.0.1:{port}/")]);
    let error = folder.fetch(&entry).0.unwrap_err();
    let expected = format!("cannot reach `http://127.0.0.1:{port}/file.bin`");
    assert_eq!(error.to_string(), expected);
    assert!(error.hint().unwrap().contains("--mirror"));
    assert_eq!(folder.read("file.bin.partial").unwrap(), content()[..10]);
}

#[test]
fn a_file_of_another_size_is_refused_before_it_is_downloaded() {
    for (found, file) in [(200_001, [content(), vec![0]].concat()), (3, b"404".to_vec())] {
        let server = Server::start(move |_, _| Reply::Whole(file.clone()));
        let folder = Folder::new();
        folder.write("file.bin.partial", &content()[..10]);
        let error = folder.fetch(&one_file(&[&server.address])).0.unwrap_err();
        let expected = format!("offers {found} bytes, expected 200000");
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert_eq!(folder.read("file.bin.partial").unwrap(), content()[..10]);
    }
}

#[test]
fn a_body_that_does_not_end_is_cut_off() {
    let server = Server::start(|_, _| Reply::Chunked([content(), content()].concat()));
    let folder = Folder::new();
    let error = folder.fetch(&one_file(&[&server.address])).0.unwrap_err();
    let expected = "sends more than the expected 200000 bytes";
    assert!(error.to_string().ends_with(expected), "{error}");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_redirect_in_a_circle_ends() {
    let server = Server::start(|_, _| Reply::Status("302 Found\r\nLocation: /file.bin".to_owned()));
    let error = Folder::new().fetch(&one_file(&[&server.address])).0.unwrap_err();
    assert!(matches!(error, FetchError::Connect { .. }), "{error:?}");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_partial_file_is_not_followed() {
    let server = Server::start(|_, _| Reply::File(content()));
    let folder = Folder::new();
    std::fs::write(folder.path("victim"), "precious").unwrap();
    for name in ["file.bin.partial", ".lock"] {
        std::os::unix::fs::symlink("victim", folder.path(name)).unwrap();
    }
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(folder.read("victim").as_deref(), Some(&b"precious"[..]));
    assert_eq!(folder.read("file.bin"), Some(content()));
    assert!(!std::fs::symlink_metadata(folder.path("file.bin")).unwrap().is_symlink());
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    // A folder in the place of the partial file, as permissions do not bind every user.
    std::fs::create_dir(folder.path("file.bin.partial")).unwrap();
    let error = folder.fetch(&one_file(&["http://127.0.0.1:9/"])).0.unwrap_err();
    assert!(matches!(error, FetchError::Write { .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("--data-dir"));
}

#[test]
fn two_fetches_of_one_set_do_not_mix() {
    let folder = Folder::new();
    let lock = std::fs::File::create(folder.path(".lock")).unwrap();
    lock.lock().unwrap();
    let error = folder.fetch(&one_file(&["http://127.0.0.1:9/"])).0.unwrap_err();
    assert!(error.to_string().starts_with("another process is fetching into `"), "{error}");
}

#[test]
fn what_cannot_be_fetched_is_said_before_anything_happens() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name, mirror: Option<&str>| {
        let mirror = mirror.map(ToOwned::to_owned);
        let options = Options { mirror, progress: &mut |_| panic!("nothing to tell") };
        fetch(name, folder.path(), options).unwrap_err()
    };
    assert_eq!(error("mnists", None).hint().unwrap(), "did you mean `mnist`?");
    let generated = error("shapes", None).to_string();
    assert_eq!(generated, "`shapes` is generated, so there is nothing to fetch");
    for mirror in ["ftp://x/", "x", "", "https://"] {
        let error = error("adult", Some(mirror));
        assert!(matches!(error, FetchError::Mirror { .. }), "{mirror}: {error:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
