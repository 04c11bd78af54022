use corefed_core::Seed;
use proptest::prelude::*;

use super::*;
use crate::plain::Number;
use crate::testing::{Case, direction, smooth_case};

/// Both ways to the same product, and how long it is.
fn apart(case: &Case, seed: u64) -> (f64, f64) {
    let along = direction(case.params.len(), &mut Seed(seed).rng());
    let dual = |(value, slope): (&f32, &f64)| Dual { value: f64::from(*value), slope: *slope };
    let params: Vec<Dual> = case.params.iter().zip(&along).map(dual).collect();
    let mut exact = vec![Dual::of(0.0); params.len()];
    plain::gradient(&case.network, &params, case.samples(), None, &mut exact);
    let mut found = vec![0.0; params.len()];
    add_product(&case.network, &params, case.samples(), &mut found);
    let square = |x: f64| x * x;
    let error: f64 = found.iter().zip(&exact).map(|(f, e)| square(f - e.slope)).sum();
    (error.sqrt(), exact.iter().map(|e| square(e.slope)).sum::<f64>().sqrt())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn images_side_by_side_give_the_product_of_the_definitions(case in smooth_case(), seed: u64) {
        let (error, size) = apart(&case, seed);
        prop_assert!(error <= 1e-12 * (1.0 + size), "{error:e} of {size:e}: {:?}", case.network.architecture());
    }
}

#[test]
fn batches_need_not_fill_the_lanes() {
    let layers = [
        "conv 6 3 pad=1 stride=2",
        "gelu",
        "avg-pool 2",
        "flatten",
        "linear 7",
        "tanh",
        "linear 3",
    ];
    for images in [1, 7, 8, 9, 17] {
        let (error, size) = apart(&Case::of(&layers, [9, 8, 3], images), 5);
        assert!(size > 1e-3 && error < 1e-12 * size, "{images}: {error:e} of {size:e}");
    }
}
