//! Whole training steps of the device's kernels, run on the host, beside the CPU engine.

mod cases;
mod exact;
mod host;
mod judging;
mod reference;

use corefed_core::Seed;
use corefed_nn::{Architecture, Init, Loss, Network, Samples, Shape, sgd_step};

use self::cases::{CASES, room};
use self::host::{REGION, run};
use crate::agent::{Agent, Objective, Task};
use crate::crowd::{Crowd, Use};
use crate::form::Form;
use crate::layout::{Layout, stride};
use crate::plan::{Op, convolves, plan};
use crate::precision::Precision;
use crate::rounding::{bf16, tf32};
use crate::steps::{Kernel, Outside, Recipe};
use crate::tile::{Machine, Tile};

/// Blocks run one after another, so there are no clusters.
const MACHINE: Machine = Machine { processors: 132, copies: true, clusters: false };
/// Where `host` puts what kernels read.
const OUTSIDE: Outside = Outside {
    base: REGION,
    pixels: 2 * REGION,
    shade: 3 * REGION,
    labels: 4 * REGION,
    order: 5 * REGION,
    losses: 0,
    correct: 0,
};
const ROWS: usize = 11;
const CLASSES: usize = 5;

fn bytes<T: Copy, const N: usize>(numbers: &[T], convert: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|number| convert(*number)).collect()
}

fn put(memory: &mut [u8], at: usize, what: &[u8]) {
    memory[at..at + what.len()].copy_from_slice(what);
}

/// With a drift the second agent alone has one: the first adds zeros.
fn tasks<'a>(orders: &'a [Vec<u32>], drift: Option<(&'a [f32], &'a [f32])>) -> Vec<Task<'a>> {
    let task = |agent: usize, batch: usize, steps: usize, objective: Objective| Task {
        order: &orders[agent],
        epoch_rows: ROWS - agent,
        batch,
        steps,
        learning_rate: 0.1,
        momentum: 0.5 * agent as f32,
        weight_decay: 0.02,
        objective,
        dropout_seed: 3 + agent as u64,
        drift: drift.filter(|_| agent == 1),
    };
    let utility = Objective::LogUtility { ceiling: 4.0, floor: 0.2 };
    vec![task(0, 4, 4, Objective::Loss), task(1, 6, 2, utility)]
}

/// How products are cut among blocks.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// As the model of a device with this many multiprocessors wants it.
    For { processors: usize },
    /// As it is wanted where nothing can be copied past the registers.
    Staged,
    /// In turn, as no model would.
    Other(usize),
}

/// Buffers of a crowd whose products are cut so.
fn layout(ops: &[Op], dim: usize, crowd: Crowd, precision: Precision, cut: Cut) -> Layout {
    let machine = match cut {
        Cut::For { processors } => Machine { processors, ..MACHINE },
        Cut::Staged => Machine { copies: false, ..MACHINE },
        Cut::Other(_) => MACHINE,
    };
    let layout = Layout::new(ops, dim, crowd, machine, precision);
    if let Cut::Other(turn) = cut { recut(layout, crowd, precision, turn) } else { layout }
}

/// Cuts every product in another way, shared among three blocks where it is long enough.
fn recut(mut layout: Layout, crowd: Crowd, precision: Precision, turn: usize) -> Layout {
    let mut number = turn;
    for product in layout.ops.iter_mut().flat_map(|op| &mut op.products) {
        let (kind, extent) = (product.kind, product.extent);
        let ranked = Tile::ranked(kind, extent, crowd.agents, MACHINE, precision);
        number += 41;
        let tile = ranked[number % ranked.len()].1;
        let splits = if extent.reds.div_ceil(tile.depth) > 3 { 3 } else { 1 };
        product.tile = Tile { splits, ..tile };
        product.partial = layout.bytes;
        layout.bytes += (4 * product.tile.partials(extent, crowd.agents)).next_multiple_of(256);
        product.arrivals = layout.bytes;
        layout.bytes += (4 * product.tile.counters(extent, crowd.agents)).next_multiple_of(256);
    }
    layout
}

