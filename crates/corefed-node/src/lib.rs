//! A node of a Flower federation in one program: it joins a SuperLink by Flower's own protocol and serves one agent's
//! rows under a linear model.
//!
//! [`serve`] does all of it, from [`Settings`] to a clean end. What happens goes to an observer as [`Event`]s, a
//! [`Stop`](corefed_run::Stop) ends it, time and randomness are arguments, and every [`NodeError`] carries its values and
//! a [hint](NodeError::hint). What a SuperLink sends is checked against hashes and read into bounded memory.

mod audited;
mod deflate;
mod desk;
mod error;
mod event;
mod fields;
mod fleet;
mod inflate;
mod kept;
mod key;
mod layout;
mod link;
mod named;
mod names;
mod npy;
mod object;
mod pace;
mod proto;
mod question;
mod record;
#[cfg(feature = "fuzz")]
mod rehearsal;
mod reply;
mod serve;
mod settings;
mod ssh_key;
mod status;
mod timestamp;
mod train;

pub use error::NodeError;
pub use event::Event;
pub use kept::Fresh;
pub use link::{Now, clock};
pub use object::ObjectError;
#[cfg(feature = "fuzz")]
pub use rehearsal::{Objects, Rehearsal};
pub use serve::{Observer, serve};
pub use settings::Settings;
