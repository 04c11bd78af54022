//! Worst-case losses bound every point of the ball.

use corefed_core::Family;
use corefed_model::{
    ConvexLosses, FederationLosses, Quadratic, check_margins, least_squares_about_zero,
    maximum_on_ball, worst_losses,
};
use proptest::prelude::*;

use crate::testing::{Columns, federation, uniform};

/// The vector of this direction and length.
fn scaled(direction: &[f64], length: f64) -> Vec<f64> {
    let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    direction.iter().map(|x| x * length / norm.max(1e-300)).collect()
}

/// The largest loss on the sphere by climbing: the loss is convex, so the point of the sphere
/// farthest along its gradient is no worse. A quadratic has at most one other local maximum,
/// across the leading axis, so the second climb starts opposite to where the first one ended.
fn climbed(model: &impl ConvexLosses, agent: usize, start: Vec<f64>, radius: f64) -> f64 {
    let (mut at, mut loss, mut best) = (start, [0.0], 0.0_f64);
    let mut slope = vec![0.0; model.dim()];
    for _ in 0..2 {
        for _ in 0..2000 {
            model.gradients(&at, &[agent], &mut loss, &mut slope);
            at = scaled(&slope, radius);
        }
        model.losses(&at, &[agent], &mut loss);
        best = best.max(loss[0]);
        for x in &mut at {
            *x = -*x;
        }
    }
    best
}

proptest! {
    #[test]
    fn no_point_of_the_ball_exceeds_the_worst_loss(
        family in prop::sample::select(Family::ALL.to_vec()),
        l2 in prop::sample::select(vec![0.0, 0.3]),
        log_radius in -2.0..6.0_f64,
        depth in 0.0..=1.0_f64,
        seed in 0..u64::MAX,
    ) {
        let columns = Columns { dense: 3, levels: &[3], intercept: true };
        let federation = federation(&[1, 2, 30], columns, family, 3);
        let model = FederationLosses::new(&federation, family, 3, l2);
        let radius = 10_f64.powf(log_radius);
        prop_assume!(check_margins(&model, radius).is_ok());
        let bounds = worst_losses(&model, radius);
        for length in [depth * radius, radius] {
            let at = scaled(&uniform(seed, model.dim()), length);
            let mut losses = [0.0; 3];
            model.losses(&at, &[0, 1, 2], &mut losses);
            for (loss, bound) in losses.iter().zip(&bounds) {
                prop_assert!(bound.bound.is_finite());
                prop_assert!(*loss <= bound.bound * (1.0 + 1e-12), "{loss} > {bound:?}");
            }
        }
    }

    #[test]
    fn the_worst_squared_loss_is_attained_and_its_multiplier_proves_it(
        seed in 0..u64::MAX,
        log_radius in -2.0..3.0_f64,
    ) {
        let columns = Columns { dense: 4, levels: &[], intercept: true };
        let federation = federation(&[1, 3, 30], columns, Family::Linear, 0);
        let model = FederationLosses::new(&federation, Family::Linear, 0, 0.1);
        let quadratics = least_squares_about_zero(&federation, 0.1);
        let radius = 10_f64.powf(log_radius);
        for (agent, worst) in worst_losses(&model, radius).iter().enumerate() {
            let start = scaled(&uniform(seed, model.dim()), radius);
            let best = climbed(&model, agent, start, radius);
            prop_assert!(best <= worst.bound * (1.0 + 1e-12), "{best} > {worst:?}");
            prop_assert!(best >= worst.bound * (1.0 - 1e-6), "{best} << {worst:?}");
            let proof = dual_value(&quadratics[agent], worst.multiplier.unwrap(), radius);
            prop_assert!((proof - worst.bound).abs() <= 1e-9 * worst.bound, "{proof}, {worst:?}");
        }
    }
}

/// `c + lambda R^2 + b' (lambda I - A)^-1 b` by a Cholesky factorisation that insists on a
/// positive definite matrix.
fn dual_value(quadratic: &Quadratic, multiplier: f64, radius: f64) -> f64 {
    let dim = quadratic.linear.len();
    let mut factor = vec![0.0; dim * dim];
    let mut solved = quadratic.linear.clone();
    for i in 0..dim {
        for j in 0..=i {
            let own = if i == j { multiplier } else { 0.0 };
            let dot: f64 = (0..j).map(|k| factor[i * dim + k] * factor[j * dim + k]).sum();
            let rest = own - quadratic.matrix[i * dim + j] - dot;
            factor[i * dim + j] = if i == j {
                assert!(rest > 0.0, "the multiplier {multiplier} is too small: {rest}");
                rest.sqrt()
            } else {
                rest / factor[j * dim + j]
            };
        }
        let dot: f64 = (0..i).map(|k| factor[i * dim + k] * solved[k]).sum();
        solved[i] = (solved[i] - dot) / factor[i * dim + i];
    }
    let curved: f64 = solved.iter().map(|x| x * x).sum();
    quadratic.constant + multiplier * radius * radius + curved
}

#[test]
fn the_hard_case_is_proven_by_its_multiplier_too() {
    // 4 x^2 + y^2 - 2 y, whose linear part is orthogonal to the leading axis.
    let matrix = vec![4.0, 0.0, 0.0, 1.0];
    let hard = Quadratic { matrix, linear: vec![0.0, 1.0], constant: 0.0 };
    let found = maximum_on_ball(&hard, 2.0);
    let proof = dual_value(&hard, found.multiplier, 2.0);
    assert!((proof - found.value).abs() < 1e-10, "{proof} != {found:?}");
}

#[test]
fn at_the_largest_eigenvalue_itself_the_bound_would_be_false() {
    // (t - 1)^2 on |t| <= 2 reaches 9. With a pseudo-inverse the formula at lambda = 1 gives
    // 1 + 4 + 0 = 5; the multiplier returned is strictly above and proves 9.
    let parabola = Quadratic { matrix: vec![1.0], linear: vec![1.0], constant: 1.0 };
    let found = maximum_on_ball(&parabola, 2.0);
    assert!(found.multiplier > 1.0 && found.value >= 9.0 && found.value < 9.0 + 1e-7, "{found:?}");
}

#[test]
fn a_ball_in_which_losses_could_overflow_is_refused() {
    let columns = Columns { dense: 0, levels: &[], intercept: true };
    let counts = federation(&[2, 3], columns, Family::Poisson, 0);
    let model = FederationLosses::new(&counts, Family::Poisson, 0, 0.0);
    // Rows of length one: the margin is the radius and the log of the exposure.
    assert_eq!(check_margins(&model, 298.0), Ok(()));
    let error = check_margins(&model, 301.0).unwrap_err();
    assert_eq!((error.agent.as_str(), error.row, error.most), ("0", 1, 300.0));
    assert!(error.to_string().contains("in the ball of radius 301"), "{error}");
    let labels = federation(&[2, 3], columns, Family::Logistic, 2);
    let logistic = FederationLosses::new(&labels, Family::Logistic, 2, 0.0);
    assert_eq!(check_margins(&logistic, 1e50), Ok(()));
}
