//! What rows mean, who counts how much, and how far an audit goes.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use corefed_core::{DecimalMark, Family, Separator, Writing};
use corefed_data::{Check, ColumnType, EncodeOptions, Missing};
use corefed_spec::{Ceiling, WeightsBy};

/// What the columns of a table mean, where a spec or a predictor may say it instead.
#[derive(Clone, Debug, Args)]
pub(crate) struct TableArgs {
    /// Column of a table that names the owner of a row.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) agent: Option<String>,
    /// Column of a table to predict.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Model to fit to a table.
    #[arg(long, value_parser = family())]
    pub(crate) model: Option<Family>,
    #[command(flatten)]
    pub(crate) written: WritingArgs,
}

/// How text is written, where recognising it goes wrong.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct WritingArgs {
    /// What separates cells: `comma`, `semicolon`, `tab`, `pipe`, or the character [default: recognised].
    #[arg(long, value_name = "MARK")]
    separator: Option<Separator>,
    /// What separates decimals: `point`, or `comma`, and points then separate thousands [default: recognised].
    #[arg(long, value_name = "MARK")]
    decimal: Option<DecimalMark>,
}

impl WritingArgs {
    /// As libraries ask for it.
    pub(crate) fn told(self) -> Writing {
        Writing { separator: self.separator, decimal: self.decimal }
    }
}

/// How rows become numbers.
#[derive(Clone, Debug, Args)]
pub(crate) struct EncodingArgs {
    /// Column that says for how long, or how many, a row was observed; for models of counts.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) exposure: Option<String>,
    /// Take numbers as they are: no standardisation, no text columns.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Fit no intercept.
    #[arg(long)]
    pub(crate) no_intercept: bool,
    /// Add (X/2)|parameters|^2 to every agent's loss, intercept included.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) l2: Option<f64>,
    /// Accept data that look like a mistake.
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    pub(crate) allow: Vec<Check>,
    /// What a missing cell (empty, `?`, `NA`, `NaN`, `null`, `.`, `-`) means: `error`; `category`, a level of a
    /// text column but an error among numbers; `mean`, which also fills in numbers; `drop`, which leaves out
    /// its row; or `auto`, as `mean`, and rows without target are left out [default: auto].
    #[arg(long, value_name = "POLICY")]
    pub(crate) missing: Option<Missing>,
    /// A further word for a missing value, such as `-9999`; repeatable.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) na: Vec<String>,
    /// Take a column as `number`, `text`, `ignore`, `date` (a number of days) or `parts` (of a date: days,
    /// month, weekday, hour), whatever its cells look like; repeatable.
    #[arg(long = "column", value_name = "NAME=TYPE", value_parser = typed_column)]
    pub(crate) columns: Vec<(String, ColumnType)>,
}

/// `NAME=TYPE`; a name may contain `=`.
fn typed_column(text: &str) -> Result<(String, ColumnType), String> {
    let (name, kind) = text.rsplit_once('=').ok_or_else(|| {
        format!("`{text}` has no `=`; write `NAME=number`, `text`, `ignore`, `date` or `parts`")
    })?;
    let kind = kind.parse().map_err(|error: corefed_data::UnknownChoice| error.to_string())?;
    Ok((name.to_owned(), kind))
}

impl EncodingArgs {
    /// Whether nothing is asked.
    pub(crate) fn is_empty(&self) -> bool {
        self.flags().iter().all(|(_, given)| !given)
    }

    /// All flags, and whether each is given.
    pub(crate) fn flags(&self) -> [(&'static str, bool); 8] {
        let Self { exposure, raw, no_intercept, l2, allow, missing, na, columns } = self;
        [
            ("--exposure", exposure.is_some()),
            ("--raw", *raw),
            ("--no-intercept", *no_intercept),
            ("--l2", l2.is_some()),
            ("--allow", !allow.is_empty()),
            ("--missing", missing.is_some()),
            ("--na", !na.is_empty()),
            ("--column", !columns.is_empty()),
        ]
    }

    /// Everything about the encoding of a table.
    pub(crate) fn options(
        &self,
        (agent, target): (&str, &str),
        family: Family,
        written: Writing,
    ) -> EncodeOptions {
        EncodeOptions {
            agent_column: agent.to_owned(),
            target_column: target.to_owned(),
            exposure_column: self.exposure.clone(),
            family,
            intercept: !self.no_intercept,
            raw: self.raw,
            l2: self.l2.unwrap_or(0.0),
            allow: self.allow.iter().copied().collect(),
            written,
            missing: self.missing.unwrap_or_default(),
            na: self.na.clone(),
            types: self.columns.clone(),
        }
    }
}

/// Weights, ceilings and the ball of parameters.
#[derive(Clone, Debug, Args)]
pub(crate) struct TermsArgs {
    /// Loss at which an agent gets nothing: a number, `initial[:F]` (F times the zero predictor's
    /// loss), `constant[:F]` (F times the agent's best constant predictor's loss),
    /// `pooled-constant[:F]` (F times its loss under the best constant for everybody together),
    /// `baseline[:F]` (F times that loss or its average over everybody, whichever is larger),
    /// `alone[:F]` (F times the loss of the model that it would fit alone), `worst` (the provable worst
    /// loss on the ball) or a CSV file with columns `agent,ceiling` [default: initial:1.5; pooled-constant:1.5 for
    /// predictions; baseline:1.5 for linear models without `--raw`, for which losses are shares of variance].
    #[arg(long, value_name = "CEILING", allow_negative_numbers = true)]
    pub(crate) ceiling: Option<Ceiling>,
    /// Radius of the ball that parameters and rivals lie in [default: 10].
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) radius: Option<f64>,
    /// Say of each agent: `equal`, `samples` or a CSV file with columns `agent,weight`
    /// [default: equal].
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) weights: Option<WeightsBy>,
}

/// How far an audit goes.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct AuditLimits {
    /// Gains up to X do not count: stable means at most 1 + X, for every group and for everybody at once
    /// [default: 1e-6 for an optimum, 0.01 for a model that was trained or given, 0 for a table].
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Seconds to search before answering with an interval [default: 60].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
}

/// `--model`, by the names of the table of families.
pub(super) fn family() -> impl TypedValueParser<Value = Family> {
    let possible = |family: Family| {
        let title = family.facts().title;
        let upper = title[..1].to_uppercase() + &title[1..];
        PossibleValue::new(family.name()).help(upper)
    };
    PossibleValuesParser::new(Family::ALL.map(possible)).try_map(|name| name.parse::<Family>())
}
