//! The end of a training: is the model in the core?

use corefed_core::linalg::norm_l2;
use corefed_core::{
    Assumption, Certificate, Factors, KappaInterval, Number, Status, Verdict, WorstLoss,
};
use corefed_evidence::Label;
use corefed_log::RoundRecord;
use corefed_sim::{Outcome, Terms};
use corefed_solve::ball_for;
use serde::Serialize;

use super::network_audit::NetworkAudit;
use super::prepared::TableRun;
use crate::answer::{Answer, ObstacleLine, answer};
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
    pub(crate) everybody: KappaInterval,
    pub(crate) tolerance: f64,
    /// Why nothing was decided; present exactly when the verdict is undecided.
    pub(crate) obstacle: Option<ObstacleLine>,
    pub(crate) headroom: Number,
    /// The Frank-Wolfe bound, where its premise holds.
    pub(crate) first_order: Option<f64>,
    /// The best rival that is known.
    pub(crate) deviation: Option<KnownRival>,
    pub(crate) assumptions: Vec<Assumption>,
    /// Why the search for better rivals failed, where it did: bounds and models met in training are all
    /// there is then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) search_failed: Option<String>,
    /// What more can be said of a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<NetworkAudit>,
}

/// A coalition that would rather have another model: that of an earlier round, or one that a search
/// found.
#[derive(Debug, Serialize)]
pub(crate) struct KnownRival {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) round: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rival: Option<String>,
    pub(crate) coalition: Vec<String>,
}

/// What everybody wants to know of a finding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conclusion {
    pub(crate) verdict: Verdict,
    pub(crate) kappa: KappaInterval,
    pub(crate) everybody: KappaInterval,
    pub(crate) headroom: f64,
    /// Whether programs over all coalitions decided it.
    pub(crate) exact: bool,
    /// Who would leave, by the best deviation of an exact audit.
    pub(crate) leaving: Vec<String>,
}

