//! The largest log-welfare, found on quadratic models and confirmed by answers.

use corefed_core::linalg::axpy;
use corefed_core::{frank_wolfe_gap, log_welfare, nash_coefficients, utilities};
use corefed_model::CoalitionLosses;
use corefed_solve::{Problem, Rule, solve_from};

use crate::bundle::Bundle;
use crate::case::Case;
use crate::model::Model;

/// Times that a step is taken again about nearer answers.
const EXPANSIONS: usize = 4;
/// How well welfare is maximised on models.
const TOLERANCE: f64 = 1e-11;
/// The gap at which training ends, as a share of the total weight: `kappa - 1` is at most that (ledger E6).
pub(crate) const ENOUGH: f64 = 1e-6;

/// What answers say of a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) log_welfare: f64,
    /// The Frank-Wolfe gap over the total weight; infinite where somebody has nothing.
    pub(crate) gap: f64,
}

/// Welfare and its gap at a point (ledger E2, E6); `None` where somebody has not answered.
pub(crate) fn standing(
    case: &Case,
    bundle: &Bundle,
    present: &[usize],
    place: usize,
) -> Option<Standing> {
    let known: Vec<_> =
        present.iter().map(|&agent| bundle.at(agent, place)).collect::<Option<_>>()?;
    let losses: Vec<f64> = known.iter().map(|known| known.loss).collect();
    let now = utilities(&pick(&case.ceilings, present), &losses);
    let weights = case.weights.of(present);
    let log_welfare = log_welfare(&now, &weights);
    if now.iter().any(|utility| *utility <= 0.0) {
        return Some(Standing { log_welfare, gap: f64::INFINITY });
    }
    let mut ascent = vec![0.0; bundle.point(place).len()];
    for (known, pull) in known.iter().zip(nash_coefficients(&now, &weights)) {
        axpy(-pull, known.gradient.as_deref()?, &mut ascent);
    }
    let gap = frank_wolfe_gap(&ascent, bundle.point(place), case.radius()) / weights.total();
    Some(Standing { log_welfare, gap })
}

/// Where log-welfare is largest on the models, about the answers nearest to it (ledger E79). Where no point
/// of the models serves everybody, the one that is best for the worst-off.
pub(crate) fn step(case: &Case, bundle: &Bundle, present: &[usize], from: &[f64]) -> Vec<f64> {
    let (mut model, mut end) = (Model::about(bundle, case.agents(), from), from.to_vec());
    for _ in 0..=EXPANSIONS {
        let losses = CoalitionLosses::new(&model, present);
        let problem = Problem {
            losses: &losses,
            ceilings: pick(&case.ceilings, present),
            weights: case.weights.of(present),
            ball: case.ball.clone(),
            halt: None,
        };
        let found = solve_from(&problem, Rule::Core, TOLERANCE, &end)
            .or_else(|_| solve_from(&problem, Rule::Egalitarian, TOLERANCE, &end));
        let Ok(found) = found else { break };
        end = case.ball.project(&found.params);
        let nearer = Model::about(bundle, case.agents(), &end);
        if nearer.same(&model, present) {
            break;
        }
        model = nearer;
    }
    end
}

fn pick(values: &[f64], agents: &[usize]) -> Vec<f64> {
    agents.iter().map(|&agent| values[agent]).collect()
}
