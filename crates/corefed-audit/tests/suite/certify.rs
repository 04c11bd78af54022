//! An audit and its document agree.

use std::ops::ControlFlow;

use corefed_audit::{Parties, Progress, certify};
use corefed_core::{Encoding, Family, Feature, Predictor, Subject, Verdict, Weights};
use corefed_data::{Agent, Design, Federation};
use corefed_model::{FederationLosses, QuadraticLosses, worst_losses};
use corefed_solve::{Problem, ball_for};

#[test]
fn a_certificate_says_what_the_audit_found() {
    // t^2 and (t - 1)^2 at t = 1/2: blocked by one agent alone at M = 0.4, stable at 0.6.
    let agents =
        vec![Agent { name: "a".into(), rows: 0..1 }, Agent { name: "b".into(), rows: 1..2 }];
    let design = Design::dense(2, 1, vec![1.0; 2]).expect("shape");
    let federation = Federation::new(design, vec![0.0, 1.0], agents);
    let losses = QuadraticLosses::from_least_squares(&federation, 0.0);
    let radius = ball_for(2.0, &[0.5]).expect("inside");
    let predictor = Predictor {
        family: Family::Linear,
        l2: 0.0,
        radius,
        encoding: Encoding {
            agent_column: "agent".into(),
            target_column: "y".into(),
            exposure_column: None,
            classes: Vec::new(),
            target_scale: None,
            intake: corefed_core::Intake::default(),
            features: vec![Feature::Intercept],
        },
        parameters: vec![0.5],
    };
    let worst = worst_losses(&FederationLosses::new(&federation, Family::Linear, 0, 0.0), radius);
    let digest = corefed_core::digest_bytes(b"rows");
    for (ceiling, verdict) in [(0.4, Verdict::Blocked), (0.6, Verdict::Stable)] {
        let problem = Problem::new(&losses, vec![ceiling; 2], Weights::equal(2), radius);
        let parties = Parties {
            names: &["a".to_owned(), "b".to_owned()],
            samples: &[1, 1],
            weights: &problem.weights,
            ceilings: &problem.ceilings,
        };
        let mut finish = |_: &Progress| ControlFlow::Continue(());
        let found = certify(
            &problem,
            &federation,
            &predictor,
            &parties,
            &worst,
            &[],
            1e-6,
            &digest,
            &mut finish,
        )
        .expect("the checker accepts what is issued");
        let (audit, certificate) = (&found.audit, &found.certificate);
        assert_eq!((audit.verdict, certificate.claim.verdict), (verdict, verdict));
        assert_eq!(certificate.claim.kappa, audit.kappa);
        assert_eq!(certificate.claim.everybody, audit.everybody);
        assert_eq!(certificate.subject, Subject::Predictor(predictor.clone()));
        assert_eq!(
            (&certificate.witness, &certificate.evidence),
            (&audit.witness, &audit.evidence)
        );
        for (statement, utility) in certificate.agents.iter().zip(&audit.utilities) {
            assert_eq!(statement.utility.to_bits(), utility.to_bits());
        }
        assert_eq!(certificate.digests.data, digest);
    }
}
