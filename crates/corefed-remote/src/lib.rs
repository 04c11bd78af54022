//! The exact audit, and training, of a federation whose rows stay where they are.
//!
//! Agents answer questions about points: losses, and where needed gradients and Hessians. Hessians
//! propose where to ask next, tangents prove; the proof is a document that every agent can check and sign.

mod audit;
mod bad_answer;
mod batch;
mod bundle;
mod case;
mod conclude;
mod conduct;
mod draft;
mod hopeless;
mod model;
mod oracle;
mod outcome;
mod pass;
mod plan;
mod planes;
mod propose;
mod questions;
mod receive;
mod session;
mod setup;
mod state;
mod tangents;
mod training;

pub use bad_answer::BadAnswer;
pub use conduct::conduct;
pub use oracle::{Account, Oracle, Refusal, RowOracle};
pub use outcome::{Ended, Outcome, Traffic};
pub use questions::{Answers, Asked, Questions, Request, points_digest};
pub use session::{Session, Step};
pub use setup::{BadSetup, Ceiling, Hessians, Options, Participant, Setup, Stop, Task};
