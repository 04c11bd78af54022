//! Checks certificates, and proves what they claim, rounding included.
//!
//! A certificate is worth what its checker is worth, so everything here is derived again from the
//! definitions, row by row, in loops that are meant to be read: no solver, no formula of
//! `corefed-core` (only its document types and digests), no matrix library. Reading and encoding the
//! data is shared with the rest (`corefed-data`). Every number that a decision rests on is enclosed
//! with a proven error (ledger E45); a claim is accepted only if the
//! enclosure proves it.
//!
//! [`parse`] reads a document, [`check_document`] checks what can be checked without data, and
//! [`check_on_data`] or [`check_table`] check all of it; [`check_veto`] and [`check_veto_table`] do the same
//! for choices; [`check_attested`] for answers of agents that keep their rows, of which [`check_own_rows`]
//! checks one agent's and [`attest`] signs them. [`prove`] and [`seal`] turn drafts into certificates by
//! rounding every claim to what is proven. Nothing that a document says is trusted: a hostile one is
//! refused with a reason.

#![expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "`!(a <= b)` refuses what is not a number, `a > b` would let it pass"
)]

mod agents;
mod attested;
mod attested_error;
mod checked;
mod claim;
mod conflict;
mod coverage;
mod covered;
mod curvature;
mod deviation;
mod document;
mod effort;
mod eft;
mod enclosed;
mod error;
mod evidence;
mod exact;
mod family;
mod files;
mod first_order;
mod functions;
mod headroom;
mod inverse_form;
mod loss;
mod on_data;
#[cfg(test)]
mod oracle;
mod parallel;
mod parse;
mod place;
mod predictor;
mod prove;
mod refine;
mod sum;
mod table;
mod veto;
mod witness;
mod worst_loss;

pub(crate) use attested::computable;
pub use attested::{
    AgentKey, OwnAnswers, SIGNED_FORMAT, SIGNED_VERSION, SignedAttestation, Signers, attest,
    attest_own_model, bytes, check_attested, check_own_rows, hexadecimal, is_signed_by, merge,
    parse_signed, seal,
};
pub use attested_error::AttestedError;
pub use checked::Checked;
pub use document::check_document;
pub use error::VerifyError;
pub use files::{FileError, check_files, check_files_of, own_rows};
pub use on_data::check_on_data;
pub use parse::{AnyCertificate, parse, parse_any};
pub use prove::{Watch, prove};
pub use table::{ListedUtilities, check_table, rounded, with_margin};
pub use veto::{check_veto, check_veto_table};
