use proptest::prelude::*;

use super::*;

/// Inner products of unit vectors in `dim` dimensions made of `values`.
fn cosines(values: &[f64], dim: usize) -> Vec<f64> {
    let units: Vec<Vec<f64>> = values
        .chunks_exact(dim)
        .map(|v| {
            let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            v.iter().map(|x| x / norm).collect()
        })
        .collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    units.iter().flat_map(|a| units.iter().map(move |b| dot(a, b))).collect()
}

fn product(gram: &[f64], x: &[f64]) -> Vec<f64> {
    gram.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(g, x)| g * x).sum()).collect()
}

fn value(gram: &[f64], x: &[f64]) -> f64 {
    product(gram, x).iter().zip(x).map(|(g, x)| g * x).sum()
}

/// The nearest point of the box that sums to one, by bisection on the shift.
fn project(v: &[f64], low: f64, high: f64) -> Vec<f64> {
    let at = |shift: f64| v.iter().map(|v| (v - shift).clamp(low, high)).collect::<Vec<f64>>();
    let (mut a, mut b) = (-10.0, 10.0);
    for _ in 0..200 {
        let middle = f64::midpoint(a, b);
        if at(middle).iter().sum::<f64>() > 1.0 { a = middle } else { b = middle }
    }
    at(f64::midpoint(a, b))
}

/// How far a gradient step followed by projection moves: zero exactly at the optimum.
fn residual(gram: &[f64], x: &[f64], epsilon: f64) -> f64 {
    let equal = 1.0 / x.len() as f64;
    let (low, high) = ((equal - epsilon).max(0.0), (equal + epsilon).min(1.0));
    let moved: Vec<f64> = x.iter().zip(product(gram, x)).map(|(x, g)| x - g).collect();
    let nearest = project(&moved, low, high);
    let distance = nearest.iter().zip(x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    distance.max((x.iter().sum::<f64>() - 1.0).abs())
}

#[test]
fn two_vectors_meet_at_the_foot_of_the_perpendicular() {
    // |x a + (1-x) b|^2 is least at x = (b.b - a.b)/(a.a + b.b - 2 a.b), cut to [0, 1].
    for (aa, bb, ab) in
        [(1.0, 1.0, 0.3), (1.0, 4.0, -1.0), (1.0, 4.0, 0.0), (1.0, 4.0, 1.9), (1.0, 1.0, -1.0)]
    {
        let x: f64 = (bb - ab) / (aa + bb - 2.0 * ab);
        let weights = min_norm_weights(&[aa, ab, ab, bb], 1.0);
        assert!((weights[0] - x.clamp(0.0, 1.0)).abs() < 1e-9, "{aa} {bb} {ab}: {weights:?}");
    }
}

#[test]
fn no_room_means_equal_weights() {
    assert_eq!(min_norm_weights(&[1.0, 0.0, 0.0, 9.0], 0.0), [0.5, 0.5]);
    assert_eq!(min_norm_weights(&[7.0], 1.0), [1.0]);
    assert!(min_norm_weights(&[], 1.0).is_empty());
}

#[test]
fn equal_vectors_share_equally() {
    for weight in min_norm_weights(&[1.0; 16], 1.0) {
        assert!((weight - 0.25).abs() < 1e-9, "{weight}");
    }
}

#[test]
fn hundreds_of_vectors_in_few_dimensions_are_solved() {
    let values: Vec<f64> = (0..900).map(|i| f64::from(i * i % 97) - 20.5).collect();
    let gram = cosines(&values, 3);
    let weights = min_norm_weights(&gram, 1.0);
    assert!(residual(&gram, &weights, 1.0) < 1e-9);
}

/// The best point of a grid: 1/200 apart.
fn brute_force(gram: &[f64], epsilon: f64) -> f64 {
    let third = 1.0 / 3.0;
    let mut best = f64::INFINITY;
    for i in 0..=200_i32 {
        for j in 0..=200 - i {
            let x = [f64::from(i) / 200.0, f64::from(j) / 200.0, f64::from(200 - i - j) / 200.0];
            if x.iter().all(|x| (x - third).abs() <= epsilon) {
                best = best.min(value(gram, &x));
            }
        }
    }
    best
}

proptest! {
    #[test]
    fn weights_satisfy_the_optimality_conditions(
        values in prop::collection::vec(-1.0..1.0_f64, 2..40),
        dim in 1..5_usize,
        epsilon in prop_oneof![Just(1.0), 0.0..1.0, 1e-8..1e-3],
    ) {
        let gram = cosines(&values, dim);
        prop_assume!(!gram.is_empty() && gram.iter().all(|g| g.is_finite()));
        let weights = min_norm_weights(&gram, epsilon);
        prop_assert!(weights.iter().all(|&x| x >= 0.0));
        let residual = residual(&gram, &weights, epsilon);
        prop_assert!(residual <= 1e-9, "{residual}: {weights:?}");
    }

    #[test]
    fn no_point_of_a_grid_is_shorter(
        values in prop::collection::vec(-1.0..1.0_f64, 6),
        epsilon in 0.05..1.0,
    ) {
        let gram = cosines(&values, 2);
        prop_assume!(gram.iter().all(|g| g.is_finite()));
        let weights = min_norm_weights(&gram, epsilon);
        let (found, grid) = (value(&gram, &weights), brute_force(&gram, epsilon));
        prop_assert!(found <= grid + 1e-9, "{found} > {grid}");
        prop_assert!(found >= grid - 0.05, "{found} is far below {grid}");
    }
}
