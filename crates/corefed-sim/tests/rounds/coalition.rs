//! A coalition trains as if the others did not exist.

use corefed_core::{Family, Weights};
use corefed_rules::{CoreStep, Rule};
use corefed_sim::{Coalition, Federated, LinearFederation, Part, Samples, Terms};

use crate::testing::{busy, hospitals, logistic, run, terms};

#[test]
fn a_coalition_trains_to_the_bits_of_a_federation_of_its_own() {
    let data = hospitals();
    let whole = logistic(&data);
    let members = [0, 2, 3];
    let owned = members.map(|k| data.agents()[k].rows.clone()).to_vec();
    let samples =
        Samples { rows: data.design(), target: data.target().to_vec(), offsets: vec![], owned };
    let own: LinearFederation<_, f64> = LinearFederation::new(Family::Logistic, 2, 0.01, samples);
    let all = terms(&data, 1.0);
    let sizes: Vec<f64> = members.iter().map(|&k| data.agents()[k].samples() as f64).collect();
    let terms = Terms {
        names: members.map(|k| all.names[k].clone()).to_vec(),
        weights: Weights::equal(3),
        average: Weights::new(sizes).unwrap(),
        ceilings: vec![1.0; 3],
        ..all
    };
    let coalition = Coalition::new(&whole, &members);
    for rule in [Rule::Fedavg, Rule::corefed(CoreStep::Dynamic), Rule::Afl { gamma: 0.1 }] {
        let train = busy(rule, 5);
        let (one, other) = (run(&coalition, &terms, &train), run(&own, &terms, &train));
        assert_eq!(one.unwrap(), other.unwrap(), "{rule:?}");
    }
    let params = vec![0.3, -0.2, 0.1, 0.5];
    let (model, own_model) = (coalition.prepare(&params), own.prepare(&params));
    assert_eq!(coalition.exact_losses(&model), own.exact_losses(&own_model));
    let gradient = coalition.convex_gradient(&model, &[1.0, 2.0, 3.0]).unwrap();
    let expected = own.convex_gradient(&own_model, &[1.0, 2.0, 3.0]).unwrap();
    assert!(gradient.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(coalition.samples(Part::Train, 1), data.agents()[2].samples());
}

#[test]
fn losses_of_rows_are_those_that_means_are_made_of() {
    let data = hospitals();
    let federation = logistic(&data);
    let params = vec![0.3, -0.2, 0.1, 0.5];
    let ridge = 0.5 * 0.01 * params.iter().map(|p| p * p).sum::<f64>();
    let everybody: Vec<usize> = (0..4).collect();
    let means = federation.evaluate(&federation.prepare(&params), Part::Train, &everybody).unwrap();
    for (agent, mean) in means.into_iter().enumerate() {
        let mean = mean.unwrap();
        let rows = federation.row_losses(&params, Part::Train, agent);
        let count = rows.len() as f64;
        let loss = rows.iter().map(|(loss, _)| loss).sum::<f64>() / count;
        assert!((loss + ridge - mean.loss).abs() < 1e-12);
        let right = rows.iter().filter(|(_, right)| *right).count() as f64 / count;
        assert_eq!(Some(right), mean.accuracy);
    }
    assert!(federation.row_losses(&params, Part::HeldOut, 0).is_empty());
}
