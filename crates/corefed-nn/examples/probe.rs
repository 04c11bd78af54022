//! Answers questions about networks, so that PyTorch can be asked the same (`networks/`).
//!
//! One JSON object per line: a network with its tensors and some images, and how many steps to train. The answer has
//! logits, loss and gradient at the given tensors, then losses of all steps and the tensors after them.
#![expect(clippy::print_stdout, reason = "it talks to a script")]

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use corefed_log::{Tensor, TensorData, write_model};
use corefed_nn::{Architecture, Loss, NamedTensor, Network, Samples, Shape, sgd_step};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Question {
    input: [usize; 3],
    classes: usize,
    layers: Vec<String>,
    /// Of the bounded loss; cross-entropy without.
    smoothing: Option<f64>,
    tensors: Vec<NamedNumbers>,
    pixels: Vec<f32>,
    labels: Vec<u8>,
    /// Images that the workspace takes at once.
    batch: usize,
    steps: usize,
    lr: f32,
    momentum: f32,
    weight_decay: f32,
    /// Where to write the last tensors.
    save: Option<PathBuf>,
}

#[derive(Deserialize, Serialize)]
struct NamedNumbers {
    name: String,
    shape: Vec<usize>,
    data: Vec<f32>,
}

#[derive(Serialize)]
struct Answer {
    logits: Vec<f32>,
    loss: f64,
    correct: usize,
    gradient: Vec<NamedNumbers>,
    /// The product of the Hessian with the given tensors; none for networks with kinks.
    hessian_times_tensors: Option<Vec<NamedNumbers>>,
    losses: Vec<f64>,
    tensors: Vec<NamedNumbers>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in io::stdin().lock().lines() {
        let answer = answer(&serde_json::from_str(&line?)?)?;
        println!("{}", serde_json::to_string(&answer)?);
        io::stdout().flush()?;
    }
    Ok(())
}

fn answer(question: &Question) -> Result<Answer, Box<dyn std::error::Error>> {
    let [height, width, channels] = question.input;
    let loss = match question.smoothing {
        Some(smoothing) => Loss::Bounded { smoothing },
        None => Loss::CrossEntropy,
    };
    let layers = question.layers.iter().map(|layer| layer.parse()).collect::<Result<_, _>>()?;
    let input = Shape { height, width, channels };
    let network = Network::new(Architecture { input, classes: question.classes, layers, loss })?;
    let given = question.tensors.iter().map(|NamedNumbers { name, shape, data }| NamedTensor {
        name: name.clone(),
        shape: shape.clone(),
        data: data.clone(),
    });
    let mut params = network.from_tensors(&given.collect::<Vec<_>>())?;
    let samples = Samples { pixels: &question.pixels, labels: &question.labels };
    let mut workspace = network.workspace(question.batch);
    let mut logits = vec![0.0; samples.labels.len() * question.classes];
    network.logits(&params, samples.pixels, &mut workspace, &mut logits);
    let sums = network.measure(&params, samples, &mut workspace);
    let mut gradient = vec![0.0; network.dim()];
    network.gradient(&params, samples, None, &mut workspace, &mut gradient);
    let mut product = vec![0.0; network.dim()];
    let smooth =
        network.hessian_product(&params, samples, &params, &mut workspace, &mut product).is_ok();
    let first = (numbers(&network, &gradient), smooth.then(|| numbers(&network, &product)));
    let mut velocity = vec![0.0; network.dim()];
    let mut losses = Vec::new();
    for _ in 0..question.steps {
        losses.push(network.gradient(&params, samples, None, &mut workspace, &mut gradient));
        let Question { lr, momentum, weight_decay, .. } = *question;
        sgd_step(&mut params, &mut velocity, &gradient, lr, momentum, weight_decay);
    }
    if let Some(path) = &question.save {
        let tensor =
            |NamedTensor { name, shape, data }| Tensor { name, shape, data: TensorData::F32(data) };
        let tensors: Vec<Tensor> = network.to_tensors(&params).into_iter().map(tensor).collect();
        write_model(path, &tensors)?;
    }
    Ok(Answer {
        logits,
        loss: sums.loss / samples.labels.len() as f64,
        correct: sums.correct,
        gradient: first.0,
        hessian_times_tensors: first.1,
        losses,
        tensors: numbers(&network, &params),
    })
}

fn numbers(network: &Network, params: &[f32]) -> Vec<NamedNumbers> {
    let named = |NamedTensor { name, shape, data }| NamedNumbers { name, shape, data };
    network.to_tensors(params).into_iter().map(named).collect()
}
