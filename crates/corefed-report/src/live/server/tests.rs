//! Real sockets, polite and otherwise. Nothing here asserts how long something took.

use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::sync::atomic::AtomicUsize;

use super::*;
use crate::live::State;

/// A run of which the test says how far it is.
#[derive(Default)]
struct Told {
    round: AtomicUsize,
    pages: AtomicUsize,
    /// Bytes of a page.
    size: usize,
}

impl Exhibit for Arc<Told> {
    fn state(&self) -> Result<State, ReportError> {
        let round = self.round.load(Ordering::SeqCst) as u64;
        Ok(State { round: Some(round), rounds: Some(9), done: round == 9 })
    }
    fn page(&self) -> Result<String, ReportError> {
        self.pages.fetch_add(1, Ordering::SeqCst);
        let round = self.round.load(Ordering::SeqCst);
        if round == 0 {
            return Err(ReportError::Nothing { path: "no report yet".into() });
        }
        Ok(format!("<p>round {round}</p>{}", "x".repeat(self.size)))
    }
}

fn told(round: usize) -> Arc<Told> {
    Arc::new(Told { round: round.into(), pages: 0.into(), size: 1000 })
}

fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(address::here(server.address)).unwrap()
}

fn ask(server: &Server, text: &str) -> String {
    let mut stream = connect(server);
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(server: &Server, path: &str) -> String {
    ask(server, &format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address))
}

fn local(told: &Arc<Told>, manners: Manners) -> Server {
    Server::start_with(Ipv4Addr::LOCALHOST.into(), 0, Arc::clone(told), manners).unwrap()
}

#[test]
fn it_reads_out_and_takes_nothing_in() {
    let server = local(&told(0), Manners::default());
    assert!(get(&server, "/").starts_with("HTTP/1.1 200 OK"));
    assert!(get(&server, "/state").ends_with("{\"round\":0,\"rounds\":9,\"done\":false}"));
    let failed = get(&server, "/report");
    assert!(failed.contains("500") && failed.contains("no report yet"), "{failed}");
    assert!(get(&server, "/../../etc/passwd").starts_with("HTTP/1.1 404"));
    let put = format!("PUT / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    assert!(ask(&server, &put).contains("405"));
    assert!(ask(&server, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").contains("403"));
    assert!(ask(&server, "hello\r\n\r\n").contains("400"));
    assert_eq!(server.invitation(), format!("http://{}/ (Ctrl-C ends)", server.address));
    let address = server.address;
    drop(server);
    assert!(TcpStream::connect(address).is_err(), "it closes");
}

#[test]
fn beyond_loopback_a_token_is_needed_and_the_address_works() {
    let told = told(3);
    let server = Server::start(Ipv4Addr::UNSPECIFIED.into(), 0, told).unwrap();
    assert!(get(&server, "/").contains("404") && get(&server, "/state").contains("404"));
    assert_eq!(server.prefix.len(), 34);
    let url = server.url();
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path}state HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("200 OK"), "{answer}");
    let note = server.invitation();
    assert!(note.contains("plain HTTP") && note.contains(&server.prefix), "{note}");
    assert!(!note.contains("0.0.0.0"), "{note}");
}

#[test]
fn a_page_is_rendered_once_per_round_however_many_ask() {
    let told = told(1);
    let server = local(&told, Manners::default());
    for round in 1..=9 {
        told.round.store(round, Ordering::SeqCst);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert!(get(&server, "/report").contains("<p>round ")));
            }
        });
    }
    let pages = told.pages.load(Ordering::SeqCst);
    assert!((1..=10).contains(&pages), "72 requests in nine rounds rendered {pages} pages");
    // The last page is never an old one: the run has been over for longer than a state is believed.
    std::thread::sleep(Duration::from_millis(150));
    assert!(get(&server, "/report").contains("<p>round 9</p>"));
}

#[test]
fn a_byte_now_and_then_does_not_extend_the_deadline() {
    let manners = Manners { asking: Duration::from_millis(300), ..Manners::default() };
    let server = local(&told(1), manners);
    let mut slow = connect(&server);
    let mut sent = 0;
    // Each byte comes well within the deadline, the request never would.
    while sent < 1000 && slow.write_all(b"G").is_ok() {
        sent += 1;
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(sent < 1000, "the server never closed");
    assert!(get(&server, "/state").contains("200 OK"));
}

#[test]
fn slow_visitors_make_room_for_others() {
    let patient = Duration::from_secs(600);
    let manners = Manners { most: 4, asking: patient, taking: patient };
    let server = local(&told(1), manners);
    let mut slow: Vec<TcpStream> = (0..12)
        .map(|_| {
            let mut stream = connect(&server);
            stream.write_all(b"GET /").unwrap();
            stream
        })
        .collect();
    // None of the twelve would be done for ten minutes.
    for _ in 0..5 {
        assert!(get(&server, "/state").contains("200 OK"));
    }
    let closed = slow.iter_mut().filter(|stream| matches!(stream.peek(&mut [0]), Ok(0) | Err(_)));
    // All but those that still have a place: reading from them would wait for ever.
    assert!(closed.take(9).count() == 9);
}

/// A page that is rendered until the test says that it is done.
struct Slow {
    begun: std::sync::mpsc::Sender<()>,
    done: std::sync::Mutex<std::sync::mpsc::Receiver<()>>,
}

impl Exhibit for Slow {
    fn state(&self) -> Result<State, ReportError> {
        Ok(State { round: Some(1), rounds: Some(9), done: false })
    }
    fn page(&self) -> Result<String, ReportError> {
        self.begun.send(()).unwrap();
        self.done.lock().unwrap().recv().unwrap();
        Ok("<p>at last</p>".to_owned())
    }
}

#[test]
fn who_has_asked_is_answered_though_slow_visitors_come() {
    let patient = Duration::from_secs(600);
    let manners = Manners { most: 4, asking: patient, taking: patient };
    let (begun, begins) = std::sync::mpsc::channel();
    let (finish, done) = std::sync::mpsc::channel();
    let slow = Slow { begun, done: done.into() };
    let server = Server::start_with(Ipv4Addr::LOCALHOST.into(), 0, slow, manners).unwrap();
    std::thread::scope(|scope| {
        let polite = scope.spawn(|| get(&server, "/report"));
        begins.recv().unwrap();
        let _slow: Vec<TcpStream> = (0..12).map(|_| connect(&server)).collect();
        // All of them had a place before this one, which is answered at once.
        assert!(get(&server, "/").contains("200 OK"));
        finish.send(()).unwrap();
        assert!(polite.join().unwrap().contains("at last"));
    });
}

#[test]
fn who_never_reads_is_left() {
    // More than the buffers of two sockets hold.
    let size = 32 << 20;
    let manners = Manners { taking: Duration::from_millis(300), ..Manners::default() };
    let server = local(&Arc::new(Told { round: 2.into(), pages: 0.into(), size }), manners);
    let ask = format!("GET /report HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let mut deaf = connect(&server);
    deaf.write_all(ask.as_bytes()).unwrap();
    // Long after the deadline, only what the buffers held is left to read.
    std::thread::sleep(Duration::from_secs(2));
    let mut got = Vec::new();
    // Closing may reset the connection, which an error tells.
    let _ = deaf.read_to_end(&mut got);
    assert!(got.len() < size, "{} bytes", got.len());
    assert!(get(&server, "/state").contains("200 OK"));
}
