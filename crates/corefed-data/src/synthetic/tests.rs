use super::*;

fn small(alpha: f64, beta: f64, variant: Variant) -> Synthetic {
    Synthetic { alpha, beta, devices: 30, most_samples: 2_000, variant }
}

/// Means over one device's rows, by feature.
fn means(federation: &Federation, device: usize) -> Vec<f64> {
    let rows = federation.agents()[device].rows.clone();
    let mut sums = vec![0.0; FEATURES];
    for row in rows.clone() {
        for (sum, x) in sums.iter_mut().zip(federation.design().dense_rows(row..row + 1)) {
            *sum += x / rows.len() as f64;
        }
    }
    sums
}

#[test]
fn the_shape_is_that_of_the_papers() {
    let federation = Synthetic::default().generate(Seed(1)).unwrap();
    let design = federation.design();
    assert_eq!((design.dim(), design.dense_cols(), design.hot_cols()), (61, 60, 1));
    assert!(design.hot_rows(0..design.rows()).iter().all(|&column| column == 60));
    assert_eq!(federation.agents().len(), 100);
    assert!(federation.target().iter().all(|&y| (0.0..10.0).contains(&y) && y.fract() == 0.0));
    let sizes = || federation.agents().iter().map(Agent::samples);
    assert!(sizes().all(|size| (50..=20_000).contains(&size)));
    // The median of exp(4 + 2z) is exp(4) = 54.6. Half of the 100 devices are below it, within
    // three standard errors of 5.
    let below = sizes().filter(|&size| size < 50 + 54).count();
    assert!((35..=65).contains(&below), "{below}");
    let rebuilt = Design::new(
        design.rows(),
        61,
        (60, design.dense_rows(0..design.rows()).to_vec()),
        (1, design.hot_rows(0..design.rows()).to_vec()),
    );
    assert_eq!(rebuilt.as_ref(), Ok(design));
}

#[test]
fn the_seed_decides_and_devices_do_not_depend_on_their_number() {
    let many = small(1.0, 1.0, Variant::Distinct);
    let few = Synthetic { devices: 11, ..many };
    let (many, few) = (many.generate(Seed(2)).unwrap(), few.generate(Seed(2)).unwrap());
    assert_eq!(many.target()[..few.target().len()], *few.target());
    let rows = few.design().rows();
    assert_eq!(many.design().dense_rows(0..rows), few.design().dense_rows(0..rows));
    assert_ne!(small(1.0, 1.0, Variant::Distinct).generate(Seed(3)).unwrap(), many);
}

#[test]
fn features_have_the_variance_of_the_formula() {
    let federation = small(0.0, 0.0, Variant::Iid).generate(Seed(4)).unwrap();
    let rows = federation.design().rows();
    for j in [1_usize, 2, 10, 60] {
        let column = federation.design().dense_rows(0..rows).iter().skip(j - 1).step_by(FEATURES);
        let variance = column.map(|x| x * x).sum::<f64>() / rows as f64;
        let expected = (j as f64).powf(-1.2);
        // Four standard errors of a variance about a known mean, 4 sqrt(2 / n).
        let tolerance = 4.0 * (2.0 / rows as f64).sqrt();
        assert!((variance / expected - 1.0).abs() < tolerance, "{j}: {variance}");
    }
}

#[test]
fn beta_moves_the_devices_apart_and_iid_does_not() {
    // Averages over the 60 features of a device's means: B_k plus noise of deviation 1/sqrt(60).
    let centres = |synthetic: Synthetic| -> f64 {
        let federation = synthetic.generate(Seed(5)).unwrap();
        let centre = |k| means(&federation, k).iter().sum::<f64>() / FEATURES as f64;
        ((0..30).map(|k| centre(k).powi(2)).sum::<f64>() / 30.0).sqrt()
    };
    let [far, near, same] = [
        small(0.0, 5.0, Variant::Distinct),
        small(0.0, 0.0, Variant::Distinct),
        small(0.0, 5.0, Variant::Iid),
    ]
    .map(centres);
    assert!(far > 3.0, "{far}");
    assert!((0.08..0.2).contains(&near), "{near}");
    assert!(same < 0.03, "{same}");
}

#[test]
fn labels_follow_the_rule_of_the_device() {
    // A rule that prefers class 3 where the first feature is large and class 7 elsewhere.
    let mut rule = Rule { weights: [[0.0; FEATURES]; CLASSES], biases: [0.0; CLASSES] };
    rule.weights[3][0] = 1.0;
    rule.biases[7] = 0.5;
    let mut x = [0.0; FEATURES];
    assert_eq!(rule.label(&x), 7.0);
    x[0] = 0.6;
    assert_eq!(rule.label(&x), 3.0);
}

#[test]
fn alpha_changes_no_label() {
    // Every class scores u_k (1 + sum of x) more, and the largest score stays where it is. This
    // is a property of the papers' formula; the test is here so that nobody is surprised.
    let [still, moved] =
        [0.0, 1.0].map(|alpha| small(alpha, 1.0, Variant::Distinct).generate(Seed(6)).unwrap());
    let differ = still.target().iter().zip(moved.target()).filter(|(a, b)| a != b).count();
    assert_eq!(differ, 0);
}

#[test]
fn impossible_requests_are_refused() {
    let base = Synthetic::default();
    for bad in [
        Synthetic { alpha: -0.1, ..base },
        Synthetic { alpha: f64::NAN, ..base },
        Synthetic { beta: f64::INFINITY, ..base },
        Synthetic { devices: 0, ..base },
        Synthetic { devices: usize::MAX, ..base },
        Synthetic { most_samples: 49, ..base },
        Synthetic { devices: 65_536, most_samples: usize::MAX, ..base },
    ] {
        let error = bad.generate(Seed(1)).unwrap_err();
        assert!(error.hint().is_some(), "{error}");
    }
    let error = Synthetic { beta: -1.0, ..base }.generate(Seed(1)).unwrap_err();
    assert_eq!(error.to_string(), "`beta` must be from `0` to `1000`, not `-1`");
}
