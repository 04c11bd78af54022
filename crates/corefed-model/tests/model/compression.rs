//! Least squares compressed to Gram matrices is the same least squares.

use corefed_core::Family;
use corefed_data::{Agent, Design, Federation};
use corefed_model::{ConvexLosses, FederationLosses, QuadraticLosses};

use crate::testing::{Columns, ask, assert_close, federation, uniform};

#[test]
fn gram_matrices_give_the_losses_of_the_rows() {
    for columns in [
        Columns { dense: 11, levels: &[], intercept: false },
        Columns { dense: 3, levels: &[4, 2], intercept: true },
    ] {
        let federation = federation(&[1, 1500, 37], columns, Family::Linear, 0);
        for l2 in [0.0, 0.4] {
            let rows = FederationLosses::new(&federation, Family::Linear, 0, l2);
            let gram = QuadraticLosses::from_least_squares(&federation, l2);
            assert_eq!((gram.dim(), gram.agents()), (rows.dim(), rows.agents()));
            assert_eq!(gram.strong_convexity().to_bits(), l2.to_bits());
            let (at, along) = (uniform(1, rows.dim()), uniform(2, rows.dim()));
            for members in [vec![0, 1, 2], vec![2]] {
                let coefficients = &[1.0, 2.0, 3.0][..members.len()];
                let found = ask(&gram, (&at, &along), &members, coefficients);
                let expected = ask(&rows, (&at, &along), &members, coefficients);
                assert_close(&found.losses, &expected.losses, 1e-13, "losses");
                assert_close(&found.gradients, &expected.gradients, 1e-13, "gradients");
                assert_close(&found.hessian, &expected.hessian, 1e-13, "hessian");
                assert_close(&found.product, &expected.product, 1e-13, "product");
            }
        }
    }
}

/// One agent with an intercept before a feature, and targets `offset + scale * noise`.
fn shifted(offset: f64, scale: f64) -> Federation {
    let (x, noise) = (uniform(3, 200), uniform(4, 200));
    let dense = x.iter().flat_map(|x| [1.0, *x]).collect();
    let target = x.iter().zip(&noise).map(|(x, e)| offset + scale * (x + e)).collect();
    let design = Design::dense(200, 2, dense).unwrap();
    Federation::new(design, target, vec![Agent { name: "a".into(), rows: 0..200 }])
}

#[test]
fn an_offset_of_the_targets_costs_no_digits() {
    for scale in [1e-6, 1.0, 1e6] {
        let plain = QuadraticLosses::from_least_squares(&shifted(0.0, scale), 0.0);
        for power in [3, 6, 8, 10, 12] {
            // The targets themselves are rounded at this offset; that is the data's business.
            let offset = scale * 10_f64.powi(power);
            let rounding = 10_f64.powi(power) * f64::EPSILON;
            let moved = QuadraticLosses::from_least_squares(&shifted(offset, scale), 0.0);
            for (intercept, slope) in [(0.0, 0.0), (0.25, 1.0), (-1.0, 3.0)] {
                let (mut loss, mut expected) = ([0.0], [0.0]);
                let at = [offset + scale * intercept, scale * slope];
                let from = [at[0] - offset, at[1]];
                moved.losses(&at, &[0], &mut loss);
                plain.losses(&from, &[0], &mut expected);
                let error = (loss[0] - expected[0]).abs() / expected[0];
                assert!(error < 1e-13 + 4.0 * rounding, "{scale} {power}: {loss:?} {expected:?}");
            }
        }
    }
}

#[test]
fn a_perfect_fit_has_no_negative_loss() {
    let x = uniform(5, 40);
    for (slope, offset) in [(2.0, 1.0), (1e6, -1e9), (1e-6, 3.0)] {
        let dense = x.iter().flat_map(|x| [*x, 1.0]).collect();
        let target = x.iter().map(|x| slope * x + offset).collect();
        let design = Design::dense(40, 2, dense).unwrap();
        let agent = Agent { name: "a".into(), rows: 0..40 };
        let model =
            QuadraticLosses::from_least_squares(&Federation::new(design, target, vec![agent]), 0.0);
        let scale = slope.abs().max(offset.abs());
        for step in [0.0, 1e-15, -1e-12, 1e-9] {
            let mut loss = [0.0];
            model.losses(&[slope, offset * (1.0 + step)], &[0], &mut loss);
            let exact = (offset * (1.0 + step) - offset).powi(2);
            let error = (loss[0].sqrt() - exact.sqrt()).abs();
            assert!(loss[0] >= 0.0 && error <= 1e-14 * scale, "{step}: {loss:?} != {exact}");
        }
    }
}

#[test]
fn the_ridge_is_about_zero_whatever_the_offset() {
    // One row x = 1, y = 1000 with l2 = 2: (t - 1000)^2 + t^2, least at t = 500 with 500,000.
    let design = Design::dense(1, 1, vec![1.0]).unwrap();
    let agent = Agent { name: "a".into(), rows: 0..1 };
    let federation = Federation::new(design, vec![1000.0], vec![agent]);
    let model = QuadraticLosses::from_least_squares(&federation, 2.0);
    for t in [0.0, 500.0, 1000.0, -3.0] {
        let (mut loss, mut slope) = ([0.0], [0.0]);
        model.gradients(&[t], &[0], &mut loss, &mut slope);
        let expected = (t - 1000.0).powi(2) + t * t;
        assert!((loss[0] - expected).abs() <= 1e-14 * expected, "{t}: {loss:?} != {expected}");
        assert!((slope[0] - (4.0 * t - 2000.0)).abs() <= 1e-11, "{t}: {slope:?}");
    }
}
