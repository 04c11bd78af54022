use std::collections::BTreeSet;

use super::*;
use crate::Safety;

#[test]
fn names_titles_and_knobs_are_unique_and_told() {
    let mut seen = BTreeSet::new();
    for info in RULES {
        assert!(seen.insert(info.name) && seen.insert(info.title), "{}", info.name);
        assert!(info.about.ends_with('.'), "{}", info.name);
        for knob in info.knobs {
            assert!(seen.insert(knob.name), "{}", knob.name);
            assert!(knob.about.ends_with('.'), "{}", knob.name);
        }
    }
}

#[test]
fn every_row_describes_the_rule_it_belongs_to() {
    for info in RULES {
        assert_eq!(info.default.info().name, info.name);
        assert_eq!(Rule::named(info.name), Some(info.default));
        // Files call it as the table does.
        let written = serde_json::to_value(info.default).unwrap();
        assert_eq!(written["name"], info.name);
    }
}

#[test]
fn every_knob_has_a_slot_of_its_kind_with_a_default_in_range() {
    for info in RULES {
        let mut rule = info.default;
        assert!(rule.check().is_ok());
        let knobs: Vec<_> = rule.knobs_mut().collect();
        assert_eq!(knobs.len(), info.knobs.len(), "{}", info.name);
        for (knob, slot) in knobs {
            let fits = matches!(
                (knob.takes, &slot),
                (KnobValues::Numbers(_), KnobSlot::Number(_))
                    | (KnobValues::StepLengths, KnobSlot::StepLength(_))
            );
            assert!(fits, "{}", knob.name);
        }
    }
}

#[test]
fn a_state_begins_with_what_the_row_says_that_a_rule_remembers() {
    use crate::testing::server;
    for info in RULES.iter().filter(|info| !info.takes_derivatives) {
        let state = server(info.default, 2).init::<f64>();
        let found = match (state.multipliers.len(), state.utilities.len()) {
            (0, 0) => Remembers::Nothing,
            (2, 0) => Remembers::Multipliers,
            (0, 2) => Remembers::Utilities,
            other => panic!("{}: {other:?}", info.name),
        };
        assert_eq!(found, info.remembers, "{}", info.name);
    }
    let alone = Rule::Corefed { step: CoreStep::Normalised, memory: 1.0 };
    assert!(server(alone, 2).init::<f64>().utilities.is_empty(), "only this round counts");
}

#[test]
fn rules_that_look_at_losses_move_with_them_and_the_others_do_not() {
    use crate::testing::{params_after, server};
    for info in RULES.iter().filter(|info| !info.takes_derivatives) {
        let step = |losses: [f64; 2]| {
            let terms = [(losses[0], 1.0), (losses[1], 3.0)];
            params_after(&server(info.default, 2), &terms, 0.1)
        };
        let moved = step([0.5, 2.5]) != step([2.5, 0.5]);
        assert_eq!(moved, info.needs_losses, "{}", info.name);
    }
}

#[test]
fn rules_that_look_at_ceilings_in_their_step_move_with_them_and_the_others_do_not() {
    use crate::testing::{params_after, weighted_server};
    for info in RULES.iter().filter(|info| !info.takes_derivatives) {
        let step = |ceiling| {
            let server = weighted_server(info.default, Safety::default(), vec![1.0; 2], ceiling);
            params_after(&server, &[(0.5, 1.0), (1.5, 3.0)], 0.1)
        };
        assert_eq!(step(2.0) != step(5.0), info.ceilings == CeilingUse::Step, "{}", info.name);
    }
}
