use corefed_core::Seed;
use proptest::prelude::*;

use super::*;
use crate::testing::{Case, any_case, direction, smooth_case};

fn wide(params: &[f32]) -> Vec<f64> {
    params.iter().map(|x| f64::from(*x)).collect()
}

fn along(at: &[f64], direction: &[f64], step: f64) -> Vec<f64> {
    at.iter().zip(direction).map(|(x, d)| x + step * d).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Sum of losses and its gradient.
fn both(case: &Case, at: &[f64], dropout: Option<u64>) -> (f64, Vec<f64>) {
    let mut sums = vec![0.0; at.len()];
    let loss = gradient(&case.network, at, case.samples(), dropout, &mut sums);
    (loss, sums)
}

/// The slope along a direction against central differences.
fn check_slope(case: &Case, dropout: Option<u64>, seed: u64) -> Result<(), TestCaseError> {
    let at = wide(&case.params);
    let (_, slopes) = both(case, &at, dropout);
    let rng = &mut Seed(seed).rng();
    for _ in 0..4 {
        let along_this = direction(at.len(), rng);
        let slope = dot(&slopes, &along_this);
        // A kink within the step spoils a difference; a shorter step makes that rarer.
        let close = [1e-5, 1e-6, 1e-7].into_iter().any(|h| {
            let (right, _) = both(case, &along(&at, &along_this, h), dropout);
            let (left, _) = both(case, &along(&at, &along_this, -h), dropout);
            (slope - (right - left) / (2.0 * h)).abs() < 1e-6 + 1e-5 * slope.abs()
        });
        prop_assert!(close, "{:?}", case.network.architecture());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn gradients_are_derivatives_of_losses(case in any_case(), seed: u64) {
        check_slope(&case, None, seed)?;
    }

    #[test]
    fn products_with_hessians_are_derivatives_of_gradients(case in smooth_case(), seed: u64) {
        let at = wide(&case.params);
        let rng = &mut Seed(seed).rng();
        let [u, v] = [(); 2].map(|()| direction(at.len(), rng));
        let product = |d: &[f64]| -> Vec<f64> {
            let dual = at.iter().zip(d).map(|(&value, &slope)| Dual { value, slope });
            let mut sums = vec![Dual::of(0.0); at.len()];
            gradient(&case.network, &dual.collect::<Vec<_>>(), case.samples(), None, &mut sums);
            sums.into_iter().map(|x| x.slope).collect()
        };
        let (hu, hv) = (product(&u), product(&v));
        let h = 1e-5;
        let (_, right) = both(&case, &along(&at, &u, h), None);
        let (_, left) = both(&case, &along(&at, &u, -h), None);
        let scale = dot(&hu, &hu).sqrt() + 1e-3;
        for ((found, right), left) in hu.iter().zip(right).zip(left) {
            prop_assert!((found - (right - left) / (2.0 * h)).abs() < 1e-6 * scale);
        }
        // Hessians are symmetric.
        prop_assert!((dot(&hu, &v) - dot(&hv, &u)).abs() < 1e-10 * scale);
    }
}

#[test]
fn dropout_keeps_its_masks_on_the_way_back() {
    let layers = ["conv 4 3", "dropout 0.5", "tanh", "flatten", "dropout 0.3", "linear 3"];
    let case = Case::of(&layers, [5, 6, 2], 4);
    check_slope(&case, Some(3), 1).unwrap();
    let loss = |seed| both(&case, &wide(&case.params), seed).0;
    assert_eq!(loss(Some(3)), loss(Some(3)));
    assert_ne!(loss(Some(3)), loss(Some(4)));
    assert_ne!(loss(Some(3)), loss(None));
}

#[test]
fn losses_by_hand() {
    // Softmax of [ln 1, ln 2, ln 5] is [1, 2, 5]/8.
    let logits = [1.0_f64, 2.0, 5.0].map(f64::ln);
    let (plain, error) = loss(Loss::CrossEntropy, &logits, 1);
    assert!((plain - 4_f64.ln()).abs() < 1e-15);
    for (found, expected) in error.iter().zip([0.125, -0.75, 0.625]) {
        assert!((found - expected).abs() < 1e-15);
    }
    // Half of 1/4 and half of 1/3.
    let (bounded, _) = loss(Loss::Bounded { smoothing: 0.5 }, &logits, 1);
    assert!((bounded - (24.0_f64 / 7.0).ln()).abs() < 1e-15);
    // Hopeless, and still below log(K / s).
    let (worst, _) = loss(Loss::Bounded { smoothing: 0.5 }, &[0.0, 1e4, 0.0], 0);
    assert_eq!(Some(worst), Loss::Bounded { smoothing: 0.5 }.largest(3));
}

#[test]
fn the_first_of_equal_maxima_gets_the_gradient() {
    let case = Case::of(&["max-pool 2", "flatten", "linear 2"], [2, 2, 1], 1);
    let at = wide(&case.params);
    let tied = Case { pixels: vec![1.0, 3.0, 3.0, 2.0], ..case };
    let logits = logits(&tied.network, &at, &tied.pixels);
    // Two weights and two biases: what comes out of the pool is 3.
    assert_eq!(logits, [3.0 * at[0] + at[2], 3.0 * at[1] + at[3]]);
}
