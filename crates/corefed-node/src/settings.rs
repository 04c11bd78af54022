//! What a node is told.

use std::path::PathBuf;

use corefed_core::Family;

/// Serve one agent's rows to a Flower SuperLink: a whole node in one program, without Python.
///
/// It answers what strategies of `corefed.flower` ask of linear models: rounds of training, losses, exact audits and
/// signatures. Rows stay here. It joins by Flower's own protocol, so that nodes of both kinds can share a federation;
/// it runs no apps, and answers messages of others with an error. Ctrl-C leaves the SuperLink and ends.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(after_help = EXAMPLES))]
pub struct Settings {
    /// The SuperLink.
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOST:PORT"))]
    pub superlink: String,
    /// Your own rows, CSV or Parquet; a column names the agent, the same in all rows.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub data: PathBuf,
    /// The private key that the node is known by, ECDSA on P-384, as `ssh-keygen` or a PEM file has it.
    #[cfg_attr(feature = "clap", arg(long, value_name = "KEY"))]
    pub key: PathBuf,
    /// How columns become numbers, as all agents agreed [default: `encoding.json` beside the rows].
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub encoding: Option<PathBuf>,
    /// The model that all agents agreed on.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FAMILY", default_value = "logistic"))]
    pub model: Family,
    /// Weight of the ridge in the loss, as all agents agreed.
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = 0.0))]
    pub l2: f64,
    /// Certificates of the authority that signed the SuperLink's, in PEM [default: public authorities].
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", conflicts_with = "insecure"))]
    pub root_certificates: Option<PathBuf>,
    /// Connect without TLS.
    #[cfg_attr(feature = "clap", arg(long))]
    pub insecure: bool,
    /// Folder for the key that signs audits and for what was told [default: beside the rows, `NAME.corefed`].
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub keep: Option<PathBuf>,
    /// Numbers per cell of the table beyond which audits are refused [default: never].
    #[cfg_attr(feature = "clap", arg(long, value_name = "X"))]
    pub budget: Option<f64>,
    /// Size of training steps, where the server does not say `lr`.
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = 1.0))]
    pub learning_rate: f64,
    /// Passes over the rows per round, where the server does not say `local-epochs`.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 1))]
    pub local_epochs: u64,
    /// Rows per step, where the server does not say `batch-size`; zero is all of them.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 0))]
    pub batch_size: u64,
    /// Momentum of steps, where the server does not say `momentum`.
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = 0.0))]
    pub momentum: f64,
}

#[cfg(feature = "clap")]
const EXAMPLES: &str = "Examples:
  ssh-keygen -t ecdsa -b 384 -N '' -f Aachen      # once; send Aachen.pub to the SuperLink's operator
  corefed node --superlink link.example.org:8000 --root-certificates ca.crt \\
      --data Aachen.csv --key Aachen
  corefed node --superlink 127.0.0.1:8000 --insecure --data Aachen.csv --key Aachen  # on one machine

This node was tested with Flower 1.41 and 1.42. docs/node.md tells the rest.

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 2 error.";
