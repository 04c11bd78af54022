//! The scan against Definition 1 itself: every coalition, written to be read.

use corefed_core::{Kappa, Scan, Weights, gain, ratio_bound, scan};
use num_rational::BigRational;
use num_traits::Zero;
use proptest::prelude::*;

fn rational(value: f64) -> BigRational {
    BigRational::from_float(value).expect("finite")
}

fn rationals(values: &[f64]) -> Vec<BigRational> {
    values.iter().map(|v| rational(*v)).collect()
}

fn exact(now: &[BigRational], then: &[BigRational], weights: &[BigRational]) -> Scan<BigRational> {
    scan(now, then, weights, &weights.iter().sum())
}

/// Every coalition that leaves somebody behind.
fn proper(n: usize) -> impl Iterator<Item = Vec<usize>> {
    (1_u32..(1 << n) - 1).map(move |mask| (0..n).filter(|i| mask >> i & 1 == 1).collect())
}

/// `(w(S)/W) u'_i >= max(0, u_i)` for every member, once strictly, and more than nothing for those
/// that have nothing.
fn blocks(members: &[usize], now: &[BigRational], then: &[BigRational], w: &[BigRational]) -> bool {
    let (total, zero) = (w.iter().sum::<BigRational>(), BigRational::zero());
    let share = members.iter().map(|&i| &w[i]).sum::<BigRational>() / total;
    let counts = |i: usize| now[i].clone().max(zero.clone());
    members.iter().all(|&i| &share * &then[i] >= counts(i) && (now[i] > zero || then[i] > zero))
        && members.iter().any(|&i| &share * &then[i] > counts(i))
}

fn decimals(values: &[i64], scale: i64) -> Vec<BigRational> {
    values.iter().map(|v| BigRational::new((*v).into(), scale.into())).collect()
}

#[test]
fn the_oracle_can_say_yes_and_no() {
    let (now, w) = (rationals(&[1.0, 1.0]), rationals(&[1.0, 1.0]));
    assert!(blocks(&[0], &now, &rationals(&[10.0, 0.1]), &w));
    assert!(!blocks(&[0], &now, &rationals(&[1.9, 0.1]), &w));
}

#[test]
fn two_parabolas_are_blocked_below_one_half_and_stable_from_there_on() {
    // L = t^2 and (t-1)^2; the Nash optimum is t = 1/2 with u = M - 1/4; the rival t' = 0 has
    // utilities (M, M - 1). In hundredths: M = 40, 50, 60.
    let one = decimals(&[1, 1], 1);
    for (ceiling, blocked) in [(40, true), (50, false), (60, false)] {
        let now = decimals(&[ceiling - 25; 2], 100);
        let then = decimals(&[ceiling, ceiling - 100], 100);
        let found = exact(&now, &then, &one);
        assert_eq!(found.blocking, blocked.then(|| vec![0]), "M = {ceiling}/100");
    }
    let at_forty = exact(&decimals(&[15, 15], 100), &decimals(&[40, -60], 100), &one);
    assert_eq!(at_forty.kappa, Kappa::Finite(BigRational::new(4.into(), 3.into())));
    // At M = 1/2 the test holds with equality and nothing is strict.
    let at_fifty = exact(&decimals(&[25, 25], 100), &decimals(&[50, -50], 100), &one);
    assert_eq!(at_fifty.kappa, Kappa::Finite(rational(1.0)));
}

#[test]
fn the_simplex_optimum_is_stable_although_every_singleton_breaks_even() {
    // u_i(c) = c_i, incumbent 1/5 each; the rival gives everything to agent 2.
    let now = decimals(&[1; 5], 5);
    let then = decimals(&[0, 0, 1, 0, 0], 1);
    let found = exact(&now, &then, &decimals(&[1; 5], 1));
    assert_eq!(found.kappa, Kappa::Finite(rational(1.0)));
    assert_eq!(found.coalition, [2]);
    assert_eq!(found.blocking, None);
}

#[test]
fn the_published_adult_row_is_blocked_by_the_all_zero_model() {
    // u = (2.62, 0.90, 1.53) against 3 - ln 2 each: the gains are 0.88, 2.56 and 1.51, and the
    // two agents that gain reach (2/3) * 1.5077 = 1.0052.
    let zero = 3.0 - 2_f64.ln();
    let found = scan(&[2.62, 0.90, 1.53], &[zero; 3], &[1.0; 3], &3.0);
    assert_eq!(found.coalition, [1, 2]);
    assert_eq!(found.blocking, Some(vec![1, 2]));
    assert!((found.kappa.value() - 2.0 / 3.0 * zero / 1.53).abs() < 1e-15);
    assert!((found.kappa.value() - 1.005).abs() < 5e-4);
}

