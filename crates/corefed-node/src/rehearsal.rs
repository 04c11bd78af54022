//! What a SuperLink may send, without a SuperLink: for fuzzing.

use std::collections::HashMap;

use crate::deflate::Parcel;
use crate::desk::Desk;
use crate::error::NodeError;
use crate::inflate::Inflater;
use crate::kept::Fresh;
use crate::npy::Stored;
use crate::object::{Object, ObjectError, object_id};
use crate::proto::{
    Answer, HeartbeatTaken, Message, Node, PulledMessages, PulledObject, PushedMessages,
    PushedObject,
};
use crate::record::Records;
use crate::settings::Settings;

/// A node that nobody is connected to.
pub struct Rehearsal {
    desk: Desk,
}

/// Objects by their names.
pub type Objects = HashMap<String, Vec<u8>>;

impl Rehearsal {
    /// Reads the rows; `superlink`, `key` and certificates of the settings are not used.
    pub fn new(settings: &Settings, fresh: Fresh) -> Result<Self, NodeError> {
        Ok(Self { desk: Desk::open(settings, fresh)? })
    }

    /// Reads bytes as the answer to each call.
    pub fn answers(bytes: &[u8]) {
        fn read<A: Answer>(bytes: &[u8]) {
            let _ = A::read(bytes);
        }
        read::<PulledMessages>(bytes);
        read::<PushedMessages>(bytes);
        read::<PulledObject>(bytes);
        read::<PushedObject>(bytes);
        read::<HeartbeatTaken>(bytes);
        read::<Node>(bytes);
    }

    /// Reads bytes as an object under their own name.
    pub fn object(bytes: &[u8]) {
        let _ = Object::read(&object_id(bytes), bytes);
    }

    /// Reads bytes as an array.
    pub fn numbers(bytes: &[u8]) {
        if let Ok(found) = Stored::read(bytes) {
            assert_eq!(found.numbers().values.len(), found.count());
        }
    }

    /// Answers the message of this name, whose type is `kind`. A reply that is taken apart and put together again
    /// is the same.
    pub fn message(&self, kind: &str, id: &str, objects: &Objects) {
        let Ok(request) = inflate(id, objects) else { return };
        match self.desk.answer(kind, &request) {
            Ok(records) => {
                let parcel = Parcel::of(&Message::default(), Some(&records));
                let objects: Objects = parcel.objects.iter().cloned().collect();
                let again = match inflate(parcel.id(), &objects) {
                    // It may send more than it takes.
                    Err(ObjectError::TooLarge { .. }) => return,
                    again => again.map(|records| Parcel::of(&Message::default(), Some(&records))),
                };
                assert_eq!(again.map(|again| again.id().to_owned()), Ok(parcel.id().to_owned()));
            }
            Err(declined) => {
                let _ = declined.to_string();
            }
        }
    }
}

fn inflate(id: &str, objects: &Objects) -> Result<Records, ObjectError> {
    let missing = |id: &str| ObjectError::Missing { id: id.to_owned() };
    Inflater::new(|id: &str| objects.get(id).cloned().ok_or_else(|| missing(id))).message(id)
}
