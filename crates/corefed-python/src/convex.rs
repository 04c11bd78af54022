//! Optima, audits and certificates of convex predictors on rows in memory.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use corefed_audit::{Certified, Observer, Parties, Progress, assumptions, certify};
use corefed_core::{Predictor, Rival, Verdict, Weights, Witness, WorstLoss, linalg::norm_l2};
use corefed_data::{Agent, LARGEST};
use corefed_model::{ConvexLosses, FederationLosses, check_margins, convex_losses, worst_losses};
use corefed_solve::{CeilingPolicy, Infeasible, Problem, Rule, ball_for, solve};
use corefed_spec::Ceiling;
use corefed_verify::{check_document, check_on_data, parse};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use serde_json::json;

use crate::raise::{self, Mistake};
use crate::rows::Rows;

/// Gap asked of an optimum, relative to the total weight; as the command does.
const SOLVER_GAP: f64 = 1e-10;

/// A Hessian of this many rows and columns takes 800 MB.
const MOST_PARAMETERS: usize = 10_000;

/// Weights, ceilings and the ball of parameters.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Terms {
    l2: f64,
    radius: f64,
    weights: Vec<f64>,
    ceiling: Ceilings,
}

/// A policy by its name in a spec, or a ceiling per agent.
#[derive(FromPyObject)]
enum Ceilings {
    Policy(String),
    PerAgent(Vec<f64>),
}

/// An optimum.
#[pyclass(frozen, get_all)]
pub(crate) struct Fitted {
    parameters: Py<PyArray1<f64>>,
    losses: Vec<f64>,
    utilities: Vec<f64>,
    ceilings: Vec<f64>,
    log_welfare: f64,
    gap: f64,
    iterations: usize,
    converged: bool,
    norm: f64,
}

#[pymethods]
impl Rows {
    /// The optimum of a rule.
    fn solve(&self, py: Python<'_>, terms: Terms, rule: &str) -> PyResult<Fitted> {
        let rule = match rule {
            "core" => Rule::Core,
            "utilitarian" => Rule::Utilitarian,
            "egalitarian" => Rule::Egalitarian,
            other => {
                let known = "expected `core`, `utilitarian` or `egalitarian`";
                let message = format!("there is no rule `{other}`; {known}");
                return Err(Mistake::input("rule", message).into());
            }
        };
        let (found, ceilings) = py.detach(|| {
            let (weights, ceilings) = self.resolve(&terms)?;
            let losses = self.losses(terms.l2);
            let problem = Problem::new(&*losses, ceilings.clone(), weights, terms.radius);
            let found =
                solve(&problem, rule, SOLVER_GAP).map_err(|error| self.infeasible(&error))?;
            Ok::<_, Mistake>((found, ceilings))
        })?;
        Ok(Fitted {
            norm: norm_l2(&found.params),
            parameters: found.params.into_pyarray(py).unbind(),
            losses: found.losses,
            utilities: found.utilities,
            ceilings,
            log_welfare: found.log_welfare,
            gap: found.gap,
            iterations: found.steps,
            converged: found.converged,
        })
    }

