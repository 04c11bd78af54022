//! Checks certificates with code that shares nothing with the solvers.
//!
//! A certificate is worth what its checker is worth, so everything here is derived again from the
//! definitions, row by row, in loops that are meant to be read: no solver, no formula of
//! `corefed-core` (only its document types and digests), no matrix library.
//!
//! [`parse`] reads a document, [`check_document`] checks what can be checked without data, and
//! [`check_on_data`] or [`check_table`] check all of it. Nothing that a document says is trusted:
//! a hostile one is refused with a reason.

#![expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "`!(a <= b)` refuses what is not a number, `a > b` would let it pass"
)]

mod agents;
mod checked;
mod cholesky;
mod claim;
mod conflict;
mod coverage;
mod document;
mod error;
mod evidence;
mod exact;
mod first_order;
mod headroom;
mod loss;
mod on_data;
mod parse;
mod predictor;
mod sum;
mod table;
#[cfg(test)]
mod testing;
mod witness;
mod worst_loss;

pub use checked::Checked;
pub use document::check_document;
pub use error::VerifyError;
pub use on_data::check_on_data;
pub use parse::parse;
pub use table::{ListedUtilities, check_table};
