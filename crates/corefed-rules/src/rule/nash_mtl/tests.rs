use proptest::prelude::*;

use super::*;
use crate::testing::close;

/// Coefficients for updates in the plane, with these pulls.
fn step(updates: &[[f64; 2]], pulls: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64; 2], b: &[f64; 2]| a[0] * b[0] + a[1] * b[1];
    let gram: Vec<f64> =
        updates.iter().flat_map(|a| updates.iter().map(move |b| dot(a, b))).collect();
    let norms: Vec<f64> = updates.iter().map(|d| dot(d, d).sqrt()).collect();
    bargained_step(&Products { pulls, norms: &norms, gram: &gram })
}

/// The combined step.
fn combined(updates: &[[f64; 2]], pulls: &[f64]) -> [f64; 2] {
    let coefficients = step(updates, pulls);
    let sum = |k: usize| updates.iter().zip(&coefficients).map(|(d, c)| c * d[k]).sum();
    [sum(0), sum(1)]
}

#[test]
fn orthogonal_updates_are_weighed_by_one_over_their_length() {
    // G = diag(9, 1): G a = 1/a gives a = (1/3, 1). The sum of a_i D_i has length sqrt(2) and is
    // brought to the mean length 2.
    let found = step(&[[3.0, 0.0], [0.0, 1.0]], &[1.0, 1.0]);
    let factor = 2.0 / 2_f64.sqrt();
    close(found[0], factor / 3.0);
    close(found[1], factor);
}

#[test]
fn two_agents_have_a_closed_form() {
    // C = (1, c; c, 1), w = 1/2 each: b_1 = b_2 = b with b^2 (1 + c) = 1/2.
    for c in [-0.999, -0.5, 0.0, 0.3, 0.9, 1.0] {
        let found = bargain(&[1.0, c, c, 1.0], &[0.5, 0.5]).unwrap();
        let b = (0.5 / (1.0 + c)).sqrt();
        assert!(found.iter().all(|x| (x - b).abs() < 1e-10 * b), "{c}: {found:?}");
    }
    // With weights, b_1^2 + c b_1 b_2 = w_1 and b_2^2 + c b_1 b_2 = w_2: for x = b_1 b_2,
    // (w_1 - cx)(w_2 - cx) = x^2.
    let (c, w) = (-0.4, [0.2, 0.8]);
    let found = bargain(&[1.0, c, c, 1.0], &w).unwrap();
    let root = (c * c + 4.0 * (1.0 - c * c) * w[0] * w[1]).sqrt();
    let x = (root - c) / (2.0 * (1.0 - c * c));
    close(found[0], (w[0] - c * x).sqrt());
    close(found[1], (w[1] - c * x).sqrt());
}

#[test]
fn a_cohort_in_agreement_steps_as_fedavg_does() {
    // Weights 1 and 3, updates 4 and 8 in one direction: (1/4) 4 + (3/4) 8 = 7.
    let found = combined(&[[4.0, 0.0], [8.0, 0.0]], &[1.0, 3.0]);
    close(found[0], 7.0);
}

#[test]
fn a_copy_of_an_agent_changes_nothing_when_they_share_its_weight() {
    let alone = combined(&[[1.0, 0.0], [0.6, 0.8]], &[1.0, 1.0]);
    let copied = combined(&[[1.0, 0.0], [0.6, 0.8], [0.6, 0.8]], &[1.0, 0.5, 0.5]);
    for (a, b) in alone.iter().zip(copied) {
        assert!((a - b).abs() < 1e-12, "{alone:?} {copied:?}");
    }
}

#[test]
fn where_no_direction_serves_everybody_there_is_no_step() {
    assert_eq!(step(&[[1.0, 0.0], [-2.0, 0.0]], &[1.0, 1.0]), [0.0, 0.0]);
    let (x, y) = (-0.5, 0.75_f64.sqrt());
    assert_eq!(step(&[[1.0, 0.0], [x, y], [x, -y]], &[1.0, 2.0, 3.0]), [0.0; 3]);
    assert_eq!(step(&[[0.0; 2]; 2], &[1.0, 1.0]), [0.0, 0.0]);
    assert!(step(&[], &[]).is_empty());
}

