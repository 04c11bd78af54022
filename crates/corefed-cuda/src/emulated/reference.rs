//! The three products of a layer in whole numbers, one by one.

use corefed_nn::{Activation, Shape};

use crate::product::Product;

/// What a layer reads, of one agent.
pub(super) struct Given {
    pub(super) count: usize,
    pub(super) input: Vec<i32>,
    /// Of all pixels where gradients are spread, else of what is made.
    pub(super) gradient: Vec<i32>,
    /// Biases come last.
    pub(super) weights: Vec<i32>,
    /// Which of four was largest in the pool before.
    pub(super) largest: Vec<u8>,
}

/// What it makes of that.
pub(super) struct Wanted {
    pub(super) made: Vec<i32>,
    pub(super) input_gradient: Vec<i32>,
    pub(super) weight_gradient: Vec<i32>,
}

fn at(shape: Shape, n: usize, y: usize, x: usize) -> usize {
    ((n * shape.height + y) * shape.width + x) * shape.channels
}

/// Every tap of every place that is inside the image: numbers of the tap, and where its pixel and its place begin.
fn taps(product: &Product, count: usize) -> Vec<(usize, usize, usize)> {
    let (input, output, window) = (product.input, product.output, product.window);
    let mut all = Vec::new();
    for n in 0..count {
        for (oy, ox) in places(output) {
            for tap in 0..window.size * window.size {
                let y = (oy * window.stride + tap / window.size).checked_sub(window.padding);
                let x = (ox * window.stride + tap % window.size).checked_sub(window.padding);
                if let (Some(y), Some(x)) = (y, x)
                    && y < input.height
                    && x < input.width
                {
                    all.push((tap, at(input, n, y, x), at(output, n, oy, ox)));
                }
            }
        }
    }
    all
}

fn places(shape: Shape) -> impl Iterator<Item = (usize, usize)> {
    (0..shape.height * shape.width).map(move |place| (place / shape.width, place % shape.width))
}

/// The largest of four, the first of equals, and where each pool has it.
fn pooled(product: &Product, sums: &[i32], count: usize) -> (Vec<i32>, Vec<usize>) {
    let (output, made) = (product.output, product.made());
    let (mut values, mut origins) = (Vec::new(), Vec::new());
    for n in 0..count {
        for (y, x) in places(made) {
            for channel in 0..made.channels {
                let corners = (0..4)
                    .map(|which| at(output, n, 2 * y + which / 2, 2 * x + which % 2) + channel);
                let mut corners = corners.collect::<Vec<_>>();
                corners.sort_by_key(|place| -sums[*place]);
                values.push(sums[corners[0]]);
                origins.push(corners[0]);
            }
        }
    }
    (values, origins)
}

pub(super) fn reference(product: &Product, given: &Given) -> Wanted {
    let Given { count, input, gradient, weights, largest } = given;
    let (inputs, outputs) = (product.input.channels, product.output.channels);
    let taps = taps(product, *count);
    let mut sums = vec![0; count * product.output.len()];
    for &(tap, from, to) in &taps {
        for ci in 0..inputs {
            for co in 0..outputs {
                sums[to + co] += input[from + ci] * weights[(tap * inputs + ci) * outputs + co];
            }
        }
    }
    let (mut made, origins) =
        if product.pools { pooled(product, &sums, *count) } else { (sums.clone(), Vec::new()) };
    let biases = &weights[weights.len() - outputs..];
    let cuts = |activation: Option<Activation>| match activation {
        None => false,
        Some(Activation::Relu) => true,
        Some(_) => panic!("whole numbers stay whole only behind ReLU"),
    };
    for (place, value) in made.iter_mut().enumerate() {
        *value += biases[place % outputs];
        if cuts(product.activation) {
            *value = (*value).max(0);
        }
    }

    let mut slopes = vec![0; sums.len()];
    if product.pools && !product.spreads {
        for (slope, origin) in gradient.iter().zip(&origins) {
            slopes[*origin] = *slope;
        }
    } else {
        slopes.clone_from(gradient);
    }
    let mut weight_gradient = vec![0; weights.len()];
    let mut back = vec![0; input.len()];
    for &(tap, from, to) in &taps {
        for ci in 0..inputs {
            for co in 0..outputs {
                let weight = (tap * inputs + ci) * outputs + co;
                weight_gradient[weight] += input[from + ci] * slopes[to + co];
                back[from + ci] += slopes[to + co] * weights[weight];
            }
        }
    }
    for (place, slope) in slopes.iter().enumerate() {
        let bias = weights.len() - outputs + place % outputs;
        weight_gradient[bias] += slope;
    }
    if cuts(product.before) {
        for (value, input) in back.iter_mut().zip(input) {
            *value *= i32::from(*input > 0);
        }
    }
    let input_gradient = match product.behind {
        None => back,
        Some(made) => spread(made, *count, &back, largest),
    };
    Wanted { made, input_gradient, weight_gradient }
}

/// To the largest of four pixels each.
fn spread(made: Shape, count: usize, back: &[i32], largest: &[u8]) -> Vec<i32> {
    let output = Shape { height: 2 * made.height, width: 2 * made.width, ..made };
    let mut all = vec![0; count * output.len()];
    for n in 0..count {
        for (y, x) in places(made) {
            for channel in 0..made.channels {
                let from = at(made, n, y, x) + channel;
                let which = usize::from(largest[from]);
                all[at(output, n, 2 * y + which / 2, 2 * x + which % 2) + channel] = back[from];
            }
        }
    }
    all
}
