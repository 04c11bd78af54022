//! What an agent keeps beside its rows: its key to sign with, what it has told, who it is at the SuperLink, and the
//! message it is at work on. The first two are those of the Python package.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use base64ct::{Base64, Encoding};
use corefed_core::digest_bytes;
use corefed_log::{FolderLock, LogError, replace_private, write_entry};
use corefed_run::{new_key, read_key};
use corefed_verify::AgentKey;
use prost::Message as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::error::NodeError;
use crate::proto::Message;

/// A folder of the agent's own, which one node at a time uses.
pub(crate) struct Kept {
    folder: PathBuf,
    _lock: FolderLock,
}

/// Two random halves of a key, should there be none yet.
pub type Fresh = ([u8; 32], [u8; 32]);

/// What a message was answered with is the same when it is answered again: it has the same time.
pub(crate) struct Asked {
    pub(crate) message: Message,
    pub(crate) begun: f64,
}

#[derive(Serialize, Deserialize)]
struct AskedFile {
    message: String,
    begun: f64,
}

/// Who a node is at a SuperLink.
#[derive(Serialize, Deserialize)]
struct Joined {
    superlink: String,
    key: String,
    node_id: u64,
}

impl Kept {
    pub(crate) fn open(folder: &Path) -> Result<Self, NodeError> {
        own_folder(folder)
            .map_err(|source| NodeError::Folder { path: folder.to_owned(), source })?;
        let lock = FolderLock::take(folder, LOCK).map_err(|error| match error {
            LogError::Busy { path } => NodeError::Busy { path },
            other => other.into(),
        })?;
        Ok(Self { folder: folder.to_owned(), _lock: lock })
    }

    /// The key that answers are signed with.
    pub(crate) fn key(&self, fresh: Fresh) -> Result<AgentKey, NodeError> {
        let path = self.folder.join("key.json");
        let key = if path.exists() { read_key(&path) } else { new_key(&path, fresh.0, fresh.1) };
        Ok(key?)
    }

    /// Numbers told by now; those told to this very question do not count again.
    pub(crate) fn answered(&self, question: &str) -> Result<usize, NodeError> {
        let told = self.told()?;
        let others = told.iter().filter(|(name, _)| *name != question);
        Ok(others.filter_map(|(_, numbers)| usize::try_from(numbers.as_u64()?).ok()).sum())
    }

    /// Notes how many numbers a question is answered with.
    pub(crate) fn book(&self, question: &str, numbers: usize) -> Result<(), NodeError> {
        let mut told = self.told()?;
        told.insert(question.to_owned(), numbers.into());
        self.write(ACCOUNT, &told)
    }

    fn told(&self) -> Result<Map<String, Json>, NodeError> {
        // An account that cannot be read is not one without entries.
        Ok(self.read(ACCOUNT)?.unwrap_or_default())
    }

    /// The node's number at a SuperLink, if it has joined it before with this key.
    pub(crate) fn node_id(&self, superlink: &str, public: &[u8]) -> Option<u64> {
        let joined: Joined = self.read(JOINED).ok().flatten()?;
        let same = joined.superlink == superlink && joined.key == digest_bytes(public);
        same.then_some(joined.node_id)
    }

    pub(crate) fn join(&self, superlink: &str, public: &[u8], id: u64) -> Result<(), NodeError> {
        let (superlink, key) = (superlink.to_owned(), digest_bytes(public));
        self.write(JOINED, &Joined { superlink, key, node_id: id })
    }

    /// The message that a node was at work on when it ended.
    pub(crate) fn asked(&self) -> Option<Asked> {
        let file: AskedFile = self.read(ASKED).ok().flatten()?;
        let bytes = Base64::decode_vec(&file.message).ok()?;
        Some(Asked { message: Message::decode(bytes.as_slice()).ok()?, begun: file.begun })
    }

    /// Notes a message before anything is done about it.
    pub(crate) fn begin(&self, asked: &Asked) -> Result<(), NodeError> {
        let message = Base64::encode_string(&asked.message.encode_to_vec());
        let path = self.folder.join(ASKED);
        let text = text_of(&path, &AskedFile { message, begun: asked.begun })?;
        Ok(replace_private(path, text)?)
    }

