//! Losses, gradients and Hessians once more, in plain loops: they share no code with those audited.

use corefed_core::{Family, linalg::dot};

use crate::instance::{CLASSES, Instance};

/// One agent's loss at some parameters, with its derivatives.
pub(crate) struct Local {
    pub(crate) loss: f64,
    pub(crate) gradient: Vec<f64>,
    /// Row-major.
    pub(crate) hessian: Vec<f64>,
}

/// `x · theta - y` in twice the working precision: a target may be a million million times its noise.
fn difference(x: &[f64], theta: &[f64], y: f64) -> f64 {
    let (mut high, mut low) = (-y, 0.0);
    for (a, b) in x.iter().zip(theta) {
        let product = a * b;
        low += a.mul_add(*b, -product);
        let sum = high + product;
        let part = sum - high;
        low += (high - (sum - part)) + (product - part);
        high = sum;
    }
    high + low
}

/// The loss of an agent.
pub(crate) fn loss(instance: &Instance, agent: usize, params: &[f64]) -> f64 {
    evaluate(instance, agent, params, false).loss
}

/// The loss of an agent with both derivatives.
pub(crate) fn local(instance: &Instance, agent: usize, params: &[f64]) -> Local {
    evaluate(instance, agent, params, true)
}

fn evaluate(instance: &Instance, agent: usize, params: &[f64], derivatives: bool) -> Local {
    let federation = &instance.federation;
    let dim = federation.design().dim();
    let rows = federation.agents()[agent].rows.clone();
    let samples = rows.len() as f64;
    let n = if derivatives { params.len() } else { 0 };
    let mut local = Local { loss: 0.0, gradient: vec![0.0; n], hessian: vec![0.0; n * n] };
    for row in rows {
        let (x, y) = (federation.design().dense_rows(row..row + 1), federation.target()[row]);
        let (loss, slopes, curvatures) = match instance.family {
            Family::Linear => {
                let error = difference(x, params, y);
                (error * error, vec![2.0 * error], vec![2.0])
            }
            Family::Logistic => {
                let z = if y == 1.0 { -dot(x, params) } else { dot(x, params) };
                let p = 1.0 / (1.0 + (-z).exp());
                let loss = z.max(0.0) + (-z.abs()).exp().ln_1p();
                (loss, vec![if y == 1.0 { -p } else { p }], vec![p * (1.0 - p)])
            }
            Family::Softmax => softmax(x, params, y),
            Family::Poisson => {
                let exposure = federation.exposure(row..row + 1).first().map_or(1.0, |e| *e);
                let mean = exposure * dot(x, params).exp();
                let fit = if y > 0.0 { y * (y / mean).ln() } else { 0.0 };
                (mean - y + fit, vec![mean - y], vec![mean])
            }
        };
        local.loss += loss / samples;
        if !derivatives {
            continue;
        }
        let blocks = slopes.len();
        for (b, slope) in slopes.iter().enumerate() {
            for (k, x_k) in x.iter().enumerate() {
                let at = b * dim + k;
                local.gradient[at] += slope * x_k / samples;
                for c in 0..blocks {
                    let curvature = curvatures[b * blocks + c];
                    for (l, x_l) in x.iter().enumerate() {
                        local.hessian[at * n + c * dim + l] += curvature * x_k * x_l / samples;
                    }
                }
            }
        }
    }
    local.loss += 0.5 * instance.l2 * dot(params, params);
    for (k, (slope, theta)) in local.gradient.iter_mut().zip(params).enumerate() {
        *slope += instance.l2 * theta;
        local.hessian[k * n + k] += instance.l2;
    }
    local
}

fn softmax(x: &[f64], params: &[f64], y: f64) -> (f64, Vec<f64>, Vec<f64>) {
    let scores: Vec<f64> = params.chunks_exact(x.len()).map(|block| dot(x, block)).collect();
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|z| (z - largest).exp()).sum();
    let p: Vec<f64> = scores.iter().map(|z| (z - largest).exp() / total).collect();
    let label = (0..CLASSES).find(|k| *k as f64 == y).unwrap_or(0);
    let slopes = (0..CLASSES).map(|k| p[k] - f64::from(u8::from(k == label))).collect();
    let mut curvatures = vec![0.0; CLASSES * CLASSES];
    for a in 0..CLASSES {
        for b in 0..CLASSES {
            curvatures[a * CLASSES + b] = p[a] * (f64::from(u8::from(a == b)) - p[b]);
        }
    }
    (largest - scores[label] + total.ln(), slopes, curvatures)
}