#[test]
fn published_rows_are_not_blocked_by_their_own_fedavg() {
    let rows: [(&[i64], &[i64]); 3] = [
        (&[262, 90, 153], &[259, 77, 146]),
        (&[36, 41, 91], &[34, 29, 92]),
        (&[73, 135, 71], &[63, 140, 51]),
    ];
    for (corefed, fedavg) in rows {
        let found = exact(&decimals(corefed, 100), &decimals(fedavg, 100), &decimals(&[1; 3], 1));
        assert_eq!(found.blocking, None, "{corefed:?}");
    }
}

#[test]
fn min_max_gives_two_agents_up_for_a_tenth_of_a_noisy_third() {
    // The paper's section 3.1: losses (a, a, Ka) against (10a, 10a, 0.9Ka), here a = 1, K = 20,
    // M = 21. Under min-max agents 0 and 1 leave together: (2/3) * 20/11 = 1.21.
    let (fair, min_max) = ([20, 20, 1], [11, 11, 3]);
    let one = decimals(&[1; 3], 1);
    let leave = exact(&decimals(&min_max, 1), &decimals(&fair, 1), &one);
    assert_eq!(leave.blocking, Some(vec![0, 1]));
    assert_eq!(leave.kappa, Kappa::Finite(BigRational::new(40.into(), 33.into())));
    // The other way round the noisy agent alone breaks even (3/1 at share 1/3) and nothing is
    // strict, so the fair model stays in the core of the two.
    let stay = exact(&decimals(&fair, 1), &decimals(&min_max, 1), &one);
    assert_eq!(stay.blocking, None);
}

#[test]
fn decimals_tie_exactly_where_binary_fractions_do_not() {
    // 3 * 0.7 = 2.1 in decimals: agent 0 breaks even alone and blocks nothing.
    let found = exact(&decimals(&[7, 9, 9], 10), &decimals(&[21, 1, 1], 10), &decimals(&[1; 3], 1));
    assert_eq!(found.blocking, None);
    let rounded = scan(&[0.7, 0.9, 0.9], &[2.1, 0.1, 0.1], &[1.0; 3], &3.0);
    assert_eq!(rounded.blocking, Some(vec![0]), "the same cells read as f64");
}

#[test]
fn an_agent_with_nothing_blocks_alone_and_its_gain_is_infinite() {
    let found = scan(&[-0.5, 0.0, 1.0], &[0.1, 0.3, 1.0], &[1.0; 3], &3.0);
    assert_eq!((found.kappa.value(), found.blocking), (f64::INFINITY, Some(vec![0])));
    assert!(gain(0.0, 0.3).is_infinite() && gain(-0.5, 0.1).is_infinite());
}

#[test]
fn an_agent_that_gets_nothing_lends_nobody_its_share() {
    // Agent 0 has nothing under either model; agent 1 alone holds 1/3, and 1.6/3 < 1.
    let found = scan(&[0.0, 1.0, 1.0], &[0.0, 1.6, 0.5], &[1.0; 3], &3.0);
    assert_eq!(found.blocking, None);
    assert!((found.kappa.value() - 1.6 / 3.0).abs() < 1e-15);
    // The same model does not justify leaving, nor does a worse one.
    for then in [-1.0, -2.0, 0.0] {
        let found = scan(&[1.0, -1.0], &[1.0, then], &[1.0; 2], &2.0);
        assert_eq!((found.kappa, found.blocking), (Kappa::Finite(0.5), None), "{then}");
        assert!(!found.improves);
    }
}

#[test]
fn everybody_together_does_not_leave() {
    // Everybody gains a half; a group of two of three holds 2/3, and 2/3 * 1.5 breaks even.
    let found = scan(&[1.0; 3], &[1.5; 3], &[1.0; 3], &3.0);
    assert_eq!((found.kappa, found.everybody), (Kappa::Finite(1.0), Kappa::Finite(1.5)));
    assert_eq!((found.blocking, found.improves), (None, true));
    // With weights 5, 4 and 1 all but the last hold 9/10, and 1.35 > 1.
    let found = scan(&[1.0; 3], &[1.5; 3], &[5.0, 4.0, 1.0], &10.0);
    assert_eq!(found.blocking, Some(vec![0, 1]));
    // Two that gain much are better off without the third.
    let found = scan(&[1.0; 3], &[3.0, 3.0, 1.1], &[1.0; 3], &3.0);
    assert_eq!((found.kappa, found.blocking), (Kappa::Finite(2.0), Some(vec![0, 1])));
}

