//! What is wrong with a certificate of a federation that pools nothing, or with an attestation.

use thiserror::Error;

/// Why an attested certificate, or one agent's part of it, is refused.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum AttestedError {
    /// Not an Ed25519 public key.
    #[error("`{field}` is `{text}`, which is not an Ed25519 public key of 64 hexadecimal digits")]
    Key { field: String, text: String },
    /// Two agents with one key.
    #[error("`{first}` and `{second}` have the same public key")]
    SharedKey { first: String, second: String },
    /// The claim and the terms differ in what they tolerate.
    #[error("the claim tolerates gains up to `{claimed}`, the terms up to `{agreed}`")]
    Tolerance { claimed: f64, agreed: f64 },
    /// How a file is written, where every agent has its own.
    #[error(
        "`terms.predictor.encoding.intake` says how a file is written, and agents have files of their own"
    )]
    Written,
    /// Another version than models of this kind have.
    #[error("the certificate has version {found}; one about such a model has version {needed}")]
    ModelVersion { found: u32, needed: u32 },
    /// A model without a name.
    #[error("`{field}` is blank; a model of the agents' own has a name")]
    ModelName { field: String },
    /// Rows, where only the agents' own programs can compute losses.
    #[error(
        "the model `{model}` is the agents' own: this program cannot compute its losses from rows, so it can \
         neither check nor sign answers about it"
    )]
    OwnModel { model: String },
    /// The opposite.
    #[error("the losses of this certificate follow from rows: its answers are checked on them")]
    KnownModel,
    /// More numbers than an honest document has.
    #[error("`{field}` has {found} entries; a certificate of this kind has at most {most}")]
    TooMany { field: String, found: usize, most: usize },
    /// The first point is another model.
    #[error("`points[0]` is not the predictor of the terms: they differ at parameter {parameter}")]
    NotThePredictor { parameter: usize },
    /// A point without an answer.
    #[error("no agent answered at `points[{point}]`, so nobody signs it")]
    UnusedPoint { point: usize },
    /// Leaves that are not a list of answers.
    #[error(
        "`attestations[{agent}].leaves` must name points below {points}, ascending and each once"
    )]
    LeafOrder { agent: usize, points: usize },
    /// Nobody answered.
    #[error("no agent answered, so nothing is claimed about anybody")]
    Nobody,
    /// An absent agent that stands for something, or one that is there and does not.
    #[error("`{agent}` {problem}")]
    Presence { agent: String, problem: &'static str },
    /// A number that is needed and not there.
    #[error("`{field}` needs {what} of `{agent}` at `points[{point}]`, and there is none")]
    NoLeaf { field: String, agent: String, point: usize, what: &'static str },
    /// No list of tangents.
    #[error("`{field}` must list tangents of agents below {agents}, at least one")]
    Tangents { field: String, agents: usize },
    /// Answers of no convex function.
    #[error(
        "the answers of `{agent}` at points {at} and {other} fit no convex function: at {other} it says \
         `{stated}`, its tangent at {at} proves `{least}`"
    )]
    NotConvex { agent: String, at: usize, other: usize, stated: f64, least: f64 },
    /// Everybody cannot be bounded where somebody is absent.
    #[error("`{agent}` is absent, so {what}")]
    Absent { agent: String, what: &'static str },
    /// A signature that is not one, or is without a key or a digest.
    #[error("the signature of `{agent}` {problem}")]
    Signature { agent: String, problem: &'static str },
    /// Somebody else signed.
    #[error("foreign: the attestation of `{agent}` is signed with the key of `{signer}`")]
    Foreign { agent: String, signer: String },
    /// The signature fits nothing here.
    #[error(
        "forged or stale: `{agent}` did not sign this; its answers, its rows or samples, the points or the \
         terms differ from what it signed"
    )]
    Forged { agent: String },

    /// A name that the terms do not have.
    #[error("the terms have no agent `{agent}`; they name {}", quoted(known))]
    UnknownAgent { agent: String, known: Vec<String> },
    /// Rows of several agents, or of nobody who is named.
    #[error("the data hold rows of {}; an agent attests its own rows alone", quoted(found))]
    OtherRows { found: Vec<String> },
    /// The key of somebody else.
    #[error("the terms give `{agent}` the public key `{agreed}`; this key file has `{own}`")]
    OtherKey { agent: String, agreed: String, own: String },
    /// A key that the terms do not name.
    #[error("the terms give nobody the public key `{own}` of this key file")]
    NobodysKey { own: String },
    /// A certificate of another kind.
    #[error("the certificate is about pooled data, or a table, and has nothing to attest")]
    Pooled,
    /// A loss that the rows do not give.
    #[error(
        "`{agent}` is said to lose `{stated}` within `{margin:e}` at `points[{point}]`; its rows give \
         `{actual}`, for which a margin of `{needed:e}` would do"
    )]
    LeafLoss { agent: String, point: usize, stated: f64, margin: f64, actual: f64, needed: f64 },
    /// A gradient that the rows do not give.
    #[error(
        "the gradient of `{agent}` at `points[{point}]` is said to be known within `{margin:e}`; on its rows \
         it is `{needed:e}` off"
    )]
    LeafGradient { agent: String, point: usize, margin: f64, needed: f64 },
    /// A ceiling that its policy does not give.
    #[error("the ceiling of `{agent}` is `{stated}`; on its rows `{policy}` gives `{actual}`")]
    Ceiling { agent: String, policy: String, stated: f64, actual: f64 },
    /// An attestation of another agreement.
    #[error(
        "stale: `{agent}` attested other terms, with digest `{attested}`; those of the certificate have \
         `{present}`"
    )]
    OtherTerms { agent: String, attested: String, present: String },
    /// An attestation of other answers.
    #[error("`{agent}` attested other answers than the certificate states")]
    OtherAnswers { agent: String },
}

impl AttestedError {
    pub(crate) fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Foreign { .. } | Self::Forged { .. } | Self::Signature { .. } => {
                "ask that agent to run `corefed attest` on the certificate as it is now"
            }
            Self::OtherTerms { .. } | Self::OtherAnswers { .. } => {
                "send it the certificate again and merge the attestation it makes of that"
            }
            Self::LeafLoss { .. } | Self::LeafGradient { .. } => {
                "these are other rows than those that answered, or the answers were changed; do not sign"
            }
            Self::Ceiling { .. } => {
                "ask who wrote the terms; a wrong ceiling changes what everybody's gains mean"
            }
            Self::OtherRows { .. } => {
                "name yourself with `@agent NAME`, or give your own rows only"
            }
            Self::OwnModel { .. } => {
                "the agent attests with its own program: over Flower by `answer_audits`, or in Python by \
                 `ConvexClient.attest(certificate, key)`; anybody checks the rest without `--data`"
            }
            Self::KnownModel => "run `corefed attest CERTIFICATE --data FILE --key KEY`",
            Self::Pooled => "check it with `corefed verify CERTIFICATE --data FILE`",
            Self::OtherKey { .. } | Self::NobodysKey { .. } => {
                "use the key whose public half you sent, or have the terms changed before anybody signs"
            }
            Self::NotConvex { .. } => {
                "ask that agent to answer again: no convex loss gives both answers"
            }
            _ => return None,
        })
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
