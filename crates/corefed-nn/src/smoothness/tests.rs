use corefed_core::{Seed, uniform};

use crate::plain::{self, Dual, Number};
use crate::testing::{Case, direction};
use crate::{Architecture, Loss, Network, Samples};

/// The gradient and the dense Hessian of one image's loss, by columns.
fn derivatives(case: &Case, at: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut slopes = vec![0.0; at.len()];
    plain::gradient(&case.network, at, case.samples(), None, &mut slopes);
    let column = |axis: usize| {
        let dual =
            |(i, &value): (usize, &f64)| Dual { value, slope: f64::from(u8::from(i == axis)) };
        let at: Vec<Dual> = at.iter().enumerate().map(dual).collect();
        let mut sums = vec![Dual::of(0.0); at.len()];
        plain::gradient(&case.network, &at, case.samples(), None, &mut sums);
        sums.into_iter().map(|x| x.slope).collect()
    };
    (slopes, (0..at.len()).map(column).collect())
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The largest absolute eigenvalue of a symmetric matrix, from below.
fn largest_eigenvalue(matrix: &[Vec<f64>], seed: Seed) -> f64 {
    let mut x = direction(matrix.len(), &mut seed.rng());
    let mut value = 0.0;
    for _ in 0..60 {
        let y: Vec<f64> =
            matrix.iter().map(|row| row.iter().zip(&x).map(|(a, b)| a * b).sum()).collect();
        value = norm(&y);
        x = y.iter().map(|y| y / value).collect();
    }
    value
}

/// Networks small enough for dense Hessians: every kind of smooth layer, overlapping windows, strides.
const NETWORKS: [(&[&str], [usize; 3]); 6] = [
    (&["flatten", "linear 3"], [2, 2, 1]),
    (&["flatten", "linear 4", "tanh", "linear 2"], [2, 2, 1]),
    (&["flatten", "linear 3", "softplus", "linear 3", "gelu", "linear 2"], [1, 3, 1]),
    (&["conv 2 2", "gelu", "avg-pool 2", "flatten", "linear 2"], [3, 3, 1]),
    (
        &["conv 2 3 pad=1 stride=2", "softplus", "avg-pool 2 stride=1", "flatten", "linear 2"],
        [4, 4, 1],
    ),
    (&["conv 1 2 pad=1", "tanh", "conv 2 2", "dropout 0.5", "flatten", "linear 2"], [2, 3, 2]),
];

#[test]
fn no_hessian_in_the_ball_exceeds_the_bound() {
    let mut tightest = f64::INFINITY;
    for (layers, input) in NETWORKS {
        for loss in [Loss::CrossEntropy, Loss::Bounded { smoothing: 0.1 }] {
            let case = Case::of(layers, input, 1);
            let architecture = Architecture { loss, ..case.network.architecture().clone() };
            let case = Case { network: Network::new(architecture).unwrap(), ..case };
            let image: Vec<f64> = case.pixels.iter().map(|x| f64::from(*x)).collect();
            for (k, radius) in [0.0, 0.1, 1.0].into_iter().enumerate() {
                let bound = case.network.smoothness(&case.params, radius, norm(&image)).unwrap();
                let rng = &mut Seed(k as u64).rng();
                for _ in 0..8 {
                    let far = radius * uniform(rng).powf(0.1);
                    let step = direction(case.params.len(), rng);
                    let at: Vec<f64> = case
                        .params
                        .iter()
                        .zip(step)
                        .map(|(p, d)| f64::from(*p) + far * d)
                        .collect();
                    let (slopes, hessian) = derivatives(&case, &at);
                    let curvature = largest_eigenvalue(&hessian, Seed(3));
                    assert!(norm(&slopes) <= bound.slope, "{layers:?}");
                    assert!(curvature <= bound.curvature, "{layers:?} {curvature} {bound:?}");
                    tightest = tightest.min(bound.curvature / curvature);
                }
            }
        }
    }
    // Not so large that it could not fail.
    assert!(tightest < 3.0, "{tightest}");
}

#[test]
fn one_linear_layer_by_hand() {
    // Logits Wx + b with |x| = 2: J^2 = |x|^2 + 1, S = J_before = 0, so the Hessian is at most 5/2.
    let case = Case::of(&["flatten", "linear 2"], [1, 1, 1], 1);
    let bound = case.network.smoothness(&case.params, 3.0, 2.0).unwrap();
    assert!((bound.slope - 10_f64.sqrt()).abs() < 1e-12, "{bound:?}");
    assert!((bound.curvature - 2.5).abs() < 1e-12, "{bound:?}");
    // And is reached with two classes of equal logits: the Hessian is (1/4) [1, -1][1, -1]' times 5.
    let zero = Case { params: vec![0.0; 4], pixels: vec![2.0], ..case };
    let (_, hessian) = derivatives(&zero, &[0.0; 4]);
    assert!((largest_eigenvalue(&hessian, Seed(1)) - 2.5).abs() < 1e-9);
}

#[test]
fn networks_with_kinks_have_no_bound() {
    let case = Case::of(&["flatten", "linear 2", "relu", "linear 2"], [1, 1, 1], 1);
    assert_eq!(case.network.smoothness(&case.params, 0.0, 1.0), None);
    let samples = Samples { pixels: &case.pixels, labels: &case.labels };
    let mut product = vec![0.0; case.params.len()];
    let workspace = &mut case.network.workspace(1);
    let refused =
        case.network.hessian_product(&case.params, samples, &case.params, workspace, &mut product);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "layer 3 (`relu`) has kinks, so there are no second derivatives"
    );
}

#[test]
fn losses_stay_within_their_constants() {
    let rng = &mut Seed(5).rng();
    let mut largest = (0.0_f64, 0.0_f64);
    for k in 0..2000 {
        let spread = [0.1, 1.0, 10.0][k % 3];
        let logits = [(); 3].map(|()| spread * (2.0 * uniform(rng) - 1.0));
        for loss in [Loss::CrossEntropy, Loss::Bounded { smoothing: 0.2 }] {
            let hessian: Vec<Vec<f64>> = (0..3)
                .map(|axis| {
                    let dual =
                        |i: usize| Dual { value: logits[i], slope: f64::from(u8::from(i == axis)) };
                    let (_, error) = plain::loss(loss, &[dual(0), dual(1), dual(2)], 1);
                    error.into_iter().map(|x| x.slope).collect()
                })
                .collect();
            let (_, error) = plain::loss(loss, &logits, 1);
            largest.0 = largest.0.max(norm(&error));
            largest.1 = largest.1.max(largest_eigenvalue(&hessian, Seed(2)));
        }
    }
    assert!(largest.0 <= 2_f64.sqrt() && largest.1 <= 0.5, "{largest:?}");
    // Both are nearly reached.
    assert!(largest.0 > 1.4 && largest.1 > 0.49, "{largest:?}");
}
