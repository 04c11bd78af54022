//! On whom safeguards acted while a run trained: one sentence per agent.

use std::collections::BTreeMap;

use corefed_log::{GuardHeader, Guarded, RoundRecord};

/// What a safeguard does, in the words of a sentence, and the agents it acted on in a round.
type Act = (&'static str, fn(&RoundRecord) -> Vec<&str>);

const ACTS: [Act; 5] = [
    ("its share was cut to the cap", |round| names(&round.capped)),
    ("its utility counted as the floor", |round| names(&round.floored)),
    ("its update was shortened", |round| names(&round.clipped)),
    ("its loss contradicted its own measurement or updates", |round| names(&round.contradicted)),
    ("its reply was refused", |round| {
        round.rejections.iter().map(|rejection| rejection.agent.as_str()).collect()
    }),
];

/// How often safeguards acted, by agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Safeguards {
    /// Of what was reported before the first round.
    begun: BTreeMap<String, Vec<String>>,
    counts: BTreeMap<String, [usize; ACTS.len()]>,
    rounds: usize,
}

impl Safeguards {
    /// Adds what guards replaced before the first round.
    pub(crate) fn begin(&mut self, guards: &[GuardHeader]) {
        for GuardHeader { agent, what, told, used } in guards {
            let said = match what {
                Guarded::Rows => format!("of the {told} rows that it reported {used} counted"),
                Guarded::FirstLoss => {
                    format!("its ceiling rests on a first loss of {used}, and it reported {told}")
                }
                Guarded::Ceiling => {
                    format!("its ceiling is {used}, and would have been {told} by what it declared")
                }
            };
            self.begun.entry(agent.clone()).or_default().push(said);
            self.counts.entry(agent.clone()).or_default();
        }
    }

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
            let begun = self.begun.get(agent).into_iter().flatten().cloned();
            format!("{agent}: {}.", begun.chain(told).collect::<Vec<_>>().join(", "))
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
        let cut =
            |agent: &str, what, told, used| GuardHeader { agent: agent.into(), what, told, used };
        found.begin(&[
            cut("b", Guarded::Rows, 1e12, 2000.0),
            cut("b", Guarded::FirstLoss, 0.001, 0.25),
            cut("c", Guarded::Ceiling, 0.01, 0.5),
        ]);
        let first = RoundRecord { round: 1, capped: agents(&["a"]), ..RoundRecord::default() };
        found.push(&first);
        found.push(&RoundRecord {
            round: 2,
            capped: agents(&["a"]),
            clipped: agents(&["a"]),
            contradicted: agents(&["b"]),
            rejections: vec![refused],
            ..RoundRecord::default()
        });
        let said = [
            "a: its share was cut to the cap in 2 of 2 rounds, its update was shortened in 1 of 2 rounds.",
            "b: of the 1000000000000 rows that it reported 2000 counted, its ceiling rests on a first loss of \
             0.25, and it reported 0.001, its loss contradicted its own measurement or updates in 1 \
             of 2 rounds, its reply was refused in 1 of 2 rounds.",
            "c: its ceiling is 0.5, and would have been 0.01 by what it declared.",
        ];
        assert_eq!(found.sentences(), said);
    }
}
