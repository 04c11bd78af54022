//! One round of questions to an agent in this process: what it is asked, and on which terms it answers.

use corefed_model::ConvexLosses;
use corefed_remote::{Account, Answers, Oracle, Request, RowOracle};

use super::AgentError;

/// A question that can be answered by a model with as many parameters as its points have.
#[derive(Clone, Debug)]
pub struct Posed {
    request: Request,
    radius: f64,
    answered: usize,
    budget: Option<f64>,
}

impl Posed {
    /// Checks shapes and ranges. `radius` is that of the ball in which the agent's own best predictor lies,
    /// `answered` what it told before, `budget` the numbers per cell beyond which it refuses.
    pub fn new(
        request: Request,
        dim: usize,
        radius: f64,
        answered: usize,
        budget: Option<f64>,
    ) -> Result<Self, AgentError> {
        let (points, asked) = (&request.points, &request.asked);
        if let Some(wrong) = points.iter().find(|point| point.len() != dim) {
            return Err(AgentError::Points { found: wrong.len(), expected: dim });
        }
        if asked.gradients.iter().chain(&asked.hessians).any(|&place| place >= points.len()) {
            return Err(AgentError::Place);
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(AgentError::Radius);
        }
        Ok(Self { request, radius, answered, budget })
    }

    /// What is asked.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Answers for an agent that owns this many cells, unless that goes beyond its budget; and all numbers
    /// answered by then.
    pub fn answer(
        &self,
        losses: &dyn ConvexLosses,
        cells: usize,
    ) -> Result<(Answers, usize), AgentError> {
        let account = Account { cells, answered: self.answered, budget: self.budget };
        let mut oracle = RowOracle::new(losses, 0, self.radius, None, account);
        let told = oracle.answer(&self.request)?;
        Ok((told, oracle.account.answered))
    }
}
