//! Names of what travels between our servers and their agents; those of `corefed.flower.protocol`.

/// Key of a request's configuration: what is wanted besides training.
pub(crate) const ASK: &str = "corefed-ask";
/// Record of a reply that says who it is from, and its keys.
pub(crate) const ABOUT: &str = "corefed";
pub(crate) const AGENT: &str = "agent";
pub(crate) const CORRECTS: &str = "corrects";
/// Metrics of a reply.
pub(crate) const LOSS: &str = "loss-before";
pub(crate) const SAMPLES: &str = "corefed-samples";
pub(crate) const EXAMPLES: &str = "num-examples";
pub(crate) const ACCURACY: &str = "accuracy-before";
/// Keys of a request's configuration.
pub(crate) const ROUND: &str = "server-round";
pub(crate) const RULE: &str = "corefed-rule";
pub(crate) const CEILING: &str = "corefed-ceiling";
pub(crate) const FLOOR: &str = "corefed-floor";
pub(crate) const INDEX: &str = "corefed-index";
pub(crate) const SEED: &str = "seed";
/// How agents train, where the server says so.
pub(crate) const RATE: &str = "lr";
pub(crate) const EPOCHS: &str = "local-epochs";
pub(crate) const BATCH: &str = "batch-size";
pub(crate) const MOMENTUM: &str = "momentum";
/// Record of a request: what the agent adds to the gradient in every step.
pub(crate) const DRIFT: &str = "corefed-drift";
/// Record of the reply to it, and its keys, besides the momentum.
pub(crate) const WALK: &str = "corefed-walk";
pub(crate) const STEPS: &str = "steps";
pub(crate) const WALK_RATE: &str = "rate";
pub(crate) const PARTS: &str = "parts";
/// Records and keys of an exact audit.
pub(crate) const TERMS: &str = "terms";
pub(crate) const ORACLE: &str = "oracle";
pub(crate) const POINTS: &str = "points";
pub(crate) const CERTIFICATE: &str = "certificate";
pub(crate) const ATTESTATION: &str = "attestation";
pub(crate) const DECLARE: &str = "declare";
pub(crate) const DECLARED: &str = "declared";
pub(crate) const POLICY: &str = "policy";
pub(crate) const RADIUS: &str = "radius";
/// Record and key of a reply that says why there is no answer.
pub(crate) const REFUSAL: &str = "corefed-refusal";
