//! The audit of one predictor on a table: certified, then put into a document. What the document says is what
//! the certificate proves.

use corefed_audit::{Audit, Certified, FirstOrder, Premise, assumptions, certify};
use corefed_core::{
    Certificate, Factors, LARGEST_TOLERANCE, Number, Predictor, Range, Rival, Verdict, Witness,
    linalg::norm_l2, log_welfare, proportionality, utilities,
};
use corefed_documents::{
    AgentLine, AuditDocument, BallLine, DeviationLine, FirstOrderLine, Fit, FixedPoint,
    ObstacleLine, Scope, SearchLine,
};
use corefed_solve::{Problem, Residual, Rule, Solution, fixed_point_residual};
use corefed_spec::TIME_LIMIT;
use serde_json::{Map, Value};

use crate::observer::Clock;
use crate::{Case, Observer, RunError, Stop, TermsError};

/// The gain at which Theorem 3 is quoted.
const LOCAL_FACTOR: f64 = 1.01;

/// How far an audit goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Gains up to this do not count in the verdict.
    pub tolerance: f64,
    /// Seconds after which a search ends with what it knows.
    pub time_limit: f64,
}

impl Limits {
    /// As asked, where `usual` is the tolerance unless told; refuses what makes no sense.
    pub fn asked(
        (tolerance, time_limit): (Option<f64>, Option<f64>),
        usual: f64,
        exact: bool,
    ) -> Result<Self, RunError> {
        let tolerance = tolerance.unwrap_or(usual);
        let time_limit = time_limit.unwrap_or(TIME_LIMIT);
        if !Range::DURATION.contains(time_limit) {
            return Err(TermsError::TimeLimit { seconds: time_limit }.into());
        }
        check_tolerance(tolerance, exact).map(|()| Self { tolerance, time_limit })
    }
}

/// Refuses a tolerance with which `stable` means nothing; zero only where arithmetic is exact.
pub fn check_tolerance(tolerance: f64, exact: bool) -> Result<(), RunError> {
    if tolerance <= LARGEST_TOLERANCE && (tolerance > 0.0 || exact && tolerance == 0.0) {
        return Ok(());
    }
    Err(TermsError::Tolerance { tolerance, exact }.into())
}

/// What is audited.
#[derive(Clone, Copy, Debug)]
pub struct Audited<'a> {
    /// The search, for people.
    pub what: &'a str,
    /// Parameters in the order of the encoding.
    pub parameters: &'a [f64],
    /// The rule and its optimum, for a predictor that was fitted.
    pub fitted: Option<(Rule, &'a Solution)>,
    /// Parameters that are tried as rivals first.
    pub candidates: &'a [Vec<f64>],
}

impl<'a> Audited<'a> {
    /// The optimum of a rule.
    #[must_use]
    pub fn solution(what: &'a str, rule: Rule, solution: &'a Solution) -> Self {
        let fitted = Some((rule, solution));
        Self { what, parameters: &solution.params, fitted, candidates: &[] }
    }

    /// Parameters that somebody brought.
    #[must_use]
    pub fn given(what: &'a str, parameters: &'a [f64]) -> Self {
        Self { what, parameters, fitted: None, candidates: &[] }
    }
}

