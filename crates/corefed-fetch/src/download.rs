//! One file from one address, taken up again where the connection broke.

use std::io::Read;
use std::time::Duration;

use corefed_data::source::catalogue::KnownFile;
use ureq::Agent;
use ureq::http::{Response, header};

use crate::partial::Partial;
use crate::{FetchError, Progress};

/// How often a connection that broke is taken up again before giving up.
const RESUMES: usize = 5;
/// A server that is silent for so long is taken for dead.
const SILENCE: Duration = Duration::from_secs(60);
const OK: u16 = 200;
const PARTIAL_CONTENT: u16 = 206;
const RANGE_NOT_SATISFIABLE: u16 = 416;

/// The HTTP client of all downloads.
pub(crate) fn client() -> Agent {
    Agent::config_builder()
        // A status is compared with what the request allows, not with a fixed list.
        .http_status_as_error(false)
        .timeout_resolve(Some(SILENCE))
        .timeout_connect(Some(SILENCE))
        .timeout_recv_response(Some(SILENCE))
        .timeout_per_read(Some(SILENCE))
        .user_agent(concat!("corefed/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

/// Fills `partial` from `address`.
pub(crate) fn download(
    client: &Agent,
    address: &str,
    known: &KnownFile,
    partial: &mut Partial,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), FetchError> {
    for _ in 0..RESUMES {
        let before = partial.len();
        match attempt(client, address, known, partial, progress) {
            Err(FetchError::Interrupted { .. }) if partial.len() > before => {
                let bytes = partial.len();
                progress(Progress::Resuming { file: known.name, bytes, total: known.size });
            }
            done => return done,
        }
    }
    attempt(client, address, known, partial, progress)
}

fn attempt(
    client: &Agent,
    address: &str,
    known: &KnownFile,
    partial: &mut Partial,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), FetchError> {
    let have = partial.len();
    if partial.missing() == 0 {
        return Ok(());
    }
    progress(Progress::Asking { address });
    let mut response = get(client, address, have)?;
    let mut start = if response.status().as_u16() == PARTIAL_CONTENT { have } else { 0 };
    // The server holds a file that does not continue ours: ask for all of it.
    let useless = match response.status().as_u16() {
        PARTIAL_CONTENT => !continues(&response, have, known.size),
        RANGE_NOT_SATISFIABLE => true,
        _ => false,
    };
    if have > 0 && useless {
        response = get(client, address, 0)?;
        start = 0;
    }
    let status = response.status().as_u16();
    if status != OK && !(status == PARTIAL_CONTENT && start > 0) {
        return Err(FetchError::Status { address: address.to_owned(), status });
    }
    if let Some(offered) = number(&response, header::CONTENT_LENGTH) {
        let found = offered.saturating_add(start);
        if found != known.size {
            let address = address.to_owned();
            return Err(FetchError::Size { address, expected: known.size, found });
        }
    }
    // Only now is it certain that starting over gains anything.
    if start == 0 {
        partial.restart()?;
    }
    receive(&mut response.into_body().into_reader(), address, known, partial, progress)
}

/// Copies a body into the partial file until the file is full.
fn receive(
    body: &mut dyn Read,
    address: &str,
    known: &KnownFile,
    partial: &mut Partial,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), FetchError> {
    let interrupted = |partial: &Partial, source| FetchError::Interrupted {
        address: address.to_owned(),
        expected: known.size,
        received: partial.len(),
        source,
    };
    let mut block = vec![0; 1 << 16];
    loop {
        let n = match body.read(&mut block) {
            Ok(n) => n,
            // A body that is complete may still end badly, say in a chunk's last line.
            Err(_) if partial.missing() == 0 => 0,
            Err(source) => return Err(interrupted(partial, Some(source))),
        };
        if n == 0 {
            let whole = partial.missing() == 0;
            return if whole { Ok(()) } else { Err(interrupted(partial, None)) };
        }
        if n as u64 > partial.missing() {
            // What the server holds is another file, so what came of it is worth nothing.
            partial.restart()?;
            let address = address.to_owned();
            return Err(FetchError::Oversized { address, expected: known.size });
        }
        partial.append(&block[..n])?;
        let bytes = partial.len();
        progress(Progress::Received { file: known.name, bytes, total: known.size });
    }
}

fn get(client: &Agent, address: &str, from: u64) -> Result<Response<ureq::Body>, FetchError> {
    // Sizes and checksums are of the file, not of a compressed transfer of it.
    let mut request = client.get(address).header(header::ACCEPT_ENCODING, "identity");
    if from > 0 {
        request = request.header(header::RANGE, format!("bytes={from}-"));
    }
    request
        .call()
        .map_err(|error| FetchError::Connect { address: address.to_owned(), source: error.into() })
}

/// Whether the answer is the rest of a file of this size: `Content-Range: bytes 5-9/10`.
fn continues(response: &Response<ureq::Body>, from: u64, size: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    range.and_then(|range| range.strip_prefix("bytes ")).is_some_and(|range| {
        let last = size.saturating_sub(1);
        range == format!("{from}-{last}/{size}") || range == format!("{from}-{last}/*")
    })
}

fn number(response: &Response<ureq::Body>, name: header::HeaderName) -> Option<u64> {
    response.headers().get(name)?.to_str().ok()?.trim().parse().ok()
}
