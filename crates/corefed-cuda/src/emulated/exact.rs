//! Kernels of whole numbers, which every precision multiplies and adds up without an error. What is rounded when it is
//! written is rounded here too, so that a number in a wrong place, or a rounding too many, shows as such.

use corefed_nn::{Architecture, Loss, Network, Shape};

use super::cases::WHOLE;
use super::host::run;
use super::reference::{Given, reference};
use super::{Cut, OUTSIDE, bytes, layout, put};
use crate::agent::{Agent, Objective, Task};
use crate::crowd::{Crowd, Use};
use crate::form::Form;
use crate::layout::{Layout, stride};
use crate::plan::{Op, plan};
use crate::precision::Precision;
use crate::product::Product;
use crate::rounding::{bf16, tf32};
use crate::steps::{Kernel, Recipe};

const IMAGE: Shape = Shape { height: 9, width: 8, channels: 3 };

/// Rows of the batches of two agents.
const COUNTS: [usize; 2] = [4, 3];

/// Small whole numbers without an order.
fn whole(count: usize, most: i32, seed: u32) -> Vec<i32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i32::try_from(state >> 16).expect("16 bits") % (2 * most + 1) - most
    };
    (0..count).map(|_| next()).collect()
}

fn float(x: i32) -> f32 {
    x as f32
}

/// Numbers as they lie in memory.
fn stored(numbers: &[i32], half: bool) -> Vec<u8> {
    let floats: Vec<f32> = numbers.iter().map(|x| float(*x)).collect();
    if half {
        let halves: Vec<u16> = floats.iter().map(|x| bf16(*x)).collect();
        bytes(&halves, u16::to_le_bytes)
    } else {
        bytes(&floats, f32::to_le_bytes)
    }
}

/// The same read back.
fn values(memory: &[u8], size: usize) -> Vec<f32> {
    let value = |bytes: &[u8]| {
        let mut word = [0; 4];
        word[4 - size..].copy_from_slice(bytes);
        f32::from_le_bytes(word)
    };
    memory.chunks_exact(size).map(value).collect()
}

/// Buffers of one layer and of those beside it.
struct Bench<'a> {
    product: &'a Product,
    layout: &'a Layout,
    place: usize,
    precision: Precision,
    room: usize,
    dim: usize,
}

impl Bench<'_> {
    fn size(half: bool) -> usize {
        if half { 2 } else { 4 }
    }

    /// Where an agent's numbers begin, of which a sample has this many.
    fn of(&self, buffer: usize, agent: usize, each: usize, half: bool) -> usize {
        buffer + Self::size(half) * agent * self.room * each
    }

    fn weights(&self) -> usize {
        let Product { window, input, output, .. } = self.product;
        (window.size * window.size * input.channels + 1) * output.channels
    }

    /// Numbers of a sample in the gradient of the input.
    fn back(&self) -> usize {
        self.product.input.len() * if self.product.behind.is_some() { 4 } else { 1 }
    }

    fn given(&self, agent: usize) -> Given {
        let (product, count) = (self.product, COUNTS[agent]);
        let seed = u32::try_from(10 * self.place + 100 * agent).expect("a small number");
        let mut input = whole(count * product.input.len(), 5, seed);
        if product.before.is_some() {
            for x in &mut input {
                *x = (*x).max(0);
            }
        }
        let pools = whole(count * product.input.len(), 1, seed + 3);
        Given {
            count,
            input,
            gradient: whole(count * product.gradients(), 5, seed + 1),
            weights: whole(self.weights(), 3, seed + 2),
            largest: pools.iter().map(|x| u8::try_from(x + 2).expect("one of four")).collect(),
        }
    }

    fn write(&self, memory: &mut [u8], agent: usize, given: &Given) {
        let (product, layout) = (self.product, self.layout);
        let (own, before) = (&layout.ops[self.place], &layout.ops[self.place - 1]);
        let halves = product.halves(self.precision);
        let each = product.input.len();
        let input = self.of(before.made, agent, each, halves.activations.0);
        put(memory, input, &stored(&given.input, halves.activations.0));
        let gradient = own.gradient.expect("a gradient");
        let gradient = self.of(gradient, agent, product.gradients(), halves.gradients.1);
        put(memory, gradient, &stored(&given.gradient, halves.gradients.1));
        if let Some(index) = before.index {
            put(memory, index + agent * self.room * each, &given.largest);
        }
        let first = stride(self.dim) * agent + product.offset;
        put(memory, layout.params + 4 * first, &stored(&given.weights, false));
        let half = self.precision == Precision::Bf16;
        put(memory, layout.factors + Self::size(half) * first, &stored(&given.weights, half));
    }

    fn run(&self, label: &str, kernels: &[Kernel]) -> Option<Vec<u8>> {
        // What nobody wrote is not a number, whether it is read as a float or as bf16.
        let mut memory = vec![0xff; self.layout.bytes];
        put(&mut memory, self.layout.clock, &[0; 8]);
        let counters = self.layout.ops[self.place].products.iter();
        for cut in counters {
            let bytes = 4 * cut.tile.counters(cut.extent, 2);
            put(&mut memory, cut.arrivals, &vec![0; bytes]);
        }
        let mut agents = Vec::new();
        for (number, count) in COUNTS.into_iter().enumerate() {
            let order: Vec<u32> = (0..6).collect();
            let task = Task {
                order: &order,
                epoch_rows: count,
                batch: count,
                steps: 1,
                learning_rate: 1.0,
                momentum: 0.0,
                weight_decay: 0.0,
                objective: Objective::Loss,
                dropout_seed: 0,
                drift: None,
            };
            let agent = Agent::new(number, &task, 0).expect("a task");
            agents.extend(bytes(&agent.words(), u32::to_le_bytes));
            self.write(&mut memory, number, &self.given(number));
        }
        put(&mut memory, self.layout.agents, &agents);
        let velocity = self.layout.velocity.expect("momentum");
        put(&mut memory, velocity, &vec![0; 4 * 2 * stride(self.dim)]);
        let nothing = || vec![0; 64];
        let regions = [memory, nothing(), nothing(), nothing(), nothing(), nothing()];
        run(label, kernels, 1, &regions)
    }

    fn check(&self, memory: &[u8], agent: usize, given: &Given, label: &str) {
        let (product, layout) = (self.product, self.layout);
        let wanted = reference(product, given);
        let halves = product.halves(self.precision);
        let same = |what: &str, at: usize, wanted: &[u8], size: usize| {
            let found = values(&memory[at..at + wanted.len()], size);
            let pairs = found.into_iter().zip(values(wanted, size));
            // Zeros may have signs; what is not a number equals nothing.
            let wrong: Vec<usize> =
                pairs.enumerate().filter(|(_, (f, w))| f != w).map(|(at, _)| at).collect();
            assert!(
                wrong.is_empty(),
                "{label}, agent {agent}: {} of {} {what} are wrong, the first is number {}",
                wrong.len(),
                wanted.len() / size,
                wrong[0]
            );
        };
        let half = halves.activations.1;
        let made = self.of(layout.ops[self.place].made, agent, product.made().len(), half);
        same("results", made, &stored(&wanted.made, half), Self::size(half));
        let half = halves.gradients.0;
        let back = layout.ops[self.place - 1].gradient.expect("a gradient");
        let back = self.of(back, agent, self.back(), half);
        same("gradients", back, &stored(&wanted.input_gradient, half), Self::size(half));

        let pairs = given.weights.iter().zip(&wanted.weight_gradient);
        let moved: Vec<i32> = pairs.map(|(weight, slope)| weight - slope).collect();
        let first = stride(self.dim) * agent + product.offset;
        same("weights", layout.params + 4 * first, &stored(&moved, false), 4);
        if self.precision == Precision::Bf16 {
            same("factors", layout.factors + 2 * first, &stored(&moved, true), 2);
        } else if layout.factors != layout.params {
            let rounded: Vec<f32> = moved.iter().map(|x| tf32(float(*x))).collect();
            let rounded = bytes(&rounded, f32::to_le_bytes);
            same("factors", layout.factors + 4 * first, &rounded, 4);
        }
    }
}