/// How far what the kernels changed is from what the CPU engine changes; `None` without a compiler.
fn distance(
    name: &str,
    (input, layers): (Shape, &[&str]),
    loss: Loss,
    precision: Precision,
    in_bytes: bool,
    cut: Cut,
) -> Option<f64> {
    let layers = layers.iter().map(|layer| layer.parse().expect("a layer")).collect();
    let network =
        Network::new(Architecture { input, classes: CLASSES, layers, loss }).expect("a network");
    let pixel = |at: usize| u8::try_from(at * 7919 % 251).expect("a byte");
    let raw: Vec<u8> = (0..ROWS * input.len()).map(pixel).collect();
    let pixels: Vec<f32> = raw.iter().map(|byte| f32::from(*byte) / 64.0 - 2.0).collect();
    let labels: Vec<u8> =
        (0..ROWS).map(|row| u8::try_from(row * 3 % CLASSES).expect("a class")).collect();
    let start = network.initial(Seed(2), Init::Kaiming);
    let orders: Vec<Vec<u32>> = (0..2_u32)
        .map(|agent| {
            let rows = 11 - agent;
            (0..3 * rows).map(|at| (at * 4 + agent + at / rows) % rows).collect()
        })
        .collect();
    // Where images are bytes, gradients are corrected as well.
    let numbers = |turn: usize| -> Vec<f32> {
        (0..start.len()).map(|at| (at * turn % 17) as f32 / 100.0 - 0.08).collect()
    };
    let (common, own) = (numbers(5), numbers(11));
    let tasks = tasks(&orders, in_bytes.then_some((&common, &own)));

    let ops = plan(&network);
    // One place is for an agent that this round lacks.
    let crowd = Crowd {
        agents: 3,
        batch: room(name),
        purpose: Use::Train,
        momentum: true,
        drift: in_bytes,
    };
    let layout = layout(&ops, network.dim(), crowd, precision, cut);
    let outside = OUTSIDE;
    let form = Form::new(in_bytes, input.channels, convolves(&ops));
    let recipe =
        Recipe { network: &network, ops: &ops, crowd, layout: &layout, precision, form, outside };
    let mut memory = vec![0; layout.bytes];
    let mut agents = Vec::new();
    let mut order = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        let agent = Agent::new(number, task, order.len()).expect("a task");
        agents.extend(bytes(&agent.words(), u32::to_le_bytes));
        order.extend_from_slice(task.order);
        let params = bytes(&start, f32::to_le_bytes);
        put(&mut memory, layout.params + 4 * stride(network.dim()) * number, &params);
        if precision == Precision::Bf16 {
            let rounded: Vec<u16> = start.iter().map(|x| bf16(*x)).collect();
            let rounded = bytes(&rounded, u16::to_le_bytes);
            put(&mut memory, layout.factors + 2 * stride(network.dim()) * number, &rounded);
        } else if layout.factors != layout.params {
            let rounded: Vec<f32> = start.iter().map(|x| tf32(*x)).collect();
            let rounded = bytes(&rounded, f32::to_le_bytes);
            put(&mut memory, layout.factors + 4 * stride(network.dim()) * number, &rounded);
        }
    }
    if let Some(at) = layout.drift {
        let added: Vec<f32> = common.iter().zip(&own).map(|(common, own)| common - own).collect();
        put(&mut memory, at + 4 * stride(network.dim()), &bytes(&added, f32::to_le_bytes));
    }
    agents.extend(bytes(&Agent::done().words(), u32::to_le_bytes));
    put(&mut memory, layout.agents, &agents);
    let stored =
        if in_bytes { form.widened(&raw) } else { bytes(&form.widened(&pixels), f32::to_le_bytes) };
    let shade = [vec![1.0 / 64.0; input.channels], vec![-2.0; input.channels]].concat();
    let shade = bytes(&shade, f32::to_le_bytes);
    let regions =
        [memory, stored, shade, labels.clone(), bytes(&order, u32::to_le_bytes), Vec::new()];
    let kernels = recipe.kernels();
    if name.starts_with("border") {
        assert!(kernels.iter().any(|kernel| kernel.source.text().contains("IMAGES = 16")));
    }
    if name.starts_with("averages") {
        // Beside products of bf16, some of floats are copied.
        let has = |kernel: &Kernel, wanted: [&str; 2]| {
            let text = kernel.source.text();
            wanted.iter().all(|wanted| text.contains(wanted))
        };
        assert!(kernels.iter().any(|kernel| has(kernel, ["PRECISION = 1;", "COPIES = 1;"])));
        assert!(kernels.iter().any(|kernel| has(kernel, ["PRECISION = 3;", "COPIES = 1;"])));
    }
    let out = run(name, &kernels, 4, &regions)?;

    let mut worst = 0.0_f64;
    for (number, task) in tasks.iter().enumerate() {
        let at = layout.params + 4 * stride(network.dim()) * number;
        let found = out[at..at + 4 * network.dim()].chunks_exact(4);
        let found: Vec<f32> =
            found.map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect();
        let wanted = expected(&network, &pixels, &labels, &start, task);
        let square = |x: f64| x * x;
        let error: f64 = found.iter().zip(&wanted).map(|(f, w)| square(f64::from(f - w))).sum();
        let size: f64 = start.iter().zip(&wanted).map(|(s, w)| square(f64::from(s - w))).sum();
        let apart = (error / size).sqrt();
        worst = if apart.is_nan() { f64::INFINITY } else { worst.max(apart) };
    }
    Some(worst)
}

