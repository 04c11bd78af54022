use corefed_core::Seed;
use pulp::Arch;

use crate::testing::Case;
use crate::{Init, Samples, Sums, plain, preset};

mod tiles;

/// Every set of instructions that this machine has.
pub(super) fn architectures() -> Vec<Arch> {
    let mut all = vec![Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    all.extend(pulp::x86::V3::try_new().map(Arch::V3));
    #[cfg(target_arch = "x86_64")]
    all.extend(pulp::x86::V4::try_new().map(Arch::V4));
    all
}

fn distance(found: &[f32], expected: &[f64]) -> f64 {
    let squares = found.iter().zip(expected).map(|(a, b)| (f64::from(*a) - b).powi(2));
    squares.sum::<f64>().sqrt()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Compares losses, gradients and logits with those of the definitions, in batches of several sizes.
fn check(case: &Case, dropout: Option<u64>) {
    let (network, rows) = (&case.network, case.labels.len());
    let wide: Vec<f64> = case.params.iter().map(|x| f64::from(*x)).collect();
    let mut expected = vec![0.0; wide.len()];
    let total = plain::gradient(network, &wide, case.samples(), dropout, &mut expected);
    let mean = total / rows as f64;
    for x in &mut expected {
        *x /= rows as f64;
    }
    for arch in architectures() {
        for batch in [1, 2, rows, rows + 3] {
            let workspace = &mut network.workspace_for(arch, batch);
            // Whatever was there is overwritten.
            let mut gradient = vec![f32::NAN; network.dim()];
            let what = format!("{:?} {arch:?} {batch}", network.architecture());
            // A second time with the same scratch: nothing is left over from the first.
            for _ in 0..2 {
                let samples = case.samples();
                let loss =
                    network.gradient(&case.params, samples, dropout, workspace, &mut gradient);
                assert!((loss - mean).abs() < 1e-5 * (1.0 + mean), "{what}: {loss} {mean}");
                let error = distance(&gradient, &expected);
                assert!(error < 1e-5 * norm(&expected) + 1e-6, "{what}: {error}");
            }
            let mut logits = vec![0.0; rows * network.classes()];
            network.logits(&case.params, &case.pixels, workspace, &mut logits);
            let images = case.pixels.chunks_exact(network.input().len());
            let expected: Vec<f64> =
                images.flat_map(|image| plain::logits(network, &wide, image)).collect();
            let error = distance(&logits, &expected);
            assert!(error < 1e-5 * norm(&expected) + 1e-6, "{what}: {error}");
        }
    }
}

#[test]
fn random_networks_agree_with_the_definitions_on_every_instruction_set() {
    for seed in 0..150 {
        check(&Case::random(Seed(seed), seed % 3 == 0), None);
    }
}

#[test]
fn layers_in_any_order_agree_with_the_definitions() {
    let networks: [(&[&str], [usize; 3]); 12] = [
        (&["conv 5 2", "flatten", "gelu", "linear 3"], [4, 5, 2]),
        (&["conv 5 2 pad=1", "relu", "tanh", "flatten", "relu", "linear 3"], [4, 5, 2]),
        (&["relu", "flatten", "linear 7"], [3, 3, 2]),
        (&["max-pool 3 stride=2", "flatten", "linear 33", "relu", "relu", "linear 5"], [7, 8, 3]),
        (
            &["conv 33 3 pad=2", "max-pool 2", "conv 5 2 stride=3", "relu", "flatten", "linear 4"],
            [9, 7, 2],
        ),
        (
            &[
                "conv 6 5",
                "relu",
                "max-pool 2",
                "conv 16 5",
                "relu",
                "max-pool 2",
                "flatten",
                "linear 9",
            ],
            [20, 21, 1],
        ),
        (
            &[
                "conv 40 3 pad=1",
                "relu",
                "conv 70 3 pad=1",
                "relu",
                "max-pool 2",
                "flatten",
                "linear 3",
            ],
            [6, 5, 3],
        ),
        (
            &["avg-pool 2", "conv 4 1 stride=2", "gelu", "conv 3 2 pad=1", "flatten", "linear 2"],
            [8, 8, 1],
        ),
        (
            &["flatten", "flatten", "linear 200", "tanh", "linear 17", "softplus", "linear 10"],
            [5, 5, 3],
        ),
        (&["conv 8 4 pad=3 stride=2", "relu", "max-pool 2", "flatten", "linear 3"], [5, 5, 2]),
        (&["conv 3 3 stride=3 pad=1", "relu", "max-pool 2", "flatten", "linear 3"], [8, 11, 2]),
        (&["conv 300 3", "relu", "conv 20 2", "relu", "flatten", "linear 3"], [5, 5, 1]),
    ];
    for (layers, input) in networks {
        check(&Case::of(layers, input, 5), None);
    }
}

#[test]
fn dropout_is_the_same_in_batches_of_any_size() {
    let layers = [
        "dropout 0.1",
        "conv 4 3 pad=1",
        "relu",
        "dropout 0.4",
        "conv 3 3",
        "flatten",
        "dropout 0.5",
        "linear 3",
    ];
    let case = Case::of(&layers, [5, 6, 2], 7);
    check(&case, Some(9));
    check(&case, None);
}

#[test]
fn presets_agree_with_the_definitions() {
    let input = crate::Shape { height: 32, width: 32, channels: 3 };
    for name in ["cnn", "mlp", "cnn-smooth"] {
        let network = crate::Network::new(preset(name, input, 10).unwrap()).unwrap();
        let params = network.initial(Seed(3), Init::Kaiming);
        check(&Case { params, ..Case::new(network, 3, Seed(4)) }, None);
    }
}

#[test]
fn equal_pixels_give_their_gradient_to_the_first() {
    // Identity convolution, then maxima of four equal pixels: the first alone counts, ReLU or not.
    for layers in [
        &["conv 1 1", "max-pool 2", "flatten", "linear 2"][..],
        &["conv 1 1", "relu", "max-pool 2", "flatten", "linear 2"],
        &["conv 1 1", "tanh", "max-pool 2", "flatten", "linear 2"],
    ] {
        let case = Case::of(layers, [2, 2, 1], 1);
        let params = vec![1.0, 0.25, 0.5, -0.5, 0.0, 0.0];
        check(&Case { params, pixels: vec![0.5; 4], ..case }, None);
    }
}

#[test]
fn sums_and_rows_are_those_of_the_logits() {
    let case = Case::of(&["conv 3 2", "relu", "flatten", "linear 4"], [4, 4, 1], 23);
    let workspace = &mut case.network.workspace(5);
    let mut rows = vec![7.0];
    case.network.losses(&case.params, case.samples(), workspace, &mut rows);
    let mut logits = vec![0.0; 23 * 4];
    case.network.logits(&case.params, &case.pixels, workspace, &mut logits);
    let mut expected = Sums::default();
    for ((logits, label), row) in logits.chunks_exact(4).zip(&case.labels).zip(&rows[1..]) {
        let wide: Vec<f64> = logits.iter().map(|z| f64::from(*z)).collect();
        let (loss, _) = plain::loss(case.network.loss(), &wide, usize::from(*label));
        assert!((loss - row).abs() < 1e-12);
        let best = (0..4).fold(0, |best, z| if logits[z] > logits[best] { z } else { best });
        expected.correct += usize::from(best == usize::from(*label));
        expected.loss += row;
    }
    assert_eq!(rows.len(), 24);
    assert_eq!(case.network.measure(&case.params, case.samples(), workspace), expected);
    let none = Samples { pixels: &[], labels: &[] };
    assert_eq!(case.network.measure(&case.params, none, workspace), Sums::default());
}

#[test]
fn what_is_not_a_number_is_not_hidden() {
    let case = Case::of(&["conv 3 2", "relu", "max-pool 2", "flatten", "linear 4"], [5, 5, 1], 2);
    let mut params = case.params.clone();
    params[0] = f32::NAN;
    let sums = case.network.measure(&params, case.samples(), &mut case.network.workspace(2));
    assert!(sums.loss.is_nan());
    assert_eq!(sums.correct, 0);
}

#[test]
fn logits_do_not_depend_on_how_images_are_batched() {
    // Tiles, bundles, and weights that are streamed for few images and packed for many.
    for layers in [
        ["conv 32 3 pad=1", "relu", "conv 48 3 pad=1", "gelu", "max-pool 2"],
        ["conv 6 3 pad=1", "relu", "max-pool 2", "conv 12 2", "tanh"],
        ["conv 6 5 pad=2", "relu", "max-pool 2", "conv 16 3 pad=1 stride=2", "relu"],
    ] {
        let rest = ["flatten", "linear 256", "relu", "linear 70", "linear 4"];
        let layers: Vec<&str> = layers.into_iter().chain(rest).collect();
        let case = Case::of(&layers, [6, 8, 3], 43);
        for arch in architectures() {
            let logits = |batch| {
                let mut logits = vec![0.0; 43 * 4];
                let workspace = &mut case.network.workspace_for(arch, batch);
                case.network.logits(&case.params, &case.pixels, workspace, &mut logits);
                logits
            };
            let whole = logits(43);
            for batch in [1, 2, 4, 6, 7, 24, 64] {
                assert_eq!(logits(batch), whole, "{arch:?} {batch}");
            }
        }
    }
}
