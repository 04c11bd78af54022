//! A web server for one page: loopback unless told otherwise, and nothing but reading.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::request::{self, Request};
use crate::ReportError;

/// How long the server sleeps when nobody calls.
const NAP: Duration = Duration::from_millis(25);
/// Conversations at a time; a browser needs a few.
const MOST_CONVERSATIONS: usize = 32;

/// What is shown: pages are made anew for every request, so they are as young as the run.
pub trait Exhibit: Send + Sync + 'static {
    /// How far the run is, as JSON.
    fn state(&self) -> Result<String, ReportError>;
    /// The report of what is there.
    fn page(&self) -> Result<String, ReportError>;
}

/// A server that runs until dropped.
pub struct Server {
    address: SocketAddr,
    /// Path prefix, with a token where others can reach the port.
    prefix: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Begins to answer. Beyond loopback, the address has a token that nobody can guess.
    pub fn start(host: IpAddr, port: u16, exhibit: impl Exhibit) -> Result<Self, ReportError> {
        let failed = |source: std::io::Error| ReportError::Listen { host, port, source };
        let listener = TcpListener::bind((host, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let prefix = if host.is_loopback() { "/".to_owned() } else { format!("/{}/", token()?) };
        let stop = Arc::new(AtomicBool::new(false));
        let door = Door { prefix: prefix.clone(), address, exhibit: Arc::new(exhibit) };
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || door.keep(&listener, &stopped));
        Ok(Self { address, prefix, stop, thread: Some(thread) })
    }

    /// Where to look.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.prefix)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A server that panicked has nothing left to say.
            let _ = thread.join();
        }
    }
}

struct Door<E> {
    prefix: String,
    address: SocketAddr,
    exhibit: Arc<E>,
}

impl<E: Exhibit> Door<E> {
    fn keep(self, listener: &TcpListener, stop: &AtomicBool) {
        let door = Arc::new(self);
        let conversations = Arc::new(AtomicUsize::new(0));
        while !stop.load(Ordering::Relaxed) {
            let Ok((mut stream, _)) = listener.accept() else {
                std::thread::sleep(NAP);
                continue;
            };
            if conversations.fetch_add(1, Ordering::Relaxed) >= MOST_CONVERSATIONS {
                request::answer(&mut stream, "503 Service Unavailable", "text/plain", "busy\n");
                conversations.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (door, count) = (Arc::clone(&door), Arc::clone(&conversations));
            std::thread::spawn(move || {
                door.talk(&mut stream);
                count.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }

    fn talk(&self, stream: &mut TcpStream) {
        // Accepted sockets inherit the listener's mode on some systems.
        let _ = stream.set_nonblocking(false);
        let Request { path, host } = match request::read(stream) {
            Ok(request) => request,
            Err(refusal) => {
                return request::answer(stream, refusal.status(), "text/plain", "refused\n");
            }
        };
        if !self.is_ours(&host) {
            return request::answer(stream, "403 Forbidden", "text/plain", "another host's name\n");
        }
        let made = match path.strip_prefix(&self.prefix) {
            Some("") => Ok(("text/html", super::frame::PAGE.to_owned())),
            Some("state") => self.exhibit.state().map(|text| ("application/json", text)),
            Some("report") => self.exhibit.page().map(|text| ("text/html", text)),
            _ => return request::answer(stream, "404 Not Found", "text/plain", "not here\n"),
        };
        match made {
            Ok((kind, body)) => request::answer(stream, "200 OK", kind, &body),
            Err(failure) => {
                let body = format!("{failure}\n");
                request::answer(stream, "500 Internal Server Error", "text/plain", &body);
            }
        }
    }

    /// A page of somebody else's must not read ours by pointing its own name at loopback.
    fn is_ours(&self, host: &str) -> bool {
        if !self.address.ip().is_loopback() {
            return true;
        }
        let port = self.address.port();
        [format!("{}", self.address), format!("localhost:{port}"), format!("127.0.0.1:{port}")]
            .iter()
            .any(|own| own == host)
    }
}

/// 128 bits that nobody can guess.
fn token() -> Result<String, ReportError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| ReportError::Randomness { reason: error.to_string() })?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::Ipv4Addr;

    use super::*;

    struct Fixed;

    impl Exhibit for Fixed {
        fn state(&self) -> Result<String, ReportError> {
            Ok("{\"round\":3}".to_owned())
        }
        fn page(&self) -> Result<String, ReportError> {
            Err(ReportError::Nothing { path: "no report yet".into() })
        }
    }

    fn ask(server: &Server, text: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn it_reads_out_and_takes_nothing_in() {
        let server = Server::start(Ipv4Addr::LOCALHOST.into(), 0, Fixed).unwrap();
        let host = format!("Host: {}\r\n\r\n", server.address);
        let get = |path: &str| ask(&server, &format!("GET {path} HTTP/1.1\r\n{host}"));
        assert!(get("/").starts_with("HTTP/1.1 200 OK"));
        assert!(get("/state").ends_with("{\"round\":3}"));
        assert!(get("/report").contains("500") && get("/report").contains("no report yet"));
        assert!(get("/../../etc/passwd").starts_with("HTTP/1.1 404"));
        assert!(ask(&server, &format!("PUT / HTTP/1.1\r\n{host}")).contains("405"));
        assert!(ask(&server, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").contains("403"));
        assert!(ask(&server, "hello\r\n\r\n").contains("400"));
        let address = server.address;
        drop(server);
        assert!(TcpStream::connect(address).is_err(), "it closes");
    }

    #[test]
    fn beyond_loopback_a_token_is_needed() {
        let server = Server::start(Ipv4Addr::UNSPECIFIED.into(), 0, Fixed).unwrap();
        let local = SocketAddr::from((Ipv4Addr::LOCALHOST, server.address.port()));
        let get = |path: &str| {
            let mut stream = TcpStream::connect(local).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        assert!(get("/").contains("404") && get("/state").contains("404"));
        assert_eq!(server.prefix.len(), 34);
        assert!(get(&format!("{}state", server.prefix)).contains("200 OK"));
    }
}
