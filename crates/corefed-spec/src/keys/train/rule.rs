//! The rules and their knobs, as `[train]` and `[compare]` have them: the table of `corefed-rules`.

use corefed_rules::{CoreStep, Knob, KnobSlot, KnobValues, RULES, Rule, RuleInfo};

use crate::key::{Describe, Fallback, Key, Shape, Takes};
use crate::takes::{Choice, Number};
use crate::toml_text;

/// Every rule with the defaults of its knobs.
static OPTIONS: [(&str, Rule); RULES.len()] = {
    let mut options = [("", Rule::Fedavg); RULES.len()];
    let mut at = 0;
    while at < RULES.len() {
        options[at] = (RULES[at].name, RULES[at].default);
        at += 1;
    }
    options
};

pub(crate) static RULE: Key<Choice<Rule>> = Key::new(
    "rule",
    Choice { options: &OPTIONS, default: Some("corefed") },
    "How the server turns updates into a step.",
);
/// In a comparison a rule must be named.
pub(crate) static CONTENDER: Key<Choice<Rule>> =
    Key::new("rule", Choice { options: &OPTIONS, default: None }, "As in `[train]`.");

/// A knob of a rule, as a key that belongs to that rule.
pub(crate) struct KnobKey {
    rule: &'static RuleInfo,
    knob: &'static Knob,
}

const COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < RULES.len() {
        count += RULES[at].knobs.len();
        at += 1;
    }
    count
};

/// The knobs of all rules, in the order of rules.
static KNOBS: [KnobKey; COUNT] = {
    let mut keys = [const { KnobKey { rule: RULES[0], knob: &NO_KNOB } }; COUNT];
    let (mut filled, mut at) = (0, 0);
    while at < RULES.len() {
        let mut own = 0;
        while own < RULES[at].knobs.len() {
            keys[filled] = KnobKey { rule: RULES[at], knob: &RULES[at].knobs[own] };
            filled += 1;
            own += 1;
        }
        at += 1;
    }
    keys
};

/// What fills an array before its knobs are known.
const NO_KNOB: Knob = Knob { name: "", takes: KnobValues::StepLengths, about: "" };

/// A rule's key, the knobs of all rules, and what else a table has.
pub(crate) const fn with_knobs<const N: usize>(
    rule: &'static dyn Describe,
    others: &[&'static dyn Describe],
) -> [&'static dyn Describe; N] {
    assert!(N == 1 + COUNT + others.len(), "as many keys as there are");
    let mut keys = [rule; N];
    let mut at = 0;
    while at < COUNT {
        keys[1 + at] = &KNOBS[at];
        at += 1;
    }
    let mut at = 0;
    while at < others.len() {
        keys[1 + COUNT + at] = others[at];
        at += 1;
    }
    keys
}

/// How many keys [`with_knobs`] gives beside this many others.
pub(crate) const fn count(others: usize) -> usize {
    1 + COUNT + others
}

impl Describe for KnobKey {
    fn name(&self) -> &'static str {
        self.knob.name
    }

    fn shape(&self) -> Shape {
        match self.knob.takes {
            KnobValues::Numbers(range) => Shape::Number(range),
            KnobValues::StepLengths => step_length(self.knob, CoreStep::NAMES[0].1).takes.shape(),
        }
    }

    fn only(&self) -> &'static [&'static str] {
        std::slice::from_ref(&self.rule.name)
    }

    fn meaning(&self) -> &'static str {
        self.knob.about
    }

    fn wanted(&self) -> String {
        match self.knob.takes {
            KnobValues::Numbers(range) => range.wanted(),
            KnobValues::StepLengths => step_length(self.knob, CoreStep::NAMES[0].1).takes.wanted(),
        }
    }

    fn fallback(&self) -> Fallback {
        let mut rule = self.rule.default;
        let own = rule.knobs_mut().find(|(knob, _)| knob.name == self.knob.name);
        own.map_or(Fallback::Required, |(_, slot)| Fallback::Is(value(&slot)))
    }
}

/// A knob that takes numbers, as a key with this default.
pub(crate) fn number(knob: &Knob, default: f64) -> Key<Number> {
    Key::new(knob.name, Number { range: knob.range(), default }, knob.about)
}

/// A knob that takes a length of steps, as a key with this default.
pub(crate) fn step_length(knob: &Knob, default: CoreStep) -> Key<Choice<CoreStep>> {
    let takes = Choice { options: CoreStep::NAMES, default: Some(default.name()) };
    Key::new(knob.name, takes, knob.about)
}

/// The value of a knob as TOML.
pub(crate) fn value(slot: &KnobSlot<'_>) -> String {
    match slot {
        KnobSlot::Number(value) => toml_text::number(**value),
        KnobSlot::StepLength(step) => toml_text::text(step.name()),
    }
}
