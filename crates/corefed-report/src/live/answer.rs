//! One HTTP answer, and how it is handed over.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use super::deadline::left;
use super::request::Refusal;
use crate::ReportError;

/// An answer is handed over in pieces, so that the clock is looked at in between.
const PIECE: usize = 64 * 1024;

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// As a status line says it.
    pub status: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// What it holds.
    pub body: Arc<str>,
}

impl Answer {
    pub(super) fn new(status: &'static str, kind: &'static str, body: &str) -> Self {
        Self { status, kind, body: body.into() }
    }

    /// An answer in one line of text.
    pub(super) fn line(status: &'static str, body: &str) -> Self {
        Self::new(status, "text/plain", &format!("{body}\n"))
    }

    pub(super) fn failed(failure: &ReportError) -> Self {
        Self::line("500 Internal Server Error", &failure.to_string())
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Self::line(refusal.status(), "refused")
    }
}

/// Writes an answer and closes. A reader that went away, or that takes longer than the deadline allows, is
/// not an error of ours.
pub(super) fn write(stream: &mut TcpStream, answer: &Answer, deadline: Instant) {
    let Answer { status, kind, body } = answer;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nX-Frame-Options: SAMEORIGIN\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let pieces = std::iter::once(head.as_bytes()).chain(body.as_bytes().chunks(PIECE));
    for mut piece in pieces {
        while !piece.is_empty() {
            let Some(left) = left(deadline) else { return };
            if stream.set_write_timeout(Some(left)).is_err() {
                return;
            }
            match stream.write(piece) {
                Ok(0) => return,
                Ok(count) => piece = &piece[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}
