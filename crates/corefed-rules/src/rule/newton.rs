//! Newton: agents send losses, gradients and Hessians, and the engine takes the step (ledger E16, E35).

use super::{CeilingUse, RuleInfo, SteadiedBy};
use crate::Rule;

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "Newton's step on log-welfare, from losses, gradients and Hessians.",
    needs_losses: true,
    needs_each: Some("everybody's Hessian, and losses along its step"),
    ceilings: CeilingUse::Step,
    // Agents take no steps of their own.
    steadied: SteadiedBy::Nothing,
    takes_derivatives: true,
    ..RuleInfo::new("newton", "Newton", Rule::Newton)
};
