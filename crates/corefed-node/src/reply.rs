//! A message from its first byte to the last of its reply. Done twice, it sends the same bytes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use corefed_run::Stop;

use crate::deflate::Parcel;
use crate::desk::Desk;
use crate::error::{NodeError, TESTED};
use crate::fleet::Fleet;
use crate::inflate::Inflater;
use crate::kept::Asked;
use crate::object::ObjectError;
use crate::pace::wait;
use crate::proto::{Error, Message, Metadata, Nothing};
use crate::question::{Declined, asked_for};
use crate::record::Records;
use crate::timestamp::since_1970;

/// Flower's code for an app that raised an exception.
const APP_FAILED: i64 = 2;
/// How often an object that is still on its way is asked for, and after which pause.
const TRIES: usize = 300;
const PAUSE: Duration = Duration::from_millis(200);

/// What was done about a message.
pub(crate) struct Done {
    /// What was asked for.
    pub(crate) asked: String,
    /// What the server was told instead of an answer.
    pub(crate) declined: Option<String>,
}

/// Answers a message.
pub(crate) fn reply(
    fleet: Fleet<'_>,
    desk: &Desk,
    asked: &Asked,
    stop: &Stop,
) -> Result<Done, NodeError> {
    let about = asked.message.metadata.clone().unwrap_or_default();
    if about.created_at + about.ttl <= since_1970((fleet.link.now)()).as_secs_f64() {
        return Err(NodeError::Expired);
    }
    let fetch = |id: &str| object(fleet, about.run_id, id, stop);
    let (what, answer) = match Inflater::new(fetch).message(&about.message_id) {
        Ok(request) => {
            let what = asked_for(&request).map_or(about.message_type.as_str(), |(what, _)| what);
            (what.to_owned(), answer(desk, &about.message_type, &request))
        }
        Err(
            other @ (NodeError::Object(ObjectError::Missing { .. }) | NodeError::Refused { .. }),
        ) => {
            return Err(other);
        }
        Err(odd @ (NodeError::Object(_) | NodeError::Protocol { .. })) => {
            (about.message_type.clone(), Err(Declined::Failed(format!("{odd}; {TESTED}"))))
        }
        Err(other) => return Err(other),
    };
    let declined = answer.as_ref().err().map(ToString::to_string);
    let error = declined.clone().map(|reason| Error { code: APP_FAILED, reason });
    let metadata = Some(reply_metadata(&about, asked.begun));
    let records = answer.ok();
    let content = records.as_ref().map(|_| Nothing {});
    let mut message = Message { metadata, content, error };
    let parcel = Parcel::of(&message, records.as_ref());
    if let Some(metadata) = &mut message.metadata {
        parcel.id().clone_into(&mut metadata.message_id);
    }
    deliver(fleet, about.run_id, message, parcel, asked.begun)?;
    // Only now: until then a node that is started again finds everything as it was.
    match fleet.confirm(about.run_id, &about.message_id) {
        Ok(()) | Err(NodeError::Refused { .. }) => {}
        Err(other) => return Err(other),
    }
    Ok(Done { asked: what, declined })
}

/// An answer, also where computing it fails in a way that nobody thought of.
fn answer(desk: &Desk, kind: &str, request: &Records) -> Result<Records, Declined> {
    let answered = catch_unwind(AssertUnwindSafe(|| desk.answer(kind, request)));
    answered
        .unwrap_or_else(|_| Err(Declined::Failed("the node failed; its log says why".to_owned())))
}

fn reply_metadata(to: &Metadata, now: f64) -> Metadata {
    Metadata {
        run_id: to.run_id,
        message_id: String::new(),
        src_node_id: to.dst_node_id,
        dst_node_id: to.src_node_id,
        reply_to_message_id: to.message_id.clone(),
        group_id: to.group_id.clone(),
        // It is good for as long as the message is.
        ttl: to.created_at + to.ttl - now,
        message_type: to.message_type.clone(),
        created_at: now,
        src_task_id: to.dst_task_id,
        dst_task_id: to.src_task_id,
    }
}

fn deliver(
    fleet: Fleet<'_>,
    run_id: u64,
    message: Message,
    parcel: Parcel,
    begun: f64,
) -> Result<(), NodeError> {
    let seconds = since_1970((fleet.link.now)()).as_secs_f64() - begun;
    let Parcel { objects, tree } = parcel;
    let pushed = fleet.push(message, tree, seconds.max(0.0))?;
    for (id, content) in objects {
        if pushed.objects_to_push.contains(&id)
            && !fleet.push_object(run_id, &pushed.session_id, &id, content)?
        {
            return Err(ObjectError::Missing { id }.into());
        }
    }
    Ok(())
}

/// Fetches an object, which may still be on its way to the SuperLink.
fn object(fleet: Fleet<'_>, run_id: u64, id: &str, stop: &Stop) -> Result<Vec<u8>, NodeError> {
    for _ in 0..TRIES {
        let pulled = fleet.object(run_id, id)?;
        match (pulled.found, pulled.available) {
            (true, true) => return Ok(pulled.content),
            (true, false) if stop.is_asked() => {
                let (address, reason) = (fleet.link.address.clone(), "asked to stop".to_owned());
                return Err(NodeError::Away { address, reason });
            }
            (true, false) => wait(PAUSE, stop),
            _ => break,
        }
    }
    Err(ObjectError::Missing { id: id.to_owned() }.into())
}
