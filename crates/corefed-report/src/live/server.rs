//! A web server for one page: loopback unless told otherwise, and nothing but reading.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::conversations::{Conversations, Seat};
use super::desk::{Desk, Exhibit};
use super::{address, answer, request};
use crate::ReportError;

/// How long the server sleeps when nobody calls.
const NAP: Duration = Duration::from_millis(25);
/// And after every caller: at most a hundred are answered in a second, however many call. A browser needs two.
const PACE: Duration = Duration::from_millis(10);

/// How much a visitor may ask of the server.
#[derive(Clone, Copy, Debug)]
struct Manners {
    /// Conversations at a time; a browser needs a few, and everybody who waits for one rendering has one.
    most: usize,
    /// A request must be complete after this long.
    asking: Duration,
    /// And its answer taken after this long.
    taking: Duration,
}

impl Default for Manners {
    fn default() -> Self {
        Self { most: 64, asking: Duration::from_secs(5), taking: Duration::from_secs(20) }
    }
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
        Self::start_with(host, port, exhibit, Manners::default())
    }

    fn start_with(
        host: IpAddr,
        port: u16,
        exhibit: impl Exhibit,
        manners: Manners,
    ) -> Result<Self, ReportError> {
        let failed = |source: std::io::Error| ReportError::Listen { host, port, source };
        let listener = TcpListener::bind((host, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let prefix = if host.is_loopback() { "/".to_owned() } else { format!("/{}/", token()?) };
        let stop = Arc::new(AtomicBool::new(false));
        let desk = Arc::new(Desk::new(address, &prefix, exhibit));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || keep(&desk, &listener, manners, &stopped));
        Ok(Self { address, prefix, stop, thread: Some(thread) })
    }

    /// Where to look, on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", address::here(self.address), self.prefix)
    }

    /// Where to look, for the person who started it; and, in lines of its own, where others find the page and
    /// what they should know.
    #[must_use]
    pub fn invitation(&self) -> String {
        let here = format!("{} (Ctrl-C ends)", self.url());
        if self.address.ip().is_loopback() {
            return here;
        }
        let port = self.address.port();
        let found = match address::elsewhere(self.address) {
            Some(address) => format!("http://{address}{}", self.prefix),
            None => format!("http://ADDRESS-OF-THIS-MACHINE:{port}{}", self.prefix),
        };
        format!(
            "{here}\nfrom other machines: {found}\nnote: this is plain HTTP; anybody who carries its packets can \
             read the page and its address. `ssh -L {port}:127.0.0.1:{port}` and the default host keep both private"
        )
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

fn keep<E: Exhibit>(
    desk: &Arc<Desk<E>>,
    listener: &TcpListener,
    manners: Manners,
    stop: &AtomicBool,
) {
    let conversations = Arc::new(Conversations::default());
    let mut id = 0;
    while !stop.load(Ordering::Relaxed) {
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(NAP);
            continue;
        };
        id += 1;
        // Somebody who is gone again needs no answer.
        let Ok(seat) = conversations.admit(id, &stream, manners.most) else { continue };
        let desk = Arc::clone(desk);
        let talk = move || {
            talk(&desk, &mut stream, manners, &seat);
            drop(seat);
        };
        // Without a thread to spare, the connection is closed.
        let _ = std::thread::Builder::new().spawn(talk);
        std::thread::sleep(PACE);
    }
}

fn talk<E: Exhibit>(desk: &Desk<E>, stream: &mut TcpStream, manners: Manners, seat: &Seat) {
    // Accepted sockets inherit the listener's mode on some systems.
    let _ = stream.set_nonblocking(false);
    let said = match request::read(stream, Instant::now() + manners.asking) {
        Ok(head) => {
            seat.asked();
            desk.answer(&head)
        }
        Err(refusal) => refusal.into(),
    };
    answer::write(stream, &said, Instant::now() + manners.taking);
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
mod tests;
