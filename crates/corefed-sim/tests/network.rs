//! Networks in the engine's hands: the same steps, sums and derivatives as taken by hand.

use corefed_core::Seed;
use corefed_nn::{Architecture, Init, Loss, Network, Samples, Shape, sgd_step};
use corefed_rules::{LocalObjective, LogUtility};
use corefed_sim::{Channel, Drift, Federated, ImageSamples, Job, NetworkFederation, Part, Pixels};

const IMAGE: Shape = Shape { height: 5, width: 4, channels: 2 };

fn network(smooth: bool) -> Network {
    let act = if smooth { "tanh" } else { "relu" };
    let layers = ["conv 3 3", act, "flatten", "linear 3"];
    let layers = layers.iter().map(|layer| layer.parse().expect("a layer")).collect();
    let loss = Loss::CrossEntropy;
    Network::new(Architecture { input: IMAGE, classes: 3, layers, loss }).expect("shapes that fit")
}

fn samples(count: usize) -> ImageSamples {
    let bytes: Vec<u8> =
        (0..count * IMAGE.len()).map(|k| u8::try_from(k * 37 % 256).expect("a byte")).collect();
    let channels = Channel::standard(&bytes, IMAGE.channels);
    let labels = (0..3).cycle().take(count).collect();
    let first = count / 3;
    let pixels = Pixels::bytes(bytes, IMAGE.len(), channels);
    ImageSamples { pixels, labels, owned: vec![0..first, first..count] }
}

fn federation(smooth: bool) -> NetworkFederation {
    NetworkFederation::new(network(smooth), Init::Kaiming, 4, samples(19))
        .with_held_out(samples(9))
        .with_test(samples(12))
}

fn job(objective: LocalObjective) -> Job<'static, f32> {
    Job {
        steps: 2,
        batch: 100,
        learning_rate: 0.1,
        momentum: 0.5,
        weight_decay: 0.01,
        seed: Seed(5),
        objective,
        drift: None,
    }
}

/// Two full-batch steps on the second agent's images, by hand.
fn by_hand(network: &Network, start: &[f32], job: &Job<'_, f32>) -> Vec<f32> {
    let images = samples(19);
    let (pixels, labels) = (images.pixels.ready(), images.labels);
    let own = images.owned[1].clone();
    let pixels = &pixels[own.start * IMAGE.len()..own.end * IMAGE.len()];
    let mut workspace = network.workspace(own.len());
    let (mut params, mut velocity) = (start.to_vec(), vec![0.0; start.len()]);
    let mut gradient = vec![0.0; start.len()];
    for _ in 0..2 {
        let samples = Samples { pixels, labels: &labels[own.clone()] };
        let loss = network.gradient(&params, samples, None, &mut workspace, &mut gradient);
        #[expect(clippy::cast_possible_truncation, reason = "networks are single precision")]
        let factor = job.objective.factor(loss) as f32;
        for g in &mut gradient {
            *g *= factor;
        }
        if let Some(drift) = job.drift {
            gradient.iter_mut().zip(drift.values()).for_each(|(g, more)| *g += more);
        }
        sgd_step(&mut params, &mut velocity, &gradient, 0.1, 0.5, 0.01);
    }
    params.iter().zip(start).map(|(now, before)| now - before).collect()
}

#[test]
fn local_work_is_gradient_descent_with_momentum_and_decay() {
    let federation = NetworkFederation::new(network(false), Init::Kaiming, 100, samples(19));
    let start = federation.initial(Seed(1));
    let log = LocalObjective::LogUtility(LogUtility { ceiling: 3.0, floor: 0.3 });
    let common: Vec<f32> = (0..start.len()).map(|k| 0.01 * (k % 9) as f32).collect();
    let own: Vec<f32> = (0..start.len()).map(|k| 0.02 * (k % 5) as f32 - 0.03).collect();
    let drift = Some(Drift { common: &common, own: &own });
    for (objective, drift) in [(LocalObjective::Loss, None), (log, None), (log, drift)] {
        let job = Job { drift, ..job(objective) };
        let mut update = vec![0.0; start.len()];
        let mut workspace = federation.workspace();
        let model = federation.prepare(&start);
        federation.train(&model, 1, &job, &mut workspace, &mut update);
        let expected = by_hand(federation.network(), &start, &job);
        for (found, expected) in update.iter().zip(&expected) {
            // Rows come in another order, so sums round differently.
            assert!((found - expected).abs() < 1e-5, "{found} and {expected}");
        }
        assert!(update.iter().any(|u| u.abs() > 1e-3));
    }
}

