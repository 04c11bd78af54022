//! A federation by mail: rows stay in their folders, and small files travel.
//!
//! An agent writes a [`Summary`] once, and an [`AnswersFile`] for every round. The coordinator puts what came
//! into one folder and calls [`audit_answers`], which replays everything: it writes the next questions, or the
//! certificate for agents to attest. Nothing else is remembered, so that a folder can be audited again anywhere.

mod answer;
mod begin;
mod ceilings;
mod conclude;
mod files;
mod gram;
mod replay;
#[cfg(test)]
mod round_trip;
mod summary;

pub use answer::{Answered, account_beside, answer};
pub use begin::MailTerms;
pub use conclude::Concluded;
pub use files::{AnswersFile, MailSession, QuestionsFile, file_stem};
pub use replay::{Mailed, audit_answers};
pub use summary::{Summary, summarise};
