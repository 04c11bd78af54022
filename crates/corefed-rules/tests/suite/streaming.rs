//! Folding updates as they arrive is the same as applying them all at once.

use corefed_core::Weights;
use corefed_rules::{
    CoreStep, PartedUpdate, Report, Rule, Safety, Scalar, Server, ServerState, ServerStep, Update,
    fold, gram, norm_sqr,
};

const DIM: usize = 9000;
const ETA: f64 = 0.05;
const RULES: [Rule; 10] = [
    Rule::Fedavg,
    Rule::Propfair,
    Rule::corefed(CoreStep::Printed),
    Rule::corefed(CoreStep::Normalised),
    Rule::corefed(CoreStep::Dynamic),
    Rule::Afl { gamma: 0.1 },
    Rule::Qffl { q: 0.7 },
    Rule::Term { t: 1.5 },
    Rule::Fedmgda { epsilon: 0.3 },
    Rule::NashMtl,
];

fn deltas<T: Scalar>(agents: usize) -> Vec<Vec<T>> {
    let number = |s: usize, i: usize| T::from_f64(((i * (s + 2) + 5 * s) % 23) as f64 / 7.0 - 1.5);
    (0..agents).map(|s| (0..DIM).map(|i| number(s, i)).collect()).collect()
}

/// A round as an engine would run it; the third update never passes.
fn streamed<T: Scalar>(
    server: &Server,
    state: &mut ServerState<T>,
    params: &mut [T],
    reports: &[Report],
    deltas: &[Vec<T>],
) {
    let plan = server.plan(state, reports);
    let mut accepted = Vec::new();
    let mut direction = vec![T::ZERO; params.len()];
    for (index, delta) in deltas.iter().enumerate() {
        let Ok(taken) = server.accept::<T>(&plan, index, norm_sqr(delta)) else { continue };
        accepted.push(taken);
        if !server.needs_gram() {
            fold(&mut direction, taken.coefficient, delta);
        }
    }
    if server.needs_gram() {
        let kept: Vec<&[T]> = accepted.iter().map(|a| deltas[a.index].as_slice()).collect();
        let coefficients = server.gram_coefficients(&accepted, &gram(&kept));
        for (coefficient, delta) in coefficients.iter().zip(kept) {
            fold(&mut direction, *coefficient, delta);
        }
    }
    let scale = server.scale(&plan, &accepted, ETA);
    server.advance(state, params, &direction, scale);
}

fn both_ways<T: Scalar>() {
    let weights = Weights::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    let safety = Safety { clip: 60.0, ..Safety::default() };
    for rule in RULES {
        for momentum in [0.0, 0.9] {
            let step = ServerStep { step: 0.7, momentum };
            let server = Server::new(rule, safety, step, &weights, vec![3.0; 4]).unwrap();
            let mut deltas = deltas::<T>(4);
            deltas[2][77] = T::from_f64(f64::NAN);
            let losses = [0.5, 2.2, 1.0, 4.0];
            let report = |(agent, &loss)| Report { agent, samples: 1, loss };
            let reports: Vec<Report> = losses.iter().enumerate().map(report).collect();
            let updates: Vec<Update<'_, T>> =
                reports.iter().zip(&deltas).map(|(r, d)| Update::measured(*r, d)).collect();

            let (mut one, mut other) = (server.init(), server.init());
            let (mut folded, mut applied) = (vec![T::ZERO; DIM], vec![T::ZERO; DIM]);
            for _ in 0..2 {
                streamed(&server, &mut one, &mut folded, &reports, &deltas);
                server.apply(&mut other, &mut applied, &updates, ETA).unwrap();
            }
            assert!(applied.iter().all(|p| p.to_f64().is_finite()));
            assert_eq!(folded, applied, "{rule:?}, momentum {momentum}, {}", T::NAME);
            assert_eq!(one, other);
        }
    }
}

#[test]
fn folding_one_by_one_gives_the_bits_of_applying_all() {
    both_ways::<f32>();
    both_ways::<f64>();
}

#[test]
fn a_state_survives_being_written_down() {
    let step = ServerStep { step: 1.0, momentum: 0.5 };
    let rule = Rule::Afl { gamma: 0.1 };
    let weights = Weights::equal(4);
    let server = Server::new(rule, Safety::default(), step, &weights, vec![3.0; 4]).unwrap();
    let (mut state, mut params) = (server.init::<f32>(), vec![0.0; DIM]);
    let deltas = deltas::<f32>(4);
    let report = |agent| Report { agent, samples: 1, loss: agent as f64 / 3.0 };
    let updates: Vec<_> =
        deltas.iter().enumerate().map(|(s, d)| Update::measured(report(s), d)).collect();
    server.apply(&mut state, &mut params, &updates, ETA).unwrap();
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<ServerState<f32>>(&text).unwrap(), state);
}

#[test]
fn parameters_in_parts_move_as_they_do_in_one() {
    let weights = Weights::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    let safety = Safety { clip: 60.0, ..Safety::default() };
    let step = ServerStep { step: 0.7, momentum: 0.9 };
    let deltas = deltas::<f64>(4);
    for rule in RULES {
        let server = Server::new(rule, safety, step, &weights, vec![3.0; 4]).unwrap();
        let report = |agent: usize| Report { agent, samples: 1, loss: 0.5 + 0.6 * agent as f64 };
        let whole: Vec<Update<'_, f64>> =
            (0..4).map(|agent| Update::measured(report(agent), &deltas[agent])).collect();
        // The middle part is empty, as a layer without parameters is.
        let parted = |agent: usize| {
            let delta = &deltas[agent];
            let parts = vec![&delta[..100], &delta[100..100], &delta[100..]];
            PartedUpdate::measured(report(agent), parts)
        };
        let parted: Vec<PartedUpdate<'_, f64>> = (0..4).map(parted).collect();

        let (mut one, mut other) = (server.init(), server.init());
        let (mut together, mut apart) = (vec![0.0; DIM], vec![0.0; DIM]);
        for _ in 0..2 {
            server.apply(&mut one, &mut together, &whole, ETA).unwrap();
            let (first, rest) = apart.split_at_mut(100);
            let mut apart = [first, &mut [], rest];
            server.apply_parts(&mut other, &mut apart, &parted, ETA, 1.0).unwrap();
        }
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * a.abs().max(1.0);
        assert!(together.iter().zip(&apart).all(close), "{rule:?}");
        assert!(one.velocity.iter().zip(&other.velocity).all(close), "{rule:?}");
    }
}
