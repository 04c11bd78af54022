//! The answer about one predictor: fitted or given, then audited. This is what `--json` prints.

use corefed_audit::{Audit, Certified, FirstOrder, Premise, assumptions, certify};
use corefed_core::{
    Assumption, Certificate, KappaInterval, Number, Obstacle, Predictor, Rival, Verdict, Witness,
    linalg::norm_l2, log_welfare, proportionality, utilities,
};
use corefed_solve::{Problem, Residual, Rule, Solution, fixed_point_residual};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::case::Case;
use crate::failure::Failure;
use crate::watch::Watch;

/// A predictor, what it gives every agent, and whether anybody would leave.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    /// The rule it was fitted with; absent for a predictor that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<Rule>,
    pub(crate) file: String,
    pub(crate) verdict: Verdict,
    pub(crate) kappa: KappaInterval,
    /// Where the factor lies by which everybody can gain at once.
    pub(crate) everybody: KappaInterval,
    /// Gains up to this do not count in the verdict.
    pub(crate) tolerance: f64,
    /// Why nothing was decided; present exactly when the verdict is undecided.
    pub(crate) obstacle: Option<ObstacleLine>,
    pub(crate) headroom: Number,
    /// What one gradient proves; absent where the premise of the paper's theorem fails.
    pub(crate) first_order: Option<FirstOrderLine>,
    /// Who would leave a blocked model.
    pub(crate) deviation: Option<DeviationLine>,
    /// What is better for everybody than an improvable model.
    pub(crate) improvement: Option<DeviationLine>,
    pub(crate) agents: Vec<AgentLine>,
    pub(crate) log_welfare: Number,
    #[serde(flatten)]
    pub(crate) fit: Option<Fit>,
    /// Largest `(w_i/W) alone_i / utility_i`: proportional iff at most one.
    pub(crate) proportionality: Option<Number>,
    /// How much `phi` improves on this predictor; zero at a fixed point.
    pub(crate) fixed_point: Option<FixedPoint>,
    pub(crate) ball: BallLine,
    pub(crate) search: SearchLine,
    pub(crate) assumptions: Vec<Assumption>,
    pub(crate) parameters: Value,
    pub(crate) predictor: Predictor,
}

/// What stood in the way of a verdict, in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ObstacleLine {
    /// As a clause.
    pub(crate) reason: String,
    /// What would help, in the imperative, where something would.
    pub(crate) help: Option<String>,
}

impl ObstacleLine {
    pub(crate) fn new(obstacle: Obstacle, names: &[String]) -> Self {
        let help = match obstacle {
            Obstacle::Time => "raise `--time-limit`",
            other => other.help(),
        };
        Self { reason: obstacle.reason(|agent| names[agent].clone()), help: Some(help.to_owned()) }
    }
}

