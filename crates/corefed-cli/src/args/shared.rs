//! Arguments that several commands have.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use corefed_core::Choice;
use corefed_report::TableFormat;
use corefed_spec::Overrides;

/// How much is done at a time.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct JobsArgs {
    /// Run this many trainings at a time; results do not depend on it [default: one per thread, or 8 on
    /// a GPU, which needs memory for all of them].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

impl JobsArgs {
    /// As libraries ask for it.
    pub(crate) fn at_once(self) -> Option<usize> {
        self.jobs.map(usize::from)
    }
}

/// What changes a spec, whichever command takes it.
#[derive(Clone, Debug, Args)]
pub(crate) struct SpecArgs {
    /// Set any key of the spec, such as `train.local.learning_rate=0.01`; repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) set: Vec<Setting>,
    /// Gains up to X do not count in a verdict (`tolerance` of the spec).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Folder of downloaded sets [default: `COREFED_DATA`, else the user's cache].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

impl SpecArgs {
    /// As libraries ask for it.
    pub(crate) fn overrides(&self) -> Overrides<'_> {
        Overrides { set: &self.set, tolerance: self.tolerance, ..Overrides::default() }
    }
}

/// What commands have that run a spec several times.
#[derive(Clone, Debug, Args)]
pub(crate) struct SeveralArgs {
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
    /// Folder to write; it must not exist [default: the next free `runs/NAME-compare` or `-sweep`].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Resume in the folder of `--out`, where the same command was stopped.
    #[arg(long, requires = "out")]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) spec: SpecArgs,
    /// What to print; every format is written to the folder anyway.
    #[arg(long, value_parser = choice::<TableFormat>(), default_value = "text", conflicts_with = "json")]
    pub(crate) format: TableFormat,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where an audit goes besides the terminal.
#[derive(Clone, Debug, Args)]
pub(crate) struct SavedArgs {
    /// Write the certificate to this file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Write the answer as a page to this file.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Print JSON; `corefed audit --predictor` reads that of `solve` back.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A key of the spec and its new value.
pub(crate) type Setting = (String, String);

pub(super) fn setting(text: &str) -> Result<Setting, String> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        format!("`{text}` has no `=`; write `KEY=VALUE`, such as `train.rounds=20`")
    })?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// A key to tune and the values to try.
pub(crate) type Tuned = (String, Vec<String>);

pub(super) fn tuned(text: &str) -> Result<Tuned, String> {
    let refused = || {
        format!(
            "`{text}` names no values; write `KEY=VALUE,...`, such as `train.local.learning_rate=0.01,0.1`"
        )
    };
    let (key, values) = text.split_once('=').ok_or_else(refused)?;
    let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    if values.iter().any(String::is_empty) {
        return Err(refused());
    }
    Ok((key.trim().to_owned(), values))
}

/// The values of a choice by their words, with what they mean.
pub(super) fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let possible =
        |(_, word, about): &(T, &'static str, &'static str)| PossibleValue::new(*word).help(*about);
    PossibleValuesParser::new(T::WORDS.iter().map(possible))
        .try_map(|word| T::of_word(&word).ok_or(format!("`{word}` is none of the words")))
}