impl Case {
    /// Audits parameters against every predictor in the ball.
    pub fn audit(
        &self,
        problem: &Problem<'_>,
        audited: &Audited<'_>,
        limits: Limits,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<(AuditDocument, Certificate), RunError> {
        let mut clock = Clock::new(audited.what, limits.time_limit, stop, observer);
        let Audited { parameters, fitted, candidates, .. } = *audited;
        let predictor = self.predictor(parameters.to_vec());
        let halt = clock.halt();
        let Certified { audit: found, mut certificate } = certify(
            &problem.halted_by(&halt),
            &self.federation,
            &predictor,
            &self.parties(),
            &self.worst,
            candidates,
            limits.tolerance,
            &self.digest,
            &mut clock,
        )?;
        certificate.assumptions.extend(self.note.clone());
        let mut assumptions = assumptions(&found, self.family, &self.names);
        assumptions.extend(self.note.clone());
        let norm = norm_l2(parameters);
        let on_sphere = norm > self.radius * (1.0 - 1e-6);
        // The loss is what utility leaves of the ceiling.
        let losses = utilities(&self.ceilings, &found.utilities);
        let told = |verdict: Verdict, witness: &Option<Witness>| {
            let witness = witness.as_ref().filter(|_| found.verdict == verdict);
            witness.map(|witness| deviation(self, witness))
        };
        let factors = Factors { kappa: found.kappa, everybody: found.everybody };
        let document = AuditDocument {
            rule: fitted.map(|(rule, _)| rule.to_string()),
            file: Some(self.file.clone()),
            // As certified, which a search that was cut short may leave undecided.
            verdict: found.verdict,
            obstacle: found.obstacle.map(|obstacle| ObstacleLine::new(obstacle, &self.names)),
            headroom: Some(Number(found.headroom)),
            first_order: first_order(problem, parameters, &found),
            deviation: told(Verdict::Blocked, &found.witness),
            improvement: told(Verdict::Improvable, &found.improvement),
            log_welfare: Some(Number(log_welfare(&found.utilities, &problem.weights))),
            fit: fitted.map(|(_, solution)| Fit {
                iterations: solution.steps,
                gap: solution.gap,
                converged: solution.converged,
            }),
            proportionality: least_proportional(problem, &found),
            fixed_point: fixed_point(problem, parameters, clock.expired),
            ball: Some(BallLine { radius: self.radius, norm, active: on_sphere }),
            search: Some(SearchLine {
                complete: !clock.expired,
                programs: found.progress.programs,
                branches: found.progress.nodes,
            }),
            assumptions,
            parameters: by_name(&predictor, parameters),
            predictor: Some(predictor),
            target: self.target_line(parameters, &losses),
            notes: self.read.iter().map(ToString::to_string).collect(),
            warnings: self.warnings(parameters, &losses, on_sphere),
            ..AuditDocument::new(
                Scope::Ball,
                factors,
                limits.tolerance,
                agents(self, &found, &losses),
            )
        };
        Ok((document, certificate))
    }
}

/// How far `phi` would move; not computed when the time is spent.
fn fixed_point(problem: &Problem<'_>, parameters: &[f64], expired: bool) -> Option<FixedPoint> {
    if expired {
        return None;
    }
    let Residual { value, gap, distance } = fixed_point_residual(problem, parameters, None)?;
    Some(FixedPoint { residual: value, gap, distance })
}

fn first_order(problem: &Problem<'_>, parameters: &[f64], found: &Audit) -> Option<FirstOrderLine> {
    let positive = found.utilities.iter().all(|u| *u > 0.0);
    (positive && found.premise == Premise::Holds).then(|| {
        let bounds = FirstOrder::at(problem, parameters, &found.utilities);
        FirstOrderLine {
            frank_wolfe: bounds.frank_wolfe,
            strong_convexity: bounds.strong_convexity,
            local_radius: Some(Number(bounds.local.radius(LOCAL_FACTOR))),
            local_factor: Some(LOCAL_FACTOR),
        }
    })
}

/// The factor of the agent that gets least of its share; absent when the time ran out.
fn least_proportional(problem: &Problem<'_>, found: &Audit) -> Option<Number> {
    let alone = found.alone.iter().copied().collect::<Option<Vec<f64>>>()?;
    let factors = proportionality(&found.utilities, &alone, &problem.weights);
    Some(Number(factors.into_iter().fold(0.0, f64::max)))
}

fn agents(case: &Case, found: &Audit, losses: &[f64]) -> Vec<AgentLine> {
    (0..case.names.len())
        .map(|k| AgentLine {
            name: case.names[k].clone(),
            samples: Some(case.samples()[k]),
            weight: case.weights.values()[k],
            ceiling: Some(case.ceilings[k]),
            loss: Some(losses[k]),
            utility: found.utilities[k],
            alone: found.alone[k],
        })
        .collect()
}

fn deviation(case: &Case, witness: &Witness) -> DeviationLine {
    let rival = match &witness.rival {
        Rival::Parameters(params) => by_name(&case.predictor(params.clone()), params),
        Rival::Row(name) => Value::from(name.as_str()),
    };
    let coalition: Vec<String> =
        witness.coalition.iter().map(|&agent| case.names[agent].clone()).collect();
    let gains = gains(&coalition, &witness.gains);
    DeviationLine { rival, round: None, coalition, gains }
}

/// Gains by the members' names; infinities are text.
pub(crate) fn gains(coalition: &[String], gains: &[Number]) -> Map<String, Value> {
    let value = |gain: &Number| serde_json::to_value(gain).unwrap_or(Value::Null);
    coalition.iter().zip(gains).map(|(name, gain)| (name.clone(), value(gain))).collect()
}

/// Parameters by feature name; for several blocks, by class and feature name.
pub(crate) fn by_name(predictor: &Predictor, parameters: &[f64]) -> Value {
    let features = &predictor.encoding.features;
    let block = |values: &[f64]| {
        let pairs = features.iter().zip(values);
        Value::Object(pairs.map(|(f, v)| (f.name(), Value::from(*v))).collect())
    };
    let blocks = predictor.family.blocks(predictor.encoding.classes.len());
    if blocks == 1 {
        return block(parameters);
    }
    let classes = predictor.encoding.classes.iter().zip(parameters.chunks(features.len()));
    Value::Object(classes.map(|(class, values)| (class.clone(), block(values))).collect())
}
