//! The end of a training: is the model in the core?

use corefed_core::linalg::norm_l2;
use corefed_core::{Assumption, Certificate, KappaInterval, Number, Status, Verdict, WorstLoss};
use corefed_documents::{
    AgentLine, AuditDocument, DeviationLine, FirstOrderLine, ModelCoalitions, NetworkAudit,
    ObstacleLine, Scope,
};
use corefed_evidence::Label;
use corefed_log::{AgentHeader, AgentRecord, RunHeader};
use corefed_sim::{Outcome, Terms};
use corefed_solve::ball_for;
use serde_json::{Map, Value};

use crate::coalitions;
use crate::held_out::{HeldOutTable, OwnModels, recorded};
use crate::prepared::TableRun;
use crate::{Audited, Limits, Observer, Stop};

/// Beyond these an exact audit would take hours, and bounds have to do.
const MOST_AUDITED_AGENTS: usize = 128;
const MOST_AUDITED_PARAMETERS: usize = 2_000;

/// The verdict on a trained model and what it rests on.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// The audit.
    pub audit: AuditDocument,
    /// Its certificate, where programs over coalitions decided it.
    pub certificate: Option<Certificate>,
    /// What every coalition could have, where there are few enough.
    pub coalitions: Option<ModelCoalitions>,
}

/// A model at the end of its training.
#[derive(Clone, Copy)]
pub(super) struct Trained<'a> {
    pub(super) header: &'a RunHeader,
    pub(super) terms: &'a Terms,
    /// The last round in which everybody was measured.
    pub(super) last: &'a Outcome,
    pub(super) limits: Limits,
}

