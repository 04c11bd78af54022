//! Objects of Flower: a head that names type, children and length, a body, and the hash of both as a name.

use corefed_core::digest_bytes;
use thiserror::Error;

/// Why an object that the SuperLink sent is not used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ObjectError {
    /// It is not the object that was asked for.
    #[error("object `{id}` does not have the hash that is its name")]
    Hash {
        /// What was asked for.
        id: String,
    },
    /// Its head is not one.
    #[error("object `{id}` has no head that can be read")]
    Head {
        /// The object.
        id: String,
    },
    /// It is of another type than its place asks for.
    #[error("object `{id}` is a `{found}`; expected {expected}")]
    Kind {
        /// The object.
        id: String,
        /// What belongs there.
        expected: &'static str,
        /// What it says it is.
        found: String,
    },
    /// Its body is not what its type says.
    #[error("the body of object `{id}` cannot be read: {reason}")]
    Body {
        /// The object.
        id: String,
        /// What is wrong.
        reason: String,
    },
    /// A message would take more than this node gives it.
    #[error("the message needs more than {most} {what}")]
    TooLarge {
        /// The limit.
        most: usize,
        /// Of what.
        what: &'static str,
    },
    /// The SuperLink does not have it, or not in time.
    #[error("the SuperLink does not have object `{id}`")]
    Missing {
        /// The object.
        id: String,
    },
}

/// An object, taken apart.
pub(crate) struct Object<'a> {
    pub(crate) kind: &'a str,
    pub(crate) children: Vec<&'a str>,
    pub(crate) body: &'a [u8],
}

/// A head is a type, some hashes and a number: longer ones are not looked at.
const LONGEST_HEAD: usize = 1 << 20;

impl<'a> Object<'a> {
    /// Reads an object that was asked for by its name.
    pub(crate) fn read(id: &str, content: &'a [u8]) -> Result<Self, ObjectError> {
        if object_id(content) != id {
            return Err(ObjectError::Hash { id: id.to_owned() });
        }
        Self::parse(content).ok_or_else(|| ObjectError::Head { id: id.to_owned() })
    }

    fn parse(content: &'a [u8]) -> Option<Self> {
        let end = content.iter().take(LONGEST_HEAD).position(|&byte| byte == 0)?;
        let head = std::str::from_utf8(&content[..end]).ok()?;
        let body = &content[end + 1..];
        let (kind, rest) = head.split_once(' ')?;
        let (children, length) = rest.split_once(' ')?;
        let names = children.split(',').filter(|_| !children.is_empty());
        let children = names.map(|id| is_id(id).then_some(id)).collect::<Option<_>>()?;
        (length.parse() == Ok(body.len())).then_some(Self { kind, children, body })
    }
}

/// Whether a text can be the name of an object.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An object as bytes.
pub(crate) fn deflated(kind: &str, children: &[&str], body: &[u8]) -> Vec<u8> {
    let head = format!("{kind} {} {}\0", children.join(","), body.len());
    [head.as_bytes(), body].concat()
}

/// The name of an object.
pub(crate) fn object_id(content: &[u8]) -> String {
    digest_bytes(content)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHILD: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    #[test]
    fn an_object_is_read_as_it_was_written() {
        let content = deflated("RecordDict", &[CHILD, CHILD], b"{}\0{}");
        let object = Object::read(&object_id(&content), &content).unwrap();
        assert_eq!((object.kind, object.body), ("RecordDict", b"{}\0{}".as_slice()));
        assert_eq!(object.children, [CHILD, CHILD]);
    }

    #[test]
    fn what_does_not_have_its_hash_or_its_length_is_refused() {
        let content = deflated("ArrayChunk", &[], b"numbers");
        let id = object_id(&content);
        let short = &content[..content.len() - 1];
        assert!(matches!(Object::read(&id, short), Err(ObjectError::Hash { .. })));
        assert!(matches!(Object::read(&object_id(short), short), Err(ObjectError::Head { .. })));
        for head in
            ["ArrayChunk  8\0numbers", "ArrayChunk 7\0numbers", "A  99999999999999999999999\0"]
        {
            let refused = Object::read(&object_id(head.as_bytes()), head.as_bytes()).err();
            assert!(matches!(refused, Some(ObjectError::Head { .. })), "{head}: {refused:?}");
        }
        let child = b"RecordDict ../../etc 2\0{}";
        assert!(Object::read(&object_id(child), child).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(content in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Object::parse(&content);
        }
    }
}
