//! Poisson regression with exposures, from the optimum to the certificate.

use std::ops::ControlFlow;

use corefed_audit::{Certified, Parties, Progress, certify};
use corefed_core::{
    CeilingPolicy, Certificate, Encoding, Evidence, Family, Feature, Number, Predictor, Subject,
    Verdict, Weights, digest_bytes,
};
use corefed_data::{Agent, Design, Federation};
use corefed_model::{FederationLosses, worst_losses};
use corefed_solve::{Problem, Rule, TableReferences, ball_for, solve};
use corefed_verify::{check_document, check_on_data};

const COUNTS: [f64; 6] = [2.0, 0.0, 4.0, 1.0, 3.0, 0.0];
const EXPOSURES: [f64; 6] = [1.0, 0.5, 2.0, 1.0, 0.25, 1.5];

/// Two agents with three rows each and nothing but an intercept.
fn federation() -> Federation {
    let design = Design::dense(6, 1, vec![1.0; 6]).expect("shape");
    let agents =
        vec![Agent { name: "a".into(), rows: 0..3 }, Agent { name: "b".into(), rows: 3..6 }];
    Federation::new(design, COUNTS.to_vec(), agents).with_exposure(EXPOSURES.to_vec())
}

fn predictor(radius: f64, parameters: Vec<f64>) -> Predictor {
    Predictor {
        family: Family::Poisson,
        l2: 0.0,
        radius,
        encoding: Encoding {
            agent_column: "agent".into(),
            target_column: "y".into(),
            exposure_column: Some("years".into()),
            classes: Vec::new(),
            target_scale: None,
            intake: corefed_core::Intake::default(),
            features: vec![Feature::Intercept],
        },
        parameters,
    }
}

/// The optimum of a rule, audited and certified.
fn certified(federation: &Federation, rule: Rule, ceiling: &CeilingPolicy) -> (f64, Certified) {
    let model = FederationLosses::new(federation, Family::Poisson, 0, 0.0);
    let worst = worst_losses(&model, 3.0);
    let weights = Weights::equal(2);
    let known = TableReferences {
        model: &model,
        weights: &weights,
        radius: 3.0,
        held_out: None,
        worst: &worst,
    };
    let ceilings = ceiling.resolve(&known).expect("positive");
    let problem = Problem::new(&model, ceilings, weights, 3.0);
    let found = solve(&problem, rule, 1e-10).expect("feasible");
    let radius = ball_for(3.0, &found.params).expect("inside");
    let problem = Problem::new(&model, problem.ceilings.clone(), problem.weights.clone(), radius);
    let parties = Parties {
        names: &["a".to_owned(), "b".to_owned()],
        samples: &[3, 3],
        weights: &problem.weights,
        ceilings: &problem.ceilings,
    };
    let predictor = predictor(radius, found.params.clone());
    let digest = digest_bytes(b"rows");
    let mut finish = |_: &Progress| ControlFlow::Continue(());
    let certified = certify(
        &problem,
        federation,
        &predictor,
        &parties,
        &worst,
        &[],
        1e-6,
        &digest,
        &mut finish,
    );
    (found.params[0], certified.expect("the checker accepts what is issued"))
}

#[test]
fn an_intercept_alone_is_the_log_of_counts_over_exposures() {
    // Agents of equal size and weight: the least mean deviance is at sum y / sum e of all rows.
    let rate = COUNTS.iter().sum::<f64>() / EXPOSURES.iter().sum::<f64>();
    let (found, _) = certified(&federation(), Rule::Utilitarian, &CeilingPolicy::Fixed(9.0));
    assert!((found - rate.ln()).abs() < 1e-7, "{found} is not the log of {rate}");
}