impl Trained<'_> {
    /// Audits a model of a table, and measures it on held-out rows.
    pub(super) fn of_table(
        &self,
        run: &TableRun,
        params: &[f64],
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Finding {
        let mut finding = self.on_training_rows(run, params, stop, observer);
        let own = if is_large(run, params) { OwnModels::Unknown } else { OwnModels::Fitted };
        let held_out = HeldOutTable::new(run, own);
        finding.audit.held_out = held_out.map(|rows| rows.audit(params));
        finding
    }

    /// Exactly, if that can be done in reasonable time.
    fn on_training_rows(
        &self,
        run: &TableRun,
        params: &[f64],
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Finding {
        let Some(radius) = ball_for(run.case.radius, params) else {
            return self.outside(norm_l2(params));
        };
        let case = &run.case.in_ball(radius);
        if is_large(run, params) {
            return self.of_bounds();
        }
        let losses = case.losses();
        let problem = case.problem(&*losses);
        let zero = [vec![0.0; params.len()]];
        let audited =
            Audited { what: "audit", parameters: params, fitted: None, candidates: &zero };
        match case.audit(&problem, &audited, self.limits, stop, observer) {
            Ok((audit, certificate)) => Finding {
                audit,
                certificate: Some(certificate),
                coalitions: coalitions::affordable(case, params.len())
                    .then(|| coalitions::against(case, &problem, &self.header.rule, params)),
            },
            // Rows or parameters so large that nothing can be proven about them.
            Err(error) => self.read(None, &error.message()).into(),
        }
    }

    /// Reads the verdict off the last record.
    pub(super) fn of_bounds(&self) -> Finding {
        self.read(self.last.round.bound, MET_ONLY).into()
    }

    /// The same for a model outside the ball: bounds for the ball say nothing about it.
    fn outside(&self, norm: f64) -> Finding {
        let radius = self.terms.radius;
        let reason = format!(
            "the model lies outside the ball (its norm is {norm:.4}, the radius {radius}), so no \
             statement about the ball is one about it"
        );
        let mut audit = self.read(None, &reason);
        audit.assumptions.push(Assumption {
            statement: "the model lies in the ball".to_owned(),
            status: Status::Violated,
            detail: format!("its norm is {norm}, the radius {radius}"),
        });
        if let Some(obstacle) = &mut audit.obstacle {
            obstacle.help = Some("raise `radius`, or set `train.project = true`".to_owned());
        }
        audit.into()
    }

    /// The verdict on a network: bounds of the last record, and everything that a search found, or why it
    /// failed.
    pub(super) fn of_network(&self, audit: Result<NetworkAudit, String>) -> Finding {
        let mut found = self.read(self.last.round.bound, MET_ONLY);
        let audit = match audit {
            Ok(audit) => audit,
            Err(reason) => {
                found.assumptions.push(Assumption {
                    statement: "better rivals were searched for".to_owned(),
                    status: Status::Violated,
                    detail: format!("the search failed: {reason}"),
                });
                found.search_failed = Some(reason);
                return found.into();
            }
        };
        let searched = audit.audit.kappa.lo.0;
        let better = searched > found.kappa.lo.0;
        found.scope = Scope::Searched;
        found.kappa = risen(found.kappa, searched);
        found.everybody = risen(found.everybody, audit.audit.everybody.lo.0);
        found.verdict = Verdict::judge(found.kappa, found.everybody, found.tolerance);
        found.obstacle = undecided(found.verdict, SEARCHED_ONLY);
        if better {
            let witness = audit.audit.witness.finding.as_ref();
            found.deviation = witness.map(|witness| {
                let members = witness.deviation.coalition.iter();
                DeviationLine {
                    // Names of the search quote each other; in a sentence that reads badly.
                    rival: Value::String(witness.rival.replace('`', "")),
                    round: None,
                    coalition: members.map(|&k| self.terms.names[k].clone()).collect(),
                    gains: Map::new(),
                }
            });
        }
        found.deviation = found.deviation.take().filter(|_| found.verdict == Verdict::Blocked);
        found.assumptions = statements(&audit);
        found.network = Some(audit);
        found.into()
    }

    fn read(&self, first_order: Option<f64>, reason: &str) -> AuditDocument {
        let last = &self.last.round;
        let factors = last.factors(first_order);
        let tolerance = self.limits.tolerance;
        let verdict = factors.verdict(tolerance);
        let deviation = last.kappa_round.filter(|_| verdict == Verdict::Blocked);
        let agents = agents(self.header, &self.last.agents);
        AuditDocument {
            obstacle: undecided(verdict, reason),
            headroom: Some(Number(last.headroom.unwrap_or(f64::INFINITY))),
            first_order: first_order.map(|frank_wolfe| FirstOrderLine {
                frank_wolfe,
                strong_convexity: None,
                local_radius: None,
                local_factor: None,
            }),
            deviation: deviation.map(|round| DeviationLine {
                rival: Value::Null,
                round: Some(round),
                coalition: last.coalition.clone(),
                gains: Map::new(),
            }),
            held_out: recorded(&self.header.agents, &self.last.agents, &self.terms.weights),
            log_welfare: last.log_welfare.map(Number),
            assumptions: assumptions(self.terms),
            ..AuditDocument::new(Scope::Met, factors, tolerance, agents)
        }
    }
}

/// Whether one convex program per agent, and more per coalition, would take hours.
fn is_large(run: &TableRun, params: &[f64]) -> bool {
    run.case.names.len() > MOST_AUDITED_AGENTS || params.len() > MOST_AUDITED_PARAMETERS
}

impl From<AuditDocument> for Finding {
    fn from(audit: AuditDocument) -> Self {
        Self { audit, certificate: None, coalitions: None }
    }
}

/// Everybody, as the header names them and the last record measured them.
fn agents(header: &RunHeader, records: &[AgentRecord]) -> Vec<AgentLine> {
    let line = |agent: &AgentHeader| {
        let record = records.iter().find(|record| record.agent == agent.name)?;
        Some(AgentLine {
            name: agent.name.clone(),
            samples: Some(agent.samples),
            weight: agent.weight,
            ceiling: Some(agent.ceiling),
            loss: record.loss,
            utility: record.utility?,
            alone: None,
        })
    };
    header.agents.iter().filter_map(line).collect()
}

const MET_ONLY: &str = "only models met in training were tried as rivals";
const SEARCHED_ONLY: &str = "rivals were searched for, and there may be better ones";

fn undecided(verdict: Verdict, reason: &str) -> Option<ObstacleLine> {
    let line = || ObstacleLine { reason: reason.to_owned(), help: None };
    (verdict == Verdict::Undecided).then(line)
}

/// An interval whose lower end a search has raised.
fn risen(known: KappaInterval, reached: f64) -> KappaInterval {
    let lo = known.lo.0.max(reached);
    KappaInterval::new(lo, known.hi.0.max(lo))
}

/// What stands behind the verdict on a network.
fn statements(audit: &NetworkAudit) -> Vec<Assumption> {
    let audit = &audit.audit;
    let line = |statement: &str, label: Label, rests_on: &[String]| Assumption {
        statement: statement.to_owned(),
        status: if label == Label::Certified { Status::Checked } else { Status::Assumed },
        detail: format!("{label}: {}", rests_on.join("; ")),
    };
    vec![
        line("upper ends (headroom)", audit.headroom.label, &audit.headroom.rests_on),
        line("lower ends (witnesses)", audit.witness.label, &audit.witness.rests_on),
        line("no large gain nearby (Theorem 3)", audit.local.label, &audit.local.rests_on),
        line(
            "the witness on held-out rows",
            audit.held_out_block.label,
            &audit.held_out_block.rests_on,
        ),
    ]
}

const NOT_NEGATIVE: &str = "losses are not negative (headroom)";

/// What the bounds rest on.
fn assumptions(terms: &Terms) -> Vec<Assumption> {
    let premise = if terms.premise {
        (Status::Checked, "proven for every agent from the lengths of its rows")
    } else {
        (Status::Assumed, "not proven, so the Frank-Wolfe bound is not used")
    };
    let line = |statement: &str, (status, detail): (Status, &str)| Assumption {
        statement: statement.to_owned(),
        status,
        detail: detail.to_owned(),
    };
    vec![
        match terms.nonnegative {
            Some(loss) => line(NOT_NEGATIVE, (Status::Checked, &format!("{loss} and ridge"))),
            None => line(NOT_NEGATIVE, (Status::Violated, "so headroom is not used")),
        },
        line("utilities are non-negative on the whole ball (premise of Theorem 2)", premise),
        line(
            "rivals are the models of evaluated rounds (lower end)",
            (Status::Checked, "a search over other models was not made"),
        ),
    ]
}

/// Whether every utility is proven non-negative on the ball.
pub(super) fn premise_holds(worst: &[WorstLoss], ceilings: &[f64]) -> bool {
    worst.iter().zip(ceilings).all(|(worst, ceiling)| worst.bound <= *ceiling)
}

#[cfg(test)]
mod tests {
    use corefed_core::Seed;
    use corefed_documents::Document;
    use corefed_log::{DataHeader, RoundRecord};
    use corefed_report::{folder as pages, render, verdict};
    use corefed_sim::Federated;
    use corefed_spec::Spec;

    use super::*;
    use crate::network::audit::AuditedNetwork;
    use crate::{Prepared, prepare};

    #[test]
    fn a_search_that_fails_says_why_in_the_audit_the_summary_and_the_page() {
        let settings =
            [("data", "shapes"), ("test", "false"), ("sample", "0.05"), ("model", "mlp")];
        let spec = Spec::preset("table1-mnist").unwrap().with_all(&settings).unwrap();
        let Prepared::Network(run) = prepare(&spec, None).unwrap() else { panic!("a network") };
        let terms = run.case.terms(spec.radius);
        let audited = AuditedNetwork {
            federation: &run.federation,
            terms: &terms,
            train: spec.train.as_ref().unwrap(),
            settings: &spec.model.network().unwrap().audit,
            seed: Seed(1),
            tolerance: spec.tolerance,
        };
        let failed = audited.audit(&vec![f32::NAN; run.federation.dim()]);
        let expected = format!("the loss of `{}` is `NaN`", terms.names[0]);
        assert_eq!(failed.as_ref().unwrap_err(), &expected);
        let header = RunHeader {
            name: "network".to_owned(),
            rule: "fedavg".to_owned(),
            seed: 1,
            rounds: 1,
            model: Value::Null,
            data: DataHeader { file: "shapes".to_owned(), digest: String::new() },
            agents: Vec::new(),
            tolerance: spec.tolerance,
            radius: None,
            premise: None,
            device: None,
            steadiness: None,
            keeps: None,
        };
        let round = RoundRecord::default();
        let last = Outcome { round, agents: Vec::new(), certified: false };
        let limits = Limits { tolerance: spec.tolerance, time_limit: 1.0 };
        let trained = Trained { header: &header, terms: &terms, last: &last, limits };
        let audit = trained.of_network(failed).audit;
        let said = verdict::beside(&audit).join(" ");
        assert!(
            said.contains("The search for better rivals failed") && said.contains(&expected),
            "{said}"
        );
        let text = audit.to_json().unwrap();
        assert!(text.contains(&format!("\"search_failed\": \"{expected}\"")), "{text}");
        let html = render(&pages::page_of(&audit, None));
        assert!(
            html.contains("the search failed: the loss of") && html.contains("violated"),
            "{html}"
        );
    }
}
