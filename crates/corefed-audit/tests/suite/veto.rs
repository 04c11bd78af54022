//! The proportional veto core against its definition: every coalition, every model.

use corefed_audit::{Assembly, Ballots, Standing};
use corefed_core::Prefer;
use num_rational::BigRational;
use num_traits::One;
use proptest::prelude::*;

fn fraction(above: u32, below: u32) -> BigRational {
    BigRational::new(above.into(), below.into())
}

/// Whether some coalition vetoes `model`, by going through all of them.
fn vetoed(
    values: &[Vec<u8>],
    weights: &[BigRational],
    measures: &[BigRational],
    model: usize,
) -> bool {
    let (say, all): (BigRational, BigRational) = (weights.iter().sum(), measures.iter().sum());
    (1_u32..1 << weights.len()).any(|members| {
        let inside = |agent: &usize| members >> agent & 1 == 1;
        let coalition: Vec<usize> = (0..weights.len()).filter(inside).collect();
        let better = (0..values.len())
            .filter(|&b| coalition.iter().all(|&i| values[b][i] > values[model][i]));
        let better: BigRational = better.map(|b| &measures[b]).sum();
        let share: BigRational = coalition.iter().map(|&i| &weights[i]).sum();
        better / &all > BigRational::one() - share / &say
    })
}

type Game = (Vec<Vec<u8>>, Vec<BigRational>, Vec<BigRational>);

/// Small tables with many ties; weights and measures with unequal denominators.
fn games() -> impl Strategy<Value = Game> {
    (1_usize..6, 2_usize..8).prop_flat_map(|(agents, models)| {
        let values = prop::collection::vec(prop::collection::vec(0_u8..5, agents), models);
        let parts = |count| {
            prop::collection::vec((1_u32..7, 1_u32..4).prop_map(|(a, b)| fraction(a, b)), count)
        };
        (values, parts(agents), parts(models))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn membership_is_that_of_the_definition((values, weights, measures) in games()) {
        let ballots = Ballots::new(&values, Prefer::Larger);
        let assembly = Assembly::new(ballots, &weights, &measures);
        for (model, standing) in assembly.standings().iter().enumerate() {
            let expected = vetoed(&values, &weights, &measures, model);
            prop_assert_eq!(matches!(standing, Standing::Vetoed { .. }), expected);
        }
    }

    #[test]
    fn what_is_chosen_lies_in_the_core((values, weights, measures) in games()) {
        let ballots = Ballots::new(&values, Prefer::Larger);
        let assembly = Assembly::new(ballots, &weights, &measures);
        let chosen = assembly.choose();
        prop_assert!(!chosen.is_empty());
        for model in chosen {
            prop_assert!(!vetoed(&values, &weights, &measures, model));
        }
    }

    /// A copy of a model that shares the measure of the original changes nobody's standing.
    #[test]
    fn clones_with_a_divided_measure_change_nothing((values, weights, measures) in games()) {
        let standings = |values: &[Vec<u8>], measures: &[BigRational]| {
            let ballots = Ballots::new(values, Prefer::Larger);
            let assembly = Assembly::new(ballots, &weights, measures);
            let kept = |s: &Standing| matches!(s, Standing::Kept(_));
            assembly.standings().iter().map(kept).collect::<Vec<_>>()
        };
        let before = standings(&values, &measures);
        let mut cloned = values.clone();
        cloned.push(values[0].clone());
        let mut divided = measures.clone();
        divided[0] = &divided[0] / BigRational::from_integer(2.into());
        divided.push(divided[0].clone());
        let after = standings(&cloned, &divided);
        prop_assert_eq!(&after[..before.len()], &before[..]);
        prop_assert_eq!(after[before.len()], before[0]);
    }
}

#[test]
fn numbers_beyond_machine_integers_are_exact() {
    // Weights so close to each other that no machine integer tells them apart.
    let huge =
        BigRational::from_integer("1000000000000000000000000000000000000000000".parse().unwrap());
    let weights = [huge.clone() + BigRational::one(), huge];
    let ballots = Ballots::new(&[vec![1, 0], vec![0, 1]], Prefer::Larger);
    let assembly = Assembly::new(ballots, &weights, &[BigRational::one(), BigRational::one()]);
    // The first has a little more than half of the say, and vetoes the other half of the models.
    assert_eq!(assembly.standings()[1], Standing::Vetoed { coalition: vec![0], better: vec![0] });
    assert!(matches!(assembly.standings()[0], Standing::Kept(_)));
    assert_eq!(assembly.choose(), [0]);
}