#[test]
fn the_core_of_two_rates_is_found_and_certified() {
    // Rates 6/3.5 and 4/2.75 are close: both agents gain little by leaving.
    let federation = federation();
    let (theta, Certified { audit, certificate }) =
        certified(&federation, Rule::Core, &CeilingPolicy::Initial(1.5));
    let (low, high) = ((4.0_f64 / 2.75).ln(), (6.0_f64 / 3.5).ln());
    assert!((low..=high).contains(&theta), "{theta} lies between the agents' own optima");
    assert_eq!(audit.verdict, Verdict::Stable);
    let checked = check_on_data(&certificate, &federation, &digest_bytes(b"rows"));
    assert!(checked.is_ok(), "{checked:?}");
    // Brute force: no rate gives an agent twice what it has.
    let model = FederationLosses::new(&federation, Family::Poisson, 0, 0.0);
    let problem = Problem::new(
        &model,
        certificate.agents.iter().map(|agent| agent.ceiling.expect("stated")).collect(),
        Weights::equal(2),
        3.0,
    );
    let now = problem.utilities_at(&[theta]);
    for k in -300..=300 {
        let then = problem.utilities_at(&[f64::from(k) / 100.0]);
        for (then, now) in then.iter().zip(&now) {
            let kappa = then / now / 2.0;
            assert!(kappa <= audit.kappa.hi.0 + 1e-12, "{kappa} at {k}");
        }
    }
}

#[test]
fn the_worst_loss_proves_the_premise() {
    let federation = federation();
    let (_, found) = certified(&federation, Rule::Core, &CeilingPolicy::Worst);
    assert!(matches!(found.certificate.evidence, Evidence::FrankWolfe { .. }));
    assert_eq!(found.audit.verdict, Verdict::Stable);
    assert!(check_on_data(&found.certificate, &federation, &digest_bytes(b"rows")).is_ok());
}

fn forge(change: impl Fn(&mut Certificate), what: &str) {
    let federation = federation();
    for ceiling in [CeilingPolicy::Initial(1.5), CeilingPolicy::Worst] {
        let (_, Certified { mut certificate, .. }) = certified(&federation, Rule::Core, &ceiling);
        change(&mut certificate);
        let found = check_on_data(&certificate, &federation, &digest_bytes(b"rows"));
        assert!(found.is_err(), "{what} was accepted");
    }
}

fn subject(certificate: &mut Certificate) -> &mut Predictor {
    match &mut certificate.subject {
        Subject::Predictor(predictor) => predictor,
        Subject::Table { .. } => unreachable!("a predictor"),
    }
}

#[test]
fn forged_certificates_are_refused() {
    forge(|c| subject(c).encoding.exposure_column = None, "no exposures");
    forge(|c| subject(c).family = Family::Linear, "another family");
    forge(|c| subject(c).encoding.classes = vec!["0".into(), "1".into()], "classes");
    forge(|c| subject(c).parameters[0] += 1e-3, "other parameters");
    forge(|c| c.agents[0].utility += 1e-9, "another utility");
    forge(|c| c.claim.kappa.hi = Number(0.9 * c.claim.kappa.lo.0), "a smaller kappa");
    forge(|c| c.claim.everybody.hi = Number(c.claim.everybody.lo.0 - 1e-3), "a smaller gain");
    let plain = Federation::new(
        federation().design().clone(),
        COUNTS.to_vec(),
        federation().agents().to_vec(),
    );
    let (_, Certified { certificate, .. }) =
        certified(&federation(), Rule::Core, &CeilingPolicy::Worst);
    assert!(
        check_on_data(&certificate, &plain, &digest_bytes(b"rows")).is_err(),
        "exposures left out"
    );
    let longer = plain.with_exposure(EXPOSURES.map(|e| 1.01 * e).to_vec());
    assert!(
        check_on_data(&certificate, &longer, &digest_bytes(b"rows")).is_err(),
        "other exposures"
    );
    let mut other = certificate.clone();
    subject(&mut other).family = Family::Logistic;
    assert!(check_document(&other).is_err(), "a family without exposures");
}
