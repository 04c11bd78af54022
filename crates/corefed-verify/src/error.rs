//! Why a certificate is refused.

use corefed_core::{JsonTooLarge, Verdict};
use thiserror::Error;

use crate::attested_error::AttestedError;

/// The first reason found to refuse a certificate, with the numbers behind it.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum VerifyError {
    /// The text is not JSON.
    #[error("certificate is not valid JSON: {source}")]
    Syntax { source: serde_json::Error },
    /// The text would take too much memory.
    #[error("certificate is not read: {0}")]
    TooLarge(JsonTooLarge),
    /// The JSON is something else.
    #[error("not a certificate: `format` is `{}`", found.as_deref().unwrap_or("missing"))]
    Format { found: Option<String> },
    /// A certificate of another time.
    #[error("certificate has version {found}; this corefed reads version {supported}")]
    Version { found: String, supported: u32 },
    /// A field is missing, misspelt, given twice or of another type.
    #[error("certificate does not have the shape of its version: {source}")]
    Shape { source: serde_json::Error },
    /// A field that this version does not have, or writes in another way.
    #[error("certificate has a field `{field}` that is unknown, missing or of another form")]
    UnknownField { field: String },

    /// A number outside its range.
    #[error("`{field}` is `{value}`; it must be {must}")]
    Number { field: String, value: f64, must: &'static str },
    /// A list of the wrong length.
    #[error("`{field}` has {found} entries instead of {expected}")]
    Length { field: String, expected: usize, found: usize },
    /// A value that this kind of certificate needs.
    #[error("`{field}` is missing")]
    Missing { field: String },
    /// A value that this kind of certificate cannot have.
    #[error("`{field}` does not belong in a certificate about {about}")]
    Misplaced { field: String, about: &'static str },
    /// Agents listed in a way that is not a set of agents.
    #[error("`{field}` must list agents below {agents}, ascending and at least one")]
    Members { field: String, agents: usize },
    /// Too few to form a federation.
    #[error("certificate speaks of {found} agents; a federation has at least 2")]
    TooFewAgents { found: usize },
    /// More than coverage can be checked for.
    #[error("conflicts among {found} agents cannot be checked; the most is {most}")]
    TooManyAgents { found: usize, most: usize },
    /// An agent without a name.
    #[error("agent {agent} has no name")]
    EmptyName { agent: usize },
    /// Two agents with one name.
    #[error("two agents are named `{name}`")]
    DuplicateName { name: String },
    /// Parameters that the audit does not range over.
    #[error("`{field}` has norm `{norm}`, outside the ball of radius `{radius}`")]
    OutsideBall { field: String, norm: f64, radius: f64 },
    /// Not a SHA-256 in lower-case hexadecimal.
    #[error("`{field}` is `{text}`, which is not a SHA-256 digest")]
    MalformedDigest { field: &'static str, text: String },
    /// The parameters, or the row of utilities, were changed.
    #[error("parameters have digest `{recomputed}`; the certificate was issued for `{stated}`")]
    ParametersChanged { stated: String, recomputed: String },

    /// The ends of the interval are the wrong way round.
    #[error("`{field}` runs from `{lo}` down to `{hi}`")]
    Interval { field: String, lo: f64, hi: f64 },
    /// The verdict is not what the intervals say.
    #[error("the verdict is `{stated}`, but the intervals and the tolerance mean `{follows}`")]
    Verdict { stated: Verdict, follows: Verdict },
    /// An upper end is lower than what the evidence proves.
    #[error("certificate claims {what} <= `{claimed}`; its evidence supports `{supported}`")]
    Overclaimed { what: &'static str, claimed: f64, supported: f64 },
    /// A lower end is higher than what the witness reaches.
    #[error("certificate claims {what} >= `{claimed}`; its witness reaches `{supported}`")]
    Unwitnessed { what: &'static str, claimed: f64, supported: f64 },
    /// An end of a table's interval that is not the exact number, rounded outwards.
    #[error("certificate claims {what} `{claimed}`; the table gives `{exact}`")]
    NotExact { what: &'static str, claimed: f64, exact: f64 },
    /// A blocked claim without a coalition.
    #[error("the verdict is `blocked`, but no coalition is named")]
    NoWitness,
    /// A witness that lists all agents.
    #[error("the witness lists all agents; everybody together does not leave")]
    Everybody,
    /// A member whose utility is not proven positive, without an infinite gain.
    #[error(
        "`{agent}` has utility `{utility}`, which is not proven positive, so its gain says nothing"
    )]
    NoGain { agent: String, utility: f64 },
    /// A coalition of agents that have something and agents that have not.
    #[error("`{agent}` has utility `{utility}` and would leave alone; the others have something")]
    MixedCoalition { agent: String, utility: f64 },
    /// A finite bound where an agent has nothing to lose and may be given something.
    #[error("`{agent}` has utility `{utility}`, not proven positive, so its gains have no bound")]
    NothingToLose { agent: String, utility: f64 },
    /// An agent said to be hopeless that has something.
    #[error("`{agent}` is said to be hopeless, yet its utility is `{utility}`")]
    NotHopeless { agent: String, utility: f64 },
    /// A conflict about an agent that joins no coalition.
    #[error("conflict {conflict} speaks of `{agent}`, which is listed as hopeless")]
    HopelessMember { conflict: usize, agent: String },
    /// A utility above what zero loss would give.
    #[error("`{agent}` has utility `{utility}`, above its ceiling `{ceiling}`")]
    AboveCeiling { agent: String, utility: f64, ceiling: f64 },

    /// The evidence needs utilities that are nowhere negative, and they may be.
    #[error("premise violated: the loss of `{agent}` may reach `{worst}`, above `{ceiling}`")]
    PremiseViolated { agent: String, worst: f64, ceiling: f64 },
    /// The evidence needs its assumptions, and the certificate says that one is false.
    #[error("premise violated: the claim rests on \"{statement}\", listed as violated")]
    ViolatedAssumption { statement: String },
    /// A coalition that no conflict rules out.
    #[error("no conflict bounds {} by kappa <= `{claimed}`", list(coalition))]
    Uncovered { coalition: Vec<String>, claimed: f64 },
    /// The coverage check was given up.
    #[error("coverage is undecided after {tests} comparisons of coalitions and conflicts")]
    CoverageBudget { tests: u64 },

    /// The evidence takes longer to check than any audit takes to find it.
    #[error(
        "checking the {entries} entries of the evidence would look at {needed} numbers; the most \
         is {most}"
    )]
    TooMuchWork { entries: usize, needed: u64, most: u64 },

    /// The data is not what the certificate speaks of.
    #[error("stale: data has digest `{present}`; the certificate was issued for `{stated}`")]
    Stale { stated: String, present: String },
    /// The data has other agents.
    #[error("agent {agent} is `{stated}` in the certificate and `{present}` in the data")]
    AgentName { agent: usize, stated: String, present: String },
    /// The data has other rows.
    #[error("`{agent}` has {stated} samples in the certificate and {present} in the data")]
    Samples { agent: String, stated: usize, present: usize },
    /// A label that the model does not know.
    #[error("row {row} of the encoded data has target `{value}`; it must be {must}")]
    Target { row: usize, value: f64, must: &'static str },
    /// A utility that the data does not give.
    #[error(
        "`{agent}` is said to have utility `{stated}` within `{margin:e}`; the data proves \
         `{recomputed}` within `{error:e}`"
    )]
    Utility { agent: String, stated: f64, margin: f64, recomputed: f64, error: f64 },
    /// A gain that the data does not give.
    #[error("`{agent}` is said to gain `{stated}`; the data proves `{proven}`")]
    Gain { agent: String, stated: f64, proven: f64 },
    /// A gap below the proven one.
    #[error("the Frank-Wolfe gap is said to be at most `{stated}`; the data proves `{proven}`")]
    Gap { stated: f64, proven: f64 },
    /// A worst loss that is not proven.
    #[error("`{agent}` is said to lose at most `{stated}`; only `{proven}` is proven")]
    Worst { agent: String, stated: f64, proven: f64 },
    /// A conflict that proves less than it says.
    #[error("conflict {conflict} is said to bound gains by `{stated}`; it proves `{proven}`")]
    Bound { conflict: usize, stated: f64, proven: f64 },
    /// An agent that may get something.
    #[error("`{agent}` is said to be hopeless; only a utility of at most `{proven}` is proven")]
    Hopeful { agent: String, proven: f64 },

    /// A row that the table does not have, or the incumbent as its own rival.
    #[error("`{field}` names the row `{row}`, which is not a row it can name")]
    UnknownRow { field: String, row: String },
    /// The strict rule of Definition 1 says otherwise.
    #[error("the verdict is `{stated}`; the table says `{recomputed}`")]
    TableVerdict { stated: Verdict, recomputed: Verdict },
    /// A coalition that does not block by the strict rule.
    #[error(
        "the coalition of {} does not block: nobody in it is strictly better off",
        list(coalition)
    )]
    NotStrict { coalition: Vec<String> },

    /// Two entries with one name.
    #[error("`{list}` has two entries named `{name}`")]
    Twice { list: String, name: String },
    /// A fraction that is zero.
    #[error("`{field}` is `{value}`; it must be positive")]
    Fraction { field: String, value: String },
    /// Fractions that do not sum to what they must.
    #[error("{field} is `{found}`; it must be `{must}`")]
    Sum { field: String, found: String, must: String },
    /// A list of indices that is empty, not ascending, or points nowhere.
    #[error("`{field}` must list what there is, ascending and at least one")]
    Index { field: String },
    /// A coalition that is too small for what it prefers.
    #[error(
        "`{model}` is said to be vetoed, but share and better models sum to `{sum}`, not above 1"
    )]
    NoVeto { model: String, sum: String },
    /// A preference that the table does not have.
    #[error(
        "`{agent}` {} `{model}` to `{to}`, and the certificate rests on the opposite",
        if *prefers { "prefers" } else { "does not prefer" }
    )]
    Preference { agent: String, model: String, to: String, prefers: bool },

    /// A certificate from answers of agents that keep their rows.
    #[error(transparent)]
    Attested(#[from] AttestedError),
}

