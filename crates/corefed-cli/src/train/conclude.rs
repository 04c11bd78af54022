//! The end of a training: is the model in the core?

use corefed_core::{Assumption, Certificate, KappaInterval, Number, Status, Verdict, WorstLoss};
use corefed_log::RoundRecord;
use corefed_sim::{Outcome, Terms};
use serde::Serialize;

use super::prepare::TableRun;
use crate::answer::{Answer, answer};
use crate::coalitions::{self, ModelCoalitions};
use crate::watch::Watch;

/// Beyond these an exact audit would take hours, and bounds have to do.
const MOST_AUDITED_AGENTS: usize = 128;
const MOST_AUDITED_PARAMETERS: usize = 2_000;

/// The verdict on a trained model and what it rests on.
pub(crate) enum Finding {
    /// Decided by programs over coalitions, with a certificate.
    Exact(Box<(Answer, Certificate, Option<ModelCoalitions>)>),
    /// Decided, if at all, by models met in training and by bounds.
    Bounds(Box<Bounds>),
}

/// The shorter audit of `audit.json`.
#[derive(Debug, Serialize)]
pub(crate) struct Bounds {
    pub(crate) verdict: Verdict,
    pub(crate) kappa: KappaInterval,
    pub(crate) epsilon: f64,
    pub(crate) headroom: Number,
    /// The Frank-Wolfe bound, where its premise holds.
    pub(crate) first_order: Option<f64>,
    /// The best rival among the models of earlier rounds.
    pub(crate) deviation: Option<EarlierModel>,
    pub(crate) assumptions: Vec<Assumption>,
}

/// A coalition that would go back to an earlier model.
#[derive(Debug, Serialize)]
pub(crate) struct EarlierModel {
    pub(crate) round: usize,
    pub(crate) coalition: Vec<String>,
}

/// What everybody wants to know of a finding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conclusion {
    pub(crate) verdict: Verdict,
    pub(crate) kappa: KappaInterval,
    pub(crate) headroom: f64,
}

impl Finding {
    pub(crate) fn conclusion(&self) -> Conclusion {
        match self {
            Self::Exact(found) => Conclusion {
                verdict: found.0.verdict,
                kappa: found.0.kappa,
                headroom: found.0.headroom.0,
            },
            Self::Bounds(found) => Conclusion {
                verdict: found.verdict,
                kappa: found.kappa,
                headroom: found.headroom.0,
            },
        }
    }

    /// Audits a model of a table exactly, if that can be done in reasonable time.
    pub(crate) fn of_table(
        run: &TableRun,
        rule: &str,
        params: &[f64],
        terms: &Terms,
        last: &Outcome,
        (epsilon, time_limit): (f64, f64),
    ) -> Self {
        let case = &run.case;
        if case.names.len() > MOST_AUDITED_AGENTS || params.len() > MOST_AUDITED_PARAMETERS {
            return Self::of_bounds(&last.round, terms, epsilon);
        }
        let losses = case.losses();
        let problem = case.problem(&*losses);
        let mut watch = Watch::new("audit", time_limit);
        let zero = vec![0.0; params.len()];
        let (answer, certificate) =
            answer(case, &problem, (params, None), &[zero], epsilon, &mut watch);
        let listed = coalitions::affordable(case, params.len())
            .then(|| coalitions::against(case, &problem, rule, params));
        Self::Exact(Box::new((answer, certificate, listed)))
    }

    /// Reads the verdict off the last record.
    pub(crate) fn of_bounds(last: &RoundRecord, terms: &Terms, epsilon: f64) -> Self {
        let headroom = last.headroom.unwrap_or(f64::INFINITY);
        // The model is its own rival, so kappa is at least one.
        let lo = last.kappa.unwrap_or(1.0).max(1.0);
        let hi = last.bound.map_or(headroom, |bound| bound.min(headroom)).max(lo);
        let kappa = KappaInterval { lo: Number(lo), hi: Number(hi) };
        let verdict = Verdict::from_interval(kappa, epsilon);
        let deviation = last.kappa_round.filter(|_| verdict == Verdict::Blocked);
        Self::Bounds(Box::new(Bounds {
            verdict,
            kappa,
            epsilon,
            headroom: Number(headroom),
            first_order: last.bound,
            deviation: deviation
                .map(|round| EarlierModel { round, coalition: last.coalition.clone() }),
            assumptions: assumptions(terms),
        }))
    }
}

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
        line("losses are not negative (headroom)", (Status::Checked, "cross-entropy and ridge")),
        line("utilities are non-negative on the whole ball (premise of Theorem 2)", premise),
        line(
            "rivals are the models of evaluated rounds (lower end)",
            (Status::Checked, "a search over other models was not made"),
        ),
    ]
}

/// Whether every utility is proven non-negative on the ball.
pub(crate) fn premise_holds(worst: &[WorstLoss], ceilings: &[f64]) -> bool {
    worst.iter().zip(ceilings).all(|(worst, ceiling)| worst.bound <= *ceiling)
}
