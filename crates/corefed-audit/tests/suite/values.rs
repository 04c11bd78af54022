//! `V(S)` of every coalition, against closed forms and against one program at a time.

use corefed_audit::{CoalitionValue, coalition_values};
use corefed_core::{Family, Weights};
use corefed_data::{Agent, Design, Federation};
use corefed_model::FederationLosses;
use corefed_solve::{Maximin, Problem, Until};

/// Agent `k` has loss `(t - targets[k])^2`.
fn parabolas(targets: &[f64]) -> Federation {
    let agents =
        (0..targets.len()).map(|k| Agent { name: format!("a{k}"), rows: k..k + 1 }).collect();
    let design = Design::dense(targets.len(), 1, vec![1.0; targets.len()]).expect("shape");
    Federation::new(design, targets.to_vec(), agents)
}

fn values(targets: &[f64], ceiling: f64, at: f64) -> Vec<CoalitionValue> {
    let federation = parabolas(targets);
    let losses = FederationLosses::new(&federation, Family::Linear, 0, 0.0);
    let n = targets.len();
    let problem = Problem::new(&losses, vec![ceiling; n], Weights::equal(n), 2.0);
    coalition_values(&problem, &[at])
}

#[test]
fn two_parabolas_have_the_values_of_their_closed_form() {
    // At t = 1/2 with M = 0.4 both have 0.15; alone each could have 0.4, together nothing more.
    let found = values(&[0.0, 1.0], 0.4, 0.5);
    let expected: [(&[usize], f64, f64); 3] =
        [(&[0], 0.5, 0.4 / 0.15), (&[1], 0.5, 0.4 / 0.15), (&[0, 1], 1.0, 1.0)];
    assert_eq!(found.len(), 3);
    for (value, (members, share, v)) in found.iter().zip(expected) {
        assert_eq!((value.members.as_slice(), value.share), (members, share));
        assert!(value.lower <= v + 1e-9 && v <= value.upper + 1e-9, "{value:?}");
        assert!(value.upper - value.lower < 1e-6, "{value:?}");
        let least = value.gains.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(least, value.lower);
    }
}

#[test]
fn every_value_is_that_of_its_own_program() {
    let targets = [0.0, 0.3, 0.6, 1.0, 1.4];
    let federation = parabolas(&targets);
    let losses = FederationLosses::new(&federation, Family::Linear, 0, 0.0);
    let weights = Weights::new(vec![1.0, 2.0, 0.5, 1.0, 1.5]).expect("positive");
    let problem = Problem::new(&losses, vec![1.2; 5], weights, 2.0);
    let now = problem.utilities_at(&[0.7]);
    let found = coalition_values(&problem, &[0.7]);
    assert_eq!(found.len(), 31);
    for value in &found {
        let pick = |v: &[f64]| value.members.iter().map(|&i| v[i]).collect::<Vec<_>>();
        let program = Maximin {
            losses: problem.losses,
            members: &value.members,
            ceilings: &pick(&problem.ceilings),
            scales: &pick(&now),
            ball: &problem.ball,
        };
        let bounds = program.solve(&[0.0], Until::Gap(1e-9), 200);
        assert!(
            value.lower <= bounds.upper + 1e-9 && bounds.lower <= value.upper + 1e-9,
            "{value:?}"
        );
        assert!((value.lower - bounds.lower).abs() < 1e-5, "{value:?} {bounds:?}");
        assert!((value.share - problem.weights.share(&value.members)).abs() < 1e-15);
    }
}

#[test]
fn whoever_has_nothing_is_in_no_list_and_many_agents_have_none() {
    // At t = 2 agent 0 has utility 1 - 4 < 0, so only the three coalitions of the others are there.
    let found = values(&[0.0, 2.0, 1.9], 1.0, 2.0);
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|value| !value.members.contains(&0)));
    assert!(values(&[0.0; 11], 1.0, 0.0).is_empty());
}
