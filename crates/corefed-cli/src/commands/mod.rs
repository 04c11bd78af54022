//! One file per command, each a function from arguments to an exit code.

mod audit;
mod audit_table;
mod compare;
mod data;
mod export;
mod predict;
mod published;
mod report;
mod run;
mod solve;
mod sweep;
mod train;
mod verify;
mod watch;

pub(crate) use audit::{audit, read_json};
pub(crate) use compare::{compare, spread as spread_over_seeds};
pub(crate) use data::data;
pub(crate) use export::export;
pub(crate) use predict::predict;
pub(crate) use report::report;
pub(crate) use run::run;
pub(crate) use solve::solve;
pub(crate) use sweep::sweep;
pub(crate) use verify::verify;
pub(crate) use watch::watch;

use std::io::Write;
use std::path::Path;

use corefed_core::{Certificate, Verdict};
use corefed_solve::Problem;
use serde::Serialize;

use crate::answer::Answer;
use crate::case::Case;
use crate::coalitions::ModelCoalitions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{coalitions, files, report as pages, text};

/// Pretty JSON with a final line break.
pub(crate) fn to_json(value: &impl Serialize) -> Result<String, Failure> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(Failure::new(format!("cannot write JSON: {error}"))),
    }
}

fn print_json(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Failure> {
    Ok(out.write_all(to_json(value)?.as_bytes())?)
}

fn save_certificate(path: Option<&Path>, certificate: &Certificate) -> Result<(), Failure> {
    match path {
        Some(path) => files::write(path, &to_json(certificate)?),
        None => Ok(()),
    }
}

/// Where an answer is saved besides being printed.
struct SavedTo<'a> {
    certificate: Option<&'a Path>,
    report: Option<&'a Path>,
    /// For the page, where there are few enough.
    coalitions: Option<ModelCoalitions>,
}

impl<'a> SavedTo<'a> {
    /// A page shows every coalition, which is computed for it.
    fn new(
        certificate: Option<&'a Path>,
        report: Option<&'a Path>,
        (case, problem): (&Case, &Problem<'_>),
        params: &[f64],
    ) -> Self {
        let wanted = report.is_some() && coalitions::affordable(case, params.len());
        let coalitions = wanted.then(|| coalitions::against(case, problem, "", params));
        Self { certificate, report, coalitions }
    }
}

/// Saves the certificate and the page, prints the answer and turns the verdict into an exit code.
fn finish(
    answer: &Answer,
    certificate: &Certificate,
    files: &SavedTo<'_>,
    json: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    save_certificate(files.certificate, certificate)?;
    if let Some(path) = files.report {
        pages::write_answer(&to_json(answer)?, files.coalitions.as_ref(), path)?;
    }
    if json {
        print_json(out, answer)?;
    } else {
        out.write_all(text::render(answer).as_bytes())?;
        if let Some(path) = files.report {
            writeln!(out, "\nreport: {}", path.display())?;
        }
    }
    Ok(exit(answer.verdict))
}

pub(crate) fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Stable => Exit::Stable,
        Verdict::Blocked | Verdict::Improvable => Exit::Blocked,
        Verdict::Undecided => Exit::Undecided,
    }
}
