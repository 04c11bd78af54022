//! Local work of linear models against plain loops over the exact derivatives of `corefed-model`.

use corefed_core::Family;
use corefed_core::linalg::axpy;
use corefed_core::{Seed, shuffle};
use corefed_data::{Agent, Design, Federation};
use corefed_model::{ConvexLosses, FederationLosses};
use corefed_rules::{LocalObjective, LogUtility};
use corefed_sim::{Drift, Federated, Job, LinearFederation, Part, Samples};

const L2: f64 = 0.03;

/// Three agents, three dense columns and one of two indicators, drawn from a seed.
fn federation(family: Family, classes: usize) -> Federation {
    let mut rng = Seed(7).rng();
    let mut draw = || corefed_core::uniform(&mut rng) * 2.0 - 1.0;
    let rows = 40;
    let dense: Vec<f64> = (0..3 * rows).map(|_| draw()).collect();
    let hot: Vec<u32> = (0..rows).map(|_| if draw() > 0.0 { 3 } else { 4 }).collect();
    let target = (0..rows).map(|_| ((draw() + 1.0) * 0.5 * classes as f64).floor()).collect();
    let design = Design::new(rows, 5, (3, dense), (1, hot)).expect("a design");
    let agents = [0..7, 7..25, 25..40].map(|rows| Agent { name: rows.start.to_string(), rows });
    let exposed = if family.takes_exposure() { rows } else { 0 };
    let exposure = (0..exposed).map(|row| 0.5 + (row % 3) as f64).collect();
    Federation::new(design, target, agents.to_vec()).with_exposure(exposure)
}

fn linear(data: &Federation, family: Family, classes: usize) -> LinearFederation<&Design, f64> {
    let owned = data.agents().iter().map(|agent| agent.rows.clone()).collect();
    let offsets = data.offsets(0..data.design().rows()).to_vec();
    let samples = Samples { rows: data.design(), target: data.target().to_vec(), offsets, owned };
    LinearFederation::new(family, classes, L2, samples)
}

const CASES: [(Family, usize); 6] = [
    (Family::Poisson, 5),
    (Family::Linear, 2),
    (Family::Logistic, 2),
    (Family::Softmax, 3),
    (Family::Softmax, 10),
    (Family::Softmax, 20),
];

fn params(dim: usize) -> Vec<f64> {
    (0..dim).map(|k| ((k * 37 % 11) as f64 - 5.0) / 9.0).collect()
}

/// Losses of all agents and the gradient of their weighted sum, by the exact model.
fn exact(
    data: &Federation,
    (family, classes): (Family, usize),
    params: &[f64],
    coefficients: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let model = FederationLosses::new(data, family, classes, L2);
    let members: Vec<usize> = (0..data.agents().len()).collect();
    let mut losses = vec![0.0; members.len()];
    let mut gradients = vec![0.0; members.len() * params.len()];
    model.gradients(params, &members, &mut losses, &mut gradients);
    let mut sum = vec![0.0; params.len()];
    for (c, row) in coefficients.iter().zip(gradients.chunks_exact(params.len())) {
        axpy(*c, row, &mut sum);
    }
    (losses, sum)
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "entry {k}: {a} != {b}");
    }
}

#[test]
fn losses_and_gradients_are_those_of_the_exact_model() {
    for case in CASES {
        let data = federation(case.0, case.1);
        let engine = linear(&data, case.0, case.1);
        let at = params(engine.dim());
        let coefficients = [0.3, 1.7, 0.4];
        let (losses, gradient) = exact(&data, case, &at, &coefficients);
        let model = engine.prepare(&at);
        let found: Vec<f64> = engine
            .evaluate(&model, Part::Train, &[0, 1, 2])
            .unwrap()
            .into_iter()
            .map(|e| e.unwrap().loss)
            .collect();
        close(&found, &losses);
        close(&engine.convex_gradient(&model, &coefficients).unwrap(), &gradient);
        assert_eq!(engine.evaluate(&model, Part::HeldOut, &[0]).unwrap(), [None]);
    }
}

