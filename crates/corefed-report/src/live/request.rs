//! One HTTP request, read with suspicion: anybody who can reach the port can send anything, or nothing.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::Instant;

use super::deadline::left;

/// A browser's request head is far smaller; more is not read.
const MOST_BYTES: usize = 16 * 1024;
/// What ends the head of a request.
const END: &[u8] = b"\r\n\r\n";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) path: String,
    pub(super) host: String,
}

/// Why a request is not answered, as a status line says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not HTTP, or too long.
    Malformed,
    /// Only reading is offered.
    Method,
    /// It was not complete in time.
    Slow,
}

impl Refusal {
    pub(super) fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::Method => "405 Method Not Allowed",
            Self::Slow => "408 Request Timeout",
        }
    }
}

/// Reads the head of a request, all of it before the deadline: a byte now and then does not extend it.
pub(super) fn read(stream: &mut TcpStream, deadline: Instant) -> Result<Vec<u8>, Refusal> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    loop {
        let left = left(deadline).ok_or(Refusal::Slow)?;
        stream.set_read_timeout(Some(left)).map_err(|_| Refusal::Malformed)?;
        match stream.read(&mut chunk) {
            Ok(0) => return Err(Refusal::Malformed),
            Ok(count) => {
                // The end may lie across two pieces.
                let from = head.len().saturating_sub(END.len() - 1);
                head.extend_from_slice(&chunk[..count]);
                if head[from..].windows(END.len()).any(|end| end == END) {
                    return Ok(head);
                }
                if head.len() > MOST_BYTES {
                    return Err(Refusal::Malformed);
                }
            }
            Err(error) if is_timeout(error.kind()) => return Err(Refusal::Slow),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Err(Refusal::Malformed),
        }
    }
}

/// Systems differ in how they call it.
fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

pub(super) fn parse(head: &[u8]) -> Result<Request, Refusal> {
    let text = std::str::from_utf8(head).map_err(|_| Refusal::Malformed)?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (first.next(), first.next(), first.next(), first.next())
    else {
        return Err(Refusal::Malformed);
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err(Refusal::Malformed);
    }
    if method != "GET" {
        return Err(Refusal::Method);
    }
    let host = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, value)| value.trim().to_owned());
    let path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
    Ok(Request { path, host: host.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reading_is_understood() {
        let ask = |text: &str| parse(text.as_bytes());
        let found = ask("GET /a/b?c=d HTTP/1.1\r\nhOsT: 127.0.0.1:80\r\n\r\n").unwrap();
        assert_eq!(found, Request { path: "/a/b".into(), host: "127.0.0.1:80".into() });
        assert_eq!(ask("POST / HTTP/1.1\r\n\r\n"), Err(Refusal::Method));
        for bad in ["", "GET\r\n\r\n", "GET / SPDY\r\n\r\n", "GET x HTTP/1.1\r\n\r\n", "\0\r\n\r\n"]
        {
            assert_eq!(ask(bad), Err(Refusal::Malformed), "{bad:?}");
        }
    }
}
