//! Servers that give the file in the end.

use crate::server::{Reply, Request, Server};
use crate::setting::{Folder, content, known, one_file};

#[test]
fn a_file_arrives_and_a_second_fetch_asks_nobody() {
    let server = Server::start(|_, _| Reply::File(content()));
    let (folder, entry) = (Folder::new(), one_file(&[&server.address]));
    let (fetched, told) = folder.fetch(&entry);
    let fetched = fetched.unwrap();
    assert_eq!((fetched.kept.len(), fetched.placed), (0, vec!["file.bin"]));
    assert_eq!(told, ["asking", "received", "verifying", "placed file.bin"]);
    assert_eq!(folder.read("file.bin").unwrap(), content());
    assert_eq!(folder.names(), ["file.bin"]);
    let (again, told) = folder.fetch(&entry);
    assert_eq!((again.unwrap().kept, told), (vec!["file.bin"], vec!["kept".to_owned()]));
    assert_eq!(server.requests(), [Request { path: "/file.bin".to_owned(), from: None }]);
}

#[test]
fn a_broken_connection_is_taken_up_where_it_broke() {
    let server = Server::start(|count, _| {
        if count < 2 { Reply::Cut(content(), 70_000) } else { Reply::File(content()) }
    });
    let folder = Folder::new();
    let (fetched, told) = folder.fetch(&one_file(&[&server.address]));
    fetched.unwrap();
    assert_eq!(server.ranges(), [None, Some(70_000), Some(140_000)]);
    assert!(told.contains(&"resuming at 140000".to_owned()), "{told:?}");
    assert_eq!(folder.read("file.bin").unwrap(), content());
    assert_eq!(folder.names(), ["file.bin"]);
}

#[test]
fn a_later_fetch_goes_on_where_an_earlier_one_stopped() {
    let server = Server::start(|_, _| Reply::File(content()));
    let folder = Folder::new();
    folder.write("file.bin.partial", &content()[..123_456]);
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(server.ranges(), [Some(123_456)]);
    assert_eq!(folder.read("file.bin").unwrap(), content());
}

#[test]
fn a_whole_partial_file_is_only_verified() {
    let server = Server::start(|_, _| Reply::File(content()));
    let folder = Folder::new();
    folder.write("file.bin.partial", &content());
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(server.requests(), []);
    assert_eq!(folder.names(), ["file.bin"]);
}

#[test]
fn a_server_without_ranges_starts_over() {
    let server = Server::start(|_, _| Reply::Whole(content()));
    let folder = Folder::new();
    // Wrong bytes, so that appending to them would show.
    folder.write("file.bin.partial", &[7; 1000]);
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(server.ranges(), [Some(1000)]);
    assert_eq!(folder.read("file.bin").unwrap(), content());
}

#[test]
fn a_range_of_another_file_starts_over() {
    // The server replies 206 for a file of another size to the first request only.
    let server =
        Server::start(|count, _| Reply::File(if count == 0 { vec![1; 2000] } else { content() }));
    let folder = Folder::new();
    folder.write("file.bin.partial", &content()[..1000]);
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(server.ranges(), [Some(1000), None]);
}

#[test]
fn a_range_beyond_the_end_starts_over() {
    let server =
        Server::start(|count, _| Reply::File(if count == 0 { vec![1; 10] } else { content() }));
    let folder = Folder::new();
    folder.write("file.bin.partial", &content()[..1000]);
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(server.ranges(), [Some(1000), None]);
}

#[test]
fn a_partial_file_that_is_too_long_starts_over() {
    let server = Server::start(|_, _| Reply::File(content()));
    let folder = Folder::new();
    folder.write("file.bin.partial", &[content(), vec![0]].concat());
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(server.ranges(), [None]);
}

#[test]
fn a_body_of_unknown_length_is_accepted() {
    let server = Server::start(|_, _| Reply::Chunked(content()));
    let folder = Folder::new();
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    assert_eq!(folder.read("file.bin").unwrap(), content());
}

#[test]
fn redirects_are_followed_with_their_range() {
    let server = Server::start(|_, request| match request.path.as_str() {
        "/file.bin" => Reply::Status("302 Found\r\nLocation: /elsewhere".to_owned()),
        _ => Reply::File(content()),
    });
    let folder = Folder::new();
    folder.write("file.bin.partial", &content()[..500]);
    folder.fetch(&one_file(&[&server.address])).0.unwrap();
    let paths: Vec<_> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/file.bin", "/elsewhere"]);
    assert_eq!(server.ranges(), [Some(500), Some(500)]);
}

#[test]
fn the_next_address_is_tried_when_one_fails() {
    let bad = Server::start(|_, _| Reply::Status("503 Busy".to_owned()));
    let good = Server::start(|_, _| Reply::File(content()));
    let folder = Folder::new();
    let (fetched, told) = folder.fetch(&one_file(&[&bad.address, &good.address]));
    fetched.unwrap();
    assert!(told[1].ends_with("answers with status 503"), "{told:?}");
}

#[test]
fn a_mirror_replaces_the_addresses_with_or_without_a_slash() {
    let server = Server::start(|_, _| Reply::File(content()));
    for mirror in [format!("{}deep", server.address), format!("{}deep/", server.address)] {
        let (fetched, _) =
            Folder::new().fetch_from(&one_file(&["http://no.invalid/"]), Some(&mirror));
        fetched.unwrap();
    }
    assert!(server.requests().iter().all(|request| request.path == "/deep/file.bin"));
}

#[test]
fn a_damaged_file_is_replaced_and_a_right_one_kept() {
    let server = Server::start(|_, _| Reply::File(content()));
    let entry = crate::setting::entry(
        &[&server.address],
        vec![known("file.bin", &content()), known("other.bin", b"other")],
        None,
    );
    let folder = Folder::new();
    folder.write("file.bin", b"damaged");
    folder.write("other.bin", b"other");
    let fetched = folder.fetch(&entry).0.unwrap();
    assert_eq!((fetched.kept, fetched.placed), (vec!["other.bin"], vec!["file.bin"]));
    assert_eq!(folder.read("file.bin").unwrap(), content());
}
