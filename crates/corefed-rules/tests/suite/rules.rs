//! What must hold of every rule, for any losses.

use corefed_core::{Weights, log_welfare};
use corefed_rules::{
    Applied, AtCeiling, CoreStep, Report, Rule, Safety, Server, ServerStep, Update, project_simplex,
};
use proptest::prelude::*;

const ETA: f64 = 0.1;

fn core(step: CoreStep) -> Rule {
    Rule::corefed(step)
}

fn any_rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Rule::Fedavg),
        Just(Rule::Propfair),
        Just(core(CoreStep::Printed)),
        Just(core(CoreStep::Normalised)),
        Just(core(CoreStep::Dynamic)),
        (1e-3..1e3).prop_map(|gamma| Rule::Afl { gamma }),
        (0.0..8.0).prop_map(|q| Rule::Qffl { q }),
        (-1e3..1e3).prop_map(|t| Rule::Term { t }),
        (0.0..=1.0).prop_map(|epsilon| Rule::Fedmgda { epsilon }),
        Just(Rule::NashMtl),
    ]
}

fn any_safety() -> impl Strategy<Value = Safety> {
    let policy =
        prop_oneof![Just(AtCeiling::Floor), Just(AtCeiling::WarmUp), Just(AtCeiling::Raise)];
    let infinite = || Just(f64::INFINITY);
    let caps = || prop_oneof![infinite(), 1.0..50.0];
    (policy, 0.01..0.9, caps(), caps(), prop_oneof![infinite(), 0.1..5.0]).prop_map(
        |(at_ceiling, floor, weight_cap, share_cap, clip)| Safety {
            at_ceiling,
            floor,
            weight_cap,
            share_cap,
            clip,
        },
    )
}

/// Losses from nothing to far above any ceiling.
fn any_loss() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0..5.0, 1 => Just(0.0), 1 => Just(2.0), 1 => 0.0..1e300, 1 => Just(5e-324)]
}

/// An agent: weight, loss, update.
type Agent = (f64, f64, [f64; 3]);

fn cohort() -> impl Strategy<Value = Vec<Agent>> {
    let delta = prop::array::uniform3(-2.0..2.0);
    prop::collection::vec((0.1..10.0, any_loss(), delta), 1..7)
}

/// A server, up to its agents.
#[derive(Clone, Copy)]
struct Case {
    rule: Rule,
    safety: Safety,
    ceiling: f64,
    /// Of all weights.
    factor: f64,
}

impl Case {
    fn step(self, agents: &[Agent], order: &[usize]) -> ([f64; 3], Applied) {
        let Self { rule, safety, ceiling, factor } = self;
        let weights = Weights::new(agents.iter().map(|a| factor * a.0).collect()).unwrap();
        let ceilings = vec![ceiling; agents.len()];
        let server = Server::new(rule, safety, ServerStep::default(), &weights, ceilings).unwrap();
        let update = |&agent: &usize| {
            let (_, loss, delta) = &agents[agent];
            Update::measured(Report { agent, samples: 1, loss: *loss }, delta)
        };
        let updates: Vec<Update<'_, f64>> = order.iter().map(update).collect();
        let mut params = [0.0; 3];
        let applied = server.apply(&mut server.init(), &mut params, &updates, ETA).unwrap();
        (params, applied)
    }
}

fn in_order(agents: &[Agent]) -> Vec<usize> {
    (0..agents.len()).collect()
}

fn plain_step(rule: Rule, safety: Safety, agents: &[Agent]) -> ([f64; 3], Applied) {
    let case = Case { rule, safety, ceiling: 2.0, factor: 1.0 };
    case.step(agents, &in_order(agents))
}

fn close(a: [f64; 3], b: [f64; 3], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}

