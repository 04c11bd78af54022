//! What can go wrong between an agent's rows and a SuperLink.

use std::io;
use std::path::PathBuf;

use corefed_log::LogError;
use corefed_run::{AgentError, RunError};
use thiserror::Error;

use crate::object::ObjectError;

/// Releases of Flower that the tests run against.
pub(crate) const TESTED: &str = "this node was tested with Flower 1.41 and 1.42";

/// Why a node stops, or why one of its calls failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NodeError {
    /// The key file cannot be read.
    #[error("cannot read the key `{}`: {source}", path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The key file is not a key that Flower accepts.
    #[error("`{}` cannot be used as a node's key: {reason}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The key does not sign.
    #[error("the key does not sign: {reason}")]
    Signature {
        /// What is wrong.
        reason: String,
    },
    /// The file of certificates is not one.
    #[error("`{}` has no certificates that can be read: {reason}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The address is not `HOST:PORT`.
    #[error("`{address}` is not an address; expected HOST:PORT")]
    Address {
        /// What was given.
        address: String,
    },
    /// The agreed encoding cannot be read.
    #[error("cannot read the encoding `{}`: {source}", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The rows cannot be used.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The key to sign with cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The folder of the agent cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    Folder {
        /// What was read or written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of that folder is not what it was.
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another node uses that folder.
    #[error("another node uses `{}`", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// Something of the agent's own could not be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The SuperLink is not there, or not now.
    #[error("the SuperLink at `{address}` does not answer: {reason}")]
    Away {
        /// Where it should be.
        address: String,
        /// What the network said.
        reason: String,
    },
    /// The connection is not secure.
    #[error("no secure connection to `{address}`: {reason}")]
    Tls {
        /// The SuperLink.
        address: String,
        /// What TLS said.
        reason: String,
    },
    /// The SuperLink does not believe the signature because of its time.
    #[error("this machine's clock is {seconds} s {direction} the SuperLink's at `{address}`")]
    Clock {
        /// The SuperLink.
        address: String,
        /// By how much they differ.
        seconds: u64,
        /// `behind` or `ahead of`.
        direction: &'static str,
    },
    /// The SuperLink does not take this key.
    #[error("the SuperLink at `{address}` does not know the key of this node")]
    UnknownKey {
        /// The SuperLink.
        address: String,
    },
    /// The SuperLink does not believe the signature, though clocks agree.
    #[error("the SuperLink at `{address}` does not take this node's signature")]
    Disbelieved {
        /// The SuperLink.
        address: String,
    },
    /// What answers does not speak Flower's protocol as this node knows it.
    #[error("`{address}{path}` does not answer as Flower's Fleet API does: {reason}")]
    Protocol {
        /// The SuperLink.
        address: String,
        /// The call.
        path: &'static str,
        /// What came instead.
        reason: String,
    },
    /// The SuperLink refuses a call with a code of its own.
    #[error("the SuperLink refuses `{path}`: {detail} (code {code})")]
    Refused {
        /// The call.
        path: &'static str,
        /// Flower's code.
        code: i64,
        /// Flower's words.
        detail: String,
    },
    /// The SuperLink fails at a call, as one that was started anew does at runs it has forgotten.
    #[error("the SuperLink at `{address}` fails at `{path}`")]
    Failed {
        /// The SuperLink.
        address: String,
        /// The call.
        path: &'static str,
    },
    /// The SuperLink does not know who speaks.
    #[error("the SuperLink does not know this node any more")]
    Stranger,
    /// A message that its server does not wait for any more.
    #[error("its time is over")]
    Expired,
    /// A message that cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

impl NodeError {
    /// Whether trying again may help.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Away { .. } | Self::Failed { .. } | Self::Stranger)
    }

    /// The error in one line.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Run(error) => error.message(),
            other => other.to_string(),
        }
    }

    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::KeyFile { path, .. } | Self::Key { path, .. } => {
                let path = path.display();
                return Some(format!("make one with `ssh-keygen -t ecdsa -b 384 -N '' -f {path}`"));
            }
            Self::UnknownKey { .. } => {
                "have its operator type `flwr supernode register KEY.pub`, with the public half of \
                 `--key`; if it is registered and was online until now, start again in a minute"
            }
            Self::Agent(error) => return error.hint(),
            Self::Run(error) => return error.hint(),
            Self::Log(error) => return error.hint(),
            Self::Encoding { .. } => {
                "`--encoding` is the file that all agents agreed on, such as `LinearClient.agree` writes"
            }
            Self::Folder { .. } => "may you write there? `--keep DIR` chooses another folder",
            Self::Damaged { .. } => {
                "restore it from a backup, or choose another folder by `--keep`"
            }
            Self::Busy { .. } => "stop it first: one agent has one node",
            Self::Certificates { .. } => {
                "give the certificate of the authority in PEM, as the SuperLink's operator sent it"
            }
            Self::Address { .. } => {
                "such as `--superlink link.example.org:8000`, without `http://`, a user or a path"
            }
            Self::Away { .. } => {
                "is it running, may this machine reach that port, and does it use TLS as this node does?"
            }
            Self::Tls { .. } => {
                "is `--root-certificates` the file of the authority that signed the SuperLink's \
                 certificate, and does that name this host? A SuperLink without TLS needs `--insecure`"
            }
            Self::Clock { .. } => "set the clock, for example by `timedatectl set-ntp true`",
            Self::Disbelieved { .. } => {
                return Some(format!(
                    "{TESTED}; is that a SuperLink of one of them, and does a proxy in between keep the headers \
                     `flwr-*`?"
                ));
            }
            Self::Protocol { .. } | Self::Refused { .. } | Self::Failed { .. } => TESTED,
            Self::Signature { .. } | Self::Stranger | Self::Expired | Self::Object(_) => {
                return None;
            }
        };
        Some(hint.to_owned())
    }
}