impl Finding {
    pub(crate) fn conclusion(&self) -> Conclusion {
        match self {
            Self::Exact(found) => Conclusion {
                verdict: found.0.verdict,
                kappa: found.0.kappa,
                everybody: found.0.everybody,
                headroom: found.0.headroom.0,
                exact: true,
                leaving: found.0.deviation.as_ref().map_or_else(Vec::new, |d| d.coalition.clone()),
            },
            Self::Bounds(found) => Conclusion {
                verdict: found.verdict,
                kappa: found.kappa,
                everybody: found.everybody,
                headroom: found.headroom.0,
                exact: false,
                leaving: Vec::new(),
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
        (tolerance, time_limit): (f64, f64),
    ) -> Self {
        let Some(radius) = ball_for(run.case.radius, params) else {
            return Self::outside(&last.round, terms, tolerance, norm_l2(params));
        };
        let case = &run.case.in_ball(radius);
        if case.names.len() > MOST_AUDITED_AGENTS || params.len() > MOST_AUDITED_PARAMETERS {
            return Self::of_bounds(&last.round, terms, tolerance);
        }
        let losses = case.losses();
        let problem = case.problem(&*losses);
        let mut watch = Watch::new("audit", time_limit);
        let zero = vec![0.0; params.len()];
        let audited = answer(case, &problem, (params, None), &[zero], tolerance, &mut watch);
        let (answer, certificate) = match audited {
            Ok(audited) => audited,
            // Rows or parameters so large that nothing can be proven about them.
            Err(failure) => {
                return Self::read(&last.round, None, terms, tolerance, failure.message());
            }
        };
        let listed = coalitions::affordable(case, params.len())
            .then(|| coalitions::against(case, &problem, rule, params));
        Self::Exact(Box::new((answer, certificate, listed)))
    }

    /// Reads the verdict off the last record.
    pub(crate) fn of_bounds(last: &RoundRecord, terms: &Terms, tolerance: f64) -> Self {
        Self::read(last, last.bound, terms, tolerance, MET_ONLY)
    }

    /// The same for a model outside the ball: bounds for the ball say nothing about it.
    fn outside(last: &RoundRecord, terms: &Terms, tolerance: f64, norm: f64) -> Self {
        let reason = format!(
            "the model lies outside the ball (its norm is {norm:.4}, the radius {}), so no statement \
             about the ball is one about it",
            terms.radius
        );
        let mut finding = Self::read(last, None, terms, tolerance, &reason);
        if let Self::Bounds(found) = &mut finding {
            found.assumptions.push(Assumption {
                statement: "the model lies in the ball".to_owned(),
                status: Status::Violated,
                detail: format!("its norm is {norm}, the radius {}", terms.radius),
            });
            if let Some(obstacle) = &mut found.obstacle {
                obstacle.help = Some("raise `radius`, or set `train.project = true`".to_owned());
            }
        }
        finding
    }

    fn read(
        last: &RoundRecord,
        first_order: Option<f64>,
        terms: &Terms,
        tolerance: f64,
        reason: &str,
    ) -> Self {
        let room = last.headroom.unwrap_or(f64::INFINITY);
        let factors = factors(last, first_order);
        let verdict = factors.verdict(tolerance);
        let deviation = last.kappa_round.filter(|_| verdict == Verdict::Blocked);
        Self::Bounds(Box::new(Bounds {
            verdict,
            kappa: factors.kappa,
            everybody: factors.everybody,
            tolerance,
            obstacle: undecided(verdict, reason),
            headroom: Number(room),
            first_order,
            deviation: deviation.map(|round| KnownRival {
                round: Some(round),
                rival: None,
                coalition: last.coalition.clone(),
            }),
            assumptions: assumptions(terms),
            search_failed: None,
            network: None,
        }))
    }

    /// The verdict on a network: bounds of the last record, and everything that a search found, or why it
    /// failed.
    pub(crate) fn of_network(
        last: &RoundRecord,
        terms: &Terms,
        tolerance: f64,
        audit: Result<NetworkAudit, String>,
    ) -> Self {
        let mut finding = Self::of_bounds(last, terms, tolerance);
        if let Self::Bounds(found) = &mut finding {
            let audit = match audit {
                Ok(audit) => audit,
                Err(reason) => {
                    found.assumptions.push(Assumption {
                        statement: "better rivals were searched for".to_owned(),
                        status: Status::Violated,
                        detail: format!("the search failed: {reason}"),
                    });
                    found.search_failed = Some(reason);
                    return finding;
                }
            };
            let searched = audit.audit.kappa.lo.0;
            let better = searched > found.kappa.lo.0;
            found.kappa = risen(found.kappa, searched);
            found.everybody = risen(found.everybody, audit.audit.everybody.lo.0);
            found.verdict = Verdict::judge(found.kappa, found.everybody, tolerance);
            found.obstacle = undecided(found.verdict, SEARCHED_ONLY);
            if better {
                let witness = audit.audit.witness.finding.as_ref();
                found.deviation = witness.map(|witness| {
                    let members = witness.deviation.coalition.iter();
                    KnownRival {
                        round: None,
                        // Names of the search quote each other; in a sentence that reads badly.
                        rival: Some(witness.rival.replace('`', "")),
                        coalition: members.map(|&k| terms.names[k].clone()).collect(),
                    }
                });
            }
            found.deviation = found.deviation.take().filter(|_| found.verdict == Verdict::Blocked);
            found.assumptions = statements(&audit);
            found.network = Some(audit);
        }
        finding
    }
}

const MET_ONLY: &str = "only models met in training were tried as rivals";
const SEARCHED_ONLY: &str = "rivals were searched for, and there may be better ones";

fn undecided(verdict: Verdict, reason: &str) -> Option<ObstacleLine> {
    let line = || ObstacleLine { reason: reason.to_owned(), help: None };
    (verdict == Verdict::Undecided).then(line)
}

/// What a record knows of both factors: rivals met in training from below, headroom and, where it
/// holds, one gradient from above.
pub(crate) fn factors(last: &RoundRecord, first_order: Option<f64>) -> Factors {
    // Where everybody has something, everybody can stay.
    let stays = last.log_welfare.is_some_and(|welfare| welfare > f64::NEG_INFINITY);
    let least = last.everybody.unwrap_or(0.0).max(if stays { 1.0 } else { 0.0 });
    let mut factors = Factors {
        kappa: KappaInterval::new(last.kappa.unwrap_or(0.0), f64::INFINITY),
        everybody: KappaInterval::new(least, f64::INFINITY),
    };
    let first_order = first_order.unwrap_or(f64::INFINITY);
    let bound = |room: Option<f64>| room.unwrap_or(f64::INFINITY).min(first_order);
    factors.bound(bound(last.headroom), bound(last.headroom_everybody));
    factors
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
pub(crate) fn premise_holds(worst: &[WorstLoss], ceilings: &[f64]) -> bool {
    worst.iter().zip(ceilings).all(|(worst, ceiling)| worst.bound <= *ceiling)
}
