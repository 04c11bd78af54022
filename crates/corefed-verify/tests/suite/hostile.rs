//! Documents made to break the checker: it answers, and does not panic.

use crate::parabolas::{
    blocked, claim, data_digest, federation, first_order, stable, unbounded, unproven,
};
use corefed_core::{AgentStatement, Certificate, Conflict, Evidence, Verdict};
use corefed_data::{Agent, Design, Federation};
use corefed_verify::{VerifyError, check_document, check_on_data, parse};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

fn answer(text: &str) {
    if let Ok(certificate) = parse(text) {
        let _ = check_document(&certificate);
        let _ = check_on_data(&certificate, &federation(), &data_digest());
    }
}

/// Values that tend to break things, in any place of a document.
fn awkward() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        Just(json!("inf")),
        Just(json!("-inf")),
        Just(json!(-1)),
        Just(json!(0)),
        Just(json!(u64::MAX)),
        Just(json!(f64::MAX)),
        Just(json!(f64::MIN_POSITIVE)),
        Just(json!(-0.0)),
        Just(json!([0, 0, u64::MAX])),
        Just(json!([1e308, -1e308])),
        Just(json!({"kind": "headroom"})),
        Just(json!({"kind": "table", "incumbent": ""})),
        any::<f64>().prop_map(|x| json!(x)),
    ]
}

/// Puts something awkward at the `at`-th place of a document, counted depth first.
fn spoil(value: &mut Value, at: &mut usize, with: &Value) {
    if *at == 0 {
        *value = with.clone();
    }
    *at = at.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, at, with)),
        Value::Object(fields) => fields.values_mut().for_each(|item| spoil(item, at, with)),
        _ => {}
    }
}

static ORIGINALS: LazyLock<[Certificate; 4]> =
    LazyLock::new(|| [stable(), blocked(), first_order(0.6), unbounded()]);

#[test]
fn a_conflict_that_is_repeated_until_nobody_can_check_it_is_refused_at_once() {
    let mut certificate = stable();
    let one = certificate.evidence.clone();
    let repeat = |times: usize| match one.clone() {
        Evidence::Conflicts { conflicts, hopeless } => {
            let conflicts = conflicts.iter().cycle().take(times).cloned().collect();
            Evidence::Conflicts { conflicts, hopeless }
        }
        other => other,
    };
    certificate.evidence = repeat(100);
    assert!(check_on_data(&certificate, &federation(), &data_digest()).is_ok());
    let rows = 1_000_000;
    let design = Design::dense(2 * rows, 1, vec![1.0; 2 * rows]).expect("rows of one");
    let agent = |(i, name): (usize, &&str)| Agent {
        name: (*name).to_owned(),
        rows: i * rows..(i + 1) * rows,
    };
    let agents = ["left", "right"].iter().enumerate().map(agent).collect();
    let large = Federation::new(design, vec![0.0; 2 * rows], agents);
    for agent in &mut certificate.agents {
        agent.samples = rows;
    }
    certificate.evidence = repeat(20_000);
    let refused = check_on_data(&certificate, &large, &data_digest()).expect_err("too much");
    let VerifyError::TooMuchWork { entries, needed, most } = refused else { panic!("{refused}") };
    assert_eq!((entries, most), (20_000, 10_000_000_000));
    assert!(needed > most, "{needed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        answer(&text);
    }

    #[test]
    fn a_spoilt_certificate_is_answered(
        base in 0_usize..4,
        spoils in prop::collection::vec((1_usize..90, awkward()), 1..4),
    ) {
        let mut document = serde_json::to_value(&ORIGINALS[base]).unwrap();
        for (mut at, with) in spoils {
            spoil(&mut document, &mut at, &with);
        }
        answer(&document.to_string());
    }

    #[test]
    fn a_torn_certificate_is_answered(at in any::<prop::sample::Index>(), with in any::<char>()) {
        let text = serde_json::to_string(&ORIGINALS[0]).unwrap();
        let at = at.index(text.len());
        answer(&text[..at]);
        answer(&format!("{}{with}{}", &text[..at], &text[at + 1..]));
    }
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(&text).is_err());
}

/// `n` equal agents and conflicts among them, claimed stable.
fn crowd(n: usize, conflicts: Vec<Conflict>) -> Certificate {
    let one = stable().agents[0].clone();
    let agents = (0..n).map(|i| AgentStatement { name: format!("agent-{i}"), ..one.clone() });
    Certificate {
        agents: agents.collect(),
        claim: claim(Verdict::Stable, (0.0, 1.0), (1.0, 1.0)),
        evidence: Evidence::Conflicts { conflicts, hopeless: Vec::new() },
        ..unproven(0.5, [0.6, 0.6])
    }
}

fn conflict(agents: Vec<usize>, bound: f64) -> Conflict {
    let multipliers = vec![1.0 / agents.len() as f64; agents.len()];
    Conflict { agents, multipliers, point: vec![0.5], correction: None, bound, sphere: None }
}

#[test]
fn more_agents_than_bits_are_refused() {
    let error = check_document(&crowd(129, vec![conflict(vec![128], 1.0)])).unwrap_err();
    assert!(error.to_string().contains("129 agents"), "{error}");
}
