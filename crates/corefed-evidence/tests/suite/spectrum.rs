//! Lanczos' method against matrices whose spectrum is known.

use corefed_core::{Seed, uniform};
use corefed_evidence::{Lanczos, LanczosError, Orthogonality, Spectrum};

const PLENTY: usize = 1 << 30;

fn lanczos(steps: usize, memory_bytes: usize) -> Lanczos {
    Lanczos { steps, memory_bytes, seed: Seed(9) }
}

fn of_diagonal(entries: &[f64], spec: Lanczos) -> Spectrum {
    let mut product = |x: &[f64], y: &mut [f64]| {
        for ((y, x), entry) in y.iter_mut().zip(x).zip(entries) {
            *y = entry * x;
        }
    };
    spec.run(entries.len(), &mut product).expect("finite")
}

#[test]
fn as_many_steps_as_dimensions_find_every_eigenvalue() {
    let entries = [-3.0, -1.0, 0.5, 2.0, 7.0];
    let found = of_diagonal(&entries, lanczos(5, PLENTY));
    for (ritz, entry) in found.ritz.iter().zip(entries) {
        assert!((ritz.value - entry).abs() < 1e-12, "{found:?}");
        assert!(ritz.residual < 1e-12, "{found:?}");
    }
    let (down, up) = found.curvatures();
    assert!((down - 3.0).abs() < 1e-11 && (up - 7.0).abs() < 1e-11, "{down} {up}");
    assert_eq!(of_diagonal(&[1.0, 2.0], lanczos(2, PLENTY)).curvatures().0, 0.0, "convex");
}

/// Reflects `x` at the plane across the unit vector `across`.
fn reflect(across: &[f64], x: &mut [f64]) {
    let along: f64 = across.iter().zip(x.iter()).map(|(a, x)| a * x).sum();
    x.iter_mut().zip(across).for_each(|(x, a)| *x -= 2.0 * along * a);
}

#[test]
fn turned_matrices_keep_the_ends_of_their_spectrum() {
    // Q D Q with Q a product of reflections: the eigenvalues are those of D, the vectors are not.
    let n = 120;
    let mut rng = Seed(4).rng();
    let mut exact: Vec<f64> = (0..n).map(|_| 20.0 * (uniform(&mut rng) - 0.5)).collect();
    let mirrors: Vec<Vec<f64>> = (0..4)
        .map(|_| {
            let raw: Vec<f64> = (0..n).map(|_| uniform(&mut rng) - 0.5).collect();
            let norm = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
            raw.iter().map(|x| x / norm).collect()
        })
        .collect();
    let mut product = |x: &[f64], y: &mut [f64]| {
        y.copy_from_slice(x);
        for mirror in &mirrors {
            reflect(mirror, y);
        }
        y.iter_mut().zip(&exact).for_each(|(y, value)| *y *= value);
        for mirror in mirrors.iter().rev() {
            reflect(mirror, y);
        }
    };
    let found = lanczos(60, PLENTY).run(n, &mut product).expect("finite");
    exact.sort_by(f64::total_cmp);
    assert_eq!(found.orthogonality, Orthogonality::Full);
    for (estimate, exact) in [(found.smallest(), exact[0]), (found.largest(), exact[n - 1])] {
        assert!((estimate.value - exact).abs() < 1e-6, "{estimate:?} {exact}");
    }
    // Ritz values lie inside the spectrum, and each has an eigenvalue within its residual.
    assert!(found.smallest().value >= exact[0] - 1e-12);
    assert!(found.largest().value <= exact[n - 1] + 1e-12);
    for ritz in &found.ritz {
        let nearest = exact.iter().map(|e| (e - ritz.value).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest <= ritz.residual + 1e-11, "{ritz:?} {nearest}");
    }
}

#[test]
fn clustered_ends_are_found_as_one() {
    // Ten eigenvalues within 1e-9 of -2, the rest spread over 0..=1.
    let mut entries: Vec<f64> = (0..10).map(|k| -2.0 + 1e-10 * f64::from(k)).collect();
    entries.extend((0..200).map(|k| f64::from(k) / 199.0));
    let smallest = of_diagonal(&entries, lanczos(40, PLENTY)).smallest();
    assert!((smallest.value + 2.0).abs() < 2e-9, "{smallest:?}");
    // Once the cluster is found its members are told apart, and residuals are shared among them.
    assert!(smallest.residual < 1e-4, "{smallest:?}");
}

#[test]
fn a_residual_promises_an_eigenvalue_nearby_and_not_that_none_is_smaller() {
    // Two steps cannot see -1 among ten thousand ones: the estimate is far off, and its residual
    // does not cover the true end. That is why it is an estimate.
    let mut entries = vec![1.0; 10_000];
    entries[17] = -1.0;
    entries[18] = 0.9;
    let found = of_diagonal(&entries, lanczos(1, PLENTY));
    let smallest = found.smallest();
    assert!(smallest.value > 0.9 && smallest.value - smallest.residual > -1.0, "{smallest:?}");
}

#[test]
fn an_invariant_subspace_ends_the_search_early() {
    // Three distinct eigenvalues among fifty: three steps are all there is.
    let entries: Vec<f64> = (0..50).map(|k| f64::from(k % 3)).collect();
    let found = of_diagonal(&entries, lanczos(20, PLENTY));
    assert!(found.invariant);
    assert_eq!(found.ritz.len(), 3);
    for (ritz, value) in found.ritz.iter().zip([0.0, 1.0, 2.0]) {
        assert!((ritz.value - value).abs() < 1e-12 && ritz.residual < 1e-12, "{found:?}");
    }
    let zero = of_diagonal(&[0.0; 8], lanczos(5, PLENTY));
    assert!(zero.invariant && zero.ritz.len() == 1 && zero.ritz[0].value == 0.0);
}

#[test]
fn without_memory_the_ends_are_still_found_and_the_note_says_so() {
    let entries: Vec<f64> =
        (0..3000).map(|k| (f64::from(k) / 3000.0).powi(3) * 5.0 - 1.0).collect();
    let kept = of_diagonal(&entries, lanczos(64, PLENTY));
    let forgotten = of_diagonal(&entries, lanczos(64, 5 * 3000 * 8));
    assert_eq!(forgotten.orthogonality, Orthogonality::Neighbours);
    assert!(forgotten.largest().method.contains("three vectors kept"));
    assert!((kept.largest().value - forgotten.largest().value).abs() < 1e-8);
    assert!((forgotten.largest().value - entries[2999]).abs() < 1e-2);
}

#[test]
fn equal_seeds_give_equal_bits() {
    let entries: Vec<f64> = (0..100).map(|k| f64::from(k * k % 37)).collect();
    assert_eq!(
        of_diagonal(&entries, lanczos(12, PLENTY)),
        of_diagonal(&entries, lanczos(12, PLENTY))
    );
}

#[test]
fn an_operator_that_overflows_is_an_error() {
    let mut overflow = |x: &[f64], y: &mut [f64]| {
        y.copy_from_slice(&x.iter().map(|x| x * f64::MAX * 9.0).collect::<Vec<_>>());
    };
    let refused = lanczos(3, PLENTY).run(4, &mut overflow);
    assert_eq!(refused, Err(LanczosError::NotFinite { step: 0 }));
    assert_eq!(lanczos(0, PLENTY).run(4, &mut overflow), Err(LanczosError::Empty));
    assert_eq!(lanczos(3, PLENTY).run(0, &mut overflow), Err(LanczosError::Empty));
}
