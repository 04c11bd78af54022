//! Models of the agents' own: the same answers prove the same, and only their agents can sign them.

use super::parabolas::{NAMES, PAIR, key, rows, stable};
use corefed_core::{
    AgreedModel, AttestedCertificate, AttestedEvidence, OWN_MODEL_VERSION, OwnModel,
};
use corefed_verify::{
    OwnAnswers, Signers, attest, attest_own_model, check_attested, merge, parse_any, seal,
};

/// The parabolas, as if only agents knew that they are.
fn own() -> AttestedCertificate {
    let mut draft = stable();
    let model = &draft.terms.predictor;
    draft.terms.predictor = AgreedModel::Own(OwnModel {
        own: "parabola".to_owned(),
        l2: model.l2(),
        radius: model.radius(),
        parameters: model.parameters().to_vec(),
    });
    seal(draft).expect("the same answers")
}

/// What an agent's program says at the points of its leaves.
fn computed(certificate: &AttestedCertificate, agent: usize, target: f64) -> Vec<(f64, Vec<f64>)> {
    let leaves = certificate.attestations[agent].leaves.iter();
    let at = leaves.map(|leaf| certificate.points[leaf.point][0] - target);
    at.map(|away| (away * away, vec![2.0 * away])).collect()
}

#[test]
fn answers_prove_the_same_and_its_agents_sign_them() {
    let certificate = own();
    assert_eq!(certificate.version, OWN_MODEL_VERSION);
    assert_eq!(certificate.claim, stable().claim);
    assert!(matches!(certificate.evidence, AttestedEvidence::Tangents { .. }));
    let sign = |agent: usize, target: f64, samples: usize| {
        let computed = computed(&certificate, agent, target);
        let own = OwnAnswers { computed: &computed, samples, data: b"rows" };
        attest_own_model(&certificate, NAMES[agent], own, &key(agent))
    };
    let signed = [0, 1].map(|agent| sign(agent, PAIR[agent], 1).expect("its own program").0);
    let merged = merge(certificate.clone(), signed).expect("signatures that fit");
    assert_eq!(Signers::of(&merged).status(), "attested");
    let said = check_attested(&merged).expect("whole").unchecked.join("\n");
    assert!(said.contains("the model `parabola` is the agents' own"), "{said}");
    assert!(said.contains("nobody can recompute them from rows with this program"), "{said}");
    assert!(said.contains("only the points that they answered are checked"), "{said}");
    assert!(!said.contains("--data"), "{said}");
    let text = serde_json::to_string(&merged).expect("JSON");
    assert!(parse_any(&text).is_ok());
    // Another loss, and other rows, are not what was answered.
    let refused = sign(0, 0.1, 1).expect_err("another program").to_string();
    assert!(refused.contains("`left` is said to lose"), "{refused}");
    let refused = sign(0, PAIR[0], 2).expect_err("other rows").to_string();
    assert!(refused.contains("`left`"), "{refused}");
}

#[test]
fn numbers_of_another_shape_or_none_are_not_signed() {
    let certificate = own();
    let right = computed(&certificate, 0, PAIR[0]);
    let sign = |computed: &[(f64, Vec<f64>)]| {
        let own = OwnAnswers { computed, samples: 1, data: &[] };
        attest_own_model(&certificate, NAMES[0], own, &key(0)).map(|_| ())
    };
    assert!(sign(&right).is_ok());
    assert!(sign(&right[1..]).is_err());
    for change in [
        (|answer: &mut (f64, Vec<f64>)| answer.0 = f64::NAN) as fn(&mut (f64, Vec<f64>)),
        |answer| answer.1 = vec![f64::NAN],
        |answer| answer.1.push(0.0),
        |answer| answer.1[0] += 1e-9,
    ] {
        let mut wrong = right.clone();
        change(&mut wrong[0]);
        assert!(sign(&wrong).is_err(), "{wrong:?}");
    }
    // The key of somebody else.
    let own = OwnAnswers { computed: &right, samples: 1, data: &[] };
    let refused = attest_own_model(&certificate, NAMES[0], own, &key(1)).expect_err("another key");
    assert!(refused.to_string().contains("the terms give `left` the public key"), "{refused}");
}

#[test]
fn rows_and_programs_are_not_taken_for_each_other() {
    let refused = attest(&own(), NAMES[0], &rows(0, PAIR[0]), &key(0)).expect_err("no rows");
    assert!(refused.to_string().contains("`parabola` is the agents' own"), "{refused}");
    assert!(refused.hint().is_some_and(|hint| hint.contains("its own program")));
    let known = stable();
    let computed = computed(&known, 0, PAIR[0]);
    let own = OwnAnswers { computed: &computed, samples: 1, data: &[] };
    let refused = attest_own_model(&known, NAMES[0], own, &key(0)).expect_err("rows decide");
    assert!(refused.hint().is_some_and(|hint| hint.contains("corefed attest")), "{refused}");
}
