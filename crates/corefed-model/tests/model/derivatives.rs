//! Analytic derivatives against finite differences.

use corefed_core::Family;
use corefed_model::{ConvexLosses, FederationLosses};

use crate::testing::{
    Columns, agents, ask, assert_close, central_differences, federation, uniform,
};

const FAMILIES: [(Family, usize); 5] = [
    (Family::Linear, 0),
    (Family::Logistic, 2),
    (Family::Softmax, 2),
    (Family::Softmax, 4),
    (Family::Poisson, 0),
];

/// Dense only, mixed, and indicators only, with and without an intercept; dense widths on both
/// sides of a vector.
const COLUMNS: [Columns<'_>; 7] = [
    Columns { dense: 3, levels: &[], intercept: false },
    Columns { dense: 13, levels: &[], intercept: true },
    Columns { dense: 8, levels: &[3, 2], intercept: false },
    Columns { dense: 5, levels: &[2, 4, 3], intercept: true },
    Columns { dense: 0, levels: &[3, 4], intercept: true },
    Columns { dense: 0, levels: &[4], intercept: false },
    Columns { dense: 0, levels: &[], intercept: true },
];

fn each_model(mut check: impl FnMut(&FederationLosses<'_>, &str)) {
    for (family, classes) in FAMILIES {
        for columns in COLUMNS {
            // 70 rows need a second block, and every count leaves odd rows behind.
            let federation = federation(&[1, 70, 9], columns, family, classes);
            for l2 in [0.0, 0.7] {
                let what = format!("{family:?} with {classes} classes, {columns:?}, l2 {l2}");
                check(&FederationLosses::new(&federation, family, classes, l2), &what);
            }
        }
    }
}

#[test]
fn gradients_match_central_differences_of_losses() {
    each_model(|model, what| {
        for sign in [-2.0, 2.0] {
            let at: Vec<_> = uniform(1, model.dim()).iter().map(|p| sign * p).collect();
            let members = [0, 1, 2];
            let answer = ask(model, (&at, &at), &members, &[1.0; 3]);
            let slopes = central_differences(&at, 1e-5, |point| {
                let mut losses = vec![0.0; 3];
                model.losses(point, &members, &mut losses);
                losses
            });
            for k in members {
                let expected: Vec<_> = slopes.iter().map(|slope| slope[k]).collect();
                let found = &answer.gradients[k * model.dim()..][..model.dim()];
                assert_close(found, &expected, 1e-8, what);
            }
        }
    });
}

#[test]
fn hessians_match_central_differences_of_gradients() {
    each_model(|model, what| {
        let at = uniform(2, model.dim());
        let (members, coefficients) = ([0, 2], [0.3, 1.9]);
        let answer = ask(model, (&at, &at), &members, &coefficients);
        let slopes = central_differences(&at, 1e-5, |point| {
            let mut gradients = vec![0.0; 2 * model.dim()];
            model.gradients(point, &members, &mut [0.0; 2], &mut gradients);
            let (a, b) = gradients.split_at(model.dim());
            a.iter().zip(b).map(|(a, b)| coefficients[0] * a + coefficients[1] * b).collect()
        });
        assert_close(&answer.hessian, &slopes.concat(), 1e-8, what);
    });
}

#[test]
fn products_are_the_hessian_times_the_direction() {
    each_model(|model, what| {
        let (at, direction) = (uniform(3, model.dim()), uniform(4, model.dim()));
        let answer = ask(model, (&at, &direction), &[0, 1, 2], &[0.5, 2.0, 0.0]);
        let dot = |row: &[f64]| row.iter().zip(&direction).map(|(a, b)| a * b).sum();
        let expected: Vec<f64> = answer.hessian.chunks_exact(model.dim()).map(dot).collect();
        assert_close(&answer.product, &expected, 1e-13, what);
    });
}

#[test]
fn hessians_are_added_to_what_is_there() {
    let columns = Columns { dense: 4, levels: &[2], intercept: true };
    let federation = federation(&[5, 6], columns, Family::Logistic, 2);
    let model = FederationLosses::new(&federation, Family::Logistic, 2, 0.1);
    let (at, dim) = (uniform(5, model.dim()), model.dim());
    let expected = ask(&model, (&at, &at), &[0, 1], &[1.0, 3.0]).hessian;
    let mut hessian = vec![10.0; dim * dim];
    model.add_hessian(&at, &[0], &[1.0], &mut hessian);
    model.add_hessian(&at, &[1], &[3.0], &mut hessian);
    for i in 0..dim {
        for j in 0..=i {
            assert_close(&[hessian[i * dim + j] - 10.0], &[expected[i * dim + j]], 1e-13, "sum");
        }
    }
}

#[test]
fn losses_of_single_rows_follow_their_definitions() {
    // One row x = (2), y as given, theta = 3 or one per class: margins 6, or 6 and -2.
    use corefed_data::{Design, Federation};
    let one = |y: f64| {
        let design = Design::dense(1, 1, vec![2.0]).unwrap();
        Federation::new(design, vec![y], agents(&[1]))
    };
    let loss = |family, y, params: &[f64]| {
        let federation = one(y);
        let model = FederationLosses::new(&federation, family, 2, 0.5);
        let mut loss = [0.0];
        model.losses(params, &[0], &mut loss);
        loss[0]
    };
    // Ridge: 0.25 * 9, or 0.25 * (9 + 1).
    assert_close(&[loss(Family::Linear, 1.0, &[3.0])], &[25.0 + 2.25], 1e-15, "linear");
    let softplus = |z: f64| z.exp().ln_1p();
    assert_close(&[loss(Family::Logistic, 1.0, &[3.0])], &[softplus(-6.0) + 2.25], 1e-15, "one");
    assert_close(&[loss(Family::Logistic, 0.0, &[3.0])], &[softplus(6.0) + 2.25], 1e-15, "zero");
    let softmax = loss(Family::Softmax, 1.0, &[3.0, -1.0]);
    assert_close(&[softmax], &[softplus(8.0) + 2.5], 1e-15, "softmax");
}

#[test]
fn extreme_margins_keep_everything_finite() {
    // Margins of +-1e300, which the exponential alone would turn into infinity.
    use corefed_data::{Design, Federation};
    let design = || Design::dense(4, 1, vec![1e150, -1e150, 1e150, -1e150]).unwrap();
    let federation = Federation::new(design(), vec![0.0, 0.0, 1.0, 1.0], agents(&[2, 2]));
    for (family, params) in
        [(Family::Logistic, &[1e150][..]), (Family::Softmax, &[1e150, -1e150, 0.0])]
    {
        let model = FederationLosses::new(&federation, family, 3, 0.0);
        let direction = vec![1.0; params.len()];
        let answer = ask(&model, (params, &direction), &[0, 1], &[1.0, 1.0]);
        let all = [answer.losses, answer.gradients, answer.hessian, answer.product].concat();
        assert!(all.iter().all(|value| value.is_finite()), "{family:?}: {all:?}");
    }
}
