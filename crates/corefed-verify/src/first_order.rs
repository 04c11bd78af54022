//! The Frank-Wolfe gap again, from the gradients of every agent's rows.

use corefed_core::AgentStatement;

use crate::enclosed::Enclosed;
use crate::loss::Reading;
use crate::parallel;
use crate::place::Place;
use crate::sum::{Sum, dot_enclosed, norm};

/// At least `R |G| - <G, theta>` with `G = -sum_i (w_i/u_i) grad L_i` (ledger E6); `now` are the agents'
/// utilities, all proven positive.
pub(crate) fn gap(reading: &Reading<'_>, agents: &[AgentStatement], now: &[Enclosed]) -> f64 {
    let params = &reading.predictor.parameters;
    let gradients = parallel::map(agents.len(), reading.numbers(), |i| {
        reading.loss_and_gradient(i, Place::from(params.as_slice())).1
    });
    let mut sums = vec![Sum::default(); params.len()];
    for (i, gradient) in gradients.into_iter().enumerate() {
        let pull = Enclosed::exact(agents[i].weight).over(now[i]);
        for (sum, slope) in sums.iter_mut().zip(gradient) {
            sum.add_enclosed(pull * slope.total());
        }
    }
    // The sum is -G, whose length is that of G.
    let descent: Vec<Enclosed> = sums.into_iter().map(Sum::total).collect();
    let radius = Enclosed::exact(reading.predictor.radius);
    (radius * norm(&descent) + dot_enclosed(&descent, params)).hi().max(0.0)
}