/// All products of a network's layers, each layer alone.
fn exact(names: &[&str], precision: Precision, cut: Cut) {
    for (name, room, layers) in WHOLE.into_iter().filter(|case| names.contains(&case.0)) {
        let layers = layers.iter().map(|layer| layer.parse().expect("a layer")).collect();
        let loss = Loss::CrossEntropy;
        let network = Network::new(Architecture { input: IMAGE, classes: 10, layers, loss });
        let network = network.expect("a network");
        let (ops, dim) = (plan(&network), network.dim());
        let crowd =
            Crowd { agents: 2, batch: room, purpose: Use::Train, momentum: true, drift: false };
        let layout = layout(&ops, dim, crowd, precision, cut);
        let (outside, form) = (OUTSIDE, Form::new(true, IMAGE.channels, true));
        let network = &network;
        let recipe =
            Recipe { network, ops: &ops, crowd, layout: &layout, precision, form, outside };
        let kernels = recipe.kernels();
        let halves: Vec<String> = kernels
            .iter()
            .map(|kernel| kernel.source.text())
            .filter(|text| text.contains("PRECISION = 3;"))
            .collect();
        let copies = precision == Precision::Bf16 && !matches!(cut, Cut::Staged);
        assert_eq!(!halves.is_empty(), copies);
        if copies && name == "small" {
            assert!(halves.iter().any(|text| text.contains("IMAGES = 16;")));
        }
        for (place, op) in ops.iter().enumerate().skip(1) {
            let Op::Product(product) = op else { panic!("only products") };
            let bench = Bench { product, layout: &layout, place, precision, room, dim };
            let label = format!("exact-{name}-{place}-{precision:?}-{cut:?}")
                .replace([' ', '{', '}', '(', ')', ':'], "");
            let own = format!("layer {place} ");
            let kernels: Vec<_> =
                kernels.iter().filter(|kernel| kernel.label.starts_with(&own)).cloned().collect();
            assert_eq!(kernels.len(), 3);
            let Some(out) = bench.run(&label, &kernels) else {
                eprintln!("SKIPPED: no C++ compiler to run kernels with");
                return;
            };
            for agent in 0..2 {
                bench.check(&out, agent, &bench.given(agent), &label);
            }
        }
    }
}

#[test]
fn whole_numbers_are_multiplied_exactly() {
    let all = WHOLE.map(|(name, ..)| name);
    exact(&all, Precision::Bf16, Cut::For { processors: 132 });
    exact(&["pooled", "small"], Precision::Tf32, Cut::For { processors: 132 });
    exact(&["plain"], Precision::Fp32, Cut::For { processors: 132 });
}

#[test]
fn whole_numbers_are_multiplied_exactly_in_any_tiles() {
    let all = WHOLE.map(|(name, ..)| name);
    exact(&all, Precision::Bf16, Cut::Other(0));
    exact(&["plain", "pooled", "small"], Precision::Bf16, Cut::Other(1));
    exact(&["plain"], Precision::Bf16, Cut::For { processors: 1 });
    exact(&["rests"], Precision::Bf16, Cut::Staged);
}
