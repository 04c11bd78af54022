//! The trainings of one seed: every rule under every ceiling, and coalitions on their own.

use corefed_rules::{CeilingUse, Rule};
use corefed_spec::{Contender, Draw, Spec};

use crate::experiment::trained;

/// All proper coalitions are trained up to this many agents, beyond it only agents alone.
const MOST_FOR_COALITIONS: usize = 4;

/// One training to be made.
pub(crate) struct Training {
    /// Its name among rivals.
    pub(crate) name: String,
    /// Its folder, below the experiment's.
    pub(crate) folder: String,
    pub(crate) spec: Spec,
    /// How many agents take part, by which its time is guessed.
    pub(crate) members: usize,
    /// The rule's label and ceiling, for a row of the table; `None` for a coalition on its own.
    pub(crate) row: Option<(String, Option<f64>)>,
}

/// Everything to be trained from one seed. Rules that do not look at ceilings are trained once.
pub(crate) fn trainings(
    spec: &Spec,
    ceilings: &[f64],
    seed: u64,
    agents: &[String],
) -> Vec<Training> {
    let mut all = Vec::new();
    let rules = spec.compare.as_ref().map_or(&[][..], |compare| &compare.rules);
    for contender in rules {
        let looks = contender.rule.info().ceilings != CeilingUse::Nowhere;
        let under = if looks { ceilings } else { &ceilings[..1] };
        for &ceiling in under {
            let own = looks.then_some(ceiling);
            let name = match own {
                Some(ceiling) => format!("{} (M = {ceiling})", contender.label),
                None => contender.label.clone(),
            };
            let suffix = own.filter(|ceiling| *ceiling != ceilings[0]);
            let suffix = suffix.map_or_else(String::new, |ceiling| format!("-M-{ceiling}"));
            all.push(Training {
                name,
                folder: format!("{}{suffix}-seed-{seed}", contender.label),
                spec: trained(spec, contender, ceiling, seed),
                members: agents.len(),
                row: Some((contender.label.clone(), own)),
            });
        }
    }
    for coalition in coalitions(agents.len()) {
        let members: Vec<String> = coalition.iter().map(|&k| agents[k].clone()).collect();
        let numbers: Vec<String> = coalition.iter().map(usize::to_string).collect();
        let label = format!("coalition-{}", numbers.join("-"));
        let contender = Contender::new(label.clone(), Rule::Fedavg);
        let mut own = trained(spec, &contender, ceilings[0], seed);
        if let Some(train) = &mut own.train {
            train.participation.draw = Draw::Fixed(members.clone());
        }
        all.push(Training {
            name: format!("FedAvg of {} alone", members.join(", ")),
            folder: format!("{label}-seed-{seed}"),
            spec: own,
            members: coalition.len(),
            row: None,
        });
    }
    all
}

/// For convex losses: every rule anew under every ceiling, because every model is audited exactly.
pub(crate) fn under_every_ceiling(spec: &Spec, ceilings: &[f64], seed: u64) -> Vec<Training> {
    let rules = spec.compare.as_ref().map_or(&[][..], |compare| &compare.rules);
    let under = |ceiling: &f64| {
        let ceiling = *ceiling;
        rules.iter().map(move |contender| Training {
            name: format!("{} (M = {ceiling})", contender.label),
            folder: format!("{}-M-{ceiling}-seed-{seed}", contender.label),
            spec: trained(spec, contender, ceiling, seed),
            // Everybody, so no training is guessed to take longer than another.
            members: 0,
            row: Some((contender.label.clone(), Some(ceiling))),
        })
    };
    ceilings.iter().flat_map(under).collect()
}

/// Proper coalitions, small ones first: all, or agents alone where there would be too many.
fn coalitions(agents: usize) -> Vec<Vec<usize>> {
    if agents > MOST_FOR_COALITIONS {
        return (0..agents).map(|agent| vec![agent]).collect();
    }
    let all = 1_u32..(1 << agents) - 1;
    let members = |set: u32| (0..agents).filter(|agent| set & (1 << agent) != 0).collect();
    let mut coalitions: Vec<Vec<usize>> = all.map(members).collect();
    coalitions.sort_by_key(Vec::len);
    coalitions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_proper_coalitions_of_three_and_agents_alone_of_ten() {
        let three = [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2]];
        assert_eq!(coalitions(3), three);
        assert_eq!(coalitions(10).len(), 10);
    }

    #[test]
    fn rules_without_ceilings_are_trained_once() {
        let spec = Spec::preset("table1-cifar10").unwrap();
        let agents: Vec<String> = (0..3).map(|k| format!("agent-{k}")).collect();
        let all = trainings(&spec, &[3.0, 5.0], 2, &agents);
        // FedAvg, AFL and q-FFL once, three kinds of CoreFed under two ceilings, six coalitions.
        assert_eq!(all.len(), 3 + 3 * 2 + 6);
        let mut folders: Vec<&str> = all.iter().map(|t| t.folder.as_str()).collect();
        folders.sort_unstable();
        folders.dedup();
        assert_eq!(folders.len(), all.len());
        assert!(all.iter().all(|training| training.spec.seed == 2));
    }
}
