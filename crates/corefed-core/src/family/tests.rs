use super::*;

/// What a visitor can say of any loss: the loss, slope and curvature at a margin, if it is one.
struct At(f64, f64);

impl FamilyVisitor for At {
    type Output = Option<(f64, f64, f64)>;

    fn one_margin<L: MarginLoss>(self) -> Self::Output {
        let (loss, slope) = L::differentiate(self.0, self.1);
        Some((loss, slope, L::curvature(self.0)))
    }

    fn margin_per_class(self) -> Self::Output {
        None
    }
}

struct Worst(f64, f64, f64);

impl FamilyVisitor for Worst {
    type Output = Option<f64>;

    fn one_margin<L: MarginLoss>(self) -> Self::Output {
        Some(L::worst(self.0, self.1, self.2))
    }

    fn margin_per_class(self) -> Self::Output {
        None
    }
}

/// Margins and targets that every family of one margin is asked about.
fn questions(family: Family) -> impl Iterator<Item = (f64, f64)> {
    let targets = [0.0, 1.0, 2.5, -3.0].into_iter();
    let targets = targets.filter(move |&y| family.targets().admits(y, 2));
    targets.flat_map(|y| [-2.5, -0.3, 0.0, 0.4, 3.0].map(|z| (z, y)))
}

#[test]
fn slopes_and_curvatures_are_derivatives_of_losses() {
    for family in Family::ALL {
        for (z, y) in questions(family) {
            let at = |z| family.visit(At(z, y));
            let Some((_, slope, curvature)) = at(z) else { continue };
            let (Some(up), Some(down)) = (at(z + 1e-5), at(z - 1e-5)) else { continue };
            let differences = ((up.0 - down.0) / 2e-5, (up.1 - down.1) / 2e-5);
            assert!((slope - differences.0).abs() < 1e-6 * (1.0 + slope.abs()), "{family} {z} {y}");
            assert!((curvature - differences.1).abs() < 1e-6 * (1.0 + curvature), "{family} {z}");
        }
    }
}

#[test]
fn what_the_table_says_of_losses_is_true_of_them() {
    for family in Family::ALL {
        for (z, y) in questions(family) {
            let Some((loss, _, curvature)) = family.visit(At(z, y)) else { continue };
            assert!(curvature >= 0.0, "{family} is convex");
            if family.facts().nonnegative {
                assert!(loss >= 0.0, "{family} at {z} for {y}: {loss}");
            }
            if family.is_quadratic() {
                let same = family.visit(At(z + 7.0, y)).map(|at| at.2);
                assert_eq!(same, Some(curvature), "{family}");
            }
        }
    }
}

#[test]
fn no_loss_in_reach_is_worse_than_the_worst() {
    for family in Family::ALL {
        for (centre, y) in questions(family) {
            for reach in [0.0, 0.5, 4.0] {
                let Some(worst) = family.visit(Worst(centre, reach, y)) else { continue };
                for k in -10..=10 {
                    let z = centre + reach * f64::from(k) / 10.0;
                    let loss = family.visit(At(z, y)).map_or(0.0, |at| at.0);
                    assert!(loss <= worst * (1.0 + 1e-12), "{family} {centre} {reach} {y}");
                }
            }
        }
    }
}

#[test]
fn names_are_read_back_and_are_those_of_documents() {
    for family in Family::ALL {
        assert_eq!(family.name().parse(), Ok(family));
        let document = serde_json::to_string(&family).unwrap();
        assert_eq!(document, format!("\"{family}\""));
    }
    let error = "ridge".parse::<Family>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("there is no model `ridge`; expected {}", Family::listed())
    );
}

#[test]
fn a_classifier_has_two_classes_and_a_number_none() {
    assert!(Family::Linear.targets().fits(0) && !Family::Linear.targets().fits(2));
    assert!(Family::Logistic.targets().fits(2) && !Family::Logistic.targets().fits(3));
    assert!(Family::Softmax.targets().fits(5) && !Family::Softmax.targets().fits(1));
    assert_eq!((Family::Softmax.blocks(4), Family::Logistic.blocks(2)), (4, 1));
    assert!(Family::Softmax.targets().admits(2.0, 3) && !Family::Softmax.targets().admits(3.0, 3));
    assert!(!Family::Logistic.targets().admits(0.5, 2));
}

#[test]
fn the_best_constant_is_a_minimum_over_constants() {
    let row = |target, weight| Observation { target, weight, exposure: 1.0 };
    // Mean 2, squared distances 1, 0, 1.
    let numbers = [1.0, 2.0, 3.0].map(|y| row(y, 1.0));
    let found = SquaredError::constant_loss(&numbers, &numbers);
    assert!((found - 2.0 / 3.0).abs() < 1e-15);
    // The mean of all, 2, on the last two.
    assert_eq!(SquaredError::constant_loss(&numbers, &numbers[1..]), 0.5);
    // Weights 1.5 and 0.5: the label 1 has a share of one quarter.
    let labels = [row(0.0, 1.5), row(1.0, 0.5)];
    let found = LogisticLoss::constant_loss(&labels, &labels);
    assert!((found - (4_f64.ln() - 0.75 * 3_f64.ln())).abs() < 1e-15);
    // Shares of 3/4 and 1/4 on one row with label 1.
    let found = LogisticLoss::constant_loss(&labels, &[row(1.0, 1.0)]);
    assert!((found - 4_f64.ln()).abs() < 1e-15);
}
