//! What a round was like, as told by the program that ran it, and the records that say so.

use std::collections::BTreeMap;

use corefed_log::{AgentRecord, Part, Rejection, RoundRecord, Spread};
use corefed_sim::{Candidates, Evaluation, Standing, Terms};
use serde::Deserialize;

/// A round: what happened, and what agents measured after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundFacts {
    round: usize,
    #[serde(default)]
    learning_rate: Option<f64>,
    #[serde(default)]
    step_norm: Option<f64>,
    #[serde(default)]
    chosen: Option<String>,
    #[serde(default)]
    chosen_part: Option<f64>,
    #[serde(default)]
    warm_up: bool,
    #[serde(default)]
    floored: Vec<String>,
    #[serde(default)]
    raised: BTreeMap<String, f64>,
    #[serde(default)]
    capped: Vec<String>,
    #[serde(default)]
    clipped: Vec<String>,
    #[serde(default)]
    contradicted: Vec<String>,
    #[serde(default)]
    rejections: Vec<Rejection>,
    /// Those that were chosen, or measured the model.
    agents: Vec<AgentFacts>,
}

/// One agent in it. What is not there was not measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentFacts {
    agent: String,
    #[serde(default)]
    part: Part,
    #[serde(default)]
    reported_loss: Option<f64>,
    #[serde(default)]
    weight: Option<f64>,
    #[serde(default)]
    update_norm: Option<f64>,
    #[serde(default)]
    loss: Option<f64>,
    #[serde(default)]
    accuracy: Option<f64>,
    #[serde(default)]
    held_out_loss: Option<f64>,
    #[serde(default)]
    held_out_accuracy: Option<f64>,
}

impl RoundFacts {
    /// The records of the round; everybody's where the model was measured at all, else the
    /// cohort's. The error is the name of a stranger.
    pub fn records(
        self,
        terms: &Terms,
        samples: &[usize],
        candidates: &mut Candidates,
    ) -> Result<(RoundRecord, Vec<AgentRecord>), String> {
        let mut own: Vec<Option<AgentFacts>> = vec![None; terms.names.len()];
        for facts in self.agents {
            let place = terms.names.iter().position(|name| *name == facts.agent);
            let Some(place) = place else { return Err(facts.agent) };
            own[place] = Some(facts);
        }
        let count = |part: Part| own.iter().flatten().filter(|facts| facts.part == part).count();
        let mut round = RoundRecord {
            round: self.round,
            cohort: own.iter().flatten().filter(|facts| facts.part != Part::Idle).count(),
            trained: count(Part::Trained),
            dropped: count(Part::Dropped),
            stragglers: count(Part::Straggler),
            rejected: count(Part::Rejected),
            rejections: self.rejections,
            learning_rate: self.learning_rate,
            step_norm: self.step_norm,
            chosen: self.chosen,
            chosen_part: self.chosen_part,
            warm_up: self.warm_up,
            floored: self.floored,
            raised: self.raised,
            capped: self.capped,
            clipped: self.clipped,
            contradicted: self.contradicted,
            ..RoundRecord::default()
        };
        let mut lines: Vec<AgentRecord> = own
            .iter()
            .zip(&terms.names)
            .map(|(facts, name)| line(self.round, name, facts.as_ref()))
            .collect();
        let loss = |facts: &Option<AgentFacts>| facts.as_ref().and_then(|facts| facts.loss);
        let train: Option<Vec<Evaluation>> = own
            .iter()
            .map(|facts| {
                let accuracy = facts.as_ref().and_then(|facts| facts.accuracy);
                loss(facts).map(|loss| Evaluation { loss, accuracy })
            })
            .collect();
        match train {
            Some(train) => {
                let held_out = own.iter().map(held_out).collect();
                let standing = Standing::measured(terms, train, held_out);
                standing.describe(terms, samples, candidates, &mut round);
                for (agent, line) in lines.iter_mut().enumerate() {
                    standing.describe_agent(agent, terms.ceilings[agent], line);
                }
                candidates.add(round.round, standing.utilities().to_vec());
            }
            None if own.iter().any(|facts| loss(facts).is_some()) => {
                // Welfare and coalitions are everybody's; a spread is of those who were measured.
                for ((facts, line), ceiling) in own.iter().zip(&mut lines).zip(&terms.ceilings) {
                    line.loss = loss(facts);
                    line.utility = loss(facts).map(|loss| ceiling - loss);
                    line.accuracy = facts.as_ref().and_then(|facts| facts.accuracy);
                    let aside = held_out(facts);
                    line.held_out_loss = aside.map(|aside| aside.loss);
                    line.held_out_utility = aside.map(|aside| ceiling - aside.loss);
                    line.held_out_accuracy = aside.and_then(|aside| aside.accuracy);
                }
                let known: Vec<f64> = lines.iter().filter_map(|line| line.utility).collect();
                round.utility_spread = Spread::of(&known);
            }
            None => lines.retain(|line| line.part != Part::Idle),
        }
        Ok((round, lines))
    }
}

fn line(round: usize, name: &str, facts: Option<&AgentFacts>) -> AgentRecord {
    let blank = AgentRecord { round, agent: name.to_owned(), ..AgentRecord::default() };
    let Some(facts) = facts else { return blank };
    AgentRecord {
        part: facts.part,
        reported_loss: facts.reported_loss,
        // Readers of JSON stumble over subnormal numbers, and such a weight is none.
        weight: facts.weight.map(|weight| if weight.is_subnormal() { 0.0 } else { weight }),
        update_norm: facts.update_norm,
        ..blank
    }
}

#[expect(clippy::ref_option, reason = "a place in the list of agents")]
fn held_out(facts: &Option<AgentFacts>) -> Option<Evaluation> {
    let facts = facts.as_ref()?;
    Some(Evaluation { loss: facts.held_out_loss?, accuracy: facts.held_out_accuracy })
}
