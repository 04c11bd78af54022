//! An agent's own check: right rows are signed, wrong ones are told from right ones.

use super::parabolas::{
    NAMES, PAIR, attestation, first_order, key, rows, signed, stable, without_middle,
};
use corefed_core::AttestedCertificate;
use corefed_verify::{Signers, attest, check_attested, check_own_rows, merge, seal};

fn refusal(certificate: &AttestedCertificate, agent: usize, target: f64) -> String {
    attest(certificate, NAMES[agent], &rows(agent, target), &key(agent))
        .expect_err("not to be signed")
        .to_string()
}

#[test]
fn answers_of_other_rows_are_not_signed() {
    let certificate = stable();
    let said = refusal(&certificate, 0, 0.25);
    // (1/2 - 1/4)^2 = 1/16 instead of 1/4.
    assert!(said.contains("`left` is said to lose `0.25` within `1e-15` at `points[0]`"), "{said}");
    assert!(said.contains("its rows give `0.0625`"), "{said}");
    assert!(said.contains("a margin of `1.875e-1` would do"), "{said}");
    // The loss fits and the gradient does not.
    let mut certificate = stable();
    let leaf = &mut certificate.attestations[0].leaves[0];
    leaf.gradient.as_mut().expect("one").values[0] = 1.0 + 1e-9;
    let certificate = seal(certificate).expect("a draft");
    let said = refusal(&certificate, 0, 0.0);
    assert!(said.contains("gradient of `left` at `points[0]`"), "{said}");
    let mut certificate = stable();
    certificate.attestations[0].samples = 2;
    assert!(refusal(&certificate, 0, 0.0).contains("has 2 samples in the certificate and 1"));
}

#[test]
fn a_worst_loss_is_proven_again() {
    // (t - 1)^2 is at most 9 on |t| <= 2, for any multiplier that a solver might have used.
    let certificate = first_order(0.5);
    let (_, checked) = attest(&certificate, "right", &rows(1, 1.0), &key(1)).expect("its own rows");
    assert!(checked.checked.iter().any(|what| what.contains("nowhere loses more")));
    let mut low = certificate;
    low.attestations[1].worst_loss = Some(8.999_999);
    let said = refusal(&low, 1, 1.0);
    assert!(said.contains("said to lose at most `8.999999`; only `9"), "{said}");
}

#[test]
fn a_ceiling_that_its_policy_does_not_give_is_not_signed() {
    let mut certificate = stable();
    // The zero predictor of `right` loses 1, so 0.6 is 0.6 times that.
    certificate.terms.agents[1].policy = "initial:0.6".to_owned();
    let (_, checked) = attest(&certificate, "right", &rows(1, 1.0), &key(1)).expect("its own rows");
    assert!(checked.checked.iter().any(|what| what == "the ceiling of `right` is `initial:0.6`"));
    certificate.terms.agents[1].policy = "initial:0.7".to_owned();
    let said = refusal(&certificate, 1, 1.0);
    assert!(said.contains("`initial:0.7` gives `0.7`"), "{said}");
    certificate.terms.agents[1].policy = "constant:1.5".to_owned();
    let (_, checked) = attest(&certificate, "right", &rows(1, 1.0), &key(1)).expect("its own rows");
    assert!(checked.unchecked.iter().any(|what| what.contains("`constant:1.5`")));
}

#[test]
fn only_the_agent_itself_signs() {
    let certificate = stable();
    let said = attest(&certificate, "left", &rows(0, 0.0), &key(1)).expect_err("a key");
    assert!(said.to_string().contains("the terms give `left` the public key"), "{said}");
    assert!(said.hint().is_some());
    let said = attest(&certificate, "left", &rows(1, 0.0), &key(0)).expect_err("rows");
    assert!(said.to_string().contains("the data hold rows of `right`"), "{said}");
    let said = attest(&certificate, "nobody", &rows(1, 0.0), &key(0)).expect_err("a name");
    assert!(said.to_string().contains("they name `left`, `right`"), "{said}");
    let absent = without_middle();
    let said = attest(&absent, "middle", &rows(2, 0.5), &key(2)).expect_err("absent");
    assert!(said.to_string().contains("`middle` did not answer"), "{said}");
}

#[test]
fn attestations_are_merged_in_any_order_and_one_by_one() {
    let certificate = stable();
    let [left, right] = [0, 1].map(|i| attestation(&certificate, i, PAIR[i]));
    let half = merge(certificate.clone(), [right.clone()]).expect("one");
    assert_eq!(Signers::of(&half).status(), "partly attested");
    let checked = check_attested(&half).expect("it holds");
    assert!(checked.unchecked.iter().any(|what| what.starts_with("not signed by left")));
    let whole = merge(half, [left]).expect("both");
    assert_eq!(whole, signed(&certificate, &PAIR));
    assert_eq!(Signers::of(&whole).status(), "attested");
    assert_eq!(Signers::of(&certificate).status(), "consistent");
    check_own_rows(&whole, "left", &rows(0, 0.0)).expect("its own rows");
    // Equal inputs give equal bytes, and another salt another digest.
    assert_eq!(attestation(&certificate, 1, 1.0), right);
    let salted = corefed_verify::AgentKey::new([2; 32], [0; 32]);
    let other = attest(&certificate, "right", &rows(1, 1.0), &salted).expect("the same key").0;
    assert_ne!(other.attestation.rows, right.attestation.rows);
}
