//! Signed certificates, changed: nothing that somebody signed can be, and nothing false is accepted.

use super::parabolas::{
    NAMES, PAIR, attestation, blocked, first_order, hopeless, improvable, key, signed, stable,
    without_middle,
};
use corefed_core::{AttestedCertificate, AttestedEvidence};
use corefed_verify::{AnyCertificate, check_attested, merge, parse_any};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::LazyLock;

static ORIGINALS: LazyLock<[AttestedCertificate; 7]> = LazyLock::new(|| {
    [
        signed(&stable(), &PAIR),
        signed(&blocked(), &PAIR),
        signed(&first_order(0.5), &PAIR),
        signed(&first_order(0.6), &PAIR),
        signed(&improvable(), &PAIR),
        signed(&hopeless(), &PAIR),
        signed(&without_middle(), &[0.0, 1.0, 0.5]),
    ]
});

fn refusal(certificate: &AttestedCertificate) -> String {
    check_attested(certificate).expect_err("a forgery").to_string()
}

/// Every number and text in a part of a document, by path.
fn leaves_of(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (k, item) in items.iter().enumerate() {
                leaves_of(item, format!("{path}/{k}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                leaves_of(item, format!("{path}/{name}"), found);
            }
        }
        Value::Number(_) | Value::String(_) => found.push(path),
        _ => {}
    }
}

fn read(document: &Value) -> Option<AttestedCertificate> {
    match parse_any(&document.to_string()) {
        Ok(AnyCertificate::Attested(certificate)) => Some(*certificate),
        _ => None,
    }
}