/// Parameters after the same steps on the CPU.
fn expected(
    network: &Network,
    pixels: &[f32],
    labels: &[u8],
    start: &[f32],
    task: &Task<'_>,
) -> Vec<f32> {
    let len = network.input().len();
    let mut params = start.to_vec();
    let (mut velocity, mut gradient) = (vec![0.0; params.len()], vec![0.0; params.len()]);
    let mut workspace = network.workspace(task.batch);
    let per_epoch = task.epoch_rows.div_ceil(task.batch);
    for step in 0..task.steps {
        let within = step % per_epoch * task.batch;
        let at = step / per_epoch * task.epoch_rows + within;
        let rows = &task.order[at..at + task.batch.min(task.epoch_rows - within)];
        let batch: Vec<f32> = rows
            .iter()
            .flat_map(|row| &pixels[*row as usize * len..(*row as usize + 1) * len])
            .copied()
            .collect();
        let labels: Vec<u8> = rows.iter().map(|row| labels[*row as usize]).collect();
        let samples = Samples { pixels: &batch, labels: &labels };
        let seed = Some(task.dropout_seed + step as u64);
        let loss = network.gradient(&params, samples, seed, &mut workspace, &mut gradient);
        if let Objective::LogUtility { ceiling, floor } = task.objective {
            #[expect(clippy::cast_possible_truncation, reason = "gradients are `f32`")]
            let scale = 1.0 / (f64::from(ceiling) - loss).max(f64::from(floor)) as f32;
            for g in &mut gradient {
                *g *= scale;
            }
        }
        if let Some((common, own)) = task.drift {
            for ((g, common), own) in gradient.iter_mut().zip(common).zip(own) {
                *g += common - own;
            }
        }
        let (rate, momentum, decay) = (task.learning_rate, task.momentum, task.weight_decay);
        sgd_step(&mut params, &mut velocity, &gradient, rate, momentum, decay);
    }
    params
}

fn agree(cases: &[&str], precision: Precision, in_bytes: bool, cut: Cut, tolerance: f64) {
    for (name, input, layers) in CASES.into_iter().filter(|case| cases.contains(&case.0)) {
        let losses = [Loss::CrossEntropy, Loss::Bounded { smoothing: 0.1 }];
        let loss = losses[usize::from(name.len() % 2 == 0)];
        let label =
            format!("{name}-{precision:?}-{cut:?}").replace([' ', '{', '}', '(', ')', ':'], "");
        match distance(&label, (input, layers), loss, precision, in_bytes, cut) {
            Some(apart) => assert!(apart < tolerance, "{label}: {apart:e}"),
            None => eprintln!("SKIPPED: no C++ compiler to run kernels with"),
        }
    }
}

#[test]
fn kernels_take_the_steps_of_the_cpu_engine() {
    let all = ["spread", "linears", "channels", "pools", "strides", "points", "dropout"];
    agree(&all, Precision::Fp32, true, Cut::For { processors: 132 }, 1e-5);
}

#[test]
fn older_devices_take_the_same_steps() {
    agree(&["spread", "channels"], Precision::Fp32, true, Cut::Staged, 1e-5);
}

#[test]
fn images_may_be_floats() {
    agree(&["linears", "strides"], Precision::Fp32, false, Cut::For { processors: 1 }, 1e-5);
}

#[test]
fn tensor_cores_take_nearly_the_same_steps() {
    agree(&["pools", "spread"], Precision::Tf32, true, Cut::For { processors: 132 }, 5e-2);
    let cases = ["linears", "channels", "strides"];
    agree(&cases, Precision::Tf32x3, true, Cut::For { processors: 1 }, 1e-5);
}

#[test]
fn halves_take_nearly_the_same_steps() {
    let cut = Cut::For { processors: 132 };
    let (few, some) = (["linears", "strides", "points", "dropout"], ["spread", "pools"]);
    agree(&few, Precision::Bf16, true, cut, 2e-3);
    agree(&some, Precision::Bf16, true, cut, 3e-2);
    // A number of the third batch comes to the other side of a kink.
    agree(&["channels"], Precision::Bf16, true, cut, 3e-1);
    let cases = ["border", "smooth", "averages"];
    agree(&cases, Precision::Bf16, true, Cut::For { processors: 3 }, 3e-2);
    agree(&["many", "broad"], Precision::Bf16, false, Cut::Other(1), 2e-3);
}

#[test]
fn any_tiles_take_the_same_steps() {
    for turn in 0..2 {
        agree(&["many"], Precision::Fp32, turn == 0, Cut::Other(turn), 1e-5);
        agree(&["many"], Precision::Tf32x3, turn == 1, Cut::Other(turn + 2), 1e-5);
    }
}

#[test]
fn what_windows_do_not_see_is_left_out() {
    agree(&["border"], Precision::Fp32, true, Cut::For { processors: 132 }, 1e-5);
    agree(&["border"], Precision::Tf32x3, true, Cut::For { processors: 3 }, 1e-5);
    for turn in 0..3 {
        agree(&["border"], Precision::Fp32, true, Cut::Other(turn), 1e-5);
    }
}

#[test]
fn small_pooled_convolutions_are_computed_directly() {
    let cases = ["grey", "broad", "mixed"];
    // One image in a block, several, or all.
    for (processors, in_bytes) in [(132, true), (3, false), (1, true)] {
        agree(&cases, Precision::Fp32, in_bytes, Cut::For { processors }, 1e-5);
    }
    // Only the linear layer is rounded.
    agree(&["grey"], Precision::Tf32, true, Cut::For { processors: 132 }, 5e-3);
}
