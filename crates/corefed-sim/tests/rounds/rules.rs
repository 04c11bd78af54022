//! What separates the rules, seen from the records.

use corefed_rules::{CoreStep, Rule};

use crate::testing::{gradient_steps, hospitals, logistic, run, terms};

#[test]
fn weights_of_the_first_round_are_those_of_the_rules() {
    let data = hospitals();
    let federation = logistic(&data);
    let terms = terms(&data, 15.0);
    let weights = |rule: Rule| -> Vec<f64> {
        let trained = run(&federation, &terms, &gradient_steps(rule, 1, 0.1)).unwrap();
        trained.agents.iter().filter(|a| a.round == 1).map(|a| a.weight.unwrap()).collect()
    };
    // At zero every loss is log 2: utilities and losses are equal, so fair rules weigh alike.
    let equal = [0.25; 4];
    let utility = 15.0 - 2_f64.ln();
    let close = |found: Vec<f64>, expected: [f64; 4]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    };
    close(weights(Rule::Fedavg), [60.0, 40.0, 25.0, 12.0].map(|n| n / 137.0));
    close(weights(Rule::Propfair), [60.0, 40.0, 25.0, 12.0].map(|n| n / 137.0));
    close(weights(Rule::corefed(CoreStep::Normalised)), equal);
    close(weights(Rule::corefed(CoreStep::Printed)), equal.map(|w| w / utility));
    close(weights(Rule::Afl { gamma: 0.1 }), equal);
    close(weights(Rule::Term { t: 2.0 }), equal);
    close(weights(Rule::Qffl { q: 0.0 }), equal);
}

#[test]
fn min_max_rules_raise_the_worst_and_averages_do_not() {
    let data = hospitals();
    let federation = logistic(&data);
    let terms = terms(&data, 15.0);
    let worst = |rule: Rule| {
        let trained = run(&federation, &terms, &gradient_steps(rule, 300, 1.0)).unwrap();
        trained.rounds.last().unwrap().utility_spread.unwrap().min
    };
    let average = worst(Rule::Fedavg);
    let core = worst(Rule::corefed(CoreStep::Normalised));
    for rule in [Rule::Afl { gamma: 0.5 }, Rule::Term { t: 8.0 }, Rule::Qffl { q: 3.0 }] {
        let found = worst(rule);
        assert!(found > average && found > core, "{rule:?}: {found}, {average}, {core}");
    }
    assert!(core > average, "{core} <= {average}");
    assert!(worst(Rule::Fedmgda { epsilon: 1.0 }) > average);
    assert!(worst(Rule::NashMtl) > average);
}

#[test]
fn a_training_from_above_the_ceiling_descends_under_every_safeguard() {
    use corefed_rules::AtCeiling::{Floor, Raise, WarmUp};
    let data = hospitals();
    let federation = logistic(&data);
    // Everybody starts at log 2 = 0.693: above a ceiling of 0.6.
    let terms = terms(&data, 0.6);
    for at_ceiling in [Floor, WarmUp, Raise] {
        for step in [CoreStep::Printed, CoreStep::Normalised, CoreStep::Dynamic] {
            let mut train = gradient_steps(Rule::corefed(step), 60, 0.2);
            train.safety.at_ceiling = at_ceiling;
            let trained = run(&federation, &terms, &train).unwrap();
            let losses: Vec<f64> = trained.rounds.iter().map(|r| r.loss.unwrap()).collect();
            let case = format!("{at_ceiling:?} {step:?}");
            assert!(losses[1..].iter().all(|loss| *loss < losses[0]), "{case}: {losses:?}");
            assert!(*losses.last().unwrap() < 0.6, "{case}: {losses:?}");
            let first = &trained.rounds[1];
            match at_ceiling {
                Floor => assert_eq!(first.floored.len(), 4, "{case}"),
                WarmUp => assert!(first.warm_up, "{case}"),
                Raise => assert_eq!(first.raised.len(), 4, "{case}"),
            }
            assert!(trained.agents.iter().all(|a| a.weight.is_none_or(|w| w >= 0.0)), "{case}");
        }
    }
}
