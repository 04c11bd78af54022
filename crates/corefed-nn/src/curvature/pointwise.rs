//! Layers without weights: activations and mean pools.

use super::lanes::{LANES, Lane, Lanes};
use super::normal::gelu;
use super::windows::Windows;
use crate::{Activation, Layer, Stage};

/// Slope and curvature of an activation where a number is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    slope: Lane,
    curvature: Lane,
}

pub(super) fn activate(activation: Activation, input: &[Lanes]) -> (Vec<Lanes>, Vec<Bend>) {
    let each = |x: &Lanes| {
        let mut output = *x;
        let mut bend = Bend { slope: [0.0; LANES], curvature: [0.0; LANES] };
        for lane in 0..LANES {
            let [value, slope, curvature] = match activation {
                Activation::Gelu => gelu(x.value[lane]),
                other => other.jet(x.value[lane]),
            };
            output.value[lane] = value;
            output.slope[lane] = slope * x.slope[lane];
            (bend.slope[lane], bend.curvature[lane]) = (slope, curvature);
        }
        (output, bend)
    };
    input.iter().map(each).unzip()
}

/// The error before an activation.
pub(super) fn bend_back(input: &[Lanes], bends: &[Bend], mut error: Vec<Lanes>) -> Vec<Lanes> {
    for ((error, x), bend) in error.iter_mut().zip(input).zip(bends) {
        for lane in 0..LANES {
            let turn = bend.curvature[lane] * x.slope[lane];
            error.slope[lane] = error.slope[lane] * bend.slope[lane] + error.value[lane] * turn;
            error.value[lane] *= bend.slope[lane];
        }
    }
    error
}

/// Means of windows.
pub(super) fn pool(stage: &Stage, windows: &Windows, input: &[Lanes]) -> Vec<Lanes> {
    let mut output = vec![Lanes::ZERO; stage.output.len()];
    let channels = stage.input.as_maps().channels;
    for sight in windows.places.iter().flatten() {
        let to = &mut output[sight.place * channels..][..channels];
        add(to, &input[sight.pixel * channels..][..channels], share(stage));
    }
    output
}

pub(super) fn pool_back(stage: &Stage, windows: &Windows, error: &[Lanes]) -> Vec<Lanes> {
    let mut back = vec![Lanes::ZERO; stage.input.len()];
    let channels = stage.input.as_maps().channels;
    for sight in windows.places.iter().flatten() {
        let to = &mut back[sight.pixel * channels..][..channels];
        add(to, &error[sight.place * channels..][..channels], share(stage));
    }
    back
}

fn share(stage: &Stage) -> f64 {
    match stage.layer {
        Layer::AvgPool(window) => 1.0 / (window.size * window.size) as f64,
        _ => 1.0,
    }
}

fn add(to: &mut [Lanes], from: &[Lanes], share: f64) {
    for (to, from) in to.iter_mut().zip(from) {
        for lane in 0..LANES {
            to.value[lane] += share * from.value[lane];
            to.slope[lane] += share * from.slope[lane];
        }
    }
}
