//! One-hot levels beside an intercept leave every matrix singular; with an offset in a large ball only a
//! tangent at a corrected point proves anything.

use std::ops::ControlFlow;

use corefed_audit::{Parties, Progress, certify};
use corefed_core::{
    Certificate, Encoding, Family, Feature, Predictor, Verdict, Weights, WorstLoss,
};
use corefed_core::{Seed, uniform};
use corefed_data::{Agent, Design, Federation};
use corefed_model::QuadraticLosses;
use corefed_solve::{Problem, Rule, solve};
use corefed_verify::check_on_data;

/// A number, three levels and an intercept.
const COLUMNS: usize = 5;
const ROWS: usize = 20;

/// Two agents whose levels differ, with noise.
fn two_agents(offset: f64) -> Federation {
    let mut rng = Seed(7).rng();
    let mut draw = || 2.0 * uniform(&mut rng) - 1.0;
    let (mut dense, mut target) = (Vec::new(), Vec::new());
    for shift in [-1.0, 1.0] {
        for row in 0..ROWS {
            let mut x = [draw(), 0.0, 0.0, 0.0, 1.0];
            x[1 + row % 3] = 1.0;
            dense.extend(x);
            target.push(offset + shift + 1.2 * draw());
        }
    }
    let design = Design::dense(2 * ROWS, COLUMNS, dense).expect("shape");
    let agent = |k: usize| Agent { name: format!("a{k}"), rows: k * ROWS..(k + 1) * ROWS };
    Federation::new(design, target, vec![agent(0), agent(1)])
}

fn certified(offset: f64, ceiling: f64) -> Certificate {
    let federation = two_agents(offset);
    let radius = 20.0 + 10.0 * offset;
    let losses = QuadraticLosses::from_least_squares(&federation, 0.0);
    let problem = Problem::new(&losses, vec![ceiling; 2], Weights::equal(2), radius);
    let core = solve(&problem, Rule::Core, 1e-10).expect("feasible");
    let feature = |k: usize| Feature::Numeric {
        column: format!("x{k}"),
        mean: 0.0,
        scale: 1.0,
        missing: None,
    };
    let predictor = Predictor {
        family: Family::Linear,
        l2: 0.0,
        radius,
        encoding: Encoding {
            agent_column: "agent".to_owned(),
            target_column: "y".to_owned(),
            exposure_column: None,
            classes: Vec::new(),
            target_scale: None,
            intake: corefed_core::Intake::default(),
            features: (0..COLUMNS).map(feature).collect(),
        },
        parameters: core.params,
    };
    let parties = Parties {
        names: &["a0".to_owned(), "a1".to_owned()],
        samples: &[ROWS, ROWS],
        weights: &problem.weights,
        ceilings: &problem.ceilings,
    };
    let worst = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; 2];
    let digest = corefed_core::digest_bytes(b"rows");
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
    );
    let certificate = found.expect("a model in the ball").certificate;
    check_on_data(&certificate, &federation, &digest).expect("accepted");
    certificate
}

#[test]
fn redundant_columns_and_an_offset_change_no_verdict() {
    for (ceiling, verdict) in [(1.8, Verdict::Blocked), (6.0, Verdict::Stable)] {
        for offset in [0.0, 1e3, 1e5, 1e8, 1e10, 1e12] {
            let claim = certified(offset, ceiling).claim;
            assert_eq!(claim.verdict, verdict, "{offset:e}: {claim:?}");
        }
    }
}
