//! The least core: games whose excess is known, and proofs that anybody can add up.

use corefed_game::{Game, LeastCore, members};
use proptest::prelude::*;

fn game(agents: usize) -> impl Strategy<Value = Game> {
    prop::collection::vec(-2.0..5.0_f64, (1 << agents) - 1..1 << agents).prop_map(
        move |mut values| {
            values.insert(0, 0.0);
            Game::new(agents, values).expect("a game")
        },
    )
}

fn of(agents: usize, worth: impl Fn(usize) -> f64) -> LeastCore {
    let game = Game::new(agents, (0..1 << agents).map(worth).collect()).expect("a game");
    game.least_core().expect("at least two agents")
}

/// Payments show that the excess is enough, weights that no less is.
fn check(game: &Game, found: &LeastCore) -> Result<(), TestCaseError> {
    let n = game.agents();
    let all = game.everybody();
    let total: f64 = found.payments.iter().sum();
    prop_assert!((total - game.value(all)).abs() < 1e-7, "{total}");
    for mask in 1..all {
        let paid: f64 = members(mask).map(|agent| found.payments[agent]).sum();
        prop_assert!(paid + found.excess >= game.value(mask) - 1e-7, "{mask:b} of {found:?}");
    }
    let weight: f64 = found.proof.iter().map(|(_, weight)| weight).sum();
    prop_assert!((weight - 1.0).abs() < 1e-9);
    prop_assert!(found.proof.iter().all(|(_, weight)| *weight > 0.0));
    let cover = |agent: usize| -> f64 {
        let with = found.proof.iter().filter(|(mask, _)| mask >> agent & 1 == 1);
        with.map(|(_, weight)| weight).sum()
    };
    let covers: Vec<f64> = (0..n).map(cover).collect();
    prop_assert!(covers.iter().all(|cover| (cover - covers[0]).abs() < 1e-9), "{covers:?}");
    let mean: f64 = found.proof.iter().map(|(mask, weight)| weight * game.value(*mask)).sum();
    let bound = mean - covers[0] * game.value(all);
    prop_assert!((bound - found.excess).abs() < 1e-7, "{bound} {}", found.excess);
    Ok(())
}

proptest! {
    #[test]
    fn payments_and_proof_agree_on_the_excess(game in (2..8_usize).prop_flat_map(game)) {
        check(&game, &game.least_core().unwrap())?;
    }

    #[test]
    fn values_that_tie_everywhere_are_solved_too(
        agents in 2..7_usize,
        steps in prop::collection::vec(0..3_u8, 127),
    ) {
        // Few different values: many bases are degenerate.
        let value = |mask: usize| if mask == 0 { 0.0 } else { f64::from(steps[mask - 1]) };
        let game = Game::new(agents, (0..1 << agents).map(value).collect()).unwrap();
        check(&game, &game.least_core().unwrap())?;
    }

    #[test]
    fn payments_are_as_small_or_large_as_the_game(game in game(4), scale in -6..6_i32) {
        let factor = 10_f64.powi(scale);
        let scaled = Game::new(4, (0..16).map(|m| factor * game.value(m)).collect()).unwrap();
        let (one, other) = (game.least_core().unwrap(), scaled.least_core().unwrap());
        prop_assert!((other.excess / factor - one.excess).abs() < 1e-7);
        for (a, b) in one.payments.iter().zip(&other.payments) {
            prop_assert!((b / factor - a).abs() < 1e-5, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_convex_game_keeps_everybody(own in prop::collection::vec(0.1..2.0_f64, 5)) {
        // v(S) = (sum of own)^2 is convex, and convex games have a core.
        let worth = |mask: usize| members(mask).map(|i| own[i]).sum::<f64>().powi(2);
        let game = Game::new(5, (0..32).map(worth).collect()).unwrap();
        let found = game.least_core().unwrap();
        prop_assert!(found.excess <= 1e-9);
        check(&game, &found)?;
    }
}

#[test]
fn a_majority_of_three_cannot_be_kept_together() {
    // Any two win 1: x(S) >= 1 - e for pairs, so e >= 1 - 2/3.
    let found = of(3, |mask| f64::from(u8::from(mask.count_ones() >= 2)));
    assert!((found.excess - 1.0 / 3.0).abs() < 1e-9, "{found:?}");
    assert!(found.payments.iter().all(|x| (x - 1.0 / 3.0).abs() < 1e-6), "{found:?}");
}

#[test]
fn in_an_additive_game_nobody_gains_by_leaving() {
    let found = of(4, |mask| members(mask).map(|agent| agent as f64).sum());
    assert!(found.excess.abs() < 1e-9, "{found:?}");
    assert!(found.payments.iter().enumerate().all(|(i, x)| (x - i as f64).abs() < 1e-6));
}

#[test]
fn in_a_unanimity_game_everybody_can_be_kept_with_room() {
    // Only everybody wins 1: the smallest share of any proper coalition is at most 1/n.
    let found = of(4, |mask| f64::from(u8::from(mask == 15)));
    assert!((found.excess + 0.25).abs() < 1e-9, "{found:?}");
    assert!(found.payments.iter().all(|x| (x - 0.25).abs() < 1e-6), "{found:?}");
}

#[test]
fn a_single_agent_has_no_least_core() {
    assert_eq!(Game::new(1, vec![0.0, 2.0]).unwrap().least_core(), None);
}

#[test]
fn twelve_agents_are_solved() {
    let worth = |mask: usize| f64::from(mask.count_ones()).powf(1.3) + (mask % 7) as f64 / 50.0;
    let values: Vec<f64> =
        (0..4096).map(|mask| if mask == 0 { 0.0 } else { worth(mask) }).collect();
    let game = Game::new(12, values).unwrap();
    check(&game, &game.least_core().unwrap()).unwrap();
}
