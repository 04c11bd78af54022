//! Agents that have nothing, and whether anybody could give them something.

use corefed_core::Hopeless;
use corefed_solve::{MaximinBounds, Problem};

use crate::program::weighted_bound;

/// What is known about the agents whose utility is not positive, unless one of them blocks.
pub(crate) struct Nothing {
    /// Those that no model of the ball gives anything.
    pub(crate) hopeless: Vec<Hopeless>,
    /// The first about whom that could not be shown.
    pub(crate) open: Option<usize>,
}

impl Nothing {
    /// Looks for a proof for every agent without a positive utility (ledger E10, E44): at the
    /// incumbent, which may be its very optimum, and where its own best was found.
    pub(crate) fn look(
        problem: &Problem<'_>,
        incumbent: &[f64],
        now: &[f64],
        alone: &[Option<MaximinBounds>],
    ) -> Self {
        let mut nothing = Self { hopeless: Vec::new(), open: None };
        for agent in (0..now.len()).filter(|&agent| now[agent] <= 0.0) {
            let own = alone[agent].as_ref().map(|bounds| bounds.point.as_slice());
            let proof = [Some(incumbent), own]
                .into_iter()
                .flatten()
                .find_map(|point| proof(problem, agent, point));
            match proof {
                Some(proof) => nothing.hopeless.push(proof),
                None => nothing.open = nothing.open.or(Some(agent)),
            }
        }
        nothing
    }

    /// Whether an agent was shown to be hopeless.
    pub(crate) fn includes(&self, agent: usize) -> bool {
        self.hopeless.iter().any(|hopeless| hopeless.agent == agent)
    }
}

/// A proof at this point that the agent's utility is nowhere positive.
fn proof(problem: &Problem<'_>, agent: usize, point: &[f64]) -> Option<Hopeless> {
    let (value, rise) = weighted_bound(problem, &[agent], &[1.0], point);
    (value + rise.bound <= 0.0).then(|| Hopeless {
        agent,
        point: point.to_vec(),
        correction: None,
        sphere: rise.sphere,
    })
}
