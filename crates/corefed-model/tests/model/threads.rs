//! Bits do not depend on the number of threads.

use corefed_core::Family;
use corefed_model::{ConvexLosses, FederationLosses, QuadraticLosses};
use rayon::ThreadPoolBuilder;

use crate::testing::{Columns, ask, federation, uniform};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Asks on one, two and eight threads; all must say the same.
fn assert_same_bits(model: &impl ConvexLosses, members: &[usize], what: &str) {
    let (at, along) = (uniform(1, model.dim()), uniform(2, model.dim()));
    let coefficients: Vec<_> = members.iter().map(|&k| 0.5 + k as f64).collect();
    let mut first = None;
    for threads in [1, 2, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let answer = pool.install(|| ask(model, (&at, &along), members, &coefficients));
        let found = [answer.losses, answer.gradients, answer.hessian, answer.product]
            .map(|values| bits(&values));
        let expected = first.get_or_insert_with(|| found.clone());
        assert!(*expected == found, "{what}: bits differ with {threads} threads");
    }
}

#[test]
fn one_two_and_eight_threads_give_the_same_bits() {
    // Several chunks in one agent, several agents in one parcel, and enough rows for threads.
    let samples = [9000, 300, 20, 2100, 1, 5000];
    let columns = Columns { dense: 17, levels: &[5, 4], intercept: true };
    for (family, classes) in
        [(Family::Linear, 0), (Family::Logistic, 2), (Family::Softmax, 3), (Family::Poisson, 0)]
    {
        let federation = federation(&samples, columns, family, classes);
        let model = FederationLosses::new(&federation, family, classes, 0.1);
        assert_same_bits(&model, &[0, 1, 2, 4, 5], &format!("{family:?}"));
    }
}

#[test]
fn compressed_losses_have_the_same_bits_on_any_number_of_threads() {
    // 16 agents of 150 x 150 numbers are enough for threads.
    let columns = Columns { dense: 149, levels: &[], intercept: true };
    let federation = federation(&[3; 16], columns, Family::Linear, 0);
    let model = QuadraticLosses::from_least_squares(&federation, 0.1);
    assert_same_bits(&model, &(0..16).collect::<Vec<_>>(), "quadratic");
}
