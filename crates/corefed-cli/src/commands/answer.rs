//! An audit as a command leaves it: saved, shown on a page, printed, and turned into an exit code.

use std::io::Write;
use std::path::Path;

use corefed_core::Certificate;
use corefed_documents::{AuditDocument, Document, ModelCoalitions, Scope, to_json};
use corefed_log::write_file;
use corefed_report::{folder as pages, render};
use corefed_run::{Case, coalitions};
use corefed_solve::Problem;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;

/// Pretty JSON on standard output.
pub(super) fn print_json(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Failure> {
    Ok(out.write_all(to_json(value)?.as_bytes())?)
}

/// Where an answer is saved besides being printed.
pub(super) struct SavedTo<'a> {
    pub(super) certificate: Option<&'a Path>,
    pub(super) report: Option<&'a Path>,
    /// Whether to print JSON.
    pub(super) json: bool,
}

impl SavedTo<'_> {
    /// A page shows every coalition where there are few enough, which is computed for it.
    pub(super) fn coalitions(
        &self,
        case: &Case,
        problem: &Problem<'_>,
        params: &[f64],
    ) -> Option<ModelCoalitions> {
        let wanted = self.report.is_some() && coalitions::affordable(case, params.len());
        wanted.then(|| coalitions::against(case, problem, "", params))
    }

    /// Saves the certificate and the page, prints the answer and turns the verdict into an exit code.
    pub(super) fn finish(
        &self,
        audit: &AuditDocument,
        certificate: &Certificate,
        coalitions: Option<&ModelCoalitions>,
        text: &str,
        out: &mut dyn Write,
    ) -> Result<Exit, Failure> {
        if let Some(path) = self.certificate {
            write_file(path, to_json(certificate)?)?;
        }
        if let Some(path) = self.report {
            write_file(path, render(&pages::page_of(audit, coalitions)))?;
        }
        if self.json {
            out.write_all(audit.to_json()?.as_bytes())?;
        } else {
            out.write_all(text.as_bytes())?;
            if let Some(path) = self.report {
                let apart = if audit.scope == Scope::Ball { "\n" } else { "" };
                writeln!(out, "{apart}report: {}", path.display())?;
            }
        }
        Ok(audit.verdict.into())
    }
}
