//! An audit as a command leaves it: saved, shown on a page, printed, and turned into an exit code.

use std::io::Write;
use std::path::Path;

use corefed_core::Certificate;
use corefed_documents::{AuditDocument, Document, ModelCoalitions, Scope, to_json};
use corefed_report::{folder as pages, render, shown_path};
use corefed_run::{Case, GivenError, RunError, coalitions};
use corefed_solve::Problem;

use crate::args::SavedArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Where an answer is saved besides being printed.
pub(super) struct SavedTo<'a> {
    pub(super) asked: &'a SavedArgs,
    /// The table of utilities, which the caller writes.
    pub(super) utilities: Option<&'a Path>,
}

impl<'a> SavedTo<'a> {
    /// Refuses files that could not be written, before anything is computed.
    pub(super) fn check(&self) -> Result<Outputs<'a>, Failure> {
        Outputs::check(&self.files(), self.asked.json)
    }

    /// A certificate speaks of a table that somebody can check it against.
    pub(super) fn names_utilities(&self) -> Result<(), Failure> {
        let named = self.asked.certificate.is_none() || self.utilities.is_some();
        named.then_some(()).ok_or_else(|| RunError::from(GivenError::NoUtilities).into())
    }

    fn files(&self) -> [(&'static str, Option<&'a Path>); 3] {
        [
            ("--certificate", self.asked.certificate.as_deref()),
            ("--report", self.asked.report.as_deref()),
            ("--utilities", self.utilities),
        ]
    }

    /// A page shows every coalition where there are few enough, which is computed for it.
    pub(super) fn coalitions(
        &self,
        case: &Case,
        problem: &Problem<'_>,
        params: &[f64],
    ) -> Option<ModelCoalitions> {
        let wanted = self.asked.report.is_some() && coalitions::affordable(case, params.len());
        wanted.then(|| coalitions::against(case, problem, "", params))
    }

    /// Prints the answer, then saves the certificate and the page, and turns the verdict into an exit code.
    pub(super) fn finish(
        &self,
        audit: &AuditDocument,
        certificate: &Certificate,
        coalitions: Option<&ModelCoalitions>,
        text: &str,
        out: &mut dyn Write,
    ) -> Result<Exit, Failure> {
        let apart = if audit.scope == Scope::Ball { "\n" } else { "" };
        let answer = match (self.asked.json, &self.asked.report) {
            (true, _) => audit.to_json()?,
            (false, Some(path)) => format!("{text}{apart}report: {}\n", shown_path(path)),
            (false, None) => text.to_owned(),
        };
        Outputs::of(&self.files(), self.asked.json).answer(&answer, out)?;
        if let Some(path) = &self.asked.certificate {
            save(path, to_json(certificate)?, out)?;
        }
        if let Some(path) = &self.asked.report {
            save(path, render(&pages::page_of(audit, coalitions)), out)?;
        }
        Ok(audit.verdict.into())
    }
}
