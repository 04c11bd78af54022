//! The end of a training: is the model in the core?

use corefed_core::linalg::norm_l2;
use corefed_core::{Assumption, Certificate, Status};
use corefed_documents::{AuditDocument, ModelCoalitions};
use corefed_solve::ball_for;

use super::last_record::{MET_ONLY, Trained};
use crate::coalitions;
use crate::held_out::{HeldOutTable, OwnModels};
use crate::prepared::TableRun;
use crate::{Audited, Observer, Stop};

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
