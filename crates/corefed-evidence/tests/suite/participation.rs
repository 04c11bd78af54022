//! Do intervals of paired differences hold the mean as often as they say, and are groups said to leave or to
//! stay wrongly no more often than promised? Seeded repetitions, so that failures repeat.

use crate::simulated::{Federation, MARGIN, POPULATIONS, coverage, sum_coverage};

/// Three standard deviations of a share of `trials`.
fn noise(share: f64, trials: u32) -> f64 {
    3.0 * (share * (1.0 - share) / f64::from(trials)).sqrt()
}

#[test]
fn intervals_of_paired_differences_cover_at_ninety_per_cent() {
    let trials = 1000;
    for population in &POPULATIONS {
        for (units, allowance) in [(30, 0.035), (150, 0.02)] {
            let found = coverage(population, units, trials);
            let context = format!("{}, {units} units: {:.3}", population.name, found.both);
            assert!(found.both >= 0.9 - allowance - noise(0.9, trials), "{context}");
            // Each end by itself is what claims about leaving and staying rest on.
            for missed in [found.below, found.above] {
                assert!(missed <= 0.05 + allowance + noise(0.05, trials), "{context}: {missed}");
            }
            // Intervals that always cover would say nothing.
            assert!(found.both <= 0.9 + 0.01 + noise(0.9, trials), "{context}");
        }
    }
}

#[test]
fn sums_over_agents_cover_at_ninety_per_cent() {
    let trials = 1000;
    for units in [[30, 30, 30], [15, 60, 200]] {
        let found = sum_coverage(units, trials);
        let context = format!("{units:?}: {:.3}", found.both);
        assert!(found.both >= 0.9 - 0.035 - noise(0.9, trials), "{context}");
        for missed in [found.below, found.above] {
            assert!(missed <= 0.05 + 0.035 + noise(0.05, trials), "{context}: {missed}");
        }
        assert!(found.both <= 0.9 + 0.01 + noise(0.9, trials), "{context}");
    }
}

#[test]
fn groups_are_said_to_leave_wrongly_no_more_often_than_promised() {
    let trials = 400;
    for agents in [2, 4] {
        let found = Federation { agents, units: 60, effect: 0.0 }.claims(trials);
        for claimed in [found.halves, found.holm] {
            assert!(claimed <= 0.1 + noise(0.1, trials), "{agents} agents: {claimed}");
        }
    }
}

#[test]
fn groups_that_gain_are_found_and_halves_find_more_of_them() {
    let found = Federation { agents: 8, units: 120, effect: 0.4 }.claims(60);
    assert!(found.halves > 0.5, "{}", found.halves);
    assert!(found.halves > found.holm, "{} {}", found.halves, found.holm);
    let sure = Federation { agents: 3, units: 150, effect: 0.6 }.claims(60);
    assert!(sure.holm > 0.9 && sure.halves > 0.9, "{} {}", sure.holm, sure.halves);
}

#[test]
fn groups_are_said_to_stay_wrongly_no_more_often_than_promised() {
    // One group gains exactly the margin: any less, and the claim would be true.
    let trials = 400;
    let found = Federation { agents: 4, units: 300, effect: MARGIN }.claims(trials);
    assert!(found.stays <= 0.1 + noise(0.1, trials), "{}", found.stays);
}

#[test]
fn groups_that_lose_are_said_to_stay() {
    let found = Federation { agents: 4, units: 300, effect: -0.3 }.claims(100);
    assert!(found.stays > 0.8, "{}", found.stays);
}
