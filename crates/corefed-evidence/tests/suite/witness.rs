//! The search against federations whose kappa is known exactly.

use std::ops::ControlFlow;

use corefed_audit::{Progress, audit};
use corefed_core::Seed;
use corefed_core::{KappaInterval, Verdict, Weights, WorstLoss};
use corefed_evidence::{Ascent, Rivals, Search, SearchError, SearchResult, Unavailable};
use corefed_model::{Quadratic, QuadraticLosses};
use corefed_solve::{Problem, Rule, solve};
use proptest::prelude::*;

const RADIUS: f64 = 4.0;

/// Losses `(x - t)' A (x - t)` in a ball, improved by gradient descent.
#[derive(Clone, Debug)]
struct Bowls {
    dim: usize,
    bowls: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Bowls {
    /// `t^2` and `(t-1)^2`.
    fn two() -> Self {
        Self { dim: 1, bowls: vec![(vec![1.0], vec![0.0]), (vec![1.0], vec![1.0])] }
    }

    /// `A (x - t)` and `(x - t)' A (x - t)`.
    fn at(&self, agent: usize, x: &[f32]) -> (Vec<f64>, f64) {
        let (matrix, target) = &self.bowls[agent];
        let offset: Vec<f64> = x.iter().zip(target).map(|(x, t)| f64::from(*x) - t).collect();
        let product: Vec<f64> = (0..self.dim)
            .map(|i| (0..self.dim).map(|j| matrix[i * self.dim + j] * offset[j]).sum())
            .collect();
        let loss = product.iter().zip(&offset).map(|(p, o)| p * o).sum();
        (product, loss)
    }

    fn convex(&self) -> QuadraticLosses {
        let quadratic = |(matrix, target): &(Vec<f64>, Vec<f64>)| {
            let linear: Vec<f64> = (0..self.dim)
                .map(|i| (0..self.dim).map(|j| matrix[i * self.dim + j] * target[j]).sum())
                .collect();
            let constant = linear.iter().zip(target).map(|(b, t)| b * t).sum();
            Quadratic { matrix: matrix.clone(), linear, constant }
        };
        QuadraticLosses::new(self.dim, self.bowls.iter().map(quadratic).collect(), 0.0)
    }
}

impl Rivals for Bowls {
    fn agents(&self) -> usize {
        self.bowls.len()
    }

    fn losses(&mut self, params: &[f32]) -> Result<Vec<f64>, Unavailable> {
        Ok((0..self.bowls.len()).map(|agent| self.at(agent, params).1).collect())
    }

