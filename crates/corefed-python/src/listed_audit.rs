//! The audit of a model whose agents were asked what they lose with it and with some rivals.
//!
//! Lower ends are what the best coalition, and everybody, make of the known rivals (ledger E4); upper ends
//! are headroom (ledger E8), which needs nothing but losses that are not negative.

use std::fmt::Write as _;

use corefed_core::{
    Assumption, Factors, KappaInterval, Number, Status, Verdict, gain, headroom, log_welfare, scan,
    utilities,
};
use corefed_log::RunHeader;
use corefed_sim::{Candidates, Terms};
use serde::Serialize;
use serde_json::{Map, Value};

/// The name of the audited model among its rivals.
const FINAL: &str = "final";

/// The contents of `audit.json`.
#[derive(Debug, Serialize)]
pub(crate) struct ListedAudit {
    incumbent: &'static str,
    verdict: Verdict,
    kappa: KappaInterval,
    everybody: KappaInterval,
    tolerance: f64,
    obstacle: Option<Reason>,
    headroom: Number,
    deviation: Option<Deviation>,
    agents: Vec<Agent>,
    log_welfare: Number,
    rivals: Vec<Rival>,
    assumptions: Vec<Assumption>,
}

#[derive(Debug, Serialize)]
struct Deviation {
    rival: String,
    coalition: Vec<String>,
    gains: Map<String, Value>,
}

/// Why nothing was decided, in words.
#[derive(Debug, Serialize)]
struct Reason {
    reason: &'static str,
    help: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Agent {
    name: String,
    samples: usize,
    weight: f64,
    ceiling: f64,
    loss: f64,
    utility: f64,
}

#[derive(Debug, Serialize)]
struct Rival {
    model: String,
    kappa: Number,
    everybody: Number,
    utilities: Vec<f64>,
}

impl ListedAudit {
    /// Judges losses of everybody against losses with rivals and against the models met before.
    pub(crate) fn new(
        header: &RunHeader,
        terms: &Terms,
        losses: &[f64],
        rivals: Vec<(String, Vec<f64>)>,
        met: &Candidates,
    ) -> Self {
        let now = utilities(&terms.ceilings, losses);
        let (weights, total) = (terms.weights.values(), terms.weights.total());
        let asked = rivals.into_iter().map(|(name, own)| (name, utilities(&terms.ceilings, &own)));
        // The model of the last round is the incumbent itself.
        let earlier = met.iter().filter(|(_, then)| *then != now);
        let earlier = earlier.map(|(round, then)| (format!("round {round}"), then.to_vec()));
        let mut best: Option<(f64, Deviation)> = None;
        let mut listed = Vec::new();
        let mut factors = Factors::staying(&now, &terms.weights);
        for (model, then) in asked.chain(earlier) {
            let found = scan(&now, &then, weights, &total);
            factors.reach(&found);
            let (kappa, everybody) = (found.kappa.value(), Number(found.everybody.value()));
            if best.as_ref().is_none_or(|(largest, _)| kappa > *largest) {
                let names: Vec<String> =
                    found.coalition.iter().map(|&agent| terms.names[agent].clone()).collect();
                let gains = found.coalition.iter().map(|&agent| gain(now[agent], then[agent]));
                let gains = names.iter().cloned().zip(gains.map(number)).collect();
                best = Some((kappa, Deviation { rival: model.clone(), coalition: names, gains }));
            }
            listed.push(Rival { model, kappa: Number(kappa), everybody, utilities: then });
        }
        let room = headroom(&now, &terms.ceilings, &terms.weights);
        factors.bound(room.kappa.value(), room.everybody.value());
        let verdict = factors.verdict(header.tolerance);
        let agent = |k: usize| Agent {
            name: terms.names[k].clone(),
            samples: header.agents[k].samples,
            weight: weights[k],
            ceiling: terms.ceilings[k],
            loss: losses[k],
            utility: now[k],
        };
        Self {
            incumbent: FINAL,
            verdict,
            kappa: factors.kappa,
            everybody: factors.everybody,
            tolerance: header.tolerance,
            obstacle: (verdict == Verdict::Undecided)
                .then_some(Reason { reason: LISTED_ONLY, help: Some("list more rivals") }),
            headroom: Number(room.kappa.value()),
            deviation: best.filter(|_| verdict == Verdict::Blocked).map(|(_, deviation)| deviation),
            agents: (0..now.len()).map(agent).collect(),
            log_welfare: Number(log_welfare(&now, &terms.weights)),
            rivals: listed,
            assumptions: assumptions(),
        }
    }

    /// The table that `corefed audit --incumbent final` reads.
    pub(crate) fn table(&self) -> String {
        let mut text = "model".to_owned();
        for agent in &self.agents {
            let _ = write!(text, ",{}", quoted(&agent.name));
        }
        let now: Vec<f64> = self.agents.iter().map(|agent| agent.utility).collect();
        let rivals = self.rivals.iter().map(|rival| (rival.model.as_str(), &rival.utilities));
        for (model, utilities) in std::iter::once((FINAL, &now)).chain(rivals) {
            let _ = write!(text, "\n{}", quoted(model));
            for utility in utilities {
                let _ = write!(text, ",{utility}");
            }
        }
        text + "\n"
    }
}

/// A cell of a table; quotes are doubled.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn number(gain: f64) -> Value {
    serde_json::Number::from_f64(gain).map_or_else(|| "inf".into(), Value::Number)
}

const LISTED_ONLY: &str = "only the listed models were tried as rivals";

/// What the intervals rest on.
fn assumptions() -> Vec<Assumption> {
    let line = |statement: &str, status, detail: &str| Assumption {
        statement: statement.to_owned(),
        status,
        detail: detail.to_owned(),
    };
    vec![
        line(
            "losses are those that agents reported",
            Status::Assumed,
            "they were measured on data that never left the agents",
        ),
        line("losses are not negative (headroom)", Status::Checked, "every reported loss"),
        line(
            "rivals are the listed models (lower end)",
            Status::Checked,
            "a search over other models was not made",
        ),
    ]
}
