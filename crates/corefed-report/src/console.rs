//! Answers as a person reads them on a terminal.

mod attested;
mod data;
mod guarded;
mod mail;
mod rounds;
mod several;
mod trained;
mod verified;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use corefed_core::{shell_word, shown as shown_name};
use corefed_documents::{AuditDocument, FEDERATION};

use crate::plain::{plain, shown_path, word};
use crate::summary::held_out::{self, Shown};
use crate::words::{self, percent};
use crate::{columns, summary, verdict};

pub use attested::{merged, new_key, signed};
pub use data::{Divided, Exported, divided, known_sets};
pub use guarded::Guarded;
pub use mail::{Answered, concluded, waiting};
pub use rounds::{Safeguard, refusals, standing, time_left};
pub use several::{Several, chosen_by, stopped};
pub use trained::trained;
pub use verified::verified;

/// The audit of a predictor.
#[must_use]
pub fn predictor(audit: &AuditDocument) -> String {
    let audit = &*plain(audit);
    let mut rows = vec![
        ["agent", "samples", "ceiling", "loss", "utility", "alone"].map(str::to_owned).to_vec(),
    ];
    // Roots of squared errors are in the unit of the target, which people know.
    rows[0].extend(audit.target.as_ref().map(|target| format!("error in {}", target.column)));
    let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.4}"));
    rows.extend(audit.agents.iter().enumerate().map(|(k, agent)| {
        let mut row = vec![
            agent.name.clone(),
            agent.samples.map_or_else(String::new, |samples| samples.to_string()),
            number(agent.ceiling),
            number(agent.loss),
            number(Some(agent.utility)),
            number(agent.alone),
        ];
        let error = audit.target.as_ref().and_then(|target| target.errors.get(k));
        row.extend(error.map(|error| significant(*error)));
        row
    }));
    let file = audit.file.as_deref().unwrap_or_default();
    let what = match &audit.rule {
        Some(rule) => format!("{rule} predictor of {file}"),
        None => format!("predictor on {file}"),
    };
    let mut text = what;
    if let (Some(predictor), Some(ball)) = (&audit.predictor, &audit.ball) {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            " ({} model, {} parameters, ball of radius {})",
            predictor.family,
            predictor.parameters.len(),
            ball.radius
        );
    }
    text.push('\n');
    text.push_str(&notes(audit));
    let _ = write!(text, "\n{}\n", columns(&rows));
    if let Some(target) = &audit.target {
        let _ = writeln!(
            text,
            "ceilings and losses are shares of the variance of {} (mean {}, deviation {})",
            target.column,
            significant(target.mean),
            significant(target.deviation)
        );
    }
    let _ = write!(text, "log-welfare {:.6}", audit.log_welfare.map_or(f64::NAN, |w| w.0));
    if let Some(fit) = &audit.fit {
        let _ = write!(text, ", gap {:.1e} after {} steps", fit.gap, fit.iterations);
        if !fit.converged {
            text.push_str(" (the gap asked for was not reached)");
        }
    }
    text.push('\n');
    text.push_str(&warnings(audit));
    let _ = writeln!(text, "\n{}", verdict::sentence(audit));
    for line in verdict::beside(audit) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "{}", verdict::intervals(audit.kappa, audit.everybody));
    text.push_str("\nassumptions:\n");
    for assumption in &audit.assumptions {
        let _ = writeln!(
            text,
            "  {:<10}  {}: {}",
            words::status(assumption.status, audit.scope),
            assumption.statement,
            assumption.detail
        );
    }
    text
}

/// The audit of parameters by name, and how they were understood, which their file does not say: in which
/// `units`, and for which class unless for the second of two.
#[must_use]
pub fn bare_predictor(audit: &AuditDocument, units: &str, positive: Option<&str>) -> String {
    let shown = plain(audit);
    let classes = shown.predictor.as_ref().map_or(&[][..], |own| own.encoding.classes.as_slice());
    let class = match classes {
        [_, second] => format!(", for the class `{}`", shown_name(positive.unwrap_or(second))),
        _ => String::new(),
    };
    format!("parameters are taken in {units} units{class}\n\n{}", predictor(audit))
}