#[test]
fn agents_that_did_not_move_are_left_out() {
    assert_eq!(step(&[[0.0, 0.0], [0.0, 2.0]], &[1.0, 1.0]), [0.0, 1.0]);
    assert_eq!(step(&[[1e-30, 0.0], [0.0, 1.0]], &[1.0, 1.0]), [0.0, 1.0]);
}

/// Directions in a few dimensions with a common descent direction, the first axis.
fn agreeable() -> impl Strategy<Value = Vec<[f64; 4]>> {
    let update = (0.05..2.0, -2.0..2.0, -2.0..2.0, -2.0..2.0).prop_map(|(a, b, c, d)| [a, b, c, d]);
    prop::collection::vec(update, 1..9)
}

fn products(updates: &[[f64; 4]]) -> Vec<f64> {
    let dot = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    updates.iter().flat_map(|a| updates.iter().map(move |b| dot(a, b))).collect()
}

proptest! {
    #[test]
    fn coefficients_satisfy_the_bargaining_equation(
        updates in agreeable(),
        weights in prop::collection::vec(0.01..10.0, 9),
    ) {
        let (count, gram) = (updates.len(), products(&updates));
        let pulls = &weights[..count];
        let norms: Vec<f64> = (0..count).map(|s| gram[s * count + s].sqrt()).collect();
        let found = bargained_step(&Products { pulls, norms: &norms, gram: &gram });
        // a_i (G a)_i is proportional to w_i, and sums to the square of the step's length, which is
        // the mean length of updates.
        let total: f64 = pulls.iter().sum();
        let mean = pulls.iter().zip(&norms).map(|(w, norm)| w * norm).sum::<f64>() / total;
        let rows = times(&gram, &found);
        for s in 0..count {
            let expected = pulls[s] / total * mean * mean;
            let residual = (found[s] * rows[s] - expected).abs();
            prop_assert!(found[s] > 0.0 && residual <= 1e-9 * expected, "{residual} {expected}");
            // To first order everybody gains.
            prop_assert!(rows[s] > 0.0);
        }
    }

    #[test]
    fn the_direction_does_not_depend_on_the_length_of_an_update(
        updates in agreeable(),
        factor in 1e-6..1e6,
    ) {
        let count = updates.len();
        let direction = |updates: &[[f64; 4]]| {
            let gram = products(updates);
            let norms: Vec<f64> = (0..count).map(|s| gram[s * count + s].sqrt()).collect();
            let pulls = vec![1.0; count];
            let found = bargained_step(&Products { pulls: &pulls, norms: &norms, gram: &gram });
            let mut sum = [0.0; 4];
            for (update, coefficient) in updates.iter().zip(found) {
                sum.iter_mut().zip(update).for_each(|(sum, x)| *sum += coefficient * x);
            }
            let norm = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            sum.map(|x| x / norm)
        };
        let mut stretched = updates.clone();
        stretched[0] = stretched[0].map(|x| factor * x);
        for (a, b) in direction(&updates).iter().zip(direction(&stretched)) {
            prop_assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    }

    #[test]
    fn no_other_point_has_a_larger_product_of_gains(
        updates in agreeable(),
        other in prop::array::uniform4(-1.0..1.0),
    ) {
        // Over directions of unit length, sum log <d, d_i> is largest at the bargain.
        let count = updates.len();
        let unit = |v: &[f64; 4]| { let n = v.iter().map(|x| x * x).sum::<f64>().sqrt(); v.map(|x| x / n) };
        let units: Vec<[f64; 4]> = updates.iter().map(unit).collect();
        let b = bargain(&products(&units), &vec![1.0 / count as f64; count]).unwrap();
        let mut best = [0.0; 4];
        for (d, b) in units.iter().zip(&b) {
            best.iter_mut().zip(d).for_each(|(sum, x)| *sum += b * x);
        }
        let welfare = |d: [f64; 4]| -> f64 {
            let gain = |u: &[f64; 4]| u.iter().zip(&d).map(|(x, y)| x * y).sum::<f64>();
            units.iter().map(|u| gain(u).max(0.0).ln()).sum()
        };
        for step in [1.0, 0.1, 1e-3] {
            let mut near = best;
            near.iter_mut().zip(other).for_each(|(x, y)| *x += step * y);
            prop_assert!(welfare(unit(&near)) <= welfare(best) + 1e-9);
        }
    }
}