/// Utilities on a coarse grid, so that ties and exact equalities are common.
fn grid(n: usize, low: i64) -> impl Strategy<Value = Vec<BigRational>> {
    prop::collection::vec(low..6_i64, n).prop_map(|v| decimals(&v, 2))
}

prop_compose! {
    fn instance()(n in 1_usize..7)(
        now in grid(n, -3), then in grid(n, -3), w in prop::collection::vec(1_i64..4, n),
    ) -> (Vec<BigRational>, Vec<BigRational>, Vec<BigRational>) {
        (now, then, decimals(&w, 1))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// For every sign of the utilities, the scan blocks exactly when Definition 1 does.
    #[test]
    fn the_scan_agrees_with_every_coalition((now, then, w) in instance()) {
        let found = exact(&now, &then, &w);
        let brute = proper(now.len()).any(|s| blocks(&s, &now, &then, &w));
        prop_assert_eq!(found.blocking.is_some(), brute);
        if let Some(members) = found.blocking {
            prop_assert!(members.len() < now.len());
            prop_assert!(blocks(&members, &now, &then, &w), "{:?} does not block", members);
        }
        let all: Vec<usize> = (0..now.len()).collect();
        prop_assert_eq!(found.improves, blocks(&all, &now, &then, &w));
    }

    /// For positive incumbents `kappa` is the maximum over all coalitions but everybody, and is
    /// attained.
    #[test]
    fn kappa_is_the_best_over_all_coalitions((now, then, w) in instance()) {
        let now: Vec<_> = now.iter().map(|u| u * u + rational(0.25)).collect();
        let total: BigRational = w.iter().sum();
        let value = |s: &[usize]| {
            let least = s.iter().map(|&i| &then[i] / &now[i]).min().unwrap();
            s.iter().map(|&i| &w[i]).sum::<BigRational>() / &total * least
        };
        let brute = proper(now.len()).map(|s| value(&s)).max().unwrap_or_default();
        let brute = brute.max(Zero::zero());
        let found = exact(&now, &then, &w);
        let all: Vec<usize> = (0..now.len()).collect();
        prop_assert_eq!(&found.everybody, &Kappa::Finite(value(&all).max(Zero::zero())));
        prop_assert_eq!(found.kappa, Kappa::Finite(brute.clone()));
        if !found.coalition.is_empty() {
            prop_assert_eq!(value(&found.coalition), brute);
        }
    }

    /// Relabelling agents permutes the answer; rescaling one agent's utility changes nothing;
    /// doubling every agent adds coalitions and takes none away.
    #[test]
    fn verdicts_are_invariant((now, then, w) in instance(), scale in 1_i64..9, turn in 0_usize..7) {
        let n = now.len();
        let base = exact(&now, &then, &w);
        let turned = |v: &[BigRational]| {
            (0..n).map(|i| v[(i + turn) % n].clone()).collect::<Vec<_>>()
        };
        let relabelled = exact(&turned(&now), &turned(&then), &turned(&w));
        prop_assert_eq!(&relabelled.kappa, &base.kappa);
        prop_assert_eq!(relabelled.blocking.is_some(), base.blocking.is_some());

        let rescaled = |v: &[BigRational]| {
            let mut v = v.to_vec();
            v[0] *= BigRational::from_integer(scale.into());
            v
        };
        prop_assert_eq!(&exact(&rescaled(&now), &rescaled(&then), &w), &base);

        // Twice as many agents of each kind can leave somebody behind whose twin they need not.
        let twice = |v: &[BigRational]| [v, v].concat();
        let doubled = exact(&twice(&now), &twice(&then), &twice(&w));
        prop_assert!(doubled.kappa >= base.kappa);
        prop_assert!(doubled.blocking.is_some() || base.blocking.is_none());
        prop_assert_eq!((doubled.everybody, doubled.improves), (base.everybody, base.improves));
    }

    /// `kappa <= mean gain <= H_n kappa` for equal weights and non-negative gains.
    #[test]
    fn the_mean_gain_brackets_kappa(gains in prop::collection::vec(0.0..5.0_f64, 1..9)) {
        let n = gains.len();
        let weights = Weights::equal(n);
        let found = scan(&vec![1.0; n], &gains, weights.values(), &weights.total());
        let kappa = found.kappa.value().max(found.everybody.value());
        let mean = ratio_bound(&vec![1.0; n], &gains, &weights).unwrap();
        let harmonic: f64 = (1..=n).map(|k| 1.0 / k as f64).sum();
        prop_assert!(kappa <= mean * (1.0 + 1e-12));
        prop_assert!(mean <= harmonic * kappa * (1.0 + 1e-12));
    }
}
