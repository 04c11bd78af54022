//! An HTTP server of one thread that replies as a test tells it to.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What a client asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// `N` of `Range: bytes=N-`.
    pub(crate) from: Option<usize>,
}

/// How to answer it.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// The file, honouring ranges.
    File(Vec<u8>),
    /// The file from its start, whatever was asked.
    Whole(Vec<u8>),
    /// Claims the file (or its range) but hangs up after this many bytes.
    Cut(Vec<u8>, usize),
    /// The file without its length, as one chunk.
    Chunked(Vec<u8>),
    /// These lines after `HTTP/1.1 `, and no body.
    Status(String),
}

/// A running server; it dies with the test.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Asks `reply` for every request in turn; the number counts them from zero.
    pub(crate) fn start(reply: impl Fn(usize, &Request) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                let count = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request.clone());
                    seen.len() - 1
                };
                // A client that has seen enough hangs up, and that is not a failure of the server.
                let _ = write(&mut stream, &request, reply(count, &request));
            }
        });
        Self { address, requests }
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// From where each request wanted the file.
    pub(crate) fn ranges(&self) -> Vec<Option<usize>> {
        self.requests().iter().map(|request| request.from).collect()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    let mut from = None;
    for line in lines {
        let line = line.ok()?.to_lowercase();
        if line.is_empty() {
            return Some(Request { path, from });
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.strip_suffix('-').and_then(|from| from.parse().ok());
        }
    }
    None
}

fn write(stream: &mut TcpStream, request: &Request, reply: Reply) -> std::io::Result<()> {
    let (head, body) = match reply {
        Reply::File(file) => ranged(request, &file, usize::MAX),
        Reply::Cut(file, bytes) => ranged(request, &file, bytes),
        Reply::Whole(file) => (format!("200 OK\r\nContent-Length: {}", file.len()), file),
        Reply::Chunked(file) => {
            let mut body = format!("{:x}\r\n", file.len()).into_bytes();
            body.extend(file);
            body.extend(b"\r\n0\r\n\r\n");
            ("200 OK\r\nTransfer-Encoding: chunked".to_owned(), body)
        }
        Reply::Status(head) => (format!("{head}\r\nContent-Length: 0"), Vec::new()),
    };
    write!(stream, "HTTP/1.1 {head}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(&body)
}

fn ranged(request: &Request, file: &[u8], most: usize) -> (String, Vec<u8>) {
    let size = file.len();
    match request.from {
        Some(from) if from >= size => {
            (format!("416 Too far\r\nContent-Range: bytes */{size}\r\nContent-Length: 0"), vec![])
        }
        Some(from) => {
            let head = format!(
                "206 Partial\r\nContent-Range: bytes {from}-{}/{size}\r\nContent-Length: {}",
                size - 1,
                size - from
            );
            (head, file[from..].iter().copied().take(most).collect())
        }
        None => {
            let body = file.iter().copied().take(most).collect();
            (format!("200 OK\r\nContent-Length: {size}"), body)
        }
    }
}
