//! What an agent types that keeps its rows and stands for its answers.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Check your part of a certificate on your own rows, and sign it; or put signed parts together.
///
/// For federations that pool nothing: the certificate holds losses and gradients that each agent answered.
/// Your rows stay here. Every answer that is said to be yours is recomputed on them; only if all of them are
/// right is an attestation written, which holds your answers, a salted digest of your rows and your signature.
/// Send it back. The person who collects attestations merges them, and `corefed verify` tells anybody who signed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed keys new north.key                          # once; send the public key that it prints
  corefed attest certificate.json --data my-rows.csv --key north.key
  corefed attest certificate.json --merge north.attestation.json south.attestation.json \\
      --out attested.certificate.json
  corefed verify attested.certificate.json

Exit codes: 0 signed or merged, 2 refused (with the reason) or error.")]
pub(crate) struct AttestArgs {
    /// The certificate that was sent to you.
    #[arg(value_name = "CERTIFICATE")]
    pub(crate) certificate: PathBuf,
    /// Your own rows, CSV or Parquet; a column of agents is not needed.
    #[arg(long, value_name = "FILE", requires = "key", required_unless_present = "merge")]
    pub(crate) data: Option<PathBuf>,
    /// Your key file.
    #[arg(long, value_name = "KEY", requires = "data")]
    pub(crate) key: Option<PathBuf>,
    /// Who you are in the terms [default: whose key it is].
    #[arg(long, value_name = "NAME", requires = "data")]
    pub(crate) agent: Option<String>,
    /// Put these attestations into the certificate instead.
    #[arg(long, value_name = "ATTESTATION", num_args = 1.., conflicts_with = "data", requires = "out")]
    pub(crate) merge: Vec<PathBuf>,
    /// Write to this file [default: NAME.attestation.json].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Keys to sign answers with.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Write a new key, which is yours alone, and print its public half.
    #[command(after_help = "Example:
  corefed keys new north.key

The file holds a secret: only its owner may read it, and it is never overwritten.")]
    New {
        /// The file to write.
        #[arg(value_name = "KEY")]
        file: PathBuf,
    },
    /// Print the public half of a key, which the terms of a federation name.
    Show {
        /// The key file.
        #[arg(value_name = "KEY")]
        file: PathBuf,
    },
}