#[test]
fn the_order_of_images_follows_from_the_seed() {
    let federation = federation(false);
    let start = federation.initial(Seed(1));
    let small_steps = Job {
        steps: 7,
        batch: 4,
        learning_rate: 0.5,
        momentum: 0.0,
        weight_decay: 0.0,
        ..job(LocalObjective::Loss)
    };
    let mut first = vec![0.0; start.len()];
    let mut again = vec![0.0; start.len()];
    let mut other = vec![0.0; start.len()];
    let mut workspace = federation.workspace();
    federation.train(&start, 1, &small_steps, &mut workspace, &mut first);
    federation.train(&start, 1, &small_steps, &mut workspace, &mut again);
    federation.train(&start, 1, &Job { seed: Seed(6), ..small_steps }, &mut workspace, &mut other);
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn evaluations_are_means_of_losses_by_part() {
    let federation = federation(false);
    let model = federation.initial(Seed(2));
    for part in [Part::Train, Part::HeldOut] {
        let found = federation.evaluate(&model, part, &[1, 0]).unwrap();
        for (evaluation, agent) in found.into_iter().zip([1, 0]) {
            let losses = federation.sample_losses(&model, part, agent).unwrap();
            assert_eq!(losses.len(), federation.samples(part, agent));
            let mean = losses.iter().sum::<f64>() / losses.len() as f64;
            assert!((evaluation.expect("rows").loss - mean).abs() < 1e-12);
        }
    }
    assert!(federation.test(&model).unwrap().expect("a test set").accuracy.is_some());
}

/// Weighted losses of both agents, in `f64`.
fn mixture(federation: &NetworkFederation, params: &[f32], coefficients: &[f64]) -> f64 {
    let found =
        federation.evaluate(&params.to_vec(), Part::Train, &[0, 1]).expect("no device to fail");
    found.iter().zip(coefficients).map(|(e, c)| c * e.expect("rows").loss).sum()
}

#[test]
fn gradients_of_mixtures_agree_with_differences() {
    let federation = federation(true);
    let params = federation.initial(Seed(3));
    let coefficients = [0.3, 1.7];
    let (lengths, gradient) = federation.gradients(&params, &coefficients).expect("a gradient");
    assert_eq!(lengths.len(), 2);
    for k in (0..params.len()).step_by(5) {
        let moved = |by: f32| {
            let mut params = params.clone();
            params[k] += by;
            mixture(&federation, &params, &coefficients)
        };
        let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
        assert!((slope - gradient[k]).abs() < 2e-3, "{k}: {slope} and {}", gradient[k]);
    }
}

#[test]
fn hessian_products_agree_with_differences_of_gradients() {
    let federation = federation(true);
    let params = federation.initial(Seed(4));
    let direction: Vec<f32> =
        (0..params.len()).map(|k| if k % 3 == 0 { 0.1 } else { -0.05 }).collect();
    let product = federation.hessian_product(&params, 1, &direction).expect("a smooth network");
    let gradient = |by: f32| {
        let moved: Vec<f32> = params.iter().zip(&direction).map(|(p, d)| p + by * d).collect();
        federation.gradients(&moved, &[0.0, 1.0]).expect("a gradient").1
    };
    let (after, before) = (gradient(0.05), gradient(-0.05));
    for k in 0..params.len() {
        let slope = (after[k] - before[k]) / 0.1;
        assert!((slope - product[k]).abs() < 1e-3, "{k}: {slope} and {}", product[k]);
    }
    assert!(self::federation(false).hessian_product(&params, 1, &direction).is_none());
}

#[test]
fn products_with_hessians_have_the_same_bits_at_any_number_of_threads() {
    // Chunks of 8, 8 and 4 images.
    let federation = NetworkFederation::new(network(true), Init::Kaiming, 4, samples(61));
    let params = federation.initial(Seed(4));
    let direction: Vec<f32> = [0.5, -1.0, 0.25].into_iter().cycle().take(params.len()).collect();
    let product = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| federation.hessian_product(&params, 0, &direction)).expect("smooth")
    };
    let alone: Vec<u64> = product(1).into_iter().map(f64::to_bits).collect();
    for threads in [2, 5] {
        let together: Vec<u64> = product(threads).into_iter().map(f64::to_bits).collect();
        assert_eq!(alone, together, "{threads} threads");
    }
}
