//! The rules: one table, and one file each from a cohort's losses to pulls.

mod afl;
mod corefed;
mod directions;
mod fedavg;
mod fedmgda;
mod info;
mod nash_mtl;
mod newton;
mod propfair;
mod qffl;
mod term;
mod weighing;

pub use info::{
    CeilingUse, Knob, KnobSlot, KnobValues, Remembers, RuleInfo, SteadiedBy, Wants, WeighsBy,
};
pub use propfair::LocalObjective;

pub(crate) use weighing::{Length, Products, Round, Weighing};

use crate::member::Member;

use serde::{Deserialize, Serialize};

use crate::{CoreStep, ServerError};

/// Every rule, in the order in which they are listed.
pub const RULES: &[&RuleInfo] = &[
    &fedavg::INFO,
    &corefed::INFO,
    &propfair::INFO,
    &afl::INFO,
    &qffl::INFO,
    &term::INFO,
    &fedmgda::INFO,
    &nash_mtl::INFO,
    &newton::INFO,
];

/// How the server turns a cohort's updates into a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rule {
    /// The weighted mean of updates.
    Fedavg,
    /// Updates weighed by one over utility: log-welfare.
    Corefed {
        /// How long a step is.
        step: CoreStep,
        /// Share of this round in the utilities that weigh, in (0, 1]; one: earlier rounds do not matter.
        memory: f64,
    },
    /// Agents climb the log of their mini-batches' utility; the server averages.
    Propfair,
    /// Multipliers on the simplex follow the losses: min-max.
    Afl {
        /// Step of the multipliers, per nat of loss, > 0.
        gamma: f64,
    },
    /// Losses to the power `q` weigh, with the step of the q-FFL paper.
    Qffl {
        /// Exponent, >= 0; zero is FedAvg.
        q: f64,
    },
    /// Weights `exp(t loss)`, normalised.
    Term {
        /// Tilt per nat of loss; positive favours the worst off.
        t: f64,
    },
    /// The shortest convex combination of normalised updates.
    Fedmgda {
        /// How far multipliers may lie from equal ones, in [0, 1]; one means no limit.
        epsilon: f64,
    },
    /// The Nash bargain over directions.
    NashMtl,
    /// Agents send losses, gradients and Hessians; the server takes Newton's step on log-welfare.
    Newton,
}

impl Default for Rule {
    /// CoreFed, with the defaults of its knobs.
    fn default() -> Self {
        corefed::INFO.default
    }
}

impl Rule {
    /// CoreFed with steps of this length, weighing by the utilities of the round alone.
    #[must_use]
    pub const fn corefed(step: CoreStep) -> Self {
        Self::Corefed { step, memory: 1.0 }
    }

