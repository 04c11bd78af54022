//! The certificate of a federation that pools nothing (ledger E85 to E89).
//!
//! [`check_attested`] needs no data: bounds follow from the agents' answers by convexity, and each agent
//! signs its own. [`check_own_rows`] checks one agent's answers on its rows and [`attest`] signs them, or
//! [`attest_own_model`] where the model is the agents' own;
//! [`merge`] puts signed answers into a certificate. [`seal`] turns a draft into a certificate.

mod agent;
mod book;
mod ceiling;
mod check;
mod evidence;
mod keys;
mod layout;
mod leaves;
mod own_model;
mod own_rows;
mod seal;
mod signatures;
mod signed;
mod terms;
mod trim;
mod witness;

pub use check::check_attested;
pub use keys::{AgentKey, bytes, hexadecimal, is_signed_by};
pub use own_model::{OwnAnswers, attest_own_model};
pub use own_rows::{attest, check_own_rows};
pub use seal::seal;
pub use signatures::Signers;
pub use signed::{SIGNED_FORMAT, SIGNED_VERSION, SignedAttestation, merge, parse_signed};
pub(crate) use terms::computable;
