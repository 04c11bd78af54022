//! A small page with everything on it.

use corefed_core::{Assumption, KappaInterval, Number, Status, Verdict};
use corefed_documents::{Answered, AnsweredAgent};
use corefed_log::{AgentRecord, RoundRecord};
use corefed_report::{
    Agent, Cell, Coalition, Curves, DataView, Download, Grid, Labels, Model, Moving, Page,
    Provenance, Rival, Run, Scope, Sweep, SweepPoint, TablePart, Tables,
};

/// A name that would act if it could.
pub(crate) const EVIL: &str = "<script>alert(\"1\")</script>&'";

pub(crate) fn interval(lo: f64, hi: f64) -> KappaInterval {
    KappaInterval { lo: Number(lo), hi: Number(hi) }
}

pub(crate) fn agents(names: &[&str]) -> Vec<Agent> {
    let agent = |name: &&str| Agent {
        name: (*name).to_owned(),
        samples: Some(120),
        weight: 1.0,
        ceiling: Some(1.0),
    };
    names.iter().map(agent).collect()
}

/// Two tables of a comparison: the main one, and what differs.
fn compared() -> Tables {
    let grid = Grid {
        header: vec!["rule".into(), EVIL.into()],
        rows: vec![vec![Cell::text(EVIL), Cell::number(0.5, 3)]],
    };
    let mut tables = Tables::from(grid.clone());
    let said = vec![format!("{EVIL} is larger.")];
    let (name, title) = ("paired", "Differences over seeds");
    tables.parts.push(TablePart { name, title, said, grid, ..TablePart::default() });
    tables
}

/// A model of these utilities about which nothing else is known.
pub(crate) fn model(name: &str, utilities: &[f64]) -> Model {
    Model {
        name: name.to_owned(),
        verdict: Verdict::Stable,
        kappa: interval(1.0, 1.0),
        everybody: interval(1.0, 1.0),
        tolerance: 1e-6,
        obstacle: None,
        headroom: Some(1.7),
        scope: Scope::Ball(10.0),
        deviation: None,
        assumptions: vec![Assumption {
            statement: "losses are convex".into(),
            status: Status::Checked,
            detail: "by their form".into(),
        }],
        warnings: Vec::new(),
        utilities: utilities.iter().copied().map(Some).collect(),
        alone: vec![None; utilities.len()],
        log_welfare: Some(-1.25),
        held_out: None,
        coalitions: Vec::new(),
    }
}

pub(crate) fn run(name: &str, names: &[&str], rounds: usize) -> Run {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut curves = Curves::new(name, name, rounds, &names);
    for round in 0..=rounds {
        let value = |k: usize| 0.5 + 0.3 * (round as f64 / rounds as f64) - 0.001 * k as f64;
        let record = RoundRecord {
            round,
            log_welfare: Some(value(0)),
            kappa: Some(1.0 + value(1) / 10.0),
            ..RoundRecord::default()
        };
        let agent = |(k, name): (usize, &String)| AgentRecord {
            round,
            agent: name.clone(),
            utility: Some(value(k)),
            weight: Some(1.0 / names.len() as f64),
            ..AgentRecord::default()
        };
        let agents: Vec<AgentRecord> = names.iter().enumerate().map(agent).collect();
        curves.push(&record, &agents);
    }
    curves.finish()
}

/// Two models, two agents (one with an evil name), and all sections.
pub(crate) fn full() -> Page {
    let mut core = model("core", &[0.1 + 0.2, 0.4]);
    core.alone = vec![Some(0.9), None];
    core.coalitions = vec![
        Coalition { members: vec![0], lower: 1.5, upper: 1.5, gains: vec![1.5] },
        Coalition { members: vec![1], lower: 1.25, upper: 1.3, gains: vec![1.25] },
        Coalition { members: vec![0, 1], lower: 1.0, upper: 1.0, gains: vec![1.0, 1.0] },
    ];
    let mut average = model("fedavg", &[0.1, 0.6]);
    average.verdict = Verdict::Blocked;
    average.kappa = interval(4.5, f64::INFINITY);
    average.deviation =
        Some(Moving { members: vec![0], gains: vec![9.0], rival: "a model of its own".into() });
    Page {
        title: "two banks".into(),
        subtitle: "A test.".into(),
        edits: Vec::new(),
        noun: "banks".into(),
        stay: None,
        ask: None,
        agents: agents(&[EVIL, "Bergen"]),
        models: vec![core, average],
        evidence: None,
        rivals: vec![Rival { name: "round 3".into(), utilities: vec![Some(0.2), Some(0.7)] }],
        sweep: Some(Sweep {
            field: "ceiling".into(),
            points: [("0.7", Verdict::Blocked, 1.4), ("1.0", Verdict::Stable, 1.0)]
                .into_iter()
                .map(|(value, verdict, kappa)| SweepPoint {
                    value: value.into(),
                    utilities: vec![Some(0.2), Some(0.3)],
                    losses: vec![Some(0.5), Some(0.4)],
                    leaving: vec!["Bergen".into()],
                    log_welfare: Some(-2.0),
                    kappa: Some(interval(kappa, kappa)),
                    everybody: Some(interval(1.0, 1.0)),
                    headroom: Some(3.0),
                    verdict: Some(verdict),
                    unserved: Vec::new(),
                })
                .collect(),
        }),
        compared: Some(compared()),
        recommended: None,
        searched: None,
        runs: vec![run("core", &[EVIL, "Bergen"], 5)],
        data: Some(DataView {
            name: "banks.csv".into(),
            features: Some(3),
            missing: Some(0.015),
            notes: vec!["Labels of Bergen were corrupted.".into()],
            labels: Some(Labels {
                classes: vec!["no".into(), "yes".into()],
                counts: vec![vec![100, 20], vec![60, 60]],
            }),
            answered: Some(Answered {
                rounds: 2,
                points: 5,
                agents: vec![AnsweredAgent {
                    name: EVIL.into(),
                    cells: Some(480),
                    answered: vec![40, 8],
                    left_out: Some(EVIL.into()),
                    ..AnsweredAgent::default()
                }],
                ..Answered::default()
            }),
        }),
        provenance: Provenance {
            facts: vec![("Seed".into(), "8".into())],
            repeat: vec!["corefed run spec.toml".into()],
            spec: Some(format!("name = \"{EVIL}\"")),
            downloads: vec![Download { name: "spec.toml".into(), text: EVIL.into() }],
        },
        unfinished: false,
    }
}
