//! Errors of Rust as exceptions of the package.

use corefed_core::{WeightError, with_settings};
use corefed_rules::{ServerError, What};
use corefed_run::{ForeignError, RunError, TermsError};
use corefed_verify::VerifyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What an exception carries besides its text.
#[derive(Default)]
pub(crate) struct Mistake {
    /// Class in `corefed._errors`.
    pub(crate) class: &'static str,
    pub(crate) message: String,
    /// Index of the agent it is about.
    pub(crate) agent: Option<usize>,
    /// Argument it is about.
    pub(crate) field: Option<String>,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// Whether the message is a list, a line each; in others a line break would be a name's.
    pub(crate) lines: bool,
}

impl Mistake {
    /// Something a caller passed that cannot be used.
    pub(crate) fn input(field: &str, message: impl Into<String>) -> Self {
        let field = Some(field.to_owned());
        Self { class: "InputError", message: message.into(), field, ..Self::default() }
    }
}

impl From<Mistake> for PyErr {
    fn from(mistake: Mistake) -> Self {
        Python::attach(|py| exception(py, &mistake).unwrap_or_else(|error| error))
    }
}

fn exception(py: Python<'_>, mistake: &Mistake) -> PyResult<PyErr> {
    let class = py.import("corefed._errors")?.getattr(mistake.class)?;
    let known = PyDict::new(py);
    known.set_item("agent", mistake.agent)?;
    known.set_item("field", mistake.field.as_deref())?;
    let shown = |text: &str| with_settings(text, keyword).into_owned();
    // The class escapes what is hidden, in these as in all others.
    known.set_item("lines", mistake.lines)?;
    known.set_item("hint", mistake.hint.as_deref().map(shown))?;
    Ok(PyErr::from_value(class.call((shown(&mistake.message),), Some(&known))?))
}

/// What the command does and a function of the package does, too. Other jobs, and those with arguments, are the
/// command's, which pip installs.
const FUNCTIONS: [&str; 8] =
    ["audit", "ceiling", "choose", "compare", "run", "stay", "sweep", "verify"];

/// A setting as a keyword of Python, a job as a function.
fn keyword(name: &str, value: Option<&str>) -> String {
    let name = match name {
        "corefed" => {
            let typed = value.unwrap_or("--help");
            let between = if FUNCTIONS.contains(&typed) { '.' } else { ' ' };
            return format!("corefed{between}{typed}");
        }
        "no-intercept" => return "intercept=False".to_owned(),
        // By column, where the command takes one at a time.
        "column" => "columns".to_owned(),
        _ => name.replace('-', "_"),
    };
    let Some(value) = value else { return format!("{name}=") };
    // A key of a spec is a keyword of its own.
    if let ("set", Some((key, _))) = (name.as_str(), value.split_once('=')) {
        return format!("{}=", key.replace('.', "__"));
    }
    if let ("columns", Some((column, kind))) = (name.as_str(), value.rsplit_once('=')) {
        return format!("{name}={{{}: {}}}", literal(column), literal(kind));
    }
    if matches!(name.as_str(), "allow" | "na") {
        return format!("{name}=[{}]", literal(value));
    }
    // Numbers, and placeholders such as `COLUMN`, are not texts.
    let bare = value.parse::<f64>().is_ok() || !value.chars().any(|c| c.is_ascii_lowercase());
    if bare { format!("{name}={value}") } else { format!("{name}={}", literal(value)) }
}

/// A text as Python writes it.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// A weight that cannot be one; `field` is the argument it came in.
pub(crate) fn weight(field: &str, error: WeightError) -> Mistake {
    Mistake { agent: Some(error.agent), ..Mistake::input(field, error.to_string()) }
}

/// A server that cannot exist, or cannot step.
pub(crate) fn server(error: &ServerError) -> Mistake {
    let (class, agent, field) = match error {
        ServerError::NotAnAverage => ("InputError", None, Some("rule")),
        ServerError::Setting { name: "eta", .. } => ("InputError", None, Some("learning_rate")),
        ServerError::Setting { name, .. } => ("InputError", None, Some(*name)),
        ServerError::Ceiling { agent, .. } => ("InputError", Some(*agent), Some("ceilings")),
        ServerError::Length { what, .. } => match what {
            What::Ceilings => ("InputError", None, Some("ceilings")),
            What::Weights => ("InputError", None, Some("samples")),
            What::Update(agent) | What::Parts(agent) => {
                ("InputError", Some(*agent), Some("updates"))
            }
            What::State | What::Velocity => ("InputError", None, Some("state")),
        },
        ServerError::NobodyLeft { .. } => ("CohortError", None, Some("updates")),
    };
    let hint = match error {
        ServerError::Length { what: What::State | What::Velocity, .. } => {
            Some("this state belongs to another federation or model; start with `state=None`")
        }
        error => error.hint(),
    };
    let (field, hint) = (field.map(str::to_owned), hint.map(str::to_owned));
    Mistake { class, message: error.to_string(), agent, field, hint, lines: false }
}

/// A certificate that is refused.
pub(crate) fn certificate(error: &VerifyError) -> Mistake {
    Mistake {
        class: "CertificateError",
        message: format!("certificate refused: {error}"),
        field: Some("certificate".to_owned()),
        hint: error.hint().map(str::to_owned),
        ..Mistake::default()
    }
}

/// A run that could not be made.
pub(crate) fn run(error: &RunError) -> Mistake {
    let (class, field) = match error {
        RunError::Refused(error) => return certificate(error),
        RunError::Margins(_)
        | RunError::Terms(TermsError::Radius { .. } | TermsError::OutsideBall { .. }) => {
            ("InputError", Some("radius"))
        }
        RunError::Terms(TermsError::Ridge { .. }) => ("InputError", Some("l2")),
        RunError::Terms(TermsError::Tolerance { .. }) => ("InputError", Some("tolerance")),
        RunError::Terms(TermsError::ManyParameters { .. }) => ("InputError", Some("X")),
        RunError::Terms(TermsError::ManyAgents { .. } | TermsError::SingleAgent { .. }) => {
            ("InputError", Some("agents"))
        }
        RunError::Foreign(ForeignError::NoRivals { .. }) => ("InputError", Some("models")),
        RunError::Foreign(_) => ("InputError", Some("predictions")),
        RunError::Ceiling(_) => ("InputError", Some("ceiling")),
        RunError::Terms(TermsError::Infeasible { .. } | TermsError::NotFound { .. }) => {
            ("InfeasibleError", Some("ceiling"))
        }
        _ => ("RunError", None),
    };
    Mistake {
        class,
        message: error.message(),
        field: field.map(str::to_owned),
        hint: error.hint(),
        agent: None,
        lines: error.is_list(),
    }
}
