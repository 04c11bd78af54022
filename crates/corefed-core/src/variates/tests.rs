use super::*;
use crate::Seed;

/// Mean and variance of many draws.
fn moments(draws: usize, mut draw: impl FnMut() -> f64) -> (f64, f64) {
    let values: Vec<f64> = (0..draws).map(|_| draw()).collect();
    let mean = values.iter().sum::<f64>() / draws as f64;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws as f64;
    (mean, variance)
}

#[test]
fn normal_numbers_have_mean_zero_and_variance_one() {
    let mut rng = Seed(1).rng();
    let (mean, variance) = moments(100_000, || normal(&mut rng));
    // Four standard errors: 4 / sqrt(n) and 4 sqrt(2 / n).
    assert!(mean.abs() < 0.0127 && (variance - 1.0).abs() < 0.0179, "{mean} {variance}");
}

#[test]
fn gamma_numbers_have_mean_and_variance_equal_to_their_shape() {
    for (i, shape) in [0.1, 0.5, 0.999, 1.0, 2.5, 40.0, 1e6].into_iter().enumerate() {
        let mut rng = Seed(2).derive_index(i as u64).rng();
        let n = 200_000;
        let (mean, variance) = moments(n, || log_gamma_variate(shape, &mut rng).exp());
        // The fourth central moment of Gamma(a) is 3a² + 6a, so its sample variance has the
        // variance (2a² + 6a) / n. Five standard errors, as many shapes are tried.
        let mean_error = (shape / n as f64).sqrt();
        let variance_error = ((2.0 * shape * shape + 6.0 * shape) / n as f64).sqrt();
        assert!((mean - shape).abs() < 5.0 * mean_error, "shape {shape}: mean {mean}");
        assert!(
            (variance - shape).abs() < 5.0 * variance_error,
            "shape {shape}: variance {variance}"
        );
    }
}

#[test]
fn exponential_tails_match_a_shape_of_one() {
    let mut rng = Seed(3).rng();
    let beyond = (0..100_000).filter(|_| log_gamma_variate(1.0, &mut rng).exp() > 2.0).count();
    // exp(-2) = 0.13534 of the draws; four standard errors are 0.00433.
    assert!((beyond as f64 / 1e5 - 0.135_34).abs() < 0.004_33, "{beyond}");
}

#[test]
fn dirichlet_shares_have_the_moments_of_the_definition() {
    for (k, alpha) in [(2, 0.3), (5, 0.1), (5, 1.0), (10, 0.5), (10, 50.0)] {
        let mut rng = Seed(4).derive_index(k).derive(&alpha.to_string()).rng();
        let k = usize::try_from(k).unwrap();
        let n = 50_000;
        let mut shares = vec![0.0; k];
        let (mean, variance) = moments(n, || {
            dirichlet(alpha, &mut shares, &mut rng);
            let sum: f64 = shares.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
            shares[0]
        });
        let centre = 1.0 / k as f64;
        let expected = centre * (1.0 - centre) / (k as f64 * alpha + 1.0);
        // Five standard errors of the mean. A share lies in 0..1, so its fourth central moment
        // is at most its second, which bounds the error of the variance.
        assert!((mean - centre).abs() < 5.0 * (expected / n as f64).sqrt(), "{k} {alpha}: {mean}");
        assert!(
            (variance - expected).abs() < 5.0 * (expected / n as f64).sqrt(),
            "{k} {alpha}: {variance} against {expected}"
        );
    }
}

#[test]
fn extreme_concentrations_still_give_shares() {
    for alpha in [1e-9, 1e-3, 1e9, 1e300] {
        let mut shares = [0.0; 7];
        dirichlet(alpha, &mut shares, &mut Seed(5).rng());
        let sum: f64 = shares.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "alpha {alpha}: {shares:?}");
    }
}

#[test]
fn integers_are_equally_likely() {
    let mut rng = Seed(6).rng();
    let mut counts = [0_u32; 6];
    for _ in 0..60_000 {
        counts[below(&mut rng, 6) as usize] += 1;
    }
    // Chi-square of five degrees of freedom: 25.7 is exceeded once in ten thousand.
    let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
    assert!(chi < 25.7, "{counts:?}");
    assert_eq!(below(&mut rng, 0), 0);
}

#[test]
fn every_order_of_three_is_equally_likely() {
    let mut rng = Seed(7).rng();
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..60_000 {
        let mut items = [0, 1, 2];
        shuffle(&mut items, &mut rng);
        *counts.entry(items).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 6);
    let chi: f64 = counts.values().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
    assert!(chi < 25.7, "{counts:?}");
}
