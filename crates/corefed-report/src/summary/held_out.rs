//! Models on rows that nobody trained on, in rows of text.

use corefed_documents::{AuditDocument, HeldOutAgent, HeldOutAudit, OnHeldOut};

use crate::words::title;

/// `81.0 %` of an accuracy, `0.431` of an R2.
#[must_use]
pub fn quality(what: &str, value: f64) -> String {
    if what == "accuracy" { format!("{:.1} %", 100.0 * value) } else { format!("{value:.3}") }
}

/// Which number of a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The loss, with the quality in brackets.
    Loss,
    /// The utility.
    Utility,
}

/// One row per agent, one column per model; `None` where nothing is held out.
#[must_use]
pub fn table(answers: &[AuditDocument], shown: Shown) -> Option<Vec<Vec<String>>> {
    let known: Vec<(&AuditDocument, &HeldOutAudit)> =
        answers.iter().filter_map(|answer| Some((answer, answer.held_out.as_ref()?))).collect();
    let (_, first) = known.first()?;
    let what = match shown {
        Shown::Loss => format!("held-out loss ({})", first.quality),
        Shown::Utility => "held-out utility".to_owned(),
    };
    let mut header = vec![what, "rows".to_owned(), "alone".to_owned()];
    header.extend(known.iter().map(|(answer, _)| title(answer.rule.as_deref())));
    let mut rows = vec![header];
    for (k, agent) in first.agents.iter().enumerate() {
        let cell = |found: Option<OnHeldOut>| cell(found, &first.quality, shown);
        let mut row = vec![agent.name.clone(), agent.rows.to_string(), cell(agent.alone)];
        row.extend(known.iter().map(|(_, own)| cell(own.agents[k].model)));
        rows.push(row);
    }
    if shown == Shown::Utility {
        let mut row = vec!["log-welfare".to_owned(), String::new(), String::new()];
        row.extend(known.iter().map(|(_, own)| {
            own.log_welfare.map_or_else(String::new, |welfare| format!("{:.3}", welfare.0))
        }));
        rows.push(row);
    }
    Some(rows)
}

/// What a model has on an agent's rows, or that there are none.
pub(super) fn cell(found: Option<OnHeldOut>, what: &str, shown: Shown) -> String {
    let Some(found) = found else { return "no rows".to_owned() };
    match (shown, found.quality) {
        (Shown::Utility, _) => format!("{:.3}", found.utility),
        (Shown::Loss, None) => format!("{:.4}", found.loss),
        (Shown::Loss, Some(value)) => format!("{:.4} ({})", found.loss, quality(what, value)),
    }
}

/// How many agents have a smaller loss with the model than alone, as a sentence; `None` where own models are
/// not known.
#[must_use]
pub fn sentence(audit: &AuditDocument, noun: &str) -> Option<String> {
    let agents = &audit.held_out.as_ref()?.agents;
    let pair = |agent: &HeldOutAgent| Some((agent.name.clone(), agent.model?, agent.alone?));
    let known: Vec<(String, OnHeldOut, OnHeldOut)> = agents.iter().filter_map(pair).collect();
    let better_alone: Vec<&str> = known
        .iter()
        .filter(|(_, model, alone)| alone.loss < model.loss)
        .map(|(name, ..)| name.as_str())
        .collect();
    if known.is_empty() {
        return None;
    }
    let counted = if known.len() == agents.len() {
        format!("the {} {noun}", known.len())
    } else {
        format!("the {} {noun} with held-out rows", known.len())
    };
    Some(if better_alone.is_empty() {
        format!("On held-out rows each of {counted} does better with it than alone, as measured.")
    } else {
        format!(
            "On held-out rows {} of {counted} {} better with it than alone, as measured; better alone: {}.",
            known.len() - better_alone.len(),
            if known.len() - better_alone.len() == 1 { "does" } else { "do" },
            better_alone.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::{Factors, KappaInterval, Number};
    use corefed_documents::Scope;

    fn audit(rule: &str, losses: [[f64; 2]; 2]) -> AuditDocument {
        let on = |loss: f64| OnHeldOut { loss, utility: 1.0 - loss, quality: Some(0.8125) };
        let agent = |(name, [model, alone]): (&str, [f64; 2])| HeldOutAgent {
            name: name.to_owned(),
            rows: 32,
            model: Some(on(model)),
            alone: Some(on(alone)),
        };
        let agents = ["A", "B"].into_iter().zip(losses).map(agent).collect();
        let one = KappaInterval::new(1.0, 1.0);
        let factors = Factors { kappa: one, everybody: one };
        AuditDocument {
            rule: Some(rule.to_owned()),
            held_out: Some(HeldOutAudit {
                quality: "accuracy".to_owned(),
                log_welfare: Some(Number(-0.5)),
                agents,
            }),
            ..AuditDocument::new(Scope::Ball, factors, 1e-6, Vec::new())
        }
    }

    #[test]
    fn losses_and_qualities_stand_beside_those_alone() {
        let answers = [audit("core", [[0.25, 0.5], [0.5, 0.375]])];
        let found = table(&answers, Shown::Loss).unwrap();
        assert_eq!(found[0], ["held-out loss (accuracy)", "rows", "alone", "core"]);
        assert_eq!(found[1], ["A", "32", "0.5000 (81.2 %)", "0.2500 (81.2 %)"]);
        let found = table(&answers, Shown::Utility).unwrap();
        assert_eq!(found[2], ["B", "32", "0.625", "0.500"]);
        assert_eq!(found[3], ["log-welfare", "", "", "-0.500"]);
        let without = AuditDocument { held_out: None, ..answers[0].clone() };
        assert_eq!(table(&[without], Shown::Loss), None);
    }

    #[test]
    fn who_does_better_alone_is_named() {
        let said = |losses| sentence(&audit("core", losses), "clinics").unwrap();
        assert_eq!(
            said([[0.25, 0.5], [0.5, 0.375]]),
            "On held-out rows 1 of the 2 clinics does better with it than alone, as measured; better alone: B."
        );
        assert!(said([[0.25, 0.5], [0.25, 0.375]]).contains("each of the 2 clinics does better"));
    }
}
