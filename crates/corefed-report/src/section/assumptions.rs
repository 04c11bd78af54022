//! What verdicts rest on.

use std::fmt::Write;

use corefed_core::{Assumption, Status};
use corefed_documents as documents;

use crate::html::{capital, escape};
use crate::page::{Model, Page, Scope};
use crate::words;

/// Of every model; what several share is told once.
pub(super) fn html(page: &Page) -> String {
    // A network's statements have a section of their own, with finer labels.
    if page.evidence.is_some() || page.models.iter().all(|model| model.assumptions.is_empty()) {
        return String::new();
    }
    let mut html = String::from("<h3>What this rests on</h3>\n");
    let mut told: Vec<&[Assumption]> = Vec::new();
    for model in page.models.iter().take(12) {
        if model.assumptions.is_empty() || told.contains(&model.assumptions.as_slice()) {
            continue;
        }
        let same: Vec<&str> = page
            .models
            .iter()
            .filter(|other| other.assumptions == model.assumptions)
            .map(|other| other.name.as_str())
            .collect();
        let list = list(model);
        if told.is_empty() {
            html.push_str(&list);
        } else {
            let _ = writeln!(
                html,
                "<details><summary>For {}</summary>{list}</details>",
                escape(&same.join(", "))
            );
        }
        told.push(&model.assumptions);
    }
    html
}

fn list(model: &Model) -> String {
    let scope = match model.scope {
        Scope::Ball(_) => documents::Scope::Ball,
        Scope::Listed(_) => documents::Scope::Listed,
        Scope::Met => documents::Scope::Met,
        Scope::Searched => documents::Scope::Searched,
    };
    let mut html = String::from("<ul class=\"assumptions\">\n");
    for Assumption { statement, status, detail } in &model.assumptions {
        let word = words::status(*status, scope);
        let (class, sign) = match status {
            Status::Checked => ("good", "✓"),
            Status::Violated if scope != documents::Scope::Ball => ("bad", "✗"),
            Status::Assumed | Status::Violated => ("open", "○"),
        };
        // How far a premise fails that nothing rests on is noise; that nothing does comes last.
        let told = detail.rsplit("; ").next().filter(|_| word == "not needed");
        let _ = writeln!(
            html,
            "<li class=\"{class}\"><span class=\"status\"><span aria-hidden=\"true\">{sign}</span> \
             {word}</span><div>{}<small>{}</small></div></li>",
            escape(&capital(statement)),
            escape(told.unwrap_or(detail))
        );
    }
    html.push_str("</ul>\n");
    html
}
