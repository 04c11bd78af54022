//! The audit of a model whose agents were asked what they lose with it and with some rivals.
//!
//! Lower ends are what the best coalition, and everybody, make of the known rivals (ledger E4); upper ends
//! are headroom (ledger E8), which needs nothing but losses that are not negative.

use corefed_core::{Assumption, Factors, Number, Status, Verdict, log_welfare, utilities};
use corefed_documents::{AgentLine, AuditDocument, DeviationLine, ObstacleLine, RivalLine, Scope};
use corefed_log::RunHeader;
use corefed_sim::{Candidates, Terms};
use serde_json::Value;

use crate::RunError;
use crate::audit::gains;
use crate::csv_text::csv_text;

/// The name of the audited model among its rivals.
const FINAL: &str = "final";

/// Judges losses of everybody against losses with rivals and against the models met before.
#[must_use]
pub fn audit_listed(
    header: &RunHeader,
    terms: &Terms,
    losses: &[f64],
    rivals: Vec<(String, Vec<f64>)>,
    met: &Candidates,
) -> AuditDocument {
    let now = utilities(&terms.ceilings, losses);
    let asked = rivals.into_iter().map(|(name, own)| (name, utilities(&terms.ceilings, &own)));
    // The model of the last round is the incumbent itself.
    let earlier = met.iter().filter(|(_, then)| *then != now);
    let earlier = earlier.map(|(round, then)| (format!("round {round}"), then.to_vec()));
    let listed: Vec<(String, Vec<f64>)> = asked.chain(earlier).collect();
    let known = Factors::with_headroom(&now, &terms.ceilings, &terms.weights);
    let others = listed.iter().map(|(_, then)| then.as_slice());
    let judged = known.judge(&now, others, &terms.weights, header.tolerance);
    let agent = |k: usize| AgentLine {
        name: terms.names[k].clone(),
        samples: Some(header.agents[k].samples),
        weight: terms.weights.values()[k],
        ceiling: Some(terms.ceilings[k]),
        loss: Some(losses[k]),
        utility: now[k],
        alone: None,
    };
    let deviation = judged.deviation().map(|leaving| {
        let coalition: Vec<String> =
            leaving.coalition.iter().map(|&k| terms.names[k].clone()).collect();
        let numbers: Vec<Number> = leaving.gains.iter().map(|gain| Number(*gain)).collect();
        let gains = gains(&coalition, &numbers);
        let rival = Value::from(listed[leaving.rival].0.as_str());
        DeviationLine { rival, round: None, coalition, gains }
    });
    let obstacle = ObstacleLine {
        reason: "only the listed models were tried as rivals".to_owned(),
        help: Some("list more rivals".to_owned()),
    };
    let line = |((model, then), (kappa, everybody)): ((String, Vec<f64>), &(f64, f64))| RivalLine {
        model,
        kappa: Number(*kappa),
        everybody: Number(*everybody),
        utilities: then.into_iter().map(Some).collect(),
        mean_gain: None,
    };
    let agents = (0..now.len()).map(agent).collect();
    AuditDocument {
        incumbent: Some(FINAL.to_owned()),
        obstacle: (judged.verdict == Verdict::Undecided).then_some(obstacle),
        headroom: Some(known.kappa.hi),
        deviation,
        log_welfare: Some(Number(log_welfare(&now, &terms.weights))),
        rivals: listed.into_iter().zip(&judged.reached).map(line).collect(),
        assumptions: assumptions(),
        ..AuditDocument::new(Scope::Listed, judged.factors, header.tolerance, agents)
    }
}

/// The table that `corefed audit --incumbent final` reads.
pub fn utilities_csv(audit: &AuditDocument) -> Result<String, RunError> {
    let own: Vec<Option<f64>> = audit.utilities().into_iter().map(Some).collect();
    let rivals = audit.rivals.iter().map(|rival| (rival.model.as_str(), &rival.utilities));
    csv_text(|writer| {
        let names = audit.agents.iter().map(|agent| agent.name.as_str());
        writer.write_record(std::iter::once("model").chain(names))?;
        for (model, utilities) in std::iter::once((FINAL, &own)).chain(rivals) {
            let cell = |u: &Option<f64>| u.map_or_else(String::new, |u| u.to_string());
            let cells = std::iter::once(model.to_owned()).chain(utilities.iter().map(cell));
            writer.write_record(cells)?;
        }
        Ok(())
    })
}

/// What the intervals rest on.
fn assumptions() -> Vec<Assumption> {
    vec![
        Assumption::new(
            "losses are those that agents reported",
            Status::Assumed,
            "they were measured on data that never left the agents",
        ),
        // Of models that nobody was asked about nothing is known: a likelihood of densities can be negative.
        Assumption::new(
            Assumption::LOSSES_NOT_NEGATIVE,
            Status::Assumed,
            "no reported loss is; those of other models were not seen",
        ),
        Assumption::only_rivals("listed models"),
    ]
}
