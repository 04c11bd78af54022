//! Theorem 3 against brute force on functions whose curvature is known.

use corefed_core::{Weights, scan};
use corefed_evidence::{Curvature, Limit, LocalAgent, LocalBound, LocalStatement, LocalView};
use proptest::prelude::*;

fn certified(statement: LocalStatement) -> LocalBound {
    match statement {
        LocalStatement::Certified(bound) => bound,
        other => panic!("not a certificate: {other:?}"),
    }
}

/// The best kappa of any rival on a grid over the disc about `centre`.
fn brute_force(
    utilities: &dyn Fn([f64; 2]) -> Vec<f64>,
    weights: &Weights,
    centre: [f64; 2],
    radius: f64,
) -> f64 {
    let now = utilities(centre);
    let mut best = 0.0_f64;
    for ring in 0..=20 {
        for turn in 0..48 {
            let (r, angle) = (radius * f64::from(ring) / 20.0, f64::from(turn) * 0.130_899_693_9);
            let there = utilities([centre[0] + r * angle.cos(), centre[1] + r * angle.sin()]);
            let found = scan(&now, &there, weights.values(), &weights.total());
            best = best.max(found.kappa.value());
        }
    }
    best
}

#[test]
fn one_agent_whose_utility_curves_upwards_attains_the_bound() {
    // u = 1 + t/2 + t^2 at t = 0: e = 1/2, beta = 2, and the best rival within d has gain
    // 1 + d/2 + d^2, which is k(d). At k = 1.5 that is d = 1/2.
    let agents = [LocalAgent {
        utility: 1.0,
        gradient_norm: 0.5,
        loss_down: Curvature::Proven(&|_| 2.0),
        loss_up: Curvature::Proven(&|_| 0.0),
    }];
    let weights = Weights::equal(1);
    let view = LocalView { agents: &agents, weights: &weights, gradient_norm: 0.5 };
    let bound = certified(view.largest_radius(1.5, 10.0));
    assert!((bound.radius - 0.5).abs() < 1e-12, "{bound:?}");
    assert_eq!((bound.curvature, bound.limit), (2.0, Limit::Factor));
    let back = certified(view.factor_within(bound.radius));
    assert!((back.factor - 1.5).abs() < 1e-12, "{back:?}");
    let attained = 1.0 + bound.radius / 2.0 + bound.radius.powi(2);
    assert!((attained - 1.5).abs() < 1e-12);
}

#[test]
fn the_ball_ends_where_a_utility_might_be_negative() {
    // L = t^2 at t = 0 with M = 1 does not tempt at all (e = 0, nothing curves down), but beyond
    // t = 1 its utility is negative.
    let agents = [LocalAgent {
        utility: 1.0,
        gradient_norm: 0.0,
        loss_down: Curvature::Proven(&|_| 0.0),
        loss_up: Curvature::Proven(&|_| 2.0),
    }];
    let weights = Weights::equal(1);
    let view = LocalView { agents: &agents, weights: &weights, gradient_norm: 0.0 };
    let bound = certified(view.largest_radius(1.0, 10.0));
    assert!((bound.radius - 1.0).abs() < 1e-12, "{bound:?}");
    assert_eq!(bound.limit, Limit::Utility { agent: 0 });
    assert!(matches!(view.factor_within(1.1), LocalStatement::NotApplicable { .. }));
    let near = certified(view.largest_radius(1.0, 0.25));
    assert_eq!((near.radius, near.limit), (0.25, Limit::Reach));
}

#[test]
fn a_bound_that_grows_with_the_ball_is_taken_on_that_very_ball() {
    // u = 1 + t^3 at t = 0: |u''| <= 6 d within d, so k(d) = 1 + 3 d^3; at k = 1.003, d = 1/10.
    let agents = [LocalAgent {
        utility: 1.0,
        gradient_norm: 0.0,
        loss_down: Curvature::Proven(&|d| 6.0 * d),
        loss_up: Curvature::Proven(&|d| 6.0 * d),
    }];
    let weights = Weights::equal(1);
    let view = LocalView { agents: &agents, weights: &weights, gradient_norm: 0.0 };
    let bound = certified(view.largest_radius(1.003, 5.0));
    assert!((bound.radius - 0.1).abs() < 1e-12, "{bound:?}");
    assert!((bound.curvature - 0.6).abs() < 1e-12, "{bound:?}");
    // The best rival really gains 1 + d^3, less than what is certified.
    assert!(1.0 + bound.radius.powi(3) < 1.003);
}

