//! On whom safeguards acted while a run trained: one sentence per agent.

use std::collections::BTreeMap;

use corefed_log::RoundRecord;

/// What a safeguard does, in the words of a sentence, and the agents it acted on in a round.
type Act = (&'static str, fn(&RoundRecord) -> Vec<&str>);

const ACTS: [Act; 4] = [
    ("its share was cut to the cap", |round| names(&round.capped)),
    ("its utility counted as the floor", |round| names(&round.floored)),
    ("its update was shortened", |round| names(&round.clipped)),
    ("its reply was refused", |round| {
        round.rejections.iter().map(|rejection| rejection.agent.as_str()).collect()
    }),
];

/// How often safeguards acted, by agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Safeguards {
    counts: BTreeMap<String, [usize; ACTS.len()]>,
    rounds: usize,
}

impl Safeguards {
    /// Adds a round.
    pub(crate) fn push(&mut self, round: &RoundRecord) {
        self.rounds += usize::from(round.round > 0);
        for (at, (_, agents)) in ACTS.iter().enumerate() {
            for agent in agents(round) {
                self.counts.entry(agent.to_owned()).or_default()[at] += 1;
            }
        }
    }

    /// A sentence for every agent on whom a safeguard acted, in the order of names.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |(agent, counts): (&String, &[usize; ACTS.len()])| {
            let acts = ACTS.iter().zip(counts).filter(|(_, count)| **count > 0);
            let told = acts
                .map(|((what, _), count)| format!("{what} in {count} of {} rounds", self.rounds));
            format!("{agent}: {}.", told.collect::<Vec<_>>().join(", "))
        };
        self.counts.iter().map(sentence).collect()
    }
}

fn names(agents: &[String]) -> Vec<&str> {
    agents.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use corefed_log::Rejection;

    use super::*;

    #[test]
    fn every_act_is_counted_by_agent_and_said_in_one_sentence() {
        let mut found = Safeguards::default();
        assert!(found.sentences().is_empty());
        let agents = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let refused = Rejection { agent: "b".into(), reason: "its loss is negative".into() };
        found.push(&RoundRecord { round: 0, ..RoundRecord::default() });
        let first = RoundRecord { round: 1, capped: agents(&["a"]), ..RoundRecord::default() };
        found.push(&first);
        found.push(&RoundRecord {
            round: 2,
            capped: agents(&["a"]),
            clipped: agents(&["a"]),
            rejections: vec![refused],
            ..RoundRecord::default()
        });
        let said = [
            "a: its share was cut to the cap in 2 of 2 rounds, its update was shortened in 1 of 2 rounds.",
            "b: its reply was refused in 1 of 2 rounds.",
        ];
        assert_eq!(found.sentences(), said);
    }
}
