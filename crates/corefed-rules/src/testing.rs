//! Rounds with one parameter, so that every step can be worked out by hand.

use corefed_core::Weights;

use crate::{Applied, Report, Rule, Safety, Server, ServerState, ServerStep, Update};

/// A server with these weights, and this ceiling for everybody.
pub(crate) fn weighted_server(
    rule: Rule,
    safety: Safety,
    weights: Vec<f64>,
    ceiling: f64,
) -> Server {
    let ceilings = vec![ceiling; weights.len()];
    let weights = Weights::new(weights).unwrap();
    Server::new(rule, safety, ServerStep::default(), &weights, ceilings).unwrap()
}

/// Equal weights, ceilings of three, default safeguards.
pub(crate) fn server(rule: Rule, agents: usize) -> Server {
    weighted_server(rule, Safety::default(), vec![1.0; agents], 3.0)
}

/// One round from zero; `terms` are the loss and the one-dimensional update of agents 0, 1, ...
pub(crate) fn round(
    server: &Server,
    state: &mut ServerState<f64>,
    terms: &[(f64, f64)],
    eta: f64,
) -> (f64, Applied) {
    let deltas: Vec<[f64; 1]> = terms.iter().map(|&(_, delta)| [delta]).collect();
    let updates: Vec<Update<'_, f64>> = (terms.iter().zip(&deltas).enumerate())
        .map(|(agent, (&(loss, _), delta))| {
            Update::measured(Report { agent, samples: 1, loss }, delta)
        })
        .collect();
    let mut params = [0.0];
    let applied = server.apply(state, &mut params, &updates, eta).unwrap();
    (params[0], applied)
}

/// The parameter after one round from zero in a fresh state.
pub(crate) fn params_after(server: &Server, terms: &[(f64, f64)], eta: f64) -> f64 {
    round(server, &mut server.init(), terms, eta).0
}

/// Equal to rounding.
#[track_caller]
pub(crate) fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} != {expected}");
}
