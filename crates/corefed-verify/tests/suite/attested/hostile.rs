//! Documents made to break the checker: it answers, soon, and does not panic.

use super::parabolas::{PAIR, Parabolas, blocked, first_order, hopeless, signed, stable, tangent};
use corefed_core::{AttestedCertificate, AttestedEvidence, Leaf, LeafGradient, TangentConflict};
use corefed_verify::{AnyCertificate, check_attested, merge, parse_any, parse_signed, seal};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

static ORIGINALS: LazyLock<[AttestedCertificate; 4]> =
    LazyLock::new(|| [signed(&stable(), &PAIR), blocked(), first_order(0.6), hopeless()]);

fn answer(text: &str) {
    if let Ok(AnyCertificate::Attested(certificate)) = parse_any(text) {
        let _ = check_attested(&certificate);
        let _ = seal(*certificate.clone());
        let _ = merge(*certificate, []);
    }
    let _ = parse_signed(text);
}

fn awkward() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        Just(json!("inf")),
        Just(json!(-1)),
        Just(json!(0)),
        Just(json!(u64::MAX)),
        Just(json!(f64::MAX)),
        Just(json!(f64::MIN_POSITIVE)),
        Just(json!([0, 0, u64::MAX])),
        Just(json!([1e308, -1e308])),
        Just(json!([{"agent": 0, "point": 99, "multiplier": 1.0}])),
        Just(json!({"kind": "headroom"})),
        Just(json!({"kind": "frank-wolfe", "gap": 0.0})),
        Just(json!("00".repeat(64))),
        any::<f64>().prop_map(|x| json!(x)),
    ]
}

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_spoilt_certificate_is_answered(
        base in 0_usize..4,
        spoils in prop::collection::vec((1_usize..140, awkward()), 1..4),
    ) {
        let mut document = serde_json::to_value(&ORIGINALS[base]).unwrap();
        for (mut at, with) in spoils {
            spoil(&mut document, &mut at, &with);
        }
        answer(&document.to_string());
    }
}

fn refusal(certificate: &AttestedCertificate) -> String {
    check_attested(certificate).expect_err("hostile").to_string()
}

#[test]
fn nesting_and_numbers_without_end_are_refused() {
    answer(
        &("{\"format\":\"corefed-attested-certificate\",\"version\":1,\"claim\":".to_owned()
            + &"[".repeat(100_000)),
    );
    let text = serde_json::to_string(&ORIGINALS[0]).expect("JSON");
    let huge = text.replacen("\"samples\":1", "\"samples\":1e999", 1);
    assert!(parse_any(&huge).is_err());
    let mut spoilt = ORIGINALS[1].clone();
    spoilt.attestations[0].leaves[0].loss = f64::NAN;
    assert!(refusal(&spoilt).contains("attestations[0].leaves[0].loss"));
    let mut spoilt = ORIGINALS[1].clone();
    spoilt.attestations[1].leaves[0].margin = -1.0;
    assert!(refusal(&spoilt).contains("finite and >= 0"));
}

#[test]
fn references_to_nowhere_are_refused() {
    let mut spoilt = ORIGINALS[1].clone();
    spoilt.witness.as_mut().expect("a witness").point = usize::MAX;
    assert!(refusal(&spoilt).contains("`witness` needs the loss of `left`"));
    for (agent, point) in [(0, 2), (0, usize::MAX), (usize::MAX, 0)] {
        let mut spoilt = ORIGINALS[1].clone();
        let AttestedEvidence::Tangents { conflicts, .. } = &mut spoilt.evidence else {
            panic!("tangents");
        };
        conflicts.push(TangentConflict { tangents: vec![tangent(agent, point, 1.0)], bound: 9.0 });
        assert!(refusal(&spoilt).contains("evidence.conflicts[3].tangents"));
        // A seal uses what is there.
        assert!(seal(spoilt).is_ok());
    }
    let mut spoilt = ORIGINALS[1].clone();
    spoilt.points.push(vec![3.0]);
    assert!(refusal(&spoilt).contains("outside the ball"));
    spoilt.points[3] = vec![0.75];
    assert!(refusal(&spoilt).contains("no agent answered at `points[3]`"));
    let mut spoilt = ORIGINALS[1].clone();
    spoilt.points[0] = vec![0.500_000_1];
    assert!(refusal(&spoilt).contains("is not the predictor"));
}

#[test]
fn a_document_with_too_many_answers_is_refused_before_they_are_compared() {
    let many: Vec<f64> = (0..70_000).map(|k| f64::from(k) / 70_000.0).collect();
    let mut draft = Parabolas { targets: &PAIR, ceilings: &[9.0, 9.0], points: &many }.draft();
    for own in &mut draft.attestations {
        own.leaves = (0..many.len())
            .map(|point| Leaf {
                point,
                loss: 1.0,
                margin: 0.0,
                gradient: Some(LeafGradient { values: vec![0.0], margin: 0.0 }),
            })
            .collect();
    }
    assert!(refusal(&draft).contains("pairs of answers"));
}
