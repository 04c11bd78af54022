//! What commands print with `--json` and do not keep is read back by its type, and says what it is.

use corefed_core::Claim;
use corefed_documents::{
    AgentNumbers, Claimed, Document, InspectedAgent, InspectedColumn, Inspection, KnownSet,
    Partitioned, PartitionedAgent, RunAnswer, Verified,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

use crate::round_trip::{audit, back, finite, interval, verdict};

prop_compose! {
    fn column()(
        (name, kind) in (".*", ".*"),
        (missing, distinct) in (0_usize..99, 0_usize..99),
        ends in option::of((finite(), ".*")),
        (mean, deviation) in (option::of(finite()), option::of(finite())),
        (bars, levels) in (vec(0_usize..99, 0..3), vec((".*", 0_usize..99), 0..3)),
    ) -> InspectedColumn {
        // A number, or the text of a date.
        let (least, most) =
            ends.map_or((Value::Null, Value::Null), |(n, text)| (n.into(), text.into()));
        InspectedColumn { name, kind, missing, distinct, least, most, mean, deviation, bars, levels }
    }
}

fn inspected() -> impl Strategy<Value = InspectedAgent> {
    let numbers =
        (".*", 0_usize..99, finite(), finite()).prop_map(|(column, count, mean, deviation)| {
            AgentNumbers { column, count, mean, deviation }
        });
    (".*", 0_usize..99, vec((".*", 0_usize..9), 0..3), vec(numbers, 0..3)).prop_map(
        |(name, rows, labels, numbers)| {
            let labels = labels.into_iter().map(|(label, rows)| (label, rows.into())).collect();
            InspectedAgent { name, rows, labels, numbers }
        },
    )
}

fn names() -> impl Strategy<Value = Vec<String>> {
    vec(".*", 0..3)
}

fn claimed() -> impl Strategy<Value = Claimed> {
    let claim = || {
        (verdict(), interval(), interval(), finite()).prop_map(
            |(verdict, kappa, everybody, tolerance)| Claim { verdict, kappa, everybody, tolerance },
        )
    };
    prop_oneof![
        claim().prop_map(|claim| Claimed::Core { claim }),
        (claim(), names(), names(), names()).prop_map(|(claim, signed, unsigned, absent)| {
            Claimed::Attested { claim, signed, unsigned, absent }
        }),
        (names(), 0_usize..9).prop_map(|(core, models)| Claimed::Veto { core, models }),
    ]
}

proptest! {
    #[test]
    fn inspections_read_back(
        (name, digest, target) in (".*", ".*", option::of(".*")),
        rows in 0_usize..99,
        columns in vec(column(), 0..3),
        agents in vec(inspected(), 0..3),
        (classes, odd) in (names(), names()),
    ) {
        let document =
            Inspection { name, rows, digest, columns, target, classes, agents, odd };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn answers_about_exact_runs_read_back(
        (folder, report) in (".*", ".*"),
        rules in vec(audit().boxed(), 0..2),
    ) {
        let document = RunAnswer { folder, report, rules };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn partitions_as_printed_read_back(
        (file, digest, data) in (".*", ".*", ".*"),
        agents in vec((".*", 0_usize..99), 0..3),
    ) {
        let agents = agents.into_iter().map(|(name, rows)| PartitionedAgent { name, rows });
        let document = Partitioned { file, digest, data, agents: agents.collect() };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn answers_about_certificates_read_back(
        status in ".*",
        claim in claimed(),
        (checked, not_checked) in (names(), names()),
    ) {
        let document = Verified { status, claim, checked, not_checked };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn known_sets_read_back(words in prop::array::uniform7(".*"), bytes in any::<u64>()) {
        let [name, title, state, detail, licence, citation, about] = words;
        let set = KnownSet { name, title, state, detail, bytes, licence, citation, about };
        let text = serde_json::to_string(&[&set]).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Vec<KnownSet>>(&text).expect("a list"), [set]);
    }
}

#[test]
fn what_is_printed_says_what_it_is() {
    let empty = (String::new(), String::new(), String::new());
    let (file, digest, data) = empty;
    let divided = Partitioned { file, digest, data, agents: Vec::new() }.to_json().expect("JSON");
    assert!(divided.starts_with("{\n  \"kind\": \"partitioned\",\n  \"version\": 1,"), "{divided}");
    let run = RunAnswer { folder: String::new(), report: String::new(), rules: Vec::new() };
    assert!(run.to_json().expect("JSON").starts_with("{\n  \"kind\": \"run-answer\","));
    assert!(Verified::parse("p.json", &divided).is_err(), "of another kind");
}
