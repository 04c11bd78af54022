//! Core-stable partitions by their definition, one partition and one coalition at a time.

use corefed_game::{GameError, HedonicGame, members};
use proptest::prelude::*;

/// All partitions of `rest` into masks.
fn partitions(rest: usize) -> Vec<Vec<usize>> {
    if rest == 0 {
        return vec![Vec::new()];
    }
    let first = rest & rest.wrapping_neg();
    let subsets = (0..=rest).filter(|mask| mask & !rest == 0 && mask & first != 0);
    subsets
        .flat_map(|block| {
            partitions(rest & !block).into_iter().map(move |mut others| {
                others.insert(0, block);
                others
            })
        })
        .collect()
}

fn stable(n: usize, worth: &[f64], slack: f64) -> Vec<Vec<usize>> {
    let worth = |mask: usize, agent: usize| worth[mask * n + agent];
    let blocked = |partition: &Vec<usize>| {
        (1..1_usize << n).any(|coalition| {
            members(coalition).all(|agent| {
                let home = partition.iter().find(|block| *block >> agent & 1 == 1).expect("a home");
                worth(coalition, agent) > worth(*home, agent) + slack
            })
        })
    };
    let mut all = partitions((1 << n) - 1);
    all.retain(|partition| !blocked(partition));
    all.sort();
    all
}

proptest! {
    #[test]
    fn the_search_finds_exactly_what_the_definition_does(
        n in 1..=5_usize,
        steps in prop::collection::vec(0..6_u8, 160),
        slack in prop::sample::select(vec![0.0, 1.0, 2.5]),
    ) {
        // Few different values, so that ties occur.
        let worth: Vec<f64> = steps.iter().map(|step| f64::from(*step)).collect();
        let game = HedonicGame::new(n, |mask, agent| worth[mask * n + agent]).unwrap();
        let mut found = game.core_stable(&vec![slack; n]);
        found.sort();
        prop_assert_eq!(found, stable(n, &worth, slack));
    }
}

#[test]
fn three_that_each_want_the_next_have_no_stable_partition() {
    // 0 likes {0,1} best, 1 likes {1,2}, 2 likes {2,0}; together is worse than alone.
    let rank = |mask: usize, agent: usize| match mask.count_ones() {
        1 => 1.0,
        2 if mask == 1 << agent | 1 << ((agent + 1) % 3) => 3.0,
        2 => 2.0,
        _ => 0.0,
    };
    assert!(HedonicGame::new(3, rank).unwrap().core_stable(&[0.0; 3]).is_empty());
    // Differences of one or two decide nothing when they count as ties.
    assert!(!HedonicGame::new(3, rank).unwrap().core_stable(&[2.0; 3]).is_empty());
}

#[test]
fn where_nobody_cares_every_partition_is_stable() {
    let game = HedonicGame::new(10, |_, _| 0.0).unwrap();
    assert_eq!(game.core_stable(&[0.0; 10]).len(), 115_975);
}

#[test]
fn coalitions_that_cannot_form_are_in_no_partition() {
    // Together would be best, but cannot be trained.
    let worth =
        |mask: usize, _| if mask == 7 { f64::NEG_INFINITY } else { f64::from(mask.count_ones()) };
    let found = HedonicGame::new(3, worth).unwrap().core_stable(&[0.0; 3]);
    assert_eq!(found.len(), 3, "a pair and one left over: {found:?}");
    let alone = HedonicGame::new(2, |_, _| f64::NEG_INFINITY).unwrap_err();
    assert!(matches!(alone, GameError::NotFinite { .. }));
    assert_eq!(
        HedonicGame::new(11, |_, _| 0.0).unwrap_err(),
        GameError::Agents { agents: 11, most: 10 }
    );
}