/// Mini-batch descent as its definition reads, on a federation of one agent per batch.
fn plain_descent(
    data: &Federation,
    case: (Family, usize),
    agent: usize,
    job: &Job<'_, f64>,
    start: &[f64],
) -> Vec<f64> {
    let own = data.agents()[agent].rows.clone();
    let mut order: Vec<u32> = (0..).take(own.len()).collect();
    let mut rng = job.seed.rng();
    let (mut at, mut velocity) = (start.to_vec(), vec![0.0; start.len()]);
    let mut next = own.len();
    for _ in 0..job.steps {
        if next >= own.len() {
            shuffle(&mut order, &mut rng);
            next = 0;
        }
        let end = (next + job.batch).min(own.len());
        let rows: Vec<usize> = order[next..end].iter().map(|&k| own.start + k as usize).collect();
        next = end;
        let batch = chosen(data, &rows);
        let (losses, mut gradient) = exact(&batch, case, &at, &[1.0]);
        let slope = job.objective.factor(losses[0]);
        let drift: Vec<f64> = match job.drift {
            Some(drift) => drift.values().collect(),
            None => vec![0.0; at.len()],
        };
        for (((v, g), p), more) in velocity.iter_mut().zip(&mut gradient).zip(&at).zip(&drift) {
            *v = job.momentum * *v + slope * *g + job.weight_decay * p + more;
        }
        axpy(-job.learning_rate, &velocity, &mut at);
    }
    at.iter().zip(start).map(|(end, begin)| end - begin).collect()
}

fn chosen(data: &Federation, rows: &[usize]) -> Federation {
    let pick = |part: &dyn Fn(usize) -> Vec<f64>| rows.iter().flat_map(|&r| part(r)).collect();
    let dense = pick(&|r| data.design().dense_rows(r..r + 1).to_vec());
    let hot = rows.iter().flat_map(|&r| data.design().hot_rows(r..r + 1).to_vec()).collect();
    let design = Design::new(rows.len(), 5, (3, dense), (1, hot)).expect("a design");
    let target = rows.iter().map(|&r| data.target()[r]).collect();
    let exposure = pick(&|r| data.exposure(r..r + 1).to_vec());
    let batch = Agent { name: "batch".into(), rows: 0..rows.len() };
    Federation::new(design, target, vec![batch]).with_exposure(exposure)
}

#[test]
fn local_training_is_plain_descent_on_the_batches() {
    let base = Job {
        steps: 7,
        batch: 4,
        learning_rate: 0.05,
        momentum: 0.0,
        weight_decay: 0.0,
        seed: Seed(11),
        objective: LocalObjective::Loss,
        drift: None,
    };
    let jobs = [
        base,
        Job { steps: 0, ..base },
        Job { batch: 1000, steps: 3, ..base },
        Job { weight_decay: 0.2, ..base },
        Job { momentum: 0.9, weight_decay: 0.1, ..base },
        Job {
            objective: LocalObjective::LogUtility(LogUtility { ceiling: 5.0, floor: 0.2 }),
            ..base
        },
        // The ceiling is far below the loss: the straight line keeps the sign.
        Job {
            objective: LocalObjective::LogUtility(LogUtility { ceiling: 0.1, floor: 0.5 }),
            ..base
        },
    ];
    for case in CASES {
        let data = federation(case.0, case.1);
        let engine = linear(&data, case.0, case.1);
        let start = params(engine.dim());
        let model = engine.prepare(&start);
        let mut workspace = engine.workspace();
        let mut update = vec![0.0; engine.dim()];
        let common: Vec<f64> = (0..engine.dim()).map(|k| 0.3 - 0.1 * (k % 5) as f64).collect();
        let own: Vec<f64> = (0..engine.dim()).map(|k| 0.02 * (k % 7) as f64).collect();
        let drift = Some(Drift { common: &common, own: &own });
        let corrected = jobs.map(|job| Job { drift, ..job });
        for job in jobs.iter().chain(&corrected) {
            for agent in 0..3 {
                engine.train(&model, agent, job, &mut workspace, &mut update);
                let expected = plain_descent(&data, case, agent, job, &start);
                for (a, b) in update.iter().zip(&expected) {
                    assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{job:?}: {a} != {b}");
                }
            }
        }
    }
}

#[test]
fn accuracy_counts_correct_rows() {
    // One column of ones: the margin is the weight, so the larger class decides for every row.
    let design = Design::dense(4, 1, vec![1.0; 4]).unwrap();
    let samples = |design| Samples {
        rows: design,
        target: vec![0.0, 1.0, 1.0, 1.0],
        offsets: vec![],
        owned: vec![0..2, 2..4],
    };
    let engine = LinearFederation::<_, f64>::new(Family::Softmax, 2, 0.0, samples(&design))
        .with_test(samples(&design));
    let model = engine.prepare(&[0.0, 1.0]);
    let accuracies: Vec<f64> = engine
        .evaluate(&model, Part::Train, &[0, 1])
        .unwrap()
        .into_iter()
        .map(|e| e.unwrap().accuracy.unwrap())
        .collect();
    assert_eq!(accuracies, [0.5, 1.0]);
    assert_eq!(engine.test(&model).unwrap().unwrap().accuracy, Some(0.75));
}
