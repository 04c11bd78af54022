//! Bits do not depend on the number of threads.

use corefed_core::Family;
use corefed_model::{ConvexLosses, FederationLosses};
use rayon::ThreadPoolBuilder;

use crate::testing::{Columns, ask, federation, uniform};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn one_two_and_eight_threads_give_the_same_bits() {
    // Several chunks in one agent, several agents in one parcel, and enough rows for threads.
    let samples = [9000, 300, 20, 2100, 1, 5000];
    let members = [0, 1, 2, 4, 5];
    let columns = Columns { dense: 17, levels: &[5, 4], intercept: true };
    for (family, classes) in [(Family::Linear, 0), (Family::Logistic, 2), (Family::Softmax, 3)] {
        let federation = federation(&samples, columns, family, classes);
        let model = FederationLosses::new(&federation, family, classes, 0.1);
        let (at, along) = (uniform(1, model.dim()), uniform(2, model.dim()));
        let mut first = None;
        for threads in [1, 2, 8] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let answer =
                pool.install(|| ask(&model, (&at, &along), &members, &[1.0, 0.5, 0.25, 2.0, 1.5]));
            let found = [answer.losses, answer.gradients, answer.hessian, answer.product]
                .map(|values| bits(&values));
            let expected = first.get_or_insert_with(|| found.clone());
            assert!(*expected == found, "{family:?}: bits differ with {threads} threads");
        }
    }
}