impl std::fmt::Display for ObstacleLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// How a rule's optimum was reached.
#[derive(Debug, Serialize)]
pub(crate) struct Fit {
    pub(crate) iterations: usize,
    pub(crate) gap: f64,
    pub(crate) converged: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct AgentLine {
    pub(crate) name: String,
    pub(crate) samples: usize,
    pub(crate) weight: f64,
    pub(crate) ceiling: f64,
    pub(crate) loss: f64,
    pub(crate) utility: f64,
    /// The utility of the best predictor for this agent alone; absent when the time ran out.
    pub(crate) alone: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct DeviationLine {
    pub(crate) rival: Value,
    pub(crate) coalition: Vec<String>,
    pub(crate) gains: Map<String, Value>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FirstOrderLine {
    /// `kappa <= 1 + gap/W`.
    pub(crate) frank_wolfe: f64,
    /// The bound from `l2 > 0`.
    pub(crate) strong_convexity: Option<f64>,
    /// Theorem 3: within this distance no coalition gains more than [`LOCAL_FACTOR`].
    pub(crate) local_radius: Number,
    pub(crate) local_factor: f64,
}

/// The gain at which Theorem 3 is quoted.
const LOCAL_FACTOR: f64 = 1.01;

#[derive(Debug, Serialize)]
pub(crate) struct FixedPoint {
    pub(crate) residual: f64,
    pub(crate) gap: f64,
    pub(crate) distance: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct BallLine {
    pub(crate) radius: f64,
    pub(crate) norm: f64,
    /// Whether the parameters lie on the sphere, where a larger ball would change them.
    pub(crate) active: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct SearchLine {
    /// Whether the search ended by itself, not by the time limit.
    pub(crate) complete: bool,
    pub(crate) programs: usize,
    pub(crate) branches: usize,
}

/// Audits parameters and puts everything together. What it says is what the certificate proves.
pub(crate) fn answer(
    case: &Case,
    problem: &Problem<'_>,
    (parameters, fitted): (&[f64], Option<(Rule, &Solution)>),
    candidates: &[Vec<f64>],
    tolerance: f64,
    watch: &mut Watch,
) -> Result<(Answer, Certificate), Failure> {
    let predictor = case.predictor(parameters.to_vec());
    let Certified { audit: found, certificate } = certify(
        problem,
        &case.federation,
        &predictor,
        &case.parties(),
        &case.worst,
        candidates,
        tolerance,
        &case.digest,
        watch,
    )?;
    let norm = norm_l2(parameters);
    let told = |verdict: Verdict, witness: &Option<Witness>| {
        let witness = witness.as_ref().filter(|_| found.verdict == verdict);
        witness.map(|witness| deviation(case, witness))
    };
    let answer = Answer {
        rule: fitted.map(|(rule, _)| rule),
        file: case.file.clone(),
        verdict: found.verdict,
        kappa: found.kappa,
        everybody: found.everybody,
        tolerance,
        obstacle: found.obstacle.map(|obstacle| ObstacleLine::new(obstacle, &case.names)),
        headroom: Number(found.headroom),
        first_order: first_order(problem, parameters, &found),
        deviation: told(Verdict::Blocked, &found.witness),
        improvement: told(Verdict::Improvable, &found.improvement),
        agents: agents(case, &found),
        log_welfare: Number(log_welfare(&found.utilities, &problem.weights)),
        fit: fitted.map(|(_, solution)| Fit {
            iterations: solution.steps,
            gap: solution.gap,
            converged: solution.converged,
        }),
        proportionality: least_proportional(problem, &found),
        fixed_point: fixed_point(problem, parameters, watch.expired),
        ball: BallLine { radius: case.radius, norm, active: norm > case.radius * (1.0 - 1e-6) },
        search: SearchLine {
            complete: !watch.expired,
            programs: found.progress.programs,
            branches: found.progress.nodes,
        },
        assumptions: assumptions(&found, case.family, &case.names),
        parameters: by_name(&predictor, parameters),
        predictor,
    };
    Ok((answer, certificate))
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
            local_radius: Number(bounds.local.radius(LOCAL_FACTOR)),
            local_factor: LOCAL_FACTOR,
        }
    })
}

/// The factor of the agent that gets least of its share; absent when the time ran out.
fn least_proportional(problem: &Problem<'_>, found: &Audit) -> Option<Number> {
    let alone = found.alone.iter().copied().collect::<Option<Vec<f64>>>()?;
    let factors = proportionality(&found.utilities, &alone, &problem.weights);
    Some(Number(factors.into_iter().fold(0.0, f64::max)))
}

fn agents(case: &Case, found: &Audit) -> Vec<AgentLine> {
    let losses = utilities(&case.ceilings, &found.utilities);
    (0..case.names.len())
        .map(|k| AgentLine {
            name: case.names[k].clone(),
            samples: case.samples()[k],
            weight: case.weights.values()[k],
            ceiling: case.ceilings[k],
            // The loss is what utility leaves of the ceiling.
            loss: losses[k],
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
    let gains = coalition
        .iter()
        .zip(&witness.gains)
        .map(|(name, gain)| (name.clone(), number(*gain)))
        .collect();
    DeviationLine { rival, coalition, gains }
}

/// A number as JSON, infinities as text.
pub(crate) fn number(value: Number) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Parameters by feature name; for softmax, by class and feature name.
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
