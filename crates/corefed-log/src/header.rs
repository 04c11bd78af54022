//! What a run is: fixed when it starts, never written again.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::format::{FORMAT, VERSION, is_known};
use crate::{LogError, float};

/// The contents of `run.json`, less format, version and program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunHeader {
    /// Name for people.
    pub name: String,
    /// Name of the server rule.
    pub rule: String,
    /// What every draw derives from.
    pub seed: u64,
    /// Rounds planned, without round zero.
    pub rounds: usize,
    /// Free JSON: family, number of parameters, scalar.
    pub model: Value,
    /// What was trained on.
    pub data: DataHeader,
    /// Everybody who may take part, in the order of the partition.
    pub agents: Vec<AgentHeader>,
    /// Tolerance of verdicts: gains up to this do not count.
    #[serde(with = "float")]
    #[cfg_attr(feature = "schema", schemars(with = "corefed_core::Number"))]
    pub tolerance: f64,
    /// Radius of the ball of predictors, > 0, if there is one.
    #[serde(with = "float::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<corefed_core::Number>"))]
    pub radius: Option<f64>,
    /// What the bounds on kappa rest on, in words; `None` where there is nothing to say.
    pub premise: Option<String>,
    /// What computed it; absent in folders that are older than this field, and where it is always the CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceHeader>,
    /// What holds the training steady; absent in folders that are older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steadiness: Option<SteadinessHeader>,
    /// Which model `model.safetensors` is: `best` by the rows to choose by, or absent for the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeps: Option<String>,
    /// What agents reported before the first round and was not taken as it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<GuardHeader>,
}

/// A number of an agent's that a guard replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GuardHeader {
    /// Name of the agent.
    pub agent: String,
    /// Which of its numbers.
    pub what: Guarded,
    /// As it was reported, or as it follows from what the agent declared.
    #[serde(with = "float")]
    #[cfg_attr(feature = "schema", schemars(with = "corefed_core::Number"))]
    pub told: f64,
    /// As it counts.
    #[serde(with = "float")]
    #[cfg_attr(feature = "schema", schemars(with = "corefed_core::Number"))]
    pub used: f64,
}

/// What guards look at before the first round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Guarded {
    /// The number of rows that its weight goes by.
    Rows,
    /// The loss with the first model that its ceiling rests on.
    FirstLoss,
    /// The ceiling that follows from what it declared.
    Ceiling,
}

/// What `auto` came to, or what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SteadinessHeader {
    /// `control` where local steps are corrected for drift, else `none`.
    pub correction: String,
    /// `on` where the server compares several steps, else `off`.
    pub search: String,
}

/// What a run was computed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeviceHeader {
    /// `cpu` or `cuda`.
    pub kind: String,
    /// As its maker calls it; `CPU` for a processor.
    pub name: String,
    /// How products are computed: `fp32`, `tf32` for factors of 11 bits, or `bf16` for 8.
    pub precision: String,
}

impl DeviceHeader {
    /// Whether a run that began there may resume here: the same kind and the same arithmetic. Another GPU of
    /// the same kind rounds alike, though it may add in another order.
    #[must_use]
    pub fn goes_on_from(&self, began: &Self) -> bool {
        self.kind == began.kind && self.precision == began.precision
    }
}

impl std::fmt::Display for DeviceHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.name, self.precision)
    }
}

/// The data of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DataHeader {
    /// The file or published set, as the spec names it.
    pub file: String,
    /// SHA-256 in hexadecimal.
    pub digest: String,
}

/// One agent of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AgentHeader {
    /// Unique name.
    pub name: String,
    /// Rows it trains on.
    pub samples: usize,
    /// Rows it keeps aside.
    pub held_out_samples: usize,
    /// Its say in the core, > 0.
    #[serde(with = "float")]
    #[cfg_attr(feature = "schema", schemars(with = "corefed_core::Number"))]
    pub weight: f64,
    /// The loss at which its utility is zero.
    #[serde(with = "float")]
    #[cfg_attr(feature = "schema", schemars(with = "corefed_core::Number"))]
    pub ceiling: f64,
    /// Its weight in averages of models and losses; absent in older folders, where the spec says it.
    #[serde(default, with = "float::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<corefed_core::Number>"))]
    pub average: Option<f64>,
}

/// What is looked at first: a later version may have any other fields.
#[derive(Deserialize)]
struct Origin {
    format: String,
    version: u64,
    #[serde(default)]
    kind: RunKind,
    corefed: Option<String>,
}

/// Whether a run was trained by rounds or solved exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RunKind {
    /// Trained by rounds, with records, checkpoints and one model.
    #[default]
    Training,
    /// Solved exactly, with one predictor and certificate per rule.
    Exact,
}