    /// Notes how the node is, for those who watch it.
    pub(crate) fn tell(&self, status: &impl Serialize) -> Result<(), NodeError> {
        self.write(STATUS, status)
    }

    /// Forgets the message once its answer is delivered.
    pub(crate) fn end(&self) -> Result<(), NodeError> {
        let path = self.folder.join(ASKED);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(NodeError::Folder { path, source })
            }
            _ => Ok(()),
        }
    }

    fn read<T: for<'de> Deserialize<'de>>(&self, name: &str) -> Result<Option<T>, NodeError> {
        let path = self.folder.join(name);
        let text = match fs::read(&path) {
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|source| NodeError::Folder { path: path.clone(), source })?,
        };
        let found = serde_json::from_slice(&text);
        found.map(Some).map_err(|error| NodeError::Damaged { path, reason: error.to_string() })
    }

    fn write(&self, name: &str, value: &impl Serialize) -> Result<(), NodeError> {
        let path = self.folder.join(name);
        let text = text_of(&path, value)?;
        Ok(write_entry(path, text)?)
    }
}

fn text_of(path: &Path, value: &impl Serialize) -> Result<String, NodeError> {
    let damaged = |error: serde_json::Error| NodeError::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    Ok(serde_json::to_string_pretty(value).map_err(damaged)? + "\n")
}

/// Makes a folder that only its owner may look into; one that is there stays as it is.
fn own_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

const ACCOUNT: &str = "answered.json";
const JOINED: &str = "joined.json";
const ASKED: &str = "asked.json";
const STATUS: &str = "status.json";
const LOCK: &str = ".node.lock";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::Metadata;

    #[test]
    fn a_question_that_is_asked_again_is_not_counted_twice() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::open(folder.path()).unwrap();
        kept.book("a", 10).unwrap();
        kept.book("b", 5).unwrap();
        kept.book("a", 10).unwrap();
        assert_eq!(kept.answered("a").unwrap(), 5);
        assert_eq!(kept.answered("c").unwrap(), 15);
    }

    #[test]
    fn an_account_that_cannot_be_read_is_not_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::open(folder.path()).unwrap();
        fs::write(folder.path().join(ACCOUNT), "{").unwrap();
        assert!(matches!(kept.answered("a"), Err(NodeError::Damaged { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_looks_into_the_folder_and_no_link_leads_out_of_it() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("keep");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let kept = Kept::open(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        // One that the Python package made may be open to others.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        kept.begin(&Asked { message: Message::default(), begun: 1.0 }).unwrap();
        assert_eq!(mode(&folder.join(ASKED)), 0o600);
        drop(kept);
        fs::remove_file(folder.join(LOCK)).unwrap();
        symlink(parent.path().join("elsewhere"), folder.join(LOCK)).unwrap();
        assert!(matches!(Kept::open(&folder), Err(NodeError::Log(LogError::Link { .. }))));
        assert!(!parent.path().join("elsewhere").exists());
    }

    #[test]
    fn what_was_asked_is_found_after_a_restart_and_forgotten_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let metadata = Metadata { run_id: 7, message_id: "id".to_owned(), ..Metadata::default() };
        let message = Message { metadata: Some(metadata), ..Message::default() };
        {
            let kept = Kept::open(folder.path()).unwrap();
            assert!(matches!(Kept::open(folder.path()), Err(NodeError::Busy { .. })));
            kept.begin(&Asked { message: message.clone(), begun: 0.1 + 0.2 }).unwrap();
            kept.join("here:1", b"key", 42).unwrap();
        }
        let kept = Kept::open(folder.path()).unwrap();
        let found = kept.asked().unwrap();
        assert_eq!((found.message, found.begun), (message, 0.1 + 0.2));
        assert_eq!(kept.node_id("here:1", b"key"), Some(42));
        assert_eq!(kept.node_id("there:1", b"key"), None);
        assert_eq!(kept.node_id("here:1", b"other"), None);
        kept.end().unwrap();
        kept.end().unwrap();
        assert!(kept.asked().is_none());
    }
}
