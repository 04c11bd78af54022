//! Peers that are slow, deaf, busy or of another time.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::UNIX_EPOCH;

use super::*;
use crate::proto::{Node, PushObject, PushedObject};

const NOW: u64 = 1_800_000_000;

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(NOW)
}

fn link(address: &str, patience: Patience) -> Result<Link<'static>, NodeError> {
    Link::new(address, true, None, NodeKey::of_seed(7), (&now, patience))
}

#[test]
fn addresses_with_more_than_host_and_port_are_refused() {
    for address in [
        "http://link:8000",
        "link:8000/",
        "me@link:8000",
        "link",
        ":8000",
        "link:port",
        "link:8000 ",
    ] {
        let refused = link(address, Patience::default()).err();
        let hint = refused.as_ref().and_then(NodeError::hint).unwrap_or_default();
        assert!(matches!(refused, Some(NodeError::Address { .. })), "{address}");
        assert!(hint.contains("http://"), "{hint}");
    }
    for address in ["link:8000", "[::1]:8000", "192.0.2.1:1"] {
        assert!(link(address, Patience::default()).is_ok(), "{address}");
    }
}

#[test]
fn a_clock_is_blamed_only_where_flower_would_refuse_it() {
    let link = link("link:8000", Patience::default()).unwrap();
    let clock = |theirs: u64, age: u64| match link
        .unknown(Some(theirs), now() - Duration::from_secs(age))
    {
        NodeError::Clock { seconds, direction, .. } => Some((seconds, direction)),
        NodeError::Stranger => None,
        other => panic!("{other}"),
    };
    assert_eq!(clock(NOW, 0), None);
    assert_eq!(clock(NOW + 10, 0), None, "behind, and taken");
    assert_eq!(clock(NOW + 290, 5), None);
    assert_eq!(clock(NOW + 290, 15), Some((290, "behind")), "with the age of the signature");
    assert_eq!(clock(NOW + 301, 0), Some((301, "behind")));
    assert_eq!(clock(NOW - 5, 0), None);
    assert_eq!(clock(NOW - 6, 0), Some((6, "ahead of")));
    assert!(matches!(link.unknown(None, now()), NodeError::Stranger));
}

/// What a peer says to one call.
fn told(answer: &[u8]) -> NodeError {
    let answer = answer.to_vec();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // All of the request: what is not read would cut the answer off.
        let (mut said, mut more) = (Vec::new(), [0; 4096]);
        while !said.ends_with(b"\r\n\r\n") {
            let count = stream.read(&mut more).unwrap();
            said.extend_from_slice(&more[..count]);
        }
        // A client that has heard enough closes.
        let _ = std::io::Write::write_all(&mut stream, &answer);
    });
    let link = link(&address, Patience::default()).unwrap();
    link.call::<Node>("activate-node", &Node::default()).unwrap_err()
}

#[test]
fn a_proxy_that_is_busy_is_tried_again() {
    for answer in [
        b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n".as_slice(),
        b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n",
    ] {
        let error = told(answer);
        assert!(matches!(error, NodeError::Away { .. }), "{error}");
    }
    let error = told(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    assert!(matches!(error, NodeError::Protocol { .. }), "{error}");
}

#[test]
fn short_answers_that_are_long_are_refused() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 70000\r\n\r\n";
    let error = told(&[head.as_slice(), &vec![0; 70_000]].concat());
    assert!(error.to_string().contains("more than 65536 bytes"), "{error}");
}

/// Accepts a call and never reads what it sends.
fn deaf() -> (String, thread::JoinHandle<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (address, thread::spawn(move || listener.accept().unwrap().0))
}

#[test]
fn a_peer_that_stops_reading_is_left() {
    let short = Duration::from_millis(200);
    let long = Duration::from_secs(3600);
    for (silence, call) in [(short, long), (long, short)] {
        let (address, peer) = deaf();
        let link = link(&address, Patience { silence, call, brief: long }).unwrap();
        // More than sockets hold.
        let request = PushObject { content: vec![0; 64 << 20], ..PushObject::default() };
        let error = link.call::<PushedObject>("push-object", &request).unwrap_err();
        assert!(matches!(error, NodeError::Away { .. }), "{error}");
        drop(peer.join());
    }
}
