//! The calls of Flower's Fleet API that a node makes.

use crate::error::NodeError;
use crate::link::Link;
use crate::proto::{
    ActivateNode, Heartbeat, HeartbeatTaken, Message, Node, NodeId, Nothing, ObjectTree, OfRun,
    PullMessages, PulledMessages, PulledObject, PushMessages, PushObject, PushedMessages,
    PushedObject, RegisterNode,
};

/// Seconds within which the SuperLink expects a sign of life; it waits for two of them.
pub(crate) const INTERVAL: f64 = 30.0;
/// The SuperLink's code for a key that is registered already.
pub(crate) const KEY_IN_USE: i64 = 23;
/// Where keys are registered by the operator only.
pub(crate) const REGISTRATION_DISABLED: i64 = 2001;
/// For a key that is not registered, or a node that is online.
pub(crate) const NOT_ACTIVATED: i64 = 2004;

/// A node that the SuperLink knows.
#[derive(Clone, Copy)]
pub(crate) struct Fleet<'a> {
    pub(crate) link: &'a Link<'a>,
    pub(crate) node_id: u64,
}

pub(crate) fn register(link: &Link<'_>) -> Result<u64, NodeError> {
    let request = RegisterNode { public_key: link.key.public.clone() };
    Ok(link.call::<NodeId>("register-node", &request)?.node_id)
}

pub(crate) fn activate(link: &Link<'_>) -> Result<u64, NodeError> {
    let public_key = link.key.public.clone();
    let request = ActivateNode { public_key, heartbeat_interval: INTERVAL };
    Ok(link.call::<NodeId>("activate-node", &request)?.node_id)
}

impl Fleet<'_> {
    fn node(&self) -> Node {
        Node { node_id: self.node_id }
    }

    /// Whether the SuperLink takes the sign of life.
    pub(crate) fn heartbeat(&self) -> Result<bool, NodeError> {
        let request = Heartbeat { node: Some(self.node()), heartbeat_interval: INTERVAL };
        Ok(self.link.brief::<HeartbeatTaken>("send-node-heartbeat", &request)?.success)
    }

    pub(crate) fn deactivate(&self) -> Result<(), NodeError> {
        let request = NodeId { node_id: self.node_id };
        self.link.brief::<Nothing>("deactivate-node", &request).map(|_| ())
    }

    /// A message, if there is one; the SuperLink hands each out once.
    pub(crate) fn pull(&self) -> Result<Option<Message>, NodeError> {
        let request = PullMessages { node: Some(self.node()) };
        let pulled: PulledMessages = self.link.call("pull-messages", &request)?;
        Ok(pulled.messages.into_iter().next())
    }

    pub(crate) fn object(&self, run_id: u64, object_id: &str) -> Result<PulledObject, NodeError> {
        self.link.call("pull-object", &self.of_run(run_id, object_id))
    }

    /// Says that the objects of a message are not needed any more.
    pub(crate) fn confirm(&self, run_id: u64, message_id: &str) -> Result<(), NodeError> {
        let request = self.of_run(run_id, message_id);
        self.link.call::<Nothing>("confirm-message-received", &request).map(|_| ())
    }

    /// Announces a reply; gives what the SuperLink needs of it.
    pub(crate) fn push(
        &self,
        message: Message,
        tree: ObjectTree,
        seconds: f64,
    ) -> Result<PushedMessages, NodeError> {
        let (messages, trees, runtimes) = (vec![message], vec![tree], vec![seconds]);
        let request = PushMessages { node: Some(self.node()), messages, trees, runtimes };
        self.link.call("push-messages", &request)
    }

    /// Whether the object was stored.
    pub(crate) fn push_object(
        &self,
        run_id: u64,
        session_id: &str,
        object_id: &str,
        content: Vec<u8>,
    ) -> Result<bool, NodeError> {
        let (object_id, session_id) = (object_id.to_owned(), session_id.to_owned());
        let request =
            PushObject { node: Some(self.node()), run_id, object_id, content, session_id };
        Ok(self.link.call::<PushedObject>("push-object", &request)?.stored)
    }

    fn of_run(&self, run_id: u64, object_id: &str) -> OfRun {
        OfRun { node: Some(self.node()), run_id, object_id: object_id.to_owned() }
    }
}
