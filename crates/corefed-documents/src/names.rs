//! Names of files in the folder of a run.

/// How much agents that keep their rows have told.
pub const ANSWERED: &str = "answered.json";
/// The audit of a trained model.
pub const AUDIT: &str = "audit.json";
/// Its certificate.
pub const CERTIFICATE: &str = "certificate.json";
/// What every coalition of a small federation could have.
pub const COALITIONS: &str = "coalitions.json";
/// The rows that were trained on, where no file of the user's holds exactly those.
pub const FEDERATION: &str = "federation.csv";
/// Labels by agent, where the folder does not hold the rows.
pub const LABELS: &str = "labels.json";
/// Whether the shared model is worth staying for.
pub const STAY: &str = "stay.json";
/// The run in words.
pub const SUMMARY: &str = "summary.md";
/// What was changed about the spec of a training after it had begun.
pub const CHANGES: &str = "changes.json";