/// How to check a certificate, as a command that can be copied into a shell.
#[must_use]
pub fn check_it(program: &str, certificate: &Path, data: &Path) -> String {
    let program = shell_word(program);
    format!("check it: {program} verify {} --data {}\n", word(certificate), word(data))
}

/// How the table was read.
fn notes(audit: &AuditDocument) -> String {
    lines("note", &audit.notes)
}

/// Why the model may be useless.
fn warnings(audit: &AuditDocument) -> String {
    lines("WARNING", &audit.warnings)
}

fn lines(what: &str, texts: &[String]) -> String {
    texts.iter().map(|text| [what, ": ", text, "\n"].concat()).collect()
}

/// Four significant digits.
fn significant(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let decimals = (3.0 - value.abs().max(1e-9).log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.decimals$}")
}

/// The audit of a row of a table.
#[must_use]
pub fn row(audit: &AuditDocument) -> String {
    let audit = &*plain(audit);
    let tolerance = if audit.tolerance > 0.0 {
        format!(", tolerance {}", percent(audit.tolerance))
    } else {
        String::new()
    };
    format!(
        "{}\nkappa {:.7}, everybody {:.7} (exact, against the listed rivals only{tolerance})\n",
        verdict::sentence(audit),
        audit.kappa.lo.0,
        audit.everybody.lo.0
    )
}

/// The audit of a model by its predictions: every agent's loss under each of the `models`, by name, and the
/// verdict on one.
#[must_use]
pub fn models(audit: &AuditDocument, models: &[(&str, &[f64])]) -> String {
    let audit = &*plain(audit);
    let mut header = ["agent", "samples", "ceiling"].map(str::to_owned).to_vec();
    header.extend(models.iter().map(|(model, _)| format!("loss of {model}")));
    let mut rows = vec![header];
    for (k, agent) in audit.agents.iter().enumerate() {
        let samples = agent.samples.map_or_else(String::new, |samples| samples.to_string());
        let ceiling = agent.ceiling.map_or_else(String::new, |ceiling| format!("{ceiling:.4}"));
        let mut row = vec![agent.name.clone(), samples, ceiling];
        row.extend(models.iter().map(|(_, losses)| format!("{:.4}", losses[k])));
        rows.push(row);
    }
    let incumbent = audit.incumbent.as_deref().unwrap_or_default();
    let mut text = format!("`{incumbent}` against the other models\n\n{}\n", columns(&rows));
    for agent in audit.agents.iter().filter(|agent| agent.utility <= 0.0) {
        let _ = writeln!(
            text,
            "{} has nothing: `{incumbent}` costs it more than its ceiling; any model that gives it something attracts it",
            agent.name
        );
    }
    text.push_str(&row(audit));
    for line in verdict::beside(audit) {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// An exact run: who gets what under every rule, and how to check it.
#[must_use]
pub fn exact(folder: &Path, data: &str, answers: &[AuditDocument], program: &str) -> String {
    let answers: &[AuditDocument] =
        &answers.iter().map(|audit| plain(audit).into_owned()).collect::<Vec<_>>();
    let mut text = columns(&summary::exact::utilities(answers));
    text.push('\n');
    if let Some(rows) = held_out::table(answers, Shown::Loss) {
        text.push_str(&columns(&rows));
        text.push('\n');
    }
    if let Some(first) = answers.first() {
        text.push_str(&notes(first));
    }
    for answer in answers {
        let rule = answer.rule.as_deref().unwrap_or_default();
        text.extend(answer.warnings.iter().map(|warning| format!("WARNING ({rule}): {warning}\n")));
    }
    for sentence in summary::exact::sentences(answers) {
        let _ = writeln!(text, "{sentence}");
    }
    let shown = shown_path(folder);
    let data = if data == FEDERATION { folder.join(data) } else { PathBuf::from(data) };
    let certificate = folder.join("core.certificate.json");
    let _ = write!(
        text,
        "\nwritten to {shown}/: summary.md, utilities.svg, a predictor and a certificate per rule\n{}",
        check_it(program, &certificate, &data)
    );
    text
}
