//! The premise of the paper's theorem: are utilities non-negative on the whole ball?

use corefed_core::linalg::norm_l2;
use corefed_core::{Assumption, Status, WorstLoss};
use corefed_solve::Problem;

/// Ascent steps when looking for a point of negative utility; each one only goes up.
const ASCENT_STEPS: usize = 20;

/// What is known about the smallest utility of each agent over the ball.
#[derive(Clone, Debug, PartialEq)]
pub enum Premise {
    /// Every utility is proven non-negative on the ball.
    Holds,
    /// This agent has a negative utility somewhere in the ball.
    Fails {
        /// Index of the agent.
        agent: usize,
        /// Its utility at a point that was found.
        utility: f64,
    },
    /// Neither was shown for this agent.
    Unknown {
        /// Index of the agent.
        agent: usize,
    },
}

impl Premise {
    /// Compares proven worst losses with the ceilings, and where they do not suffice looks for a
    /// point that refutes the premise.
    #[must_use]
    pub fn check(problem: &Problem<'_>, worst: &[WorstLoss]) -> Self {
        let unproven: Vec<usize> =
            (0..problem.agents()).filter(|&i| worst[i].bound > problem.ceilings[i]).collect();
        let refuted = unproven.iter().find_map(|&agent| {
            let utility = least_found(problem, agent);
            (utility < 0.0).then_some(Self::Fails { agent, utility })
        });
        match (refuted, unproven.first()) {
            (Some(fails), _) => fails,
            (None, Some(&agent)) => Self::Unknown { agent },
            (None, None) => Self::Holds,
        }
    }

    /// The premise as it appears in a certificate. `used` says whether the claim rests on it.
    #[must_use]
    pub fn assumption(&self, names: &[String], used: bool) -> Assumption {
        let rest = if used {
            "the claim rests on it"
        } else {
            "the claim does not use it: it rests on exact coalition programs"
        };
        let (status, finding) = match self {
            Self::Holds => (Status::Checked, "proven for every agent".to_owned()),
            Self::Fails { agent, utility } => (
                Status::Violated,
                format!("`{}` has utility {utility:.4} somewhere in the ball", names[*agent]),
            ),
            Self::Unknown { agent } => {
                (Status::Assumed, format!("neither proven nor refuted for `{}`", names[*agent]))
            }
        };
        let detail = format!("{finding}; {rest}");
        Assumption::new(Assumption::UTILITIES_NOT_NEGATIVE, status, detail)
    }
}

/// The smallest utility of one agent met while its convex loss is pushed up along the sphere.
fn least_found(problem: &Problem<'_>, agent: usize) -> f64 {
    let dim = problem.losses.dim();
    let (mut loss, mut gradient) = ([0.0], vec![0.0; dim]);
    let mut params = vec![0.0; dim];
    let mut least = f64::INFINITY;
    for _ in 0..=ASCENT_STEPS {
        problem.losses.gradients(&params, &[agent], &mut loss, &mut gradient);
        least = least.min(problem.ceilings[agent] - loss[0]);
        let norm = norm_l2(&gradient);
        if norm == 0.0 {
            break;
        }
        // A convex function lies above its tangent, so its maximiser on the ball is no worse.
        params = gradient.iter().map(|g| g * (problem.ball.radius() / norm)).collect();
    }
    least
}
