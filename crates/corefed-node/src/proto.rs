//! Messages of Flower's Fleet API, as far as a node needs them; fields and numbers are those of flwr 1.42.

use prost::Message as Wire;

use crate::fields::occurrences;

/// An answer of the SuperLink: what a right one has at most is known, so that a hostile one takes no more memory.
pub(crate) trait Answer: Wire + Default {
    /// Its bytes: a few numbers, unless told.
    const MOST: u64 = 64 << 10;
    /// Fields that it may have several of, and how many.
    const REPEATED: Option<(u64, usize)> = None;

    /// Reads an answer that is not too long.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        if let Some((tag, most)) = Self::REPEATED {
            let found = occurrences(bytes, tag).map_err(|_| "it is not protobuf".to_owned())?;
            if found > most {
                return Err(format!("{found} entries where {most} are the most"));
            }
        }
        Self::decode(bytes).map_err(|error| error.to_string())
    }
}

impl Answer for Node {}
impl Answer for Nothing {}
impl Answer for HeartbeatTaken {}
impl Answer for PushedObject {}

impl Answer for PulledMessages {
    /// The tree of 20,000 objects has 2 MB.
    const MOST: u64 = 4 << 20;
    const REPEATED: Option<(u64, usize)> = Some((2, 1));
}

impl Answer for PushedMessages {
    const MOST: u64 = 4 << 20;
    /// Objects of the reply.
    const REPEATED: Option<(u64, usize)> = Some((3, 20_000));
}

impl Answer for PulledObject {
    /// Flower cuts arrays into 5 MiB.
    const MOST: u64 = 16 << 20;
}

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Wire)]
pub(crate) struct Node {
    #[prost(uint64, tag = "1")]
    pub(crate) node_id: u64,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct RegisterNode {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) public_key: Vec<u8>,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct ActivateNode {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) public_key: Vec<u8>,
    #[prost(double, tag = "2")]
    pub(crate) heartbeat_interval: f64,
}

/// Answer to both of the above; the same fields as [`Node`].
pub(crate) type NodeId = Node;

/// Answers that say nothing.
#[derive(Clone, Copy, PartialEq, Wire)]
pub(crate) struct Nothing {}

#[derive(Clone, Copy, PartialEq, Wire)]
pub(crate) struct Heartbeat {
    #[prost(message, optional, tag = "1")]
    pub(crate) node: Option<Node>,
    #[prost(double, tag = "2")]
    pub(crate) heartbeat_interval: f64,
}

#[derive(Clone, Copy, PartialEq, Wire)]
pub(crate) struct HeartbeatTaken {
    #[prost(bool, tag = "1")]
    pub(crate) success: bool,
}

#[derive(Clone, Copy, PartialEq, Wire)]
pub(crate) struct PullMessages {
    #[prost(message, optional, tag = "1")]
    pub(crate) node: Option<Node>,
}

/// At most one message; its objects are named by hashes, so the tree that comes along is not read.
#[derive(Clone, PartialEq, Wire)]
pub(crate) struct PulledMessages {
    #[prost(message, repeated, tag = "2")]
    pub(crate) messages: Vec<Message>,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct PushMessages {
    #[prost(message, optional, tag = "1")]
    pub(crate) node: Option<Node>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) messages: Vec<Message>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) trees: Vec<ObjectTree>,
    #[prost(double, repeated, tag = "4")]
    pub(crate) runtimes: Vec<f64>,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct PushedMessages {
    #[prost(string, repeated, tag = "3")]
    pub(crate) objects_to_push: Vec<String>,
    #[prost(string, tag = "4")]
    pub(crate) session_id: String,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct PushObject {
    #[prost(message, optional, tag = "1")]
    pub(crate) node: Option<Node>,
    #[prost(uint64, tag = "2")]
    pub(crate) run_id: u64,
    #[prost(string, tag = "3")]
    pub(crate) object_id: String,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) content: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(crate) session_id: String,
}

#[derive(Clone, Copy, PartialEq, Wire)]
pub(crate) struct PushedObject {
    #[prost(bool, tag = "1")]
    pub(crate) stored: bool,
}

/// Asks for an object, or confirms that a message was received: both have these fields.
#[derive(Clone, PartialEq, Wire)]
pub(crate) struct OfRun {
    #[prost(message, optional, tag = "1")]
    pub(crate) node: Option<Node>,
    #[prost(uint64, tag = "2")]
    pub(crate) run_id: u64,
    #[prost(string, tag = "3")]
    pub(crate) object_id: String,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct PulledObject {
    #[prost(bool, tag = "1")]
    pub(crate) found: bool,
    #[prost(bool, tag = "2")]
    pub(crate) available: bool,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) content: Vec<u8>,
}

/// A message without its records, which travel as objects.
#[derive(Clone, PartialEq, Wire)]
pub(crate) struct Message {
    #[prost(message, optional, tag = "1")]
    pub(crate) metadata: Option<Metadata>,
    #[prost(message, optional, tag = "2")]
    pub(crate) content: Option<Nothing>,
    #[prost(message, optional, tag = "3")]
    pub(crate) error: Option<Error>,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct Metadata {
    #[prost(uint64, tag = "1")]
    pub(crate) run_id: u64,
    #[prost(string, tag = "2")]
    pub(crate) message_id: String,
    #[prost(uint64, tag = "3")]
    pub(crate) src_node_id: u64,
    #[prost(uint64, tag = "4")]
    pub(crate) dst_node_id: u64,
    #[prost(string, tag = "5")]
    pub(crate) reply_to_message_id: String,
    #[prost(string, tag = "6")]
    pub(crate) group_id: String,
    #[prost(double, tag = "7")]
    pub(crate) ttl: f64,
    #[prost(string, tag = "8")]
    pub(crate) message_type: String,
    #[prost(double, tag = "9")]
    pub(crate) created_at: f64,
    #[prost(uint64, optional, tag = "10")]
    pub(crate) src_task_id: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub(crate) dst_task_id: Option<u64>,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct Error {
    #[prost(sint64, tag = "1")]
    pub(crate) code: i64,
    #[prost(string, tag = "2")]
    pub(crate) reason: String,
}

#[derive(Clone, PartialEq, Wire)]
pub(crate) struct ObjectTree {
    #[prost(string, tag = "1")]
    pub(crate) object_id: String,
    #[prost(message, repeated, tag = "2")]
    pub(crate) children: Vec<ObjectTree>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_messages_are_counted_before_they_take_memory() {
        // Two bytes on the way, and hundreds in memory.
        let refused = PulledMessages::read(&[0x12, 0].repeat(1 << 20)).unwrap_err();
        assert_eq!(refused, "1048576 entries where 1 are the most");
        let refused = PushedMessages::read(&[0x1a, 0].repeat(1 << 20)).unwrap_err();
        assert!(refused.contains("20000 are the most"), "{refused}");
        assert_eq!(PulledMessages::read(&[0x12, 0]).unwrap().messages.len(), 1);
        assert!(PulledMessages::read(&[]).unwrap().messages.is_empty());
    }

    #[test]
    fn the_tree_of_the_largest_message_is_short_enough() {
        let leaf = ObjectTree { object_id: "a".repeat(64), children: Vec::new() };
        let tree = ObjectTree { object_id: "b".repeat(64), children: vec![leaf; 20_000] };
        assert!((tree.encoded_len() as u64) < PulledMessages::MOST / 2);
    }
}
