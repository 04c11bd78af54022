//! Contributions by their definitions: orders of arrival one by one, and games whose values are known.

use corefed_core::{Seed, uniform};
use corefed_game::{Game, permutations, sampled_contributions};
use proptest::prelude::*;

fn game(agents: usize) -> impl Strategy<Value = Game> {
    prop::collection::vec(-2.0..5.0_f64, (1 << agents) - 1..1 << agents).prop_map(
        move |mut values| {
            values.insert(0, 0.0);
            Game::new(agents, values).expect("a game")
        },
    )
}

/// All orders of `0..n`.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(n - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut longer = order.clone();
        longer.insert(at, n - 1);
        longer
    };
    shorter.iter().flat_map(|order| (0..n).map(move |at| insert(order, at))).collect()
}

fn mask(members: &[usize]) -> usize {
    members.iter().map(|agent| 1 << agent).sum()
}

proptest! {
    #[test]
    fn shapley_is_the_mean_over_all_orders(game in game(5)) {
        let all = orders(5);
        let mut mean = vec![0.0; 5];
        for order in &all {
            let mut there = 0;
            for &agent in order {
                mean[agent] += game.value(there | 1 << agent) - game.value(there);
                there |= 1 << agent;
            }
        }
        for (shapley, sum) in game.shapley().iter().zip(mean) {
            prop_assert!((shapley - sum / all.len() as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn banzhaf_is_the_mean_over_all_coalitions_of_the_others(game in game(5)) {
        for (agent, banzhaf) in game.banzhaf().iter().enumerate() {
            let without = (0..32_usize).filter(|mask| mask >> agent & 1 == 0);
            let sum: f64 = without.map(|m| game.value(m | 1 << agent) - game.value(m)).sum();
            prop_assert!((banzhaf - sum / 16.0).abs() < 1e-12);
        }
    }

    #[test]
    fn shapley_shares_sum_to_the_value_of_everybody(game in game(6)) {
        let sum: f64 = game.shapley().iter().sum();
        prop_assert!((sum - game.value(63)).abs() < 1e-12);
    }

    #[test]
    fn adding_what_agents_have_anyway_adds_it_to_their_contributions(
        game in game(4),
        own in prop::collection::vec(-1.0..1.0_f64, 4),
    ) {
        let extra = |mask: usize| (0..4).filter(|i| mask >> i & 1 == 1).map(|i| own[i]).sum::<f64>();
        let moved = (0..16).map(|mask| game.value(mask) + extra(mask)).collect();
        let moved = Game::new(4, moved).unwrap();
        for values in [Game::shapley, Game::banzhaf, Game::leave_one_out] {
            let (before, after) = (values(&game), values(&moved));
            for agent in 0..4 {
                prop_assert!((after[agent] - before[agent] - own[agent]).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn in_an_additive_game_everybody_brings_its_own() {
    let own = [1.0, -2.0, 0.5];
    let worth = |mask: usize| (0..3).filter(|i| mask >> i & 1 == 1).map(|i| own[i]).sum();
    let game = Game::new(3, (0..8).map(worth).collect()).unwrap();
    for found in [game.shapley(), game.banzhaf(), game.leave_one_out()] {
        assert!(found.iter().zip(own).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
    }
}

#[test]
fn a_unanimity_game_is_shared_by_those_who_are_needed() {
    // Agents 0 and 2 of four are needed: each brings 1/2, and 2^-1 by Banzhaf.
    let game = Game::new(4, (0..16).map(|m| f64::from(u8::from(m & 5 == 5))).collect()).unwrap();
    let close = |a: Vec<f64>, b: [f64; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
    assert!(close(game.shapley(), [0.5, 0.0, 0.5, 0.0]));
    assert!(close(game.banzhaf(), [0.5, 0.0, 0.5, 0.0]));
    assert!(close(game.leave_one_out(), [1.0, 0.0, 1.0, 0.0]));
}

#[test]
fn in_a_majority_game_nobody_is_missed_and_all_count_alike() {
    let wins = |mask: usize| f64::from(u8::from(mask.count_ones() >= 3));
    let game = Game::new(5, (0..32).map(wins).collect()).unwrap();
    assert_eq!(game.leave_one_out(), [0.0; 5]);
    assert!(game.shapley().iter().all(|share| (share - 0.2).abs() < 1e-14));
    // Pivotal with exactly two of the other four: 6/16.
    assert!(game.banzhaf().iter().all(|share| (share - 0.375).abs() < 1e-14));
}

#[test]
fn sampled_contributions_cover_the_exact_ones_as_often_as_they_say() {
    let mut rng = Seed(7).rng();
    let values: Vec<f64> =
        (0..256).map(|mask| if mask == 0 { 0.0 } else { uniform(&mut rng) }).collect();
    let game = Game::new(8, values).unwrap();
    let (shapley, banzhaf) = (game.shapley(), game.banzhaf());
    let (mut hits, mut hits_banzhaf, trials) = (0_u32, 0_u32, 200_u32);
    for trial in 0..trials {
        let drawn = permutations(8, 40, Seed(8).derive_index(trial.into()));
        let found = sampled_contributions(&drawn, 0.9, |s| game.value(mask(s))).unwrap();
        for agent in 0..8 {
            let [a, b] = [found.shapley[agent], found.banzhaf[agent]];
            hits += u32::from(a.lo <= shapley[agent] && shapley[agent] <= a.hi);
            hits_banzhaf += u32::from(b.lo <= banzhaf[agent] && banzhaf[agent] <= b.hi);
        }
    }
    // 1600 intervals; those of one trial are dependent, so the allowance is for 200.
    for hits in [hits, hits_banzhaf] {
        let share = f64::from(hits) / f64::from(8 * trials);
        assert!((0.9 - 3.0 * (0.09 / 200.0_f64).sqrt()..=0.96).contains(&share), "{share}");
    }
}

#[test]
fn all_orders_together_give_the_exact_values() {
    let game = Game::new(4, (0..16).map(|m| f64::from(m * m)).collect()).unwrap();
    let found = sampled_contributions(&orders(4), 0.9, |s| game.value(mask(s))).unwrap();
    for agent in 0..4 {
        assert!((found.shapley[agent].mean - game.shapley()[agent]).abs() < 1e-12);
        assert!((found.banzhaf[agent].mean - game.banzhaf()[agent]).abs() < 1e-12);
    }
    assert_eq!(sampled_contributions(&orders(4)[..1], 0.9, |_| 0.0), None);
}
