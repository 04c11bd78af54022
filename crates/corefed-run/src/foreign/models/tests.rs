use corefed_core::Verdict;
use num_traits::One;

use super::super::row_loss::Targets;
use super::*;

fn rows(targets: Targets) -> OwnedRows {
    let agents = ["A", "B"].map(str::to_owned).to_vec();
    OwnedRows { agents, owners: vec![0, 0, 1], targets }
}

fn judge(
    rows: &OwnedRows,
    models: &[(&str, Predictions)],
    judged: Judged,
    ceiling: &CeilingPolicy,
) -> Result<ForeignModels, RunError> {
    let models = models.iter().map(|(name, own)| ((*name).to_owned(), own.clone())).collect();
    let weights = vec![BigRational::one(); 2];
    ForeignModels::new(rows, models, judged, ceiling, weights, &|row| format!("row {row}"))
}

#[test]
fn utilities_are_ceilings_minus_mean_losses() {
    // Targets 1, 3 | 10. The first model is off by 1, 1 | 4; the second by 3, 5 | 0.
    let rows = rows(Targets::Numbers(vec![1.0, 3.0, 10.0]));
    let models = [
        ("near", Predictions::Numbers(vec![2.0, 2.0, 6.0])),
        ("far", Predictions::Numbers(vec![4.0, 8.0, 10.0])),
    ];
    let judged = Judged { loss: RowLoss::Squared, clip: 0.0 };
    let found = judge(&rows, &models, judged, &CeilingPolicy::Fixed(20.0)).unwrap();
    assert_eq!(found.losses, [[1.0, 16.0], [17.0, 0.0]]);
    assert_eq!(found.utilities_csv().unwrap(), "model,A,B\nnear,19.0,4.0\nfar,3.0,20.0\n");

    // B alone gets 20/4 = 5 times what it has, and needs twice as much.
    let (near, _) = found.audit("near", 0.0).unwrap();
    assert_eq!(near.verdict, Verdict::Blocked);
    assert_eq!(near.deviation.unwrap().coalition, ["B"]);
    assert_eq!(near.kappa.lo.0, 2.5);
    // Utilities 19 and 4 under ceilings of 20: headroom is B's 20/4 times its half of the say.
    assert_eq!(near.headroom.unwrap().0, 2.5);
    assert_eq!(near.agents[1].loss, Some(16.0));
    // A alone gets 19/3 times what it has.
    assert_eq!(found.audit("far", 0.0).unwrap().0.deviation.unwrap().coalition, ["A"]);
    assert!(found.audit("nearer", 0.0).is_err());
}

#[test]
fn probabilities_are_checked_and_raised_only_when_asked() {
    let names = ["n", "y"].map(str::to_owned).to_vec();
    let rows = rows(Targets::Classes { labels: vec![0, 1, 1], names });
    let shares = |p: [f64; 3]| Predictions::Shares(p.map(|p| vec![1.0 - p, p]).to_vec());
    let models = [("even", shares([0.5; 3])), ("sure", shares([0.0, 1.0, 0.0]))];
    let ceiling = CeilingPolicy::Fixed(10.0);
    let judged = |clip| Judged { loss: RowLoss::Log, clip };
    let error = judge(&rows, &models, judged(0.0), &ceiling).unwrap_err();
    assert!(error.to_string().contains("model `sure`, row 2"), "{error}");
    assert!(error.hint().unwrap().contains("clip"));

    let found = judge(&rows, &models, judged(0.01), &ceiling).unwrap();
    // B's row: 0.01 / 1.01 for the true class; A's rows: 1 / 1.01.
    let (right, wrong) = (1.01_f64.ln(), -(0.01_f64 / 1.01).ln());
    assert!((found.losses[1][0] - right).abs() < 1e-12, "{:?}", found.losses);
    assert!((found.losses[1][1] - wrong).abs() < 1e-12, "{:?}", found.losses);
    let said = found.audit("even", 0.0).unwrap().0.assumptions[0].detail.clone();
    assert!(said.contains("3 probabilities were raised to 0.01"), "{said}");

    let odd = [("even", shares([0.5; 3])), ("odd", shares([0.5, 1.5, 0.5]))];
    let error = judge(&rows, &odd, judged(0.01), &ceiling).unwrap_err();
    assert!(error.to_string().contains("model `odd`, row 1"), "{error}");
}

#[test]
fn predictions_without_a_loss_name_their_row() {
    let rows = rows(Targets::Numbers(vec![1.0, 0.0, 2.0]));
    let models = [
        ("fine", Predictions::Numbers(vec![1.0; 3])),
        ("zero", Predictions::Numbers(vec![1.0, 1.0, 0.0])),
    ];
    let judged = Judged { loss: RowLoss::Poisson, clip: 0.0 };
    let error = judge(&rows, &models, judged, &CeilingPolicy::Fixed(9.0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "model `zero`, row 2: `0` has no poisson loss, which takes a mean count above zero"
    );
    let short = [models[0].clone(), ("short", Predictions::Numbers(vec![1.0]))];
    let error = judge(&rows, &short, judged, &CeilingPolicy::Fixed(9.0)).unwrap_err();
    assert!(error.to_string().contains("1 prediction"), "{error}");
    let error = judge(&rows, &models[..1], judged, &CeilingPolicy::Fixed(9.0)).unwrap_err();
    assert!(error.hint().unwrap().contains("rival"), "{error}");
}
