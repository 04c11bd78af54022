//! The rules and their knobs, as `[train]` and `[compare]` have them.

use corefed_rules::{CoreStep, Rule};

use crate::key::Key;
use crate::range::Range;
use crate::takes::{Choice, Number};

/// Every rule with the defaults of its knobs.
const RULES: &[(&str, Rule)] = &[
    ("fedavg", Rule::Fedavg),
    ("corefed", Rule::Corefed { step: CoreStep::Normalised }),
    ("propfair", Rule::Propfair),
    ("afl", Rule::Afl { gamma: 0.1 }),
    ("qffl", Rule::Qffl { q: 1.0 }),
    ("term", Rule::Term { t: 1.0 }),
    ("fedmgda", Rule::Fedmgda { epsilon: 1.0 }),
    ("newton", Rule::Newton),
];

pub(crate) static RULE: Key<Choice<Rule>> = Key::new(
    "rule",
    Choice { options: RULES, default: Some("corefed") },
    "How the server turns updates into a step.",
);
/// In a comparison a rule must be named.
pub(crate) static CONTENDER: Key<Choice<Rule>> =
    Key::new("rule", Choice { options: RULES, default: None }, "As in `[train]`.");
pub(crate) static STEP_LENGTH: Key<Choice<CoreStep>> = Key::new(
    "step_length",
    Choice {
        options: &[
            ("printed", CoreStep::Printed),
            ("normalised", CoreStep::Normalised),
            ("dynamic", CoreStep::Dynamic),
        ],
        default: Some("normalised"),
    },
    "As Algorithm 1 is printed; as long as FedAvg's; or shorter near a ceiling.",
)
.only(&["corefed"]);
pub(crate) static GAMMA: Key<Number> = Key::new(
    "gamma",
    Number { range: Range::POSITIVE, default: 0.1 },
    "Step of the multipliers, per nat of loss.",
)
.only(&["afl"]);
pub(crate) static Q: Key<Number> = Key::new(
    "q",
    Number { range: Range::NOT_NEGATIVE, default: 1.0 },
    "Exponent of the losses; zero is FedAvg.",
)
.only(&["qffl"]);
pub(crate) static T: Key<Number> = Key::new(
    "t",
    Number { range: Range::FINITE, default: 1.0 },
    "Tilt per nat of loss; positive favours the worst off.",
)
.only(&["term"]);
pub(crate) static SPREAD: Key<Number> = Key::new(
    "spread",
    Number { range: Range::CHANCE, default: 1.0 },
    "How far multipliers may lie from equal ones (the paper's epsilon); one is no limit.",
)
.only(&["fedmgda"]);

/// The name of a rule, whatever its knobs.
pub(crate) fn name_of(rule: Rule) -> &'static str {
    match rule {
        Rule::Fedavg => "fedavg",
        Rule::Corefed { .. } => "corefed",
        Rule::Propfair => "propfair",
        Rule::Afl { .. } => "afl",
        Rule::Qffl { .. } => "qffl",
        Rule::Term { .. } => "term",
        Rule::Fedmgda { .. } => "fedmgda",
        Rule::Newton => "newton",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_their_defaults_are_told_once() {
        for (name, rule) in RULES {
            assert_eq!(name_of(*rule), *name);
            let agrees = match *rule {
                Rule::Corefed { step } => {
                    STEP_LENGTH.takes.default == Some(STEP_LENGTH.takes.name_of(&step))
                }
                Rule::Afl { gamma } => gamma == GAMMA.takes.default,
                Rule::Qffl { q } => q == Q.takes.default,
                Rule::Term { t } => t == T.takes.default,
                Rule::Fedmgda { epsilon } => epsilon == SPREAD.takes.default,
                Rule::Fedavg | Rule::Propfair | Rule::Newton => true,
            };
            assert!(agrees, "{name}");
        }
    }
}