    /// Audits parameters against every rival in the ball: a summary and the certificate, as JSON.
    fn certify(
        &self,
        py: Python<'_>,
        parameters: Vec<f64>,
        terms: Terms,
        tolerance: f64,
        time_limit: f64,
    ) -> PyResult<(String, String)> {
        // `terms.radius` is what the user asked for; a model on the sphere gets a ball that contains it.
        let Some(radius) = ball_for(terms.radius, &parameters) else {
            let hint = "pass a larger `radius`; rivals are searched in the same ball";
            let message = format!(
                "the parameters have norm {:.6}, outside the ball of radius {}",
                norm_l2(&parameters),
                terms.radius
            );
            let mistake = Mistake::input("radius", message);
            return Err(Mistake { hint: Some(hint.to_owned()), ..mistake }.into());
        };
        let limit = Duration::try_from_secs_f64(time_limit).unwrap_or(Duration::MAX);
        let begin = Instant::now();
        let (mut raised, mut complete) = (None, true);
        let mut watch = |_: &Progress| {
            if raised.is_none() {
                #[expect(clippy::redundant_closure_for_method_calls, reason = "lifetimes differ")]
                let found = Python::attach(|py| py.check_signals());
                raised = found.err();
            }
            if raised.is_some() || begin.elapsed() > limit {
                complete = false;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let documents = py.detach(|| {
            let (weights, ceilings) = self.resolve(&terms)?;
            let model = self.model(terms.l2);
            let expected = model.dim();
            if parameters.len() != expected {
                let message = format!("{} parameters where {expected} belong", parameters.len());
                return Err(Mistake::input("parameters", message));
            }
            let worst = worst_losses(&model, radius);
            let losses = self.losses(terms.l2);
            let problem = Problem::new(&*losses, ceilings, weights, radius);
            let predictor = Predictor {
                family: self.family,
                l2: terms.l2,
                radius,
                encoding: self.encoding.clone(),
                parameters,
            };
            self.documents(&problem, &predictor, &worst, tolerance, &mut watch)
        });
        if let Some(error) = raised {
            return Err(error);
        }
        let (mut summary, certificate) = documents?;
        summary["complete"] = complete.into();
        Ok((summary.to_string(), certificate))
    }

    /// Checks a certificate on these rows: what was checked, what was not.
    fn verify(&self, certificate: &str) -> PyResult<(Vec<String>, Vec<String>)> {
        let certificate = parse(certificate).map_err(|error| raise::certificate(&error))?;
        let checked = check_on_data(&certificate, &self.federation, &self.digest)
            .map_err(|error| raise::certificate(&error))?;
        Ok((checked.checked, checked.unchecked))
    }
}

/// Checks that a certificate agrees with itself.
#[pyfunction]
pub(crate) fn verify_document(certificate: &str) -> PyResult<(Vec<String>, Vec<String>)> {
    let certificate = parse(certificate).map_err(|error| raise::certificate(&error))?;
    let checked = check_document(&certificate).map_err(|error| raise::certificate(&error))?;
    Ok((checked.checked, checked.unchecked))
}

impl Rows {
    fn model(&self, l2: f64) -> FederationLosses<'_> {
        FederationLosses::new(&self.federation, self.family, self.encoding.classes.len(), l2)
    }

    fn losses(&self, l2: f64) -> Box<dyn ConvexLosses + '_> {
        convex_losses(&self.federation, self.family, self.encoding.classes.len(), l2)
    }

    /// Weights and ceilings of these agents, or what is wrong with the terms.
    fn resolve(&self, terms: &Terms) -> Result<(Weights, Vec<f64>), Mistake> {
        let &Terms { l2, radius, .. } = terms;
        if !(radius > 0.0 && radius <= LARGEST) {
            let message = format!("`radius` is `{radius}`; it must be positive");
            return Err(Mistake::input("radius", message));
        }
        if !(0.0..=LARGEST).contains(&l2) {
            let message = format!("`l2` is `{l2}`; it must not be negative");
            return Err(Mistake::input("l2", message));
        }
        let weights =
            Weights::new(terms.weights.clone()).map_err(|error| raise::weight("weights", error))?;
        let model = self.model(l2);
        if model.dim() > MOST_PARAMETERS {
            let message = format!(
                "the model has {} parameters; exact solvers take at most {MOST_PARAMETERS}",
                model.dim()
            );
            return Err(Mistake::input("X", message));
        }
        check_margins(&model, radius).map_err(|error| Mistake {
            hint: Some(error.hint().to_owned()),
            ..Mistake::input("radius", error.to_string())
        })?;
        let policy = match &terms.ceiling {
            Ceilings::PerAgent(values) => CeilingPolicy::PerAgent(values.clone()),
            Ceilings::Policy(text) => match text.parse::<Ceiling>() {
                Ok(Ceiling::Fixed(value)) => CeilingPolicy::Fixed(value),
                Ok(Ceiling::Initial(factor)) => CeilingPolicy::Initial(factor),
                Ok(Ceiling::Constant(factor)) => CeilingPolicy::Constant(factor),
                Ok(Ceiling::Worst) => CeilingPolicy::Worst,
                Ok(Ceiling::File(_)) | Err(_) => {
                    let message = format!(
                        "`ceiling` is `{text}`; expected a number, `initial[:F]`, \
                         `constant[:F]`, `worst` or one number per agent"
                    );
                    return Err(Mistake::input("ceiling", message));
                }
            },
        };
        let worst = match policy {
            CeilingPolicy::Worst => worst_losses(&model, radius),
            _ => Vec::new(),
        };
        let ceilings = policy.resolve(&model, &worst).map_err(|error| {
            let agents = self.federation.agents();
            Mistake {
                agent: agents.iter().position(|agent| agent.name == error.agent),
                hint: Some("choose another `ceiling`, such as `initial:1.5`".to_owned()),
                ..Mistake::input("ceiling", error.to_string())
            }
        })?;
        Ok((weights, ceilings))
    }

