//! Bounds from tangents with a ridge and with margins, against every model of a fine grid.

use super::parabolas::{Parabolas, set_ridge, tangent, tangents};
use corefed_core::{AttestedEvidence, KappaInterval, Tangent};
use corefed_verify::{check_attested, seal};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// `L_i = (t - a_i)^2 + (l2/2) t^2`, answers off by as much as their margins allow.
    #[test]
    fn no_model_gives_agents_more_than_a_conflict_allows(
        targets in prop::collection::vec(-1.5..1.5_f64, 3),
        ceilings in prop::collection::vec(3.0..9.0_f64, 3),
        points in prop::collection::vec(-1.9..1.9_f64, 3),
        l2 in prop_oneof![Just(0.0), 0.0..3.0_f64],
        used in prop::collection::vec((0..2_usize, 0..3_usize, 0.1..3.0_f64), 1..6),
        wrong in prop::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64), 9),
        margin in prop_oneof![Just(1e-15), 0.0..0.05_f64],
    ) {
        let mut draft = Parabolas { targets: &targets, ceilings: &ceilings, points: &points }.draft();
        set_ridge(&mut draft, l2);
        draft.terms.agents.iter_mut().for_each(|party| party.key = None);
        for (own, wrong) in draft.attestations.iter_mut().zip(wrong.chunks(3)) {
            for (leaf, (loss, slope)) in own.leaves.iter_mut().zip(wrong) {
                let t = points[leaf.point];
                leaf.loss += 0.5 * l2 * t * t + 0.9 * margin * loss;
                leaf.margin = margin.max(1e-13);
                let gradient = leaf.gradient.as_mut().expect("one");
                gradient.values[0] += l2 * t + 0.9 * margin * slope;
                gradient.margin = margin.max(1e-13);
            }
        }
        let all: Vec<Tangent> = used.iter().map(|&(i, j, p)| tangent(i, j, p)).collect();
        let single: Vec<[Tangent; 1]> = (0..3).map(|i| [tangent(i, i, 1.0)]).collect();
        let lists: Vec<&[Tangent]> =
            [all.as_slice()].into_iter().chain(single.iter().map(<[Tangent; 1]>::as_slice)).collect();
        draft.claim.kappa = KappaInterval::new(0.0, 1e6);
        draft.evidence = tangents(&lists);
        let utility = |i: usize, t: f64| {
            ceilings[i] - (t - targets[i]) * (t - targets[i]) - 0.5 * l2 * t * t
        };
        let now: Vec<f64> = (0..3).map(|i| utility(i, points[0])).collect();
        prop_assume!(now.iter().all(|u| *u > 0.2));
        let certificate = seal(draft).unwrap();
        check_attested(&certificate).unwrap();
        let AttestedEvidence::Tangents { conflicts, .. } = &certificate.evidence else {
            return Err(TestCaseError::fail("no tangents"));
        };
        for conflict in conflicts {
            for step in -400..=400_i32 {
                let t = 2.0 * f64::from(step) / 400.0;
                let gain = |tangent: &Tangent| utility(tangent.agent, t) / now[tangent.agent];
                let least = conflict.tangents.iter().map(gain).fold(f64::INFINITY, f64::min);
                prop_assert!(least <= conflict.bound * (1.0 + 1e-12), "{least} {conflict:?}");
            }
        }
    }

    /// With the ridge the bound is not far off: a parabola whose curvature is all ridge is known from one
    /// tangent.
    #[test]
    fn a_loss_that_is_all_ridge_is_known_from_one_tangent(
        point in -1.9..1.9_f64,
        l2 in 0.1..4.0_f64,
        pull in -3.0..3.0_f64,
    ) {
        // L = pull t + (l2/2) t^2 + 9 has its least value on the ball at `clamp(-pull/l2)`.
        let mut draft =
            Parabolas { targets: &[0.0, 0.0], ceilings: &[40.0, 40.0], points: &[point] }.draft();
        set_ridge(&mut draft, l2);
        let loss = |t: f64| pull * t + 0.5 * l2 * t * t + 9.0;
        for own in &mut draft.attestations {
            let leaf = &mut own.leaves[0];
            leaf.loss = loss(point);
            leaf.gradient.as_mut().unwrap().values[0] = pull + l2 * point;
        }
        draft.claim.kappa = KappaInterval::new(0.0, 1e6);
        draft.evidence = tangents(&[&[tangent(0, 0, 1.0)], &[tangent(1, 0, 3.0)]]);
        let certificate = seal(draft).unwrap();
        let AttestedEvidence::Tangents { conflicts, .. } = &certificate.evidence else {
            return Err(TestCaseError::fail("no tangents"));
        };
        let best = 40.0 - loss((-pull / l2).clamp(-2.0, 2.0));
        let exact = best.min(40.0) / (40.0 - loss(point));
        for conflict in conflicts {
            prop_assert!((conflict.bound - exact).abs() < 1e-12, "{} {exact}", conflict.bound);
        }
    }
}