#[test]
fn every_number_and_text_that_was_signed_is_refused_when_changed() {
    let mut tried = 0;
    for original in ORIGINALS.iter() {
        let document = serde_json::to_value(original).expect("JSON");
        let mut paths = Vec::new();
        for part in ["terms", "points", "attestations"] {
            leaves_of(&document[part], format!("/{part}"), &mut paths);
        }
        for path in paths {
            let value = document.pointer(&path).expect("a value").clone();
            let changes = match &value {
                Value::String(text) => vec![Value::from(format!("{text}x")), Value::from("0")],
                number if number.is_u64() => {
                    let number = number.as_u64().expect("a count");
                    vec![Value::from(number + 1), Value::from(number.wrapping_sub(1))]
                }
                number => {
                    let number = number.as_f64().expect("a number");
                    let other = if number == 0.0 { 1e-300 } else { 2.0 * number };
                    let next = if number > 0.0 { number.next_up() } else { number.next_down() };
                    vec![Value::from(next), Value::from(-number), Value::from(other)]
                }
            };
            for change in changes.into_iter().filter(|change| *change != value) {
                let mut document = document.clone();
                *document.pointer_mut(&path).expect("a value") = change.clone();
                if let Some(certificate) = read(&document) {
                    assert!(check_attested(&certificate).is_err(), "{path}: {value} -> {change}");
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn dropped_and_swapped_answers_are_named() {
    let original = &ORIGINALS[0];
    for (agent, name) in NAMES.iter().enumerate().take(2) {
        for leaf in 0..original.attestations[agent].leaves.len() {
            let mut forged = original.clone();
            forged.attestations[agent].leaves.remove(leaf);
            assert!(check_attested(&forged).is_err());
            let mut forged = original.clone();
            forged.attestations[agent].leaves[leaf].gradient = None;
            let said = refusal(&forged);
            assert!(said.contains(&format!("`{name}` did not sign this")), "{said}");
        }
    }
    let mut swapped = original.clone();
    swapped.attestations.swap(0, 1);
    assert!(refusal(&swapped).contains("did not sign"));
    let mut swapped = original.clone();
    swapped.terms.agents.swap(0, 1);
    assert!(refusal(&swapped).contains("did not sign"));
}

#[test]
fn foreign_stale_and_forged_signatures_are_told_apart() {
    let original = &ORIGINALS[0];
    // Agent 1 signs what agent 0 should: terms with exchanged keys are signed, and the keys exchanged back.
    let mut exchanged = stable();
    exchanged.terms.agents[0].key = Some(key(1).public());
    exchanged.terms.agents[1].key = Some(key(0).public());
    let said =
        corefed_verify::attest(&exchanged, NAMES[0], &super::parabolas::rows(0, 0.0), &key(0))
            .expect_err("another key")
            .to_string();
    assert!(said.contains("the terms give `left` the public key"), "{said}");
    // Another agreement.
    let mut other = stable();
    other.terms.agents[1].policy = "initial:2".to_owned();
    let stale = attestation(&other, 0, 0.0);
    let said = merge(original.clone(), [stale]).expect_err("stale").to_string();
    assert!(said.starts_with("stale: `left` attested other terms"), "{said}");
    // Other answers under the same terms.
    let mut other = stable();
    other.attestations[0].leaves[0].margin = 5e-16;
    let said = merge(original.clone(), [attestation(&other, 0, 0.0)]).expect_err("other answers");
    assert!(said.to_string().contains("other answers"), "{said}");
    // A signature of somebody else, in somebody's place.
    let mut forged = original.clone();
    forged.attestations[0].signature = forged.attestations[1].signature.clone();
    assert!(refusal(&forged).starts_with("forged or stale: `left`"));
    // A signature without a key to check it by, or without rows.
    let mut forged = original.clone();
    forged.terms.agents[0].key = None;
    assert!(refusal(&forged).contains("the terms give it no key"));
    let mut forged = original.clone();
    forged.attestations[0].rows = None;
    assert!(refusal(&forged).contains("without a digest"));
}

#[test]
fn a_signature_is_of_one_key_alone() {
    let mut forged = stable();
    forged.terms.agents[1].key = forged.terms.agents[0].key.clone();
    assert!(refusal(&forged).contains("have the same public key"));
    forged.terms.agents[1].key = Some("00".repeat(32));
    assert!(refusal(&forged).contains("not an Ed25519 public key"));
}

/// `kappa` and what everybody gains, by their definitions on a fine grid; of absent agents nothing is asked.
fn truth(certificate: &AttestedCertificate, targets: &[f64]) -> (f64, f64) {
    let present: Vec<usize> =
        (0..targets.len()).filter(|&i| !certificate.attestations[i].leaves.is_empty()).collect();
    let weight = |i: usize| certificate.terms.agents[i].weight;
    let total: f64 = (0..targets.len()).map(weight).sum();
    let utility = |i: usize, t: f64| {
        certificate.terms.agents[i].ceiling - (t - targets[i]) * (t - targets[i])
    };
    let theta = certificate.points[0][0];
    let (mut kappa, mut everybody) = (0.0_f64, 0.0_f64);
    for step in -2000..=2000_i32 {
        let t = 2.0 * f64::from(step) / 2000.0;
        let gain = |i: usize| match (utility(i, theta), utility(i, t)) {
            (now, then) if now > 0.0 => then / now,
            (_, then) if then > 0.0 => f64::INFINITY,
            _ => 0.0,
        };
        for set in 1_usize..1 << present.len() {
            let members = || present.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
            let least = members().map(|(_, &i)| gain(i)).fold(f64::INFINITY, f64::min);
            let share = members().map(|(_, &i)| weight(i)).sum::<f64>() / total;
            if members().count() == targets.len() {
                everybody = everybody.max(least);
            } else {
                kappa = kappa.max(share * least);
            }
        }
    }
    (kappa, everybody)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// What nobody signs is derived from what was signed: changed, it is refused or still true.
    #[test]
    fn a_changed_claim_or_proof_is_refused_or_still_true(
        base in 0_usize..7,
        at in any::<prop::sample::Index>(),
        change in 0_usize..7,
    ) {
        let original = &ORIGINALS[base];
        let mut document = serde_json::to_value(original).unwrap();
        let mut paths = Vec::new();
        for part in ["claim", "witness", "improvement", "evidence"] {
            leaves_of(&document[part], format!("/{part}"), &mut paths);
        }
        let place = document.pointer_mut(at.get(paths.as_slice()).as_str()).unwrap();
        *place = match place.as_f64().filter(|_| place.is_f64()) {
            Some(value) => Value::from(
                [1.01 * value, 0.99 * value, 0.0, -value, value + 1e-5, 1e300, 1e-300][change],
            ),
            None if place.is_u64() => Value::from([0, 1, 2, 3, 127, u64::MAX, 1 << 40][change]),
            None => Value::from(
                ["inf", "stable", "blocked", "improvable", "undecided", "headroom", ""][change],
            ),
        };
        let Some(certificate) = read(&document) else { return Ok(()) };
        if check_attested(&certificate).is_ok() {
            let targets = [0.0, 1.0, 0.5];
            let (kappa, everybody) =
                truth(&certificate, &targets[..certificate.terms.agents.len()]);
            let claim = certificate.claim;
            for (claimed, truth) in [(claim.kappa, kappa), (claim.everybody, everybody)] {
                prop_assert!(claimed.hi.0 >= truth * (1.0 - 1e-13), "{claim:?} {truth}");
                prop_assert!(claimed.lo.0 <= truth * (1.0 + 1e-5), "{claim:?} {truth}");
            }
        }
    }
}

#[test]
fn a_proof_that_misses_a_coalition_is_refused() {
    let mut forged = ORIGINALS[0].clone();
    let AttestedEvidence::Tangents { conflicts, .. } = &mut forged.evidence else {
        panic!("tangents");
    };
    conflicts.remove(1);
    assert!(refusal(&forged).contains("no conflict bounds `right`"));
    let mut forged = ORIGINALS[6].clone();
    forged.claim.everybody.hi = corefed_core::Number(5.0);
    assert!(refusal(&forged).contains("`middle` is absent"));
}
