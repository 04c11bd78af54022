//! Margins in the ball that are too large for the losses of a family.

use thiserror::Error;

use crate::{FederationLosses, worst::offset_and_norm};

/// A row whose margin can become so large on the ball that its loss may overflow.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "row {row} of agent `{agent}` has a margin of up to {margin:.1} in the ball of radius {radius}; \
     losses of a {family} model are computed up to {most}"
)]
pub struct MarginOverflow {
    /// Name of the agent.
    pub agent: String,
    /// Its row, counted from one.
    pub row: usize,
    /// `R |x|` and the offset of the row.
    pub margin: f64,
    /// Of the ball.
    pub radius: f64,
    /// The family.
    pub family: corefed_core::Family,
    /// The largest margin that the family takes.
    pub most: f64,
}

impl MarginOverflow {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "choose a smaller radius, or standardise the columns"
    }
}

/// Refuses a ball in which a loss could overflow (ledger E46): solvers search all of it.
pub fn check_margins(model: &FederationLosses<'_>, radius: f64) -> Result<(), MarginOverflow> {
    let (federation, family) = (model.federation(), model.family());
    let most = family.facts().largest_margin;
    if most.is_infinite() {
        return Ok(());
    }
    for agent in federation.agents() {
        for row in agent.rows.clone() {
            let (offset, norm) = offset_and_norm(federation, row);
            let margin = offset.abs() + radius * norm;
            if margin > most {
                let (agent, row) = (agent.name.clone(), row - agent.rows.start + 1);
                return Err(MarginOverflow { agent, row, margin, radius, family, most });
            }
        }
    }
    Ok(())
}
