//! The rules that average updates, with knobs known to be in range.

use crate::rule::{
    Member, Weighing, equal_pulls, follow_losses, mean_pulls, multiplier_pulls, nash_pulls,
    power_pulls, tilted_pulls, warm_up_pulls,
};
use crate::safety::{cap_factors, guarded_utilities};
use crate::{CoreStep, Interventions, Rule, Safety, ServerError};

/// What is left of [`Rule`] on the server: no Newton, which averages nothing, and no PropFair,
/// whose server is FedAvg's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Average {
    Mean,
    Nash(CoreStep),
    Multipliers { gamma: f64 },
    Powers { q: f64 },
    Tilted { t: f64 },
    CommonDescent { epsilon: f64 },
}

impl TryFrom<Rule> for Average {
    type Error = ServerError;

    fn try_from(rule: Rule) -> Result<Self, ServerError> {
        Ok(match rule {
            Rule::Fedavg | Rule::Propfair => Self::Mean,
            Rule::Corefed { step } => Self::Nash(step),
            Rule::Afl { gamma } => {
                within("gamma", gamma, "positive and finite", gamma > 0.0 && gamma.is_finite())?;
                Self::Multipliers { gamma }
            }
            Rule::Qffl { q } => {
                within("q", q, "finite and not negative", q >= 0.0 && q.is_finite())?;
                Self::Powers { q }
            }
            Rule::Term { t } => {
                within("t", t, "finite", t.is_finite())?;
                Self::Tilted { t }
            }
            Rule::Fedmgda { epsilon } => {
                within("epsilon", epsilon, "in [0, 1]", (0.0..=1.0).contains(&epsilon))?;
                Self::CommonDescent { epsilon }
            }
            Rule::Newton => return Err(ServerError::NotAnAverage),
        })
    }
}

/// An error unless the knob is in its range.
pub(crate) fn within(
    name: &'static str,
    value: f64,
    range: &'static str,
    ok: bool,
) -> Result<(), ServerError> {
    if ok { Ok(()) } else { Err(ServerError::Setting { name, value, range }) }
}

impl Average {
    /// Pulls of the cohort and the utilities they rest on.
    pub(crate) fn weigh(
        self,
        safety: &Safety,
        members: &[Member],
        multipliers: &mut [f64],
        ceilings: &mut [f64],
        done: &mut Interventions,
    ) -> (Weighing, Vec<f64>) {
        let weighing = match self {
            Self::Mean => mean_pulls(members),
            Self::Nash(step) => return weigh_by_utility(step, safety, members, ceilings, done),
            Self::Multipliers { gamma } => {
                follow_losses(multipliers, members, gamma);
                multiplier_pulls(members, multipliers)
            }
            Self::Powers { q } => power_pulls(members, q),
            Self::Tilted { t } => tilted_pulls(members, t),
            Self::CommonDescent { .. } => equal_pulls(members),
        };
        let utilities = members.iter().map(|member| ceilings[member.agent] - member.loss).collect();
        (weighing, utilities)
    }
}

/// CoreFed with its safeguards: utilities above their floors, pulls below the cap.
fn weigh_by_utility(
    step: CoreStep,
    safety: &Safety,
    members: &[Member],
    ceilings: &mut [f64],
    done: &mut Interventions,
) -> (Weighing, Vec<f64>) {
    let utilities = guarded_utilities(safety, members, ceilings, done);
    // In a warm-up both direction and length are FedAvg's (ledger E24).
    if done.warm_up {
        return (warm_up_pulls(members), utilities);
    }
    let mut factors: Vec<f64> = utilities.iter().map(|utility| 1.0 / utility).collect();
    let capped = cap_factors(&mut factors, safety.weight_cap);
    done.capped = capped.into_iter().map(|at| members[at].agent).collect();
    (nash_pulls(members, &factors, step), utilities)
}