#[test]
fn an_estimate_is_never_a_certificate_and_a_kink_is_neither() {
    let proven = Curvature::Proven(&|_| 1.0);
    let estimated = Curvature::Estimated { value: 1.0, method: "Lanczos, 20 steps" };
    let kink = Curvature::Infinite { reason: "ReLU" };
    let weights = Weights::equal(1);
    let at = |utility, loss_down, loss_up| {
        let agents = [LocalAgent { utility, gradient_norm: 0.1, loss_down, loss_up }];
        let view = LocalView { agents: &agents, weights: &weights, gradient_norm: 0.1 };
        [view.largest_radius(1.1, 1.0), view.factor_within(0.01)]
    };
    for statement in at(1.0, proven, proven) {
        assert!(matches!(statement, LocalStatement::Certified(_)), "{statement:?}");
    }
    for statement in at(1.0, estimated, proven).into_iter().chain(at(1.0, proven, estimated)) {
        let LocalStatement::Estimated { methods, .. } = &statement else {
            panic!("{statement:?}");
        };
        assert_eq!(methods, &["Lanczos, 20 steps"]);
    }
    for statement in at(1.0, kink, proven).into_iter().chain(at(1.0, estimated, kink)) {
        let LocalStatement::NotApplicable { reason } = &statement else {
            panic!("{statement:?}");
        };
        assert!(reason.contains("agent 0") && reason.contains("ReLU"), "{reason}");
    }
    for utility in [0.0, -1.0, f64::NAN] {
        for statement in at(utility, proven, proven) {
            assert!(matches!(statement, LocalStatement::NotApplicable { .. }), "{statement:?}");
        }
    }
    let unknown = Curvature::Estimated { value: f64::NAN, method: "Lanczos" };
    let (nothing, no_bound) =
        (Curvature::Proven(&|_| f64::NAN), Curvature::Proven(&|_| f64::INFINITY));
    for bad in [unknown, nothing, no_bound] {
        for statement in at(1.0, bad, proven) {
            assert!(matches!(statement, LocalStatement::NotApplicable { .. }), "{statement:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Losses `1 + sin(v_i . x + p_i)` curve by at most `|v_i|^2` either way.
    #[test]
    fn no_rival_on_the_ball_beats_the_factor(
        agents in prop::collection::vec(
            ((-1.5..1.5_f64, -1.5..1.5_f64), 0.0..6.3_f64, 2.05..4.0_f64, 0.5..2.0_f64), 1..5),
        centre in (-1.0..1.0_f64, -1.0..1.0_f64),
        factor in 1.01..1.5_f64,
    ) {
        let centre = [centre.0, centre.1];
        let weights = Weights::new(agents.iter().map(|a| a.3).collect()).expect("positive");
        let phase = |x: [f64; 2], v: (f64, f64), p: f64| v.0 * x[0] + v.1 * x[1] + p;
        let utilities = |x: [f64; 2]| -> Vec<f64> {
            agents.iter().map(|(v, p, m, _)| m - 1.0 - phase(x, *v, *p).sin()).collect()
        };
        let squares: Vec<f64> = agents.iter().map(|(v, ..)| v.0 * v.0 + v.1 * v.1).collect();
        let bounds: Vec<_> = squares.iter().map(|square| move |_: f64| *square).collect();
        let (mut welfare, mut locals) = ([0.0; 2], Vec::new());
        for (k, ((v, p, _, w), utility)) in agents.iter().zip(utilities(centre)).enumerate() {
            let slope = phase(centre, *v, *p).cos();
            welfare[0] -= w * slope * v.0 / utility;
            welfare[1] -= w * slope * v.1 / utility;
            let proven = Curvature::Proven(&bounds[k]);
            let gradient_norm = slope.abs() * squares[k].sqrt();
            locals.push(LocalAgent { utility, gradient_norm, loss_down: proven, loss_up: proven });
        }
        let gradient_norm = welfare[0].hypot(welfare[1]);
        let view = LocalView { agents: &locals, weights: &weights, gradient_norm };
        let bound = certified(view.largest_radius(factor, 3.0));
        let found = brute_force(&utilities, &weights, centre, bound.radius);
        prop_assert!(found <= factor + 1e-9, "{found} > {factor} within {bound:?}");
        // More gain allowed, more room; k(d) undoes d(k) where nothing else limits.
        let wider = certified(view.largest_radius(factor + 0.1, 3.0));
        prop_assert!(wider.radius >= bound.radius);
        let back = certified(view.factor_within(bound.radius)).factor;
        prop_assert!(back <= factor + 1e-12);
        if bound.limit == Limit::Factor {
            prop_assert!((back - factor).abs() < 1e-9, "{back} {factor}");
        }
    }
}
