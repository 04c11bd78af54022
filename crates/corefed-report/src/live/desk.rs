//! What is said to a request: a pure answer to the bytes of its head, made anew only when the run has moved.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::answer::Answer;
use super::frame;
use super::request::{Request, parse};
use crate::ReportError;

/// A run that is asked how far it is more often than this is not looked at again.
const FRESH: Duration = Duration::from_millis(100);
/// Between two renderings lies this multiple of the time the last one took, unless the run is over: watching
/// takes at most a fifth of one core from training.
const REST: u32 = 4;

/// What is shown.
pub trait Exhibit: Send + Sync + 'static {
    /// How far the run is.
    fn state(&self) -> Result<State, ReportError>;
    /// The report of what is there.
    fn page(&self) -> Result<String, ReportError>;
}

/// How far a run is. Two pages of one state are the same page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The last round that is written down.
    pub round: Option<u64>,
    /// How many there will be.
    pub rounds: Option<usize>,
    /// Whether the run is over and has written its report.
    pub done: bool,
}

impl State {
    fn json(self) -> String {
        let Self { round, rounds, done } = self;
        json!({ "round": round, "rounds": rounds, "done": done }).to_string()
    }
}

/// Answers requests about one exhibit, however many ask.
pub struct Desk<E> {
    exhibit: E,
    prefix: String,
    /// Names under which a browser may ask; any, where none are listed.
    hosts: Vec<String>,
    seen: Mutex<Option<(Instant, State)>>,
    drawn: Mutex<Option<Drawn>>,
}

/// The page that was rendered last.
struct Drawn {
    state: State,
    answer: Answer,
    ready: Instant,
    took: Duration,
}

impl<E: Exhibit> Desk<E> {
    /// A desk at an address, below a path that begins and ends with a slash.
    pub fn new(address: SocketAddr, prefix: &str, exhibit: E) -> Self {
        let port = address.port();
        let own = [format!("{address}"), format!("localhost:{port}"), format!("127.0.0.1:{port}")];
        // A page of somebody else's must not read ours by pointing its own name at loopback.
        let hosts = if address.ip().is_loopback() { own.to_vec() } else { Vec::new() };
        let (seen, drawn) = (Mutex::new(None), Mutex::new(None));
        Self { exhibit, prefix: prefix.to_owned(), hosts, seen, drawn }
    }

    /// The answer to a request of which this is the head.
    pub fn answer(&self, head: &[u8]) -> Answer {
        let Request { path, host } = match parse(head) {
            Ok(request) => request,
            Err(refusal) => return refusal.into(),
        };
        if !self.hosts.is_empty() && !self.hosts.contains(&host) {
            return Answer::line("403 Forbidden", "another host's name");
        }
        match path.strip_prefix(&self.prefix) {
            Some("") => Answer::new("200 OK", "text/html", frame::PAGE),
            Some("state") => match self.state() {
                Ok(state) => Answer::new("200 OK", "application/json", &state.json()),
                Err(failure) => Answer::failed(&failure),
            },
            Some("report") => self.page().unwrap_or_else(|failure| Answer::failed(&failure)),
            _ => Answer::line("404 Not Found", "not here"),
        }
    }

    fn state(&self) -> Result<State, ReportError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, state)) = *seen
            && when.elapsed() < FRESH
        {
            return Ok(state);
        }
        let state = self.exhibit.state()?;
        *seen = Some((Instant::now(), state));
        Ok(state)
    }

    /// The page of the run's state. Anybody who asks while it is rendered waits for it and gets the same.
    fn page(&self) -> Result<Answer, ReportError> {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.state()?;
        if let Some(last) = &*drawn {
            let resting = last.ready.elapsed() < last.took * REST;
            if last.state == state || resting && !state.done {
                return Ok(last.answer.clone());
            }
        }
        let begin = Instant::now();
        let answer = Answer::new("200 OK", "text/html", &self.exhibit.page()?);
        let (ready, took) = (Instant::now(), begin.elapsed());
        *drawn = Some(Drawn { state, answer: answer.clone(), ready, took });
        Ok(answer)
    }
}
