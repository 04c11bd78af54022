//! Numbers of a certificate changed at random: what is still accepted is still true.

use crate::parabolas::{
    blocked, data_digest, federation, first_order, headroom, hopeless, improvable, sign, stable,
    unbounded,
};
use corefed_core::{Certificate, Subject};
use corefed_verify::{check_on_data, parse};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::LazyLock;

/// `kappa` of the parabolas and what everybody gains, by their definitions: every rival of a fine grid,
/// every coalition.
fn truth(certificate: &Certificate) -> (f64, f64) {
    let Subject::Predictor(predictor) = &certificate.subject else { return (f64::NAN, f64::NAN) };
    let (t, radius) = (predictor.parameters[0], predictor.radius);
    let utility = |i: usize, t: f64| {
        let error = t - i as f64;
        certificate.agents[i].ceiling.expect("a predictor has ceilings")
            - error * error
            - 0.5 * predictor.l2 * t * t
    };
    let weight = |i: usize| certificate.agents[i].weight;
    let total = weight(0) + weight(1);
    let (mut kappa, mut everybody) = (0.0_f64, 0.0_f64);
    let grid = (-2000..=2000_i32).map(|k| radius * f64::from(k) / 2000.0);
    // A grid may miss the incumbent, with which everybody breaks even.
    for rival in grid.chain([t]) {
        let gain = |i: usize| match (utility(i, t), utility(i, rival)) {
            (now, then) if now > 0.0 => then / now,
            (_, then) if then > 0.0 => f64::INFINITY,
            _ => 0.0,
        };
        kappa = (0..2).map(|i| weight(i) / total * gain(i)).fold(kappa, f64::max);
        everybody = everybody.max(gain(0).min(gain(1)));
    }
    (kappa, everybody)
}

#[test]
fn the_oracle_knows_the_parabolas() {
    assert!((truth(&blocked()).0 - 0.5 * (0.4 / 0.15)).abs() < 1e-12);
    assert!((truth(&stable()).1 - 1.0).abs() < 1e-12);
    assert_eq!(truth(&unbounded()).0, f64::INFINITY);
}

/// Every number in a document, by reference.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Number(_) => vec![value],
        Value::Array(items) => items.iter_mut().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

static ORIGINALS: LazyLock<[Certificate; 9]> = LazyLock::new(|| {
    [
        stable(),
        blocked(),
        first_order(0.5),
        first_order(0.6),
        unbounded(),
        headroom(),
        first_order(0.499_999),
        improvable(),
        hopeless(),
    ]
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_changed_number_never_makes_a_false_claim_pass(
        base in 0_usize..9,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6), 1..3),
        signed in any::<bool>(),
    ) {
        let original = &ORIGINALS[base];
        let mut document = serde_json::to_value(original).unwrap();
        for (at, change) in changes {
            let mut all = numbers(&mut document);
            let number = at.get_mut(&mut all);
            if number.is_f64() {
                let value = number.as_f64().unwrap();
                let changed = [1.01 * value, 0.99 * value, 0.0, -value, value + 1e-5, 1e300];
                **number = Value::from(changed[change]);
            } else {
                **number = Value::from([0, 1, 2, 3, 127, u64::MAX][change]);
            }
        }
        let Ok(mut certificate) = parse(&document.to_string()) else { return Ok(()) };
        if signed {
            sign(&mut certificate);
        }
        if check_on_data(&certificate, &federation(), &data_digest()).is_ok() {
            let (truth, claim) = (truth(&certificate), certificate.claim);
            for (claimed, truth) in [(claim.kappa, truth.0), (claim.everybody, truth.1)] {
                prop_assert!(claimed.hi.0 >= truth * (1.0 - 1e-13), "{claim:?} against {truth}");
                // The grid misses the best rival by little, and every agent's curvature is known.
                prop_assert!(claimed.lo.0 <= truth * (1.0 + 1e-5), "{claim:?} against {truth}");
            }
        }
    }
}
