//! Losses and gradients of one model by the device's kernels, beside the CPU engine.

use corefed_core::Seed;
use corefed_nn::{Architecture, Init, Loss, Network, Samples, Shape};

use super::cases::{CASES, room};
use super::host::{REGION, run};
use super::{CLASSES, MACHINE, OUTSIDE, ROWS, bytes, put};
use crate::agent::Agent;
use crate::crowd::{Crowd, Use};
use crate::form::Form;
use crate::layout::Layout;
use crate::plan::{Op, convolves, plan};
use crate::precision::Precision;
use crate::steps::{Kernel, Outside, Recipe};

const ALL: [Precision; 4] = [Precision::Fp32, Precision::Tf32, Precision::Tf32x3, Precision::Bf16];

/// One model of a case, and what an engine that trains with some precision prepares to judge it.
struct Judging {
    network: Network,
    ops: Vec<Op>,
    form: Form,
    crowd: Crowd,
    precision: Precision,
    layout: Layout,
}

impl Judging {
    fn new(name: &str, (input, layers): (Shape, &[&str]), asked: Precision, purpose: Use) -> Self {
        let layers = layers.iter().map(|layer| layer.parse().expect("a layer")).collect();
        let loss = Loss::CrossEntropy;
        let network = Network::new(Architecture { input, classes: CLASSES, layers, loss })
            .expect("a network");
        let ops = plan(&network);
        let form = Form::new(true, input.channels, convolves(&ops));
        let crowd = Crowd { agents: 1, batch: room(name), purpose, momentum: false, drift: false };
        let precision = crowd.precision(asked);
        let layout = Layout::new(&ops, network.dim(), crowd, MACHINE, precision);
        Self { network, ops, form, crowd, precision, layout }
    }

    /// Losses lie behind everything else.
    fn kernels(&self) -> Vec<Kernel> {
        let losses = REGION + self.layout.bytes as u64;
        let outside = Outside { losses, correct: losses + 4 * ROWS as u64, ..OUTSIDE };
        let Self { network, ops, form, crowd, precision, layout } = self;
        let (crowd, precision, form) = (*crowd, *precision, *form);
        Recipe { network, ops, crowd, layout, precision, form, outside }.kernels()
    }

    /// How far the sum of losses, and their gradient where there is one, are from the CPU engine's; `None`
    /// without a compiler.
    fn apart(&self, label: &str) -> Option<(f64, f64)> {
        let (network, layout) = (&self.network, &self.layout);
        let input = network.input();
        let pixel = |at: usize| u8::try_from(at * 7919 % 251).expect("a byte");
        let raw: Vec<u8> = (0..ROWS * input.len()).map(pixel).collect();
        let pixels: Vec<f32> = raw.iter().map(|byte| f32::from(*byte) / 64.0 - 2.0).collect();
        let labels: Vec<u8> =
            (0..ROWS).map(|row| u8::try_from(row * 3 % CLASSES).expect("a class")).collect();
        let params = network.initial(Seed(2), Init::Kaiming);

        let mut memory = vec![0; layout.bytes + 5 * ROWS];
        let size = |number: usize| u32::try_from(number).expect("a small number");
        let agent = Agent::sums(size(ROWS), size(self.crowd.batch));
        put(&mut memory, layout.agents, &bytes(&agent.words(), u32::to_le_bytes));
        put(&mut memory, layout.params, &bytes(&params, f32::to_le_bytes));
        let shade = [vec![1.0 / 64.0; input.channels], vec![-2.0; input.channels]].concat();
        let order: Vec<u32> = (0..size(ROWS)).collect();
        let regions = [
            memory,
            self.form.widened(&raw),
            bytes(&shade, f32::to_le_bytes),
            labels.clone(),
            bytes(&order, u32::to_le_bytes),
            Vec::new(),
        ];
        let out = run(label, &self.kernels(), agent.steps as usize, &regions)?;

        let samples = Samples { pixels: &pixels, labels: &labels };
        let mut workspace = network.workspace(ROWS);
        let wanted = network.measure(&params, samples, &mut workspace);
        let (losses, correct) = out[layout.bytes..].split_at(4 * ROWS);
        let float = |four: &[u8]| f32::from_le_bytes(four.try_into().expect("four bytes"));
        let loss: f64 = losses.chunks_exact(4).map(|four| f64::from(float(four))).sum();
        assert_eq!(correct.iter().map(|one| usize::from(*one)).sum::<usize>(), wanted.correct);
        let of_losses = (loss / wanted.loss - 1.0).abs();
        if self.crowd.purpose == Use::Evaluate {
            return Some((of_losses, 0.0));
        }
        let mut gradient = vec![0.0; network.dim()];
        network.gradient(&params, samples, None, &mut workspace, &mut gradient);
        let double = |eight: &[u8]| f64::from_le_bytes(eight.try_into().expect("eight bytes"));
        let found = out[layout.sum..layout.sum + 8 * network.dim()].chunks_exact(8).map(double);
        let (mut error, mut whole) = (0.0, 0.0);
        for (found, wanted) in found.zip(gradient) {
            let wanted = f64::from(wanted);
            error += (found / ROWS as f64 - wanted).powi(2);
            whole += wanted * wanted;
        }
        Some((of_losses, (error / whole).sqrt()))
    }
}

#[test]
fn a_model_is_judged_in_single_precision_however_it_was_trained() {
    for (name, input, layers) in CASES {
        for purpose in [Use::Evaluate, Use::Gradient] {
            let of = |asked| {
                let judging = Judging::new(name, (input, layers), asked, purpose);
                let text = |kernel: Kernel| kernel.source.text();
                let texts: Vec<String> = judging.kernels().into_iter().map(text).collect();
                // No rounded copies of weights, for nobody would write them.
                assert_eq!(judging.layout.factors, judging.layout.params);
                (judging.layout.bytes, texts)
            };
            let plain = of(Precision::Fp32);
            for precision in ["PRECISION = 1;", "PRECISION = 2;", "PRECISION = 3;"] {
                assert!(plain.1.iter().all(|text| !text.contains(precision)), "{name}");
            }
            assert!(ALL.into_iter().all(|asked| of(asked) == plain), "{name} {purpose:?}");
        }
    }
}

#[test]
fn training_keeps_its_precision() {
    let crowd = Crowd { agents: 1, batch: 1, purpose: Use::Train, momentum: false, drift: false };
    assert_eq!(ALL.map(|asked| crowd.precision(asked)), ALL);
}

#[test]
fn kernels_have_the_losses_and_gradients_of_the_cpu_engine() {
    let chosen = ["spread", "channels", "strides", "points", "dropout", "grey"];
    for (name, input, layers) in CASES.into_iter().filter(|case| chosen.contains(&case.0)) {
        for purpose in [Use::Evaluate, Use::Gradient] {
            let label = format!("{name}-{purpose:?}");
            let judging = Judging::new(name, (input, layers), Precision::Bf16, purpose);
            match judging.apart(&label) {
                Some((losses, gradient)) => {
                    assert!(losses < 1e-6, "{label}: {losses:e}");
                    assert!(gradient < 1e-5, "{label}: {gradient:e}");
                }
                None => eprintln!("SKIPPED: no C++ compiler to run kernels with"),
            }
        }
    }
}
