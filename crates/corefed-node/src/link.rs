//! One SuperLink: signed calls over HTTP, and what its refusals mean.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use prost::Message as Wire;
use serde::Deserialize;
use ureq::http::{Response, StatusCode};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};

use crate::error::NodeError;
use crate::key::NodeKey;
use crate::proto::Answer;
use crate::timestamp::{of_http, since_1970};

/// A refusal is a line of JSON.
const LARGEST_REFUSAL: u64 = 64 << 10;
/// Flower takes a signature from a clock that is this far ahead of its own,
const AHEAD: u64 = 5;
/// and one that is this old.
const BEHIND: u64 = 300;
const PROTOBUF: &str = "application/protobuf";

/// Tells the time.
pub type Now<'a> = &'a (dyn Fn() -> SystemTime + Sync);

/// The machine's clock, which a SuperLink compares with its own.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "signatures are over the time; no result depends on it"
)]
pub fn clock() -> SystemTime {
    SystemTime::now()
}

/// How long a node waits for a SuperLink.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For a connection, the next bytes of an answer, or room for the next ones of a request.
    pub(crate) silence: Duration,
    /// For a whole call. The largest, a chunk of 5 MiB, passes on a line of 10 kB/s.
    pub(crate) call: Duration,
    /// For a sign of life, as long as Flower's own nodes do.
    pub(crate) brief: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let [silence, call, brief] = [30, 600, 5].map(Duration::from_secs);
        Self { silence, call, brief }
    }
}

/// How to reach a SuperLink.
pub(crate) struct Link<'a> {
    agent: Agent,
    pub(crate) address: String,
    base: String,
    pub(crate) key: NodeKey,
    pub(crate) now: Now<'a>,
    patience: Patience,
}

/// How Flower words a refusal.
#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    code: Option<i64>,
    #[serde(default)]
    detail: Option<String>,
}