    fn names(&self) -> Vec<String> {
        self.federation.agents().iter().map(|agent| agent.name.clone()).collect()
    }

    /// Names the agents that no predictor can serve together.
    fn infeasible(&self, error: &Infeasible) -> Mistake {
        let class = "InfeasibleError";
        let field = Some("ceiling".to_owned());
        let (agents, bound, shortfall) = match error {
            Infeasible::Proven { agents, bound, shortfall, .. } => (agents, bound, shortfall),
            Infeasible::NotFound { .. } => {
                let hint = Some("raise the ceilings, or enlarge `radius`".to_owned());
                return Mistake { class, message: error.to_string(), agent: None, field, hint };
            }
        };
        let known = self.federation.agents();
        let names: Vec<&str> = agents.iter().map(|&at| known[at].name.as_str()).collect();
        Mistake {
            class,
            message: format!(
                "agents {names:?} cannot all have a positive utility under these ceilings: \
                 whatever the predictor, a weighted mean of theirs is at most {bound:.6}"
            ),
            agent: agents.first().copied(),
            field,
            hint: Some(format!(
                "raise the ceilings by more than {:.4}, or enlarge `radius`",
                shortfall.max(0.0)
            )),
        }
    }

    /// What an audit found out, and its certificate, which says the same.
    fn documents(
        &self,
        problem: &Problem<'_>,
        predictor: &Predictor,
        worst: &[WorstLoss],
        tolerance: f64,
        watch: &mut dyn Observer,
    ) -> Result<(serde_json::Value, String), Mistake> {
        let names = self.names();
        let samples: Vec<usize> = self.federation.agents().iter().map(Agent::samples).collect();
        let parties = Parties {
            names: &names,
            samples: &samples,
            weights: &problem.weights,
            ceilings: &problem.ceilings,
        };
        let Certified { audit: found, certificate } = certify(
            problem,
            &self.federation,
            predictor,
            &parties,
            worst,
            &[],
            tolerance,
            &self.digest,
            watch,
        )
        .map_err(|error| raise::certificate(&error))?;
        let told = |verdict: Verdict, witness: &Option<Witness>| {
            let witness = witness.as_ref().filter(|_| found.verdict == verdict);
            witness.map(|witness| {
                json!({
                    "coalition": witness.coalition,
                    "gains": witness.gains,
                    "rival": match &witness.rival {
                        Rival::Parameters(parameters) => json!(parameters),
                        Rival::Row(name) => json!(name),
                    },
                })
            })
        };
        let obstacle = found.obstacle.map(|obstacle| {
            json!({
                "reason": obstacle.reason(|agent| names[agent].clone()),
                "help": obstacle.help(),
            })
        });
        let summary = json!({
            "status": found.verdict,
            "kappa": found.kappa,
            "everybody": found.everybody,
            "tolerance": found.tolerance,
            "obstacle": obstacle,
            "headroom": corefed_core::Number(found.headroom),
            "utilities": found.utilities,
            "ceilings": problem.ceilings,
            "weights": problem.weights.values(),
            "samples": samples,
            "alone": found.alone,
            "deviation": told(Verdict::Blocked, &found.witness),
            "improvement": told(Verdict::Improvable, &found.improvement),
            "programs": found.progress.programs,
            "assumptions": assumptions(&found, self.family, &names),
        });
        let text = serde_json::to_string_pretty(&certificate).unwrap_or_default() + "\n";
        Ok((summary, text))
    }
}
