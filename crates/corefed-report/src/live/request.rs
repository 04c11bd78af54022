//! One HTTP request, read with suspicion: whoever can reach the port can send anything.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A browser's request head is far smaller; more is not read.
const MOST_BYTES: usize = 16 * 1024;
/// Somebody who says nothing for so long is not listened to.
const PATIENCE: Duration = Duration::from_secs(5);

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
}

impl Refusal {
    pub(super) fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::Method => "405 Method Not Allowed",
        }
    }
}

/// Reads the head of a request.
pub(super) fn read(stream: &mut TcpStream) -> Result<Request, Refusal> {
    let malformed = |_| Refusal::Malformed;
    stream.set_read_timeout(Some(PATIENCE)).map_err(malformed)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(malformed)?;
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > MOST_BYTES {
            return Err(Refusal::Malformed);
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return Err(Refusal::Malformed),
            Ok(count) => head.extend_from_slice(&chunk[..count]),
        }
    }
    parse(&head)
}

fn parse(head: &[u8]) -> Result<Request, Refusal> {
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

/// Writes a whole answer and closes. A reader that went away is not an error of ours.
pub(super) fn answer(stream: &mut TcpStream, status: &str, kind: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nX-Frame-Options: SAMEORIGIN\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
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
