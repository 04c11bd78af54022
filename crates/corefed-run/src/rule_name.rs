//! Server rules by name.

use corefed_rules::{CoreStep, Rule};

/// A rule with its knobs, as tables and folders call it.
#[must_use]
pub fn rule_name(rule: Rule) -> String {
    match rule {
        Rule::Fedavg => "fedavg".to_owned(),
        Rule::Corefed { step: CoreStep::Normalised } => "corefed".to_owned(),
        Rule::Corefed { step: CoreStep::Printed } => "corefed printed".to_owned(),
        Rule::Corefed { step: CoreStep::Dynamic } => "corefed dynamic".to_owned(),
        Rule::Propfair => "propfair".to_owned(),
        Rule::Afl { gamma } => format!("afl gamma={gamma}"),
        Rule::Qffl { q } => format!("qffl q={q}"),
        Rule::Term { t } => format!("term t={t}"),
        Rule::Fedmgda { epsilon } => format!("fedmgda spread={epsilon}"),
        Rule::Newton => "newton".to_owned(),
    }
}