    #[expect(clippy::cast_possible_truncation, reason = "parameters are single precision")]
    fn improve(
        &mut self,
        params: &[f32],
        coefficients: &[f64],
        _: usize,
    ) -> Result<Option<Vec<f32>>, Unavailable> {
        assert!((coefficients.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The trace bounds the largest curvature.
        let trace = |matrix: &[f64]| (0..self.dim).map(|i| matrix[i * self.dim + i]).sum::<f64>();
        let steepest: f64 =
            self.bowls.iter().zip(coefficients).map(|((a, _), c)| c * trace(a)).sum();
        let mut x = params.to_vec();
        for _ in 0..50 {
            let mut step = vec![0.0; self.dim];
            for (agent, c) in coefficients.iter().enumerate() {
                for (s, g) in step.iter_mut().zip(self.at(agent, &x).0) {
                    *s += c * g / steepest;
                }
            }
            for (x, s) in x.iter_mut().zip(step) {
                *x = (f64::from(*x) - s) as f32;
            }
            let norm = x.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            if norm > RADIUS {
                for x in &mut x {
                    *x = (f64::from(*x) * RADIUS / norm) as f32;
                }
            }
        }
        Ok(Some(x))
    }
}

/// Up to five agents form 31 coalitions: nearly all of them are climbed for.
const ASCENT: Ascent = Ascent { bursts: 400, changes: 3, random: 32, seed: Seed(1) };

fn search(bowls: &Bowls, incumbent: &[f32], ceilings: &[f64], weights: &Weights) -> SearchResult {
    let mut rivals = bowls.clone();
    let mut search = Search::new(&mut rivals, incumbent, ceilings, weights, 31).expect("finite");
    let zero = vec![0.0; bowls.dim];
    search.offer("zero", &zero).expect("shape");
    search.train_coalitions(&zero, 2).expect("few agents");
    let before = search.kappa();
    search.climb(&ASCENT).expect("shapes");
    assert!(search.kappa() >= before);
    search.finish()
}

#[test]
fn two_parabolas_below_one_half_are_blocked_by_one_agent_alone() {
    // At t = 1/2 and M = 0.4 both have 0.15; alone an agent has 0.4: kappa = (0.4/0.15)/2 = 4/3.
    let found = search(&Bowls::two(), &[0.5], &[0.4, 0.4], &Weights::equal(2));
    assert!((found.kappa.0 - 4.0 / 3.0).abs() < 1e-6, "{found:?}");
    let witness = found.witness.expect("blocked");
    assert_eq!(witness.coalition.len(), 1);
    assert!((witness.gains[0].0 - 0.4 / 0.15).abs() < 1e-6, "{witness:?}");
    assert_eq!(witness.kappa, found.kappa);
    assert_eq!(found.rises.last().map(|rise| rise.kappa), Some(found.kappa));
    assert!(found.rises.is_sorted_by(|a, b| a.kappa.0 < b.kappa.0), "{:?}", found.rises);
}

#[test]
fn climbing_finds_the_compromise_that_no_candidate_is() {
    // Agents 0 and 1 want (0, 0.3) and (0, -0.3), agent 2 has what it wants at (1, 0). With M =
    // 1.5 the two have 0.41 now and 1.41 each at (0, 0): kappa = 2/3 * 1.41/0.41.
    let identity = vec![1.0, 0.0, 0.0, 1.0];
    let targets = [vec![0.0, 0.3], vec![0.0, -0.3], vec![1.0, 0.0]];
    let mut bowls =
        Bowls { dim: 2, bowls: targets.map(|target| (identity.clone(), target)).to_vec() };
    let weights = Weights::equal(3);
    let mut search = Search::new(&mut bowls, &[1.0, 0.0], &[1.5; 3], &weights, 4).expect("finite");
    let alone = search.offer("for agent 0", &[0.0, 0.3]).expect("shape");
    assert!((alone.kappa - 2.0 / 3.0 * 1.14 / 0.41).abs() < 1e-6, "{alone:?}");
    search.climb(&Ascent { random: 0, ..ASCENT }).expect("shapes");
    let found = search.finish();
    assert!((found.kappa.0 - 2.0 / 3.0 * 1.41 / 0.41).abs() < 1e-5, "{found:?}");
    let witness = found.witness.expect("blocked");
    assert_eq!(witness.coalition, [0, 1]);
    assert!(witness.rival.starts_with("climb from"), "{}", witness.rival);
    assert!(witness.rival.ends_with("for agent 0 + agent 1"), "{}", witness.rival);
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let bowls = Bowls::two();
    let losses = bowls.convex();
    let problem = Problem::new(&losses, vec![0.8; 2], Weights::equal(2), RADIUS);
    let core = solve(&problem, Rule::Core, 1e-12).expect("feasible");
    #[expect(clippy::cast_possible_truncation, reason = "parameters are single precision")]
    let incumbent: Vec<f32> = core.params.iter().map(|x| *x as f32).collect();
    let widened: Vec<f64> = incumbent.iter().map(|x| f64::from(*x)).collect();
    assert_eq!(exact(&problem, &widened).0, Verdict::Stable);
    let found = search(&bowls, &incumbent, &[0.8; 2], &Weights::equal(2));
    assert!(found.kappa.0 <= 1.0 + 1e-6, "{found:?}");
}

#[test]
fn an_agent_with_nothing_leaves_for_anything() {
    // At t = 1 agent 0 has 0.4 - 1 < 0.
    let mut bowls = Bowls::two();
    let weights = Weights::equal(2);
    let mut search = Search::new(&mut bowls, &[1.0], &[0.4, 0.4], &weights, 4).expect("finite");
    search.climb(&ASCENT).expect("shapes");
    let found = search.finish();
    assert!(found.kappa.0.is_infinite());
    let witness = found.witness.expect("blocked");
    assert_eq!(witness.coalition, [0]);
    assert!(witness.gains[0].0.is_infinite());
    // One burst was enough.
    assert_eq!((found.bursts, found.evaluations), (1, 2));
}

#[test]
fn an_agent_with_nothing_stays_where_nobody_can_give_it_more() {
    struct Fixed;
    impl Rivals for Fixed {
        fn agents(&self) -> usize {
            2
        }
        fn losses(&mut self, _: &[f32]) -> Result<Vec<f64>, Unavailable> {
            Ok(vec![2.0, 0.5])
        }
        fn improve(
            &mut self,
            params: &[f32],
            _: &[f64],
            _: usize,
        ) -> Result<Option<Vec<f32>>, Unavailable> {
            Ok(Some(params.to_vec()))
        }
    }
    let weights = Weights::equal(2);
    let mut rivals = Fixed;
    let mut search = Search::new(&mut rivals, &[0.0], &[1.0, 1.0], &weights, 4).expect("finite");
    search.climb(&ASCENT).expect("shapes");
    let found = search.finish();
    // Agent 1 alone can keep what it has, at half of the weight.
    assert_eq!((found.kappa.0, found.everybody.0), (0.5, 0.0));
    assert!(found.witness.is_none() && found.improvement.is_none(), "{found:?}");
}

#[test]
fn a_search_ends_where_losses_or_models_cannot_be_computed() {
    /// Computes losses so often, then fails.
    struct Failing {
        losses: usize,
    }
    fn lost() -> Unavailable {
        Unavailable { reason: "the device is gone".into(), hint: "look for it".into() }
    }
    impl Rivals for Failing {
        fn agents(&self) -> usize {
            2
        }
        fn losses(&mut self, _: &[f32]) -> Result<Vec<f64>, Unavailable> {
            self.losses = self.losses.checked_sub(1).ok_or_else(lost)?;
            Ok(vec![0.5; 2])
        }
        fn improve(
            &mut self,
            _: &[f32],
            _: &[f64],
            _: usize,
        ) -> Result<Option<Vec<f32>>, Unavailable> {
            Err(lost())
        }
    }
    let (weights, ceilings) = (Weights::equal(2), [1.0; 2]);
    let gone = SearchError::Unavailable(lost());
    let mut rivals = Failing { losses: 0 };
    assert_eq!(Search::new(&mut rivals, &[0.0], &ceilings, &weights, 4).err(), Some(gone.clone()));
    let mut rivals = Failing { losses: 1 };
    let mut search = Search::new(&mut rivals, &[0.0], &ceilings, &weights, 4).expect("one answer");
    assert_eq!(search.offer("zero", &[0.0]).unwrap_err(), gone);
    assert_eq!(search.climb(&ASCENT).unwrap_err(), gone);
    assert_eq!(search.train_coalitions(&[0.0], 2).unwrap_err(), gone);
    assert_eq!(search.local_map(0.1, 2).unwrap_err(), gone);
}

#[test]
fn equal_seeds_find_equal_witnesses() {
    let bowls = Bowls {
        dim: 1,
        bowls: [0.0, 0.3, 0.9, 1.4].iter().map(|t| (vec![1.0], vec![*t])).collect(),
    };
    let run = || search(&bowls, &[0.7], &[0.9; 4], &Weights::equal(4));
    assert_eq!(run(), run());
}

#[test]
fn the_local_map_moves_along_the_ball_and_stays_where_it_is_best() {
    // u = 0.8 - t^2 and 0.8 - (t-1)^2. At t = 1/2 the mean gain is largest; at t = 0.2 the map
    // wants (0.76 t0 + 0.16 t1)-weighted middle, further than r = 0.1 allows.
    let weights = Weights::equal(2);
    for (at, displacement) in [(0.5, 0.0), (0.2, 0.1)] {
        let (mut bowls, incumbent) = (Bowls::two(), [at]);
        let mut search =
            Search::new(&mut bowls, &incumbent, &[0.8, 0.8], &weights, 4).expect("finite");
        let map = search.local_map(0.1, 5).expect("positive");
        assert!((map.displacement - displacement).abs() < 1e-6, "{at}: {map:?}");
        // t = 0.3 instead of 0.2: (0.71/0.76 + 0.31/0.16) / 2.
        let expected = if at < 0.3 { f64::midpoint(0.71 / 0.76, 0.31 / 0.16) } else { 1.0 };
        assert!((map.mean_gain - expected).abs() < 1e-6, "{at}: {map:?}");
    }
    let mut bowls = Bowls::two();
    let mut search = Search::new(&mut bowls, &[1.0], &[0.4, 0.4], &weights, 4).expect("finite");
    let refused = search.local_map(0.1, 5).unwrap_err();
    assert!(matches!(refused, SearchError::NotPositive { agent: 0, .. }), "{refused}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let weights = Weights::equal(2);
    let mut bowls = Bowls::two();
    let short = Search::new(&mut bowls, &[0.5], &[0.4], &weights, 4).err().expect("one ceiling");
    assert_eq!(short, SearchError::Count { agents: 2, given: 1, what: "ceilings" });
    let nan = Search::new(&mut bowls, &[f32::NAN], &[0.4; 2], &weights, 4).err().expect("NaN");
    assert!(matches!(nan, SearchError::Incumbent { agent: 0, .. }), "{nan}");
    let mut search = Search::new(&mut bowls, &[0.5], &[0.4; 2], &weights, 4).expect("finite");
    let long = search.offer("wide", &[0.0, 1.0]).unwrap_err();
    assert!(matches!(long, SearchError::Parameters { given: 2, expected: 1, .. }), "{long}");
    // A rival that overflows serves nobody, and stops nothing.
    assert_eq!(search.offer("broken", &[f32::INFINITY]).expect("offered").kappa, 0.0);
}

fn exact(problem: &Problem<'_>, incumbent: &[f64]) -> (Verdict, KappaInterval) {
    let unproven = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; problem.agents()];
    let mut finish = |_: &Progress| ControlFlow::Continue(());
    let found = audit(problem, incumbent, &unproven, &[], 1e-6, &mut finish);
    (found.verdict, found.kappa)
}

prop_compose! {
    /// `dim x dim` factors and targets, and an incumbent.
    fn bowls()(dim in 1..4_usize, agents in 2..6_usize)(
        factors in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, dim * dim), agents),
        targets in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, dim), agents),
        weights in prop::collection::vec(0.5..2.0_f64, agents),
        incumbent in prop::collection::vec(-0.6..0.6_f32, dim),
        ceiling in 0.5..4.0_f64,
        dim in Just(dim),
    ) -> (Bowls, Weights, Vec<f32>, f64) {
        let square = |factor: Vec<f64>| {
            let mut matrix = vec![0.0; dim * dim];
            for i in 0..dim {
                for j in 0..dim {
                    let products = (0..dim).map(|k| factor[i * dim + k] * factor[j * dim + k]);
                    matrix[i * dim + j] = products.sum::<f64>() + if i == j { 0.2 } else { 0.0 };
                }
            }
            matrix
        };
        let bowls = factors.into_iter().map(square).zip(targets).collect();
        (Bowls { dim, bowls }, Weights::new(weights).expect("positive"), incumbent, ceiling)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_search_comes_near_the_exact_audit((bowls, weights, incumbent, ceiling) in bowls()) {
        let ceilings = vec![ceiling; bowls.bowls.len()];
        let losses = bowls.convex();
        let problem = Problem::new(&losses, ceilings.clone(), weights.clone(), RADIUS);
        let widened: Vec<f64> = incumbent.iter().map(|x| f64::from(*x)).collect();
        let (_, kappa) = exact(&problem, &widened);
        let (lo, hi) = (kappa.lo.0, kappa.hi.0);
        let found = search(&bowls, &incumbent, &ceilings, &weights);
        prop_assert!(found.kappa.0 >= 0.999 * lo, "{} < {lo}", found.kappa.0);
        // Found means reached: not above what is proven to be the most.
        prop_assert!(found.kappa.0 <= hi * (1.0 + 1e-4), "{} > {hi}", found.kappa.0);
    }
}