    /// The rule of this name, with the defaults of its knobs.
    ///
    /// ```
    /// use corefed_rules::Rule;
    /// assert_eq!(Rule::named("qffl"), Some(Rule::Qffl { q: 1.0 }));
    /// assert_eq!(Rule::named("dictator"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        RULES.iter().find(|info| info.name == name).map(|info| info.default)
    }

    /// Its row in the table.
    #[must_use]
    pub fn info(self) -> &'static RuleInfo {
        match self {
            Self::Fedavg => &fedavg::INFO,
            Self::Corefed { .. } => &corefed::INFO,
            Self::Propfair => &propfair::INFO,
            Self::Afl { .. } => &afl::INFO,
            Self::Qffl { .. } => &qffl::INFO,
            Self::Term { .. } => &term::INFO,
            Self::Fedmgda { .. } => &fedmgda::INFO,
            Self::NashMtl => &nash_mtl::INFO,
            Self::Newton => &newton::INFO,
        }
    }

    /// The knobs of the rule, with the places of their values.
    ///
    /// ```
    /// use corefed_rules::{KnobSlot, Rule};
    /// let mut rule = Rule::Qffl { q: 1.0 };
    /// for (knob, slot) in rule.knobs_mut() {
    ///     if let ("q", KnobSlot::Number(q)) = (knob.name, slot) {
    ///         *q = 2.0;
    ///     }
    /// }
    /// assert_eq!(rule, Rule::Qffl { q: 2.0 });
    /// ```
    pub fn knobs_mut(&mut self) -> impl Iterator<Item = (&'static Knob, KnobSlot<'_>)> {
        let knobs = self.info().knobs;
        let slots = match self {
            Self::Fedavg | Self::Propfair | Self::NashMtl | Self::Newton => [None, None],
            Self::Corefed { step, memory } => {
                [Some(KnobSlot::StepLength(step)), Some(KnobSlot::Number(memory))]
            }
            Self::Afl { gamma: number }
            | Self::Qffl { q: number }
            | Self::Term { t: number }
            | Self::Fedmgda { epsilon: number } => [Some(KnobSlot::Number(number)), None],
        };
        knobs.iter().zip(slots.into_iter().flatten())
    }

    /// The rule with its knobs, as tables and folders call it; knobs of CoreFed at their defaults go
    /// without saying.
    ///
    /// ```
    /// use corefed_rules::{CoreStep, Rule};
    /// assert_eq!(Rule::Afl { gamma: 0.1 }.label(), "afl gamma=0.1");
    /// assert_eq!(Rule::corefed(CoreStep::Printed).label(), "corefed printed memory=1");
    /// assert_eq!(Rule::default().label(), "corefed");
    /// ```
    #[must_use]
    pub fn label(mut self) -> String {
        let (info, mut usual) = (self.info(), self.info().default);
        let silent = matches!(self, Self::Corefed { .. });
        let pairs = self.knobs_mut().zip(usual.knobs_mut());
        let told = pairs.filter(|((_, slot), (_, usual))| !silent || slot != usual);
        let told = told.map(|((knob, slot), _)| match &slot {
            KnobSlot::Number(_) => format!("{}={}", knob.name, slot.text()),
            KnobSlot::StepLength(_) => slot.text(),
        });
        [info.name.to_owned()].into_iter().chain(told).collect::<Vec<_>>().join(" ")
    }

    /// Whether the length of a step depends on the learning rate of local training.
    #[must_use]
    pub fn needs_learning_rate(self) -> bool {
        let dynamic = matches!(self, Self::Corefed { step: CoreStep::Dynamic, .. });
        self.info().needs_learning_rate || dynamic
    }

    /// What it remembers of earlier rounds; CoreFed nothing where only this round counts.
    pub(crate) fn remembers(self) -> Remembers {
        match self {
            Self::Corefed { memory, .. } if memory >= 1.0 => Remembers::Nothing,
            _ => self.info().remembers,
        }
    }

    /// An error unless every knob is in its range.
    pub(crate) fn check(mut self) -> Result<(), ServerError> {
        for (knob, slot) in self.knobs_mut() {
            if let KnobSlot::Number(value) = slot
                && !knob.range().contains(*value)
            {
                let (name, value, range) = (knob.name, *value, knob.range());
                return Err(ServerError::Setting { name, value, range });
            }
        }
        Ok(())
    }

    /// What each member pulls with, and the utilities that pulls rest on.
    pub(crate) fn weigh(self, round: Round<'_>) -> (Weighing, Vec<f64>) {
        let members = round.members;
        let weighing = match self {
            Self::Fedavg | Self::Propfair => fedavg::mean_pulls(members),
            Self::Corefed { step, memory } => return corefed::guarded_pulls(step, memory, round),
            Self::Afl { gamma } => {
                afl::follow_losses(round.multipliers, members, gamma);
                afl::multiplier_pulls(members, round.multipliers)
            }
            Self::Qffl { q } => qffl::power_pulls(members, q),
            Self::Term { t } => term::tilted_pulls(members, t),
            Self::Fedmgda { .. } => fedmgda::equal_pulls(members),
            Self::NashMtl => nash_mtl::say_pulls(members),
            // `Server::new` refuses it: agents send derivatives, which nobody averages.
            Self::Newton => Weighing::normalised(vec![0.0; members.len()]),
        };
        let utility = |member: &Member| round.ceilings[member.agent] - member.loss;
        (weighing, members.iter().map(utility).collect())
    }

    /// What each update is multiplied by, given all inner products; none for a rule that does not
    /// need them.
    pub(crate) fn by_products(self, products: &Products<'_>) -> Option<Vec<f64>> {
        match self {
            Self::Fedmgda { epsilon } => Some(fedmgda::common_descent(products, epsilon)),
            Self::NashMtl => Some(nash_mtl::bargained_step(products)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
