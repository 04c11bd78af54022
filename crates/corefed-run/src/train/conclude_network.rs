//! The end of a network's training: what the records say, and what a search found.

use corefed_core::{Assumption, Factors, Status, Verdict};
use corefed_documents::{DeviationLine, NetworkAudit, Scope};
use corefed_evidence::Label;
use serde_json::{Map, Value};

use super::conclude::Finding;
use super::last_record::{MET_ONLY, Trained, undecided};

const SEARCHED_ONLY: &str = "rivals were searched for, and there may be better ones";

impl Trained<'_> {
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
        let mut factors = Factors { kappa: found.kappa, everybody: found.everybody };
        factors.raise(searched, audit.audit.everybody.lo.0);
        found.verdict = factors.verdict(found.tolerance);
        (found.kappa, found.everybody) = (factors.kappa, factors.everybody);
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
}

/// What stands behind the verdict on a network.
fn statements(audit: &NetworkAudit) -> Vec<Assumption> {
    let audit = &audit.audit;
    let line = |statement: &str, label: Label, rests_on: &[String]| {
        let proven = label == Label::Certified;
        let status = if proven { Status::Checked } else { Status::Assumed };
        Assumption::new(statement, status, format!("{label}: {}", rests_on.join("; ")))
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

#[cfg(test)]
mod tests {
    use corefed_core::Seed;
    use corefed_documents::Document;
    use corefed_log::{DataHeader, RoundRecord, RunHeader};
    use corefed_report::{folder as pages, render, verdict};
    use corefed_sim::{Federated, Outcome};
    use corefed_spec::Spec;

    use super::*;
    use crate::network::audit::AuditedNetwork;
    use crate::{Limits, Prepared, prepare};

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
            guards: Vec::new(),
        };
        let round = RoundRecord::default();
        let last = Outcome { round, agents: Vec::new(), certified: false };
        let limits = Limits { tolerance: spec.tolerance, time_limit: 1.0 };
        let trained = Trained { header: &header, terms: &terms, last: &last, limits };
        let audit = trained.of_network(failed).audit;
        let said = verdict::beside(&audit).join(" ");
        assert!(
            said.contains("Rivals that could not be tried") && said.contains(&expected),
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
