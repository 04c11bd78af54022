//! Winograd's method: right for every size, and how much less exact it is.

use corefed_core::Seed;

use super::{check, distance, norm};
use crate::testing::Case;
use crate::{Init, Network, plain, preset};

#[test]
fn windows_with_many_channels_agree_with_the_definitions() {
    let networks: [(&[&str], [usize; 3]); 5] = [
        // Tiles of 2x2 outputs, forwards and back.
        (
            &["conv 32 1", "relu", "conv 48 3 pad=1", "relu", "max-pool 2", "conv 64 3", "relu"],
            [14, 6, 2],
        ),
        // Of 2x2 and 4x4 outputs, and other ones on the way back.
        (&["conv 48 3 pad=2", "gelu", "conv 32 3 pad=1", "conv 32 3 pad=2"], [2, 4, 16]),
        (&["conv 32 3 pad=1", "relu", "conv 48 3 pad=1", "relu", "conv 32 3"], [8, 12, 3]),
        // Windows of 5x5.
        (&["conv 32 1", "relu", "conv 48 5 pad=2", "relu", "max-pool 2", "conv 32 5"], [16, 12, 2]),
        (&["conv 80 5 pad=1", "gelu", "conv 32 5 pad=4", "conv 48 5 pad=3"], [6, 4, 2]),
    ];
    for (layers, input) in networks {
        let layers: Vec<&str> = layers.iter().copied().chain(["flatten", "linear 3"]).collect();
        check(&Case::of(&layers, input, 5), None);
    }
}

/// The largest relative error of a tensor of the gradient, and that of the logits.
fn errors(name: &str) -> (f64, f64) {
    let input = crate::Shape { height: 32, width: 32, channels: 3 };
    let network =
        Network::new(preset(name, input, 10).expect("a preset")).expect("layers that fit");
    let params = network.initial(Seed(3), Init::Kaiming);
    let case = Case { params, ..Case::new(network, 2, Seed(4)) };
    let network = &case.network;
    let wide: Vec<f64> = case.params.iter().map(|x| f64::from(*x)).collect();
    let mut expected = vec![0.0; wide.len()];
    plain::gradient(network, &wide, case.samples(), None, &mut expected);
    for x in &mut expected {
        *x /= 2.0;
    }
    let (mut gradient, workspace) = (vec![0.0; wide.len()], &mut network.workspace(2));
    network.gradient(&case.params, case.samples(), None, workspace, &mut gradient);
    let tensors = network.slots().iter().map(|slot| {
        let (found, expected) = (&gradient[slot.range.clone()], &expected[slot.range.clone()]);
        distance(found, expected) / norm(expected)
    });
    let mut logits = vec![0.0; 20];
    network.logits(&case.params, &case.pixels, workspace, &mut logits);
    let images = case.pixels.chunks_exact(input.len());
    let exact: Vec<f64> = images.flat_map(|image| plain::logits(network, &wide, image)).collect();
    (tensors.fold(0.0, f64::max), distance(&logits, &exact) / norm(&exact))
}

#[test]
fn fewer_multiplications_cost_less_than_a_digit() {
    // Found: without tiles 5.4e-7 and 7.3e-7, with them 1.8e-6 and 6.4e-6.
    let (gradient, logits) = errors("cnn-wide");
    assert!(gradient < 5e-6 && logits < 2e-6, "{gradient} {logits}");
    let (gradient, logits) = errors("vgg11");
    assert!(gradient < 2e-5 && logits < 2e-6, "{gradient} {logits}");
}
