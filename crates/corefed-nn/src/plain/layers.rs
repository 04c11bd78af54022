//! One sample through one layer, forwards and backwards, by the definitions.

use super::number::Number;
use crate::dropout::Mask;
use crate::{Layer, Stage, Window};

/// What a layer makes of a sample.
pub(crate) fn forward<T: Number>(
    stage: &Stage,
    params: &[T],
    input: &[T],
    mask: Option<Mask>,
) -> Vec<T> {
    let zero = T::of(0.0);
    match stage.layer {
        Layer::Flatten => input.to_vec(),
        Layer::Activation(activation) => input
            .iter()
            .map(|&x| {
                let [value, slope, _] = activation.jet(x.value());
                x.map(value, slope)
            })
            .collect(),
        Layer::Dropout { rate } => drop(input, rate, mask),
        Layer::Linear { features } => {
            let (weights, biases) = stage.split(params);
            let mut output = biases.to_vec();
            for (&x, weights) in input.iter().zip(weights.chunks_exact(features)) {
                for (y, &w) in output.iter_mut().zip(weights) {
                    *y += x * w;
                }
            }
            output
        }
        Layer::Conv { channels, window } => {
            let (weights, biases) = stage.split(params);
            let mut output = vec![zero; stage.output.len()];
            for pixel in output.chunks_exact_mut(channels) {
                pixel.copy_from_slice(biases);
            }
            taps(stage, window, |tap| {
                let input = &input[tap.input..tap.input + tap.channels];
                let weights = &weights[tap.cell * tap.channels * channels..];
                let output = &mut output[tap.output / tap.channels * channels..][..channels];
                for (&x, weights) in input.iter().zip(weights.chunks_exact(channels)) {
                    for (y, &w) in output.iter_mut().zip(weights) {
                        *y += x * w;
                    }
                }
            });
            output
        }
        Layer::MaxPool(window) => {
            let winners = winners(stage, window, input);
            winners.into_iter().map(|index| input[index]).collect()
        }
        Layer::AvgPool(window) => {
            let mut output = vec![zero; stage.output.len()];
            let share = T::of(1.0 / (window.size * window.size) as f64);
            taps(stage, window, |tap| {
                for c in 0..tap.channels {
                    output[tap.output + c] += share * input[tap.input + c];
                }
            });
            output
        }
    }
}

/// The gradient at the input of a layer; adds that of its parameters to `gradient`.
pub(crate) fn backward<T: Number>(
    stage: &Stage,
    params: &[T],
    input: &[T],
    mask: Option<Mask>,
    error: &[T],
    gradient: &mut [T],
) -> Vec<T> {
    let zero = T::of(0.0);
    match stage.layer {
        Layer::Flatten => error.to_vec(),
        Layer::Activation(activation) => input
            .iter()
            .zip(error)
            .map(|(&x, &e)| {
                let [_, slope, curvature] = activation.jet(x.value());
                e * x.map(slope, curvature)
            })
            .collect(),
        Layer::Dropout { rate } => drop(error, rate, mask),
        Layer::Linear { features } => {
            let (weights, _) = stage.split(params);
            let (slopes, biases) = stage.split_mut(gradient);
            for (b, &e) in biases.iter_mut().zip(error) {
                *b += e;
            }
            let rows = weights.chunks_exact(features).zip(slopes.chunks_exact_mut(features));
            let back = |(&x, (weights, slopes)): (&T, (&[T], &mut [T]))| {
                let mut sum = zero;
                for ((&w, slope), &e) in weights.iter().zip(slopes).zip(error) {
                    *slope += x * e;
                    sum += w * e;
                }
                sum
            };
            input.iter().zip(rows).map(back).collect()
        }
        Layer::Conv { channels, window } => {
            let (weights, _) = stage.split(params);
            let (slopes, biases) = stage.split_mut(gradient);
            for error in error.chunks_exact(channels) {
                for (b, &e) in biases.iter_mut().zip(error) {
                    *b += e;
                }
            }
            let mut back = vec![zero; input.len()];
            taps(stage, window, |tap| {
                let error = &error[tap.output / tap.channels * channels..][..channels];
                for c in 0..tap.channels {
                    let first = (tap.cell * tap.channels + c) * channels;
                    let (x, mut sum) = (input[tap.input + c], zero);
                    for (o, &e) in error.iter().enumerate() {
                        slopes[first + o] += x * e;
                        sum += weights[first + o] * e;
                    }
                    back[tap.input + c] += sum;
                }
            });
            back
        }
        Layer::MaxPool(window) => {
            let mut back = vec![zero; input.len()];
            for (index, &e) in winners(stage, window, input).into_iter().zip(error) {
                back[index] += e;
            }
            back
        }
        Layer::AvgPool(window) => {
            let mut back = vec![zero; input.len()];
            let share = T::of(1.0 / (window.size * window.size) as f64);
            taps(stage, window, |tap| {
                for c in 0..tap.channels {
                    back[tap.input + c] += share * error[tap.output + c];
                }
            });
            back
        }
    }
}

/// One pixel of the input seen by one place of a window.
struct Tap {
    /// Where the pixel begins in the input.
    input: usize,
    /// Where the place would begin in an output with as many channels as the input.
    output: usize,
    /// Which cell of the window sees it.
    cell: usize,
    /// Of the input.
    channels: usize,
}

/// Every pair of a place and a pixel inside the image.
fn taps(stage: &Stage, window: Window, mut visit: impl FnMut(Tap)) {
    let (input, output) = (stage.input.as_maps(), stage.output.as_maps());
    let inside = |place: usize, cell: usize, pixels: usize| {
        (place * window.stride + cell).checked_sub(window.padding).filter(|at| *at < pixels)
    };
    let channels = input.channels;
    for row in 0..output.height {
        for column in 0..output.width {
            for cell in 0..window.size * window.size {
                let y = inside(row, cell / window.size, input.height);
                let x = inside(column, cell % window.size, input.width);
                if let (Some(y), Some(x)) = (y, x) {
                    let input = (y * input.width + x) * channels;
                    let output = (row * output.width + column) * channels;
                    visit(Tap { input, output, cell, channels });
                }
            }
        }
    }
}

/// The places of the input that each output of a pool sees.
pub(crate) fn windows(stage: &Stage, window: Window) -> Vec<Vec<usize>> {
    let mut windows = vec![Vec::new(); stage.output.len()];
    taps(stage, window, |tap| {
        for c in 0..tap.channels {
            windows[tap.output + c].push(tap.input + c);
        }
    });
    windows
}

/// Where the largest number of each window is; the first of equals.
fn winners<T: Number>(stage: &Stage, window: Window, input: &[T]) -> Vec<usize> {
    let mut winners = vec![usize::MAX; stage.output.len()];
    taps(stage, window, |tap| {
        for c in 0..tap.channels {
            let (winner, rival) = (&mut winners[tap.output + c], tap.input + c);
            if *winner == usize::MAX || input[rival].value() > input[*winner].value() {
                *winner = rival;
            }
        }
    });
    winners
}

fn drop<T: Number>(input: &[T], rate: f32, mask: Option<Mask>) -> Vec<T> {
    let Some(mask) = mask else { return input.to_vec() };
    let factor = |i: usize| T::of(f64::from(mask.factor(i, rate)));
    input.iter().enumerate().map(|(i, &x)| x * factor(i)).collect()
}
