//! Agents that answer questions about rows nobody else sees.

use corefed_model::ConvexLosses;
use corefed_solve::{Ball, own_models};
use thiserror::Error;

use crate::questions::{Answers, Request, points_digest};

/// One agent, as a coordinator sees it.
pub trait Oracle {
    /// Answers one round, or says why not.
    fn answer(&mut self, request: &Request) -> Result<Answers, Refusal>;
}

/// Why an agent does not answer.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Refusal {
    /// It has answered as many numbers as it is willing to.
    #[error(
        "round {round} asks for {asked} numbers; {answered} were answered, and {most} are the most for {cells} cells"
    )]
    Budget {
        /// The round refused.
        round: usize,
        /// Numbers it asks for.
        asked: usize,
        /// Numbers answered before.
        answered: usize,
        /// The most that it will answer.
        most: f64,
        /// Cells it owns.
        cells: usize,
    },
    /// It cannot be reached.
    #[error("it did not answer: {reason}")]
    Absent {
        /// What happened.
        reason: String,
    },
}

impl Refusal {
    /// What can be done about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Budget { .. } => {
                "raise the agent's budget, or ask for fewer Hessians; what is known so far stays an interval"
            }
            Self::Absent { .. } => "start the agent again; answers given before are kept",
        }
    }
}

/// What an agent has told, against what it owns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// Numbers in its table: rows times columns, the target included.
    pub cells: usize,
    /// Numbers answered.
    pub answered: usize,
    /// Numbers per cell beyond which it refuses; without it, it never does.
    pub budget: Option<f64>,
}

impl Account {
    /// Nothing told yet. `rows` rows of `columns` features own `rows (columns + 1)` cells.
    #[must_use]
    pub fn new(rows: usize, columns: usize, budget: Option<f64>) -> Self {
        Self { cells: rows * (columns + 1), answered: 0, budget }
    }

    /// Books an answer, unless it goes beyond the budget.
    fn book(&mut self, request: &Request) -> Result<(), Refusal> {
        let asked = request.numbers();
        if let Some(budget) = self.budget {
            let most = budget * self.cells as f64;
            if (self.answered + asked) as f64 > most {
                let (round, answered, cells) = (request.round, self.answered, self.cells);
                return Err(Refusal::Budget { round, asked, answered, most, cells });
            }
        }
        self.answered += asked;
        Ok(())
    }
}

/// An agent in this process, which computes answers from its rows.
pub struct RowOracle<'a> {
    losses: &'a dyn ConvexLosses,
    agent: usize,
    ball: Ball,
    ceiling: Option<f64>,
    /// What it has told.
    pub account: Account,
}

impl<'a> RowOracle<'a> {
    /// Answers for one agent of `losses`, which uses nothing of the others. `ceiling` is what it
    /// declares when asked to.
    #[must_use]
    pub fn new(
        losses: &'a dyn ConvexLosses,
        agent: usize,
        radius: f64,
        ceiling: Option<f64>,
        account: Account,
    ) -> Self {
        Self { losses, agent, ball: Ball::about_zero(losses.dim(), radius), ceiling, account }
    }

    fn hessian(&self, point: &[f64]) -> Vec<f64> {
        let dim = point.len();
        let mut hessian = vec![0.0; dim * dim];
        self.losses.add_hessian(point, &[self.agent], &[1.0], &mut hessian);
        (0..dim).flat_map(|row| hessian[row * dim..=row * dim + row].to_vec()).collect()
    }
}

impl Oracle for RowOracle<'_> {
    fn answer(&mut self, request: &Request) -> Result<Answers, Refusal> {
        self.account.book(request)?;
        let mut loss = [0.0];
        let losses = request.points.iter().map(|point| {
            self.losses.losses(point, &[self.agent], &mut loss);
            loss[0]
        });
        let losses = losses.collect();
        let gradients = request.asked.gradients.iter().map(|&k| {
            let (mut loss, mut gradient) = ([0.0], vec![0.0; self.losses.dim()]);
            self.losses.gradients(&request.points[k], &[self.agent], &mut loss, &mut gradient);
            gradient
        });
        let gradients = gradients.collect();
        let hessians =
            request.asked.hessians.iter().map(|&k| self.hessian(&request.points[k])).collect();
        let own = request.asked.own.then(|| {
            let alone =
                corefed_model::CoalitionLosses::new(self.losses, std::slice::from_ref(&self.agent));
            let mut found = own_models(&alone, &self.ball);
            found.swap_remove(0).params
        });
        let ceiling = if request.asked.ceiling { self.ceiling } else { None };
        let points = points_digest(&request.points);
        Ok(Answers { round: request.round, points, losses, gradients, hessians, own, ceiling })
    }
}