proptest! {
    #[test]
    fn no_loss_turns_descent_into_ascent(
        rule in any_rule(), safety in any_safety(), agents in cohort(),
    ) {
        let (params, applied) = plain_step(rule, safety, &agents);
        for (agent, coefficient) in applied.coefficients {
            prop_assert!(coefficient >= 0.0 && coefficient.is_finite(), "{agent}: {coefficient}");
        }
        prop_assert!(params.iter().all(|p| p.is_finite()), "{params:?}");
    }

    #[test]
    fn normalised_coefficients_sum_to_one(
        rule in prop_oneof![
            Just(Rule::Fedavg), Just(Rule::Propfair), Just(core(CoreStep::Normalised)),
            (1e-3..10.0).prop_map(|gamma| Rule::Afl { gamma }),
            (-30.0..30.0).prop_map(|t| Rule::Term { t }),
        ],
        at_ceiling in prop_oneof![
            Just(AtCeiling::Floor), Just(AtCeiling::WarmUp), Just(AtCeiling::Raise)
        ],
        agents in cohort(),
    ) {
        let (_, applied) = plain_step(rule, Safety { at_ceiling, ..Safety::default() }, &agents);
        let sum: f64 = applied.coefficients.iter().map(|c| c.1).sum();
        prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }

    #[test]
    fn the_order_of_arrival_does_not_matter(
        (agents, order) in cohort().prop_flat_map(|agents| {
            let order = in_order(&agents);
            (Just(agents), Just(order).prop_shuffle())
        }),
        rule in any_rule(),
        safety in any_safety(),
    ) {
        let case = Case { rule, safety, ceiling: 2.0, factor: 1.0 };
        prop_assert_eq!(case.step(&agents, &order), plain_step(rule, safety, &agents));
    }

    #[test]
    fn only_ratios_of_weights_matter(
        rule in any_rule(), safety in any_safety(), agents in cohort(), factor in 1e-3..1e6,
    ) {
        let case = Case { rule, safety, ceiling: 2.0, factor };
        let (scaled, _) = case.step(&agents, &in_order(&agents));
        // The bargain is as well-conditioned as the cohort is in agreement.
        let tolerance = if rule == Rule::NashMtl { 1e-6 } else { 1e-9 };
        prop_assert!(close(scaled, plain_step(rule, safety, &agents).0, tolerance));
    }

    #[test]
    fn without_tilt_or_power_rules_are_fedavg(agents in cohort()) {
        let safety = Safety::default();
        let (mean, _) = plain_step(Rule::Fedavg, safety, &agents);
        for rule in [Rule::Term { t: 0.0 }, Rule::Qffl { q: 0.0 }] {
            let (step, _) = plain_step(rule, safety, &agents);
            prop_assert!(close(step, mean, 1e-12), "{rule:?}: {step:?}");
        }
    }

    #[test]
    fn corefed_follows_the_gradient_of_log_welfare(
        centres in prop::collection::vec((0.1..10.0, prop::array::uniform3(-0.5..0.5_f64)), 1..6),
        at in prop::array::uniform3(-0.4..0.4_f64),
    ) {
        // L_s = |x - c_s|^2/2 <= 1.22 under a ceiling of 2; one full-batch step: D = -eta (x - c).
        let loss = |x: &[f64; 3], c: &[f64; 3]| {
            x.iter().zip(c).map(|(x, c)| (x - c) * (x - c) / 2.0).sum::<f64>()
        };
        let weights = Weights::new(centres.iter().map(|(w, _)| *w).collect()).unwrap();
        let welfare = |x: &[f64; 3]| {
            let utilities: Vec<f64> = centres.iter().map(|(_, c)| 2.0 - loss(x, c)).collect();
            log_welfare(&utilities, &weights)
        };
        let agents: Vec<Agent> = centres.iter()
            .map(|(w, c)| (*w, loss(&at, c), std::array::from_fn(|i| -ETA * (at[i] - c[i]))))
            .collect();
        let safety = Safety { floor: 0.01, ..Safety::default() };
        let (step, _) = plain_step(core(CoreStep::Printed), safety, &agents);
        for i in 0..3 {
            let shifted = |by: f64| {
                let mut x = at;
                x[i] += by;
                welfare(&x)
            };
            // Printed: eta/n sum w~ (-g/u), and sum w (-g/u) is the gradient; w~ = n w/W.
            let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            let expected = ETA * slope / weights.total();
            prop_assert!((step[i] - expected).abs() < 1e-8, "{} {expected}", step[i]);
        }
    }

    #[test]
    fn projections_satisfy_the_optimality_conditions(
        values in prop::collection::vec(-1e3..1e3_f64, 1..30)
    ) {
        let mut nearest = values.clone();
        project_simplex(&mut nearest);
        prop_assert!((nearest.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // One shift for all that stay positive; those at zero lie below it.
        let positive = || values.iter().zip(&nearest).filter(|(_, x)| **x > 0.0);
        let shift = positive().map(|(v, x)| v - x).fold(f64::NEG_INFINITY, f64::max);
        for (v, x) in values.iter().zip(&nearest) {
            prop_assert!(*x >= 0.0);
            let off = if *x > 0.0 { (v - x - shift).abs() } else { (v - shift).max(0.0) };
            prop_assert!(off < 1e-9, "{off}");
        }
    }
}

#[test]
fn without_a_ceiling_in_sight_corefed_is_fedavg() {
    let agents: [Agent; 2] = [(1.0, 0.3, [1.0, 2.0, 3.0]), (2.0, 1.9, [-1.0, 0.5, 8.0])];
    let step = |rule, ceiling| {
        let case = Case { rule, safety: Safety::default(), ceiling, factor: 1.0 };
        case.step(&agents, &[0, 1]).0
    };
    let mean = step(Rule::Fedavg, 3.0);
    for ceiling in [1e3, 1e6, 1e12] {
        let tolerance = 20.0 / ceiling + 1e-12;
        assert!(close(step(core(CoreStep::Normalised), ceiling), mean, tolerance), "{ceiling}");
    }
}
