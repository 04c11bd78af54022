//! Who takes part in a round, and whose work arrives.
//!
//! Every draw has a stream of its own, derived from the run's seed and the round (and, for what
//! befalls an agent, the agent), so that neither threads nor resuming can change it.

use std::collections::BTreeSet;

use corefed_core::{Seed, below, uniform};
use corefed_spec::{Draw, Participation};

/// One agent's part in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attendance {
    /// Index of the agent.
    pub(crate) agent: usize,
    /// What becomes of its work.
    pub(crate) fate: Fate,
}

/// What becomes of an agent's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// All of it arrives.
    Complete,
    /// Only a part is done in time.
    Straggler,
    /// Nothing arrives.
    Dropped,
}

/// A cohort in the order of agents. `fixed` holds the indices of a fixed cohort.
#[must_use]
pub(crate) fn draw_cohort(
    participation: &Participation,
    fixed: &[usize],
    sizes: &[usize],
    round: usize,
    seed: Seed,
) -> Vec<Attendance> {
    let seed = seed.derive("round").derive_index(round as u64);
    let size = participation.cohort.size(sizes.len());
    let members = match &participation.draw {
        Draw::Fixed(_) => fixed.to_vec(),
        _ if size == sizes.len() => (0..size).collect(),
        Draw::Uniform => choose_uniformly(sizes.len(), size, seed.derive("cohort")),
        Draw::Size => choose_by_size(sizes, size, seed.derive("cohort")),
    };
    let faults = (participation.dropout > 0.0 || participation.stragglers > 0.0)
        .then(|| seed.derive("faults"));
    let attend = |agent: usize| Attendance {
        agent,
        fate: faults.map_or(Fate::Complete, |seed| befall(participation, seed, agent)),
    };
    members.into_iter().map(attend).collect()
}

fn befall(participation: &Participation, seed: Seed, agent: usize) -> Fate {
    let mut rng = seed.derive_index(agent as u64).rng();
    // Both are drawn always, so that changing one chance leaves the other's victims as they were.
    let (dropped, slow) = (uniform(&mut rng), uniform(&mut rng));
    if dropped < participation.dropout {
        Fate::Dropped
    } else if slow < participation.stragglers {
        Fate::Straggler
    } else {
        Fate::Complete
    }
}

/// Floyd's algorithm: time and memory grow with the cohort, not with the federation.
fn choose_uniformly(agents: usize, size: usize, seed: Seed) -> Vec<usize> {
    let mut rng = seed.rng();
    let mut chosen = BTreeSet::new();
    for last in agents - size..agents {
        // Agents are numbered by 32 bits, as partitions do.
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        let pick = below(&mut rng, bound) as usize;
        if !chosen.insert(pick) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// Successive draws without replacement, each in proportion to size, by the keys of Efraimidis and
/// Spirakis: the smallest `-ln(uniform) / size` win.
fn choose_by_size(sizes: &[usize], size: usize, seed: Seed) -> Vec<usize> {
    let mut rng = seed.rng();
    let key = |(agent, &size): (usize, &usize)| {
        let draw = 1.0 - uniform(&mut rng);
        (-libm::log(draw) / size as f64, agent)
    };
    let mut keys: Vec<(f64, usize)> = sizes.iter().enumerate().map(key).collect();
    keys.select_nth_unstable_by(size - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = keys[..size].iter().map(|(_, agent)| *agent).collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use corefed_spec::Cohort;

    use super::*;

    fn cohort(size: usize, draw: Draw) -> Participation {
        let cohort = Cohort::Count(NonZeroUsize::new(size).unwrap());
        Participation { cohort, draw, ..Participation::default() }
    }

    fn agents(attendance: &[Attendance]) -> Vec<usize> {
        attendance.iter().map(|a| a.agent).collect()
    }

    #[test]
    fn every_agent_is_drawn_as_often_as_it_should() {
        // Sizes 1, 1, 2: of single draws agent 2 gets half, the others a quarter each.
        for (draw, expected) in [(Draw::Uniform, [1.0 / 3.0; 3]), (Draw::Size, [0.25, 0.25, 0.5])] {
            let participation = cohort(1, draw);
            let mut counts = [0.0_f64; 3];
            for round in 1..=6000 {
                let drawn = draw_cohort(&participation, &[], &[1, 1, 2], round, Seed(3));
                counts[drawn[0].agent] += 1.0 / 6000.0;
            }
            // Four standard deviations of a frequency are below 0.027.
            let close = counts.iter().zip(expected).all(|(c, e)| (c - e).abs() < 0.027);
            assert!(close, "{counts:?} for {:?}", participation.draw);
        }
    }

    #[test]
    fn cohorts_are_sorted_distinct_and_complete() {
        for draw in [Draw::Uniform, Draw::Size] {
            for size in 1..=5 {
                for round in 1..50 {
                    let participation = cohort(size, draw.clone());
                    let sizes = [3, 1, 4, 1, 5];
                    let drawn = agents(&draw_cohort(&participation, &[], &sizes, round, Seed(1)));
                    assert_eq!(drawn.len(), size);
                    assert!(drawn.is_sorted_by(|a, b| a < b) && drawn.iter().all(|a| *a < 5));
                }
            }
        }
        let fixed = cohort(1, Draw::Fixed(vec!["c".into(), "a".into()]));
        let drawn = draw_cohort(&fixed, &[0, 2], &[1; 5], 7, Seed(1));
        assert_eq!(agents(&drawn), [0, 2]);
    }

    #[test]
    fn chances_of_one_fault_leave_the_other_alone() {
        let with = |dropout, stragglers| {
            let base = cohort(100, Draw::Uniform);
            let participation = Participation { dropout, stragglers, ..base };
            draw_cohort(&participation, &[], &[1; 100], 1, Seed(5))
        };
        let (drops, both) = (with(0.2, 0.0), with(0.2, 0.5));
        let dropped = |round: &[Attendance]| -> Vec<bool> {
            round.iter().map(|a| a.fate == Fate::Dropped).collect()
        };
        assert_eq!(dropped(&drops), dropped(&both));
        let count = dropped(&drops).iter().filter(|d| **d).count();
        assert!((8..=32).contains(&count), "{count} of 100 at a chance of 0.2");
        assert!(both.iter().any(|a| a.fate == Fate::Straggler));
    }
}