impl<'a> Link<'a> {
    /// Nothing is sent yet. Without a file of certificates, public authorities count.
    pub(crate) fn new(
        address: &str,
        insecure: bool,
        certificates: Option<&Path>,
        key: NodeKey,
        (now, patience): (Now<'a>, Patience),
    ) -> Result<Self, NodeError> {
        let port = address.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        let more = address.contains(['/', '@', '?', '#', ' ']);
        if more || port.and_then(|(_, port)| port.parse::<u16>().ok()).is_none() {
            return Err(NodeError::Address { address: address.to_owned() });
        }
        let mut tls = TlsConfig::builder();
        if let Some(path) = certificates {
            tls = tls.root_certs(RootCerts::Specific(Arc::new(authorities(path)?)));
        }
        let silence = Some(patience.silence);
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_resolve(silence)
            .timeout_connect(silence)
            .timeout_send_request(silence)
            .timeout_recv_response(silence)
            .timeout_per_read(silence)
            .timeout_per_write(silence)
            .max_idle_connections(2)
            .user_agent(concat!("corefed/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls.build())
            .build()
            .into();
        let scheme = if insecure { "http" } else { "https" };
        let (address, base) = (address.to_owned(), format!("{scheme}://{address}/v1/fleet/"));
        Ok(Self { agent, address, base, key, now, patience })
    }

    /// One call.
    pub(crate) fn call<A: Answer>(
        &self,
        path: &'static str,
        request: &impl Wire,
    ) -> Result<A, NodeError> {
        self.within(self.patience.call, path, request)
    }

    /// One that nobody should wait long for.
    pub(crate) fn brief<A: Answer>(
        &self,
        path: &'static str,
        request: &impl Wire,
    ) -> Result<A, NodeError> {
        self.within(self.patience.brief, path, request)
    }

    fn within<A: Answer>(
        &self,
        patience: Duration,
        path: &'static str,
        request: &impl Wire,
    ) -> Result<A, NodeError> {
        let signed = self.key.sign((self.now)())?;
        let at = signed.at;
        let response = self
            .agent
            .post(format!("{}{path}", self.base))
            .config()
            .timeout_global(Some(patience))
            .build()
            .header("content-type", PROTOBUF)
            .header("accept", PROTOBUF)
            .header("flwr-public-key", self.key.header())
            .header("flwr-timestamp", signed.timestamp)
            .header("flwr-signature", signed.signature)
            .send(request.encode_to_vec())
            .map_err(|error| self.lost(path, &error))?;
        if response.status() != StatusCode::OK {
            return Err(self.refused(path, response, at));
        }
        let body = response.into_body().into_with_config().limit(A::MOST).read_to_vec();
        let body = body.map_err(|error| self.lost(path, &error))?;
        A::read(&body).map_err(|reason| self.odd(path, reason))
    }

    fn odd(&self, path: &'static str, reason: String) -> NodeError {
        NodeError::Protocol { address: self.address.clone(), path, reason }
    }

    fn lost(&self, path: &'static str, error: &ureq::Error) -> NodeError {
        let (address, reason) = (self.address.clone(), error.to_string());
        match error {
            ureq::Error::Rustls(_) | ureq::Error::Tls(_) => NodeError::Tls { address, reason },
            ureq::Error::Io(inner) if inner.kind() == std::io::ErrorKind::InvalidData => {
                NodeError::Tls { address, reason }
            }
            ureq::Error::BodyExceedsLimit(most) => {
                self.odd(path, format!("more than {most} bytes at once"))
            }
            ureq::Error::Protocol(_) | ureq::Error::Http(_) => self.odd(path, reason),
            _ => NodeError::Away { address, reason },
        }
    }

    /// What an answer other than 200 means.
    fn refused(
        &self,
        path: &'static str,
        response: Response<Body>,
        signed: SystemTime,
    ) -> NodeError {
        let status = response.status();
        let header = |name: &str| response.headers().get(name).and_then(|text| text.to_str().ok());
        let theirs = header("date").and_then(of_http);
        if status == StatusCode::UNAUTHORIZED {
            return self.unknown(theirs, signed);
        }
        let body = response.into_body().into_with_config().limit(LARGEST_REFUSAL).read_to_vec();
        let said = body.ok().and_then(|body| serde_json::from_slice::<Refusal>(&body).ok());
        match said {
            Some(Refusal { code: Some(code), detail }) => {
                NodeError::Refused { path, code, detail: detail.unwrap_or_default() }
            }
            _ if status == StatusCode::INTERNAL_SERVER_ERROR => {
                NodeError::Failed { address: self.address.clone(), path }
            }
            // A proxy in between says the last two for a SuperLink that it cannot reach or spares.
            _ if status.is_server_error()
                || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS]
                    .contains(&status) =>
            {
                let reason = format!("status {status}");
                NodeError::Away { address: self.address.clone(), reason }
            }
            _ => self.odd(path, format!("status {status}")),
        }
    }

    /// Who is not known has a signature that is too old or of the future, or has been forgotten.
    fn unknown(&self, theirs: Option<u64>, signed: SystemTime) -> NodeError {
        let (ours, signed) = (since_1970((self.now)()).as_secs(), since_1970(signed).as_secs());
        let Some(theirs) = theirs else { return NodeError::Stranger };
        if signed <= theirs + AHEAD && theirs <= signed + BEHIND {
            return NodeError::Stranger;
        }
        let direction = if theirs > ours { "behind" } else { "ahead of" };
        let (address, seconds) = (self.address.clone(), theirs.abs_diff(ours));
        NodeError::Clock { address, seconds, direction }
    }
}

fn authorities(path: &Path) -> Result<Vec<ureq::tls::Certificate<'static>>, NodeError> {
    let refuse = |reason: String| NodeError::Certificates { path: path.to_owned(), reason };
    let text = fs::read(path).map_err(|error| refuse(error.to_string()))?;
    let mut found = Vec::new();
    for item in parse_pem(&text) {
        if let PemItem::Certificate(certificate) =
            item.map_err(|error| refuse(error.to_string()))?
        {
            found.push(certificate);
        }
    }
    if found.is_empty() { Err(refuse("there is none in it".to_owned())) } else { Ok(found) }
}

#[cfg(test)]
mod tests;
