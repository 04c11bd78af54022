//! What is said of a rule besides its arithmetic, so that specs, engine, command and Python say the
//! same.

use corefed_core::Range;

use crate::{CoreStep, Rule};

/// One rule: a row of [`RULES`](crate::RULES).
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, one row of a table")]
pub struct RuleInfo {
    /// Its name in specs, commands and Python.
    pub name: &'static str,
    /// Its name in prose.
    pub title: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The rule with the defaults of its knobs.
    pub default: Rule,
    /// Its knobs; no two rules have one of the same name.
    pub knobs: &'static [Knob],
    /// Whether its step depends on the losses that agents report.
    pub needs_losses: bool,
    /// What it needs of every single agent, in words; nothing where sums over agents are enough.
    pub needs_each: Option<&'static str>,
    /// Whether its step depends on the learning rate of local training, whatever its knobs are.
    pub needs_learning_rate: bool,
    /// Where it looks at ceilings.
    pub ceilings: CeilingUse,
    /// Which of a federation's two lists of weights it goes by.
    pub weighs_by: WeighsBy,
    /// Whether all updates must be there at once, for their inner products.
    pub needs_gram: bool,
    /// What can hold a training under it steady.
    pub steadied: SteadiedBy,
    /// Whether agents send derivatives for a step of the engine's own, and no updates that could be averaged.
    pub takes_derivatives: bool,
    /// What it remembers of earlier rounds.
    pub remembers: Remembers,
}

/// What a rule remembers of earlier rounds, besides the server's momentum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remembers {
    /// Nothing.
    Nothing,
    /// A multiplier of every agent.
    Multipliers,
    /// A mean of every agent's utilities, where its knobs say so.
    Utilities,
}

/// What a user may turn about a rule.
#[derive(Debug)]
pub struct Knob {
    /// Its name in specs and Python.
    pub name: &'static str,
    /// Which values it takes.
    pub takes: KnobValues,
    /// What it means, in one line.
    pub about: &'static str,
}

/// Which values a knob takes.
#[derive(Clone, Copy, Debug)]
pub enum KnobValues {
    /// Numbers in a range.
    Numbers(Range),
    /// One of [`CoreStep::NAMES`].
    StepLengths,
}

/// The place in a rule where the value of a knob is.
#[derive(Debug, PartialEq)]
pub enum KnobSlot<'a> {
    /// Of a knob that takes numbers.
    Number(&'a mut f64),
    /// Of a knob that takes a length of steps.
    StepLength(&'a mut CoreStep),
}

/// Where a rule looks at ceilings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CeilingUse {
    /// Nowhere: ceilings only say what utilities mean.
    Nowhere,
    /// In local training.
    Training,
    /// In the server's step.
    Step,
}

/// What can hold a training steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadiedBy {
    /// Neither: weights of updates are not known before anybody trains, or there are no updates.
    Nothing,
    /// Local steps can be corrected for drift (ledger E48).
    Correction,
    /// That, and steps can be compared by what the rule wants of a model (ledger E49).
    Search(Wants),
}

/// What a rule wants of a model, as a number of everybody's losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// A large sum of log-utilities.
    LogWelfare,
    /// A small power mean of losses, with the exponent that its knob says, or a mean.
    PowerMean,
    /// A small largest loss.
    LargestLoss,
}

impl SteadiedBy {
    /// Whether local steps can be corrected for drift.
    #[must_use]
    pub fn corrects(self) -> bool {
        self != Self::Nothing
    }

    /// Whether steps can be compared.
    #[must_use]
    pub fn searches(self) -> bool {
        self.wants().is_some()
    }

    /// By what steps are compared, where they can be.
    #[must_use]
    pub fn wants(self) -> Option<Wants> {
        match self {
            Self::Search(wants) => Some(wants),
            Self::Nothing | Self::Correction => None,
        }
    }
}

/// Which weights of a federation a rule goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeighsBy {
    /// Those of averages, by samples unless told otherwise: `average` in a spec.
    Average,
    /// The agents' say: `weights` in a spec.
    Say,
}

impl RuleInfo {
    /// A row with these names and no needs; a rule's own row says where it differs.
    pub(crate) const fn new(name: &'static str, title: &'static str, default: Rule) -> Self {
        Self {
            name,
            title,
            about: "",
            default,
            knobs: &[],
            needs_losses: false,
            needs_each: None,
            needs_learning_rate: false,
            ceilings: CeilingUse::Nowhere,
            weighs_by: WeighsBy::Say,
            needs_gram: false,
            steadied: SteadiedBy::Correction,
            takes_derivatives: false,
            remembers: Remembers::Nothing,
        }
    }
}

impl Knob {
    /// The numbers it takes; no number is refused by a knob that takes names.
    #[must_use]
    pub fn range(&self) -> Range {
        match self.takes {
            KnobValues::Numbers(range) => range,
            KnobValues::StepLengths => Range::FINITE,
        }
    }
}

impl WeighsBy {
    /// The one of the two lists that counts.
    #[must_use]
    pub fn choose<T>(self, weights: T, average: T) -> T {
        match self {
            Self::Average => average,
            Self::Say => weights,
        }
    }
}

impl KnobSlot<'_> {
    /// The value as a user writes it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::StepLength(step) => step.name().to_owned(),
        }
    }
}