impl VerifyError {
    /// What the reader can do about it, printed on its own `hint:` line.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Format { .. } => {
                Some("expected a document written by `corefed audit` or `corefed choose`")
            }
            Self::Version { found, .. } if found == "1" => {
                Some("certificates of version 1 could be forged; audit again with this version")
            }
            Self::Version { .. } => {
                Some("issue it again with this version, or check it with the matching release")
            }
            Self::UnknownField { .. } | Self::Shape { .. } => {
                Some("the document was edited, or written by another program")
            }
            Self::Stale { .. } => Some(
                "give the file that was solved or audited, byte for byte; a run keeps it as `federation.csv` \
                 in its folder. If its rows have changed since, audit them again",
            ),
            Self::AgentName { .. } | Self::Samples { .. } => {
                Some("the data changed since the certificate was issued; audit it again")
            }
            Self::ParametersChanged { .. } => {
                Some("the certificate speaks of other parameters; audit these again")
            }
            Self::PremiseViolated { .. } | Self::ViolatedAssumption { .. } => Some(
                "the Frank-Wolfe bound needs utilities that are nowhere negative; raise the \
                 ceilings or rely on exact coalition programs",
            ),
            Self::Uncovered { .. } => {
                Some("a conflict may have been removed, or the bound lowered; audit again")
            }
            Self::CoverageBudget { .. } | Self::TooManyAgents { .. } | Self::TooMuchWork { .. } => {
                Some("the claim may hold, but it cannot be confirmed in reasonable time")
            }
            Self::Attested(error) => error.hint(),
            Self::Number { field, .. } if field == "claim.tolerance" => {
                Some("a large tolerance makes `stable` say nothing")
            }
            _ => None,
        }
    }
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