/// A header with what every `run.json` begins with.
pub(crate) fn document(
    kind: RunKind,
    header: &impl Serialize,
) -> Result<String, serde_json::Error> {
    let mut document = Map::new();
    document.insert("format".to_owned(), FORMAT.into());
    document.insert("version".to_owned(), VERSION.into());
    document.insert("kind".to_owned(), serde_json::to_value(kind)?);
    document.insert("corefed".to_owned(), env!("CARGO_PKG_VERSION").into());
    if let Value::Object(fields) = serde_json::to_value(header)? {
        document.extend(fields);
    }
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The kind of a `run.json`, its own fields, and the program that wrote it.
pub(crate) fn opened(path: &Path, bytes: &[u8]) -> Result<(RunKind, Value, String), LogError> {
    let json = |source| LogError::Header { path: path.to_owned(), source };
    let Origin { format, version, kind, corefed } = serde_json::from_slice(bytes).map_err(json)?;
    if format != FORMAT {
        let found = format.chars().take(40).collect();
        return Err(LogError::Format { path: path.to_owned(), found });
    }
    if !is_known(version) {
        let path = path.to_owned();
        return Err(LogError::Version { path, found: version, written_by: corefed });
    }
    let mut document: Map<String, Value> = serde_json::from_slice(bytes).map_err(json)?;
    for known in ["format", "version", "kind", "corefed"] {
        // `shift_remove` keeps the order of the rest, which `model` may care about.
        document.shift_remove(known);
    }
    Ok((kind, Value::Object(document), corefed.unwrap_or_default()))
}

impl RunHeader {
    /// The text of `run.json`.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        document(RunKind::Training, self)
    }

    /// Checks the text of `run.json`; also returns the version of the program that wrote it.
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<(Self, String), LogError> {
        let (kind, fields, corefed) = opened(path, bytes)?;
        if kind != RunKind::Training {
            return Err(LogError::NotATraining { path: path.to_owned() });
        }
        let json = |source| LogError::Header { path: path.to_owned(), source };
        Ok((serde_json::from_value(fields).map_err(json)?, corefed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn parse(text: &str) -> Result<(RunHeader, String), LogError> {
        RunHeader::parse(Path::new("r/run.json"), text.as_bytes())
    }

    #[test]
    fn a_header_reads_back_as_it_was_written() {
        let mut header = testing::header();
        header.agents[0].ceiling = f64::INFINITY;
        header.agents[1].weight = 0.1 + 0.2;
        header.radius = Some(1.0 / 3.0);
        let text = header.to_json().unwrap();
        let start = "{\n  \"format\": \"corefed-run\",\n  \"version\": 4,\n  \"kind\": \"training\",\n  \"corefed\": \"0.1.0\",\n  \"name\"";
        assert!(text.starts_with(start), "{text}");
        assert_eq!(parse(&text).unwrap(), (header, "0.1.0".to_owned()));
    }

    #[test]
    fn what_guards_replaced_reads_back_and_version_3_has_none() {
        let older = testing::header();
        let text = older.to_json().unwrap().replace("\"version\": 4", "\"version\": 3");
        assert!(!text.contains("guards"), "{text}");
        assert_eq!(parse(&text).unwrap().0, older);
        let cut = |what, told| GuardHeader { agent: "a".to_owned(), what, told, used: 0.5 };
        let guards = vec![
            cut(Guarded::Rows, 1e12),
            cut(Guarded::FirstLoss, 0.1),
            cut(Guarded::Ceiling, 0.25),
        ];
        let header = RunHeader { guards, ..older };
        let text = header.to_json().unwrap();
        assert!(text.contains("\"what\": \"first-loss\""), "{text}");
        assert_eq!(parse(&text).unwrap().0, header);
    }

    #[test]
    fn the_device_is_optional_and_only_kind_and_precision_decide_whether_a_run_goes_on() {
        let older = testing::header();
        let text = older.to_json().unwrap();
        assert!(!text.contains("device"), "{text}");
        assert_eq!(parse(&text).unwrap().0.device, None);
        let device = |kind: &str, name: &str, precision: &str| {
            let [kind, name, precision] = [kind, name, precision].map(str::to_owned);
            DeviceHeader { kind, name, precision }
        };
        let began = device("cuda", "one GPU", "fp32");
        let header = RunHeader { device: Some(began.clone()), ..older };
        assert_eq!(parse(&header.to_json().unwrap()).unwrap().0, header);
        assert!(device("cuda", "another", "fp32").goes_on_from(&began));
        assert!(!device("cuda", "one GPU", "tf32").goes_on_from(&began));
        assert!(
            !device("cuda", "one GPU", "bf16").goes_on_from(&device("cuda", "one GPU", "tf32"))
        );
        assert!(!device("cpu", "CPU", "fp32").goes_on_from(&began));
    }

    #[test]
    fn a_later_version_is_refused_by_name_whatever_its_fields() {
        let text = "{\"format\":\"corefed-run\",\"version\":7,\"corefed\":\"3.2.1\",\"new\":[]}";
        let error = parse(text).unwrap_err();
        assert_eq!(error.to_string(), "`r/run.json` is of version 7; this program reads version 4");
        let hint = error.hint().unwrap();
        assert_eq!(hint, "it was written by a later corefed 3.2.1; update this one");
    }

    #[test]
    fn other_documents_and_unknown_fields_are_refused() {
        let other = "{\"format\":\"corefed-partition\",\"version\":1}";
        assert!(matches!(parse(other), Err(LogError::Format { .. })));
        let text = testing::header().to_json().unwrap();
        let extra = text.replacen("\"name\"", "\"nickname\": 1, \"name\"", 1);
        let error = parse(&extra).unwrap_err();
        assert!(matches!(error, LogError::Header { .. }), "{error:?}");
        assert!(matches!(parse("{"), Err(LogError::Header { .. })));
    }

    #[test]
    fn what_is_not_a_number_cannot_be_written() {
        let mut header = testing::header();
        header.tolerance = f64::NAN;
        assert!(header.to_json().unwrap_err().to_string().contains("not a number"));
    }
}
