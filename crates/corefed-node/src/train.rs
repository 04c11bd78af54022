//! A round of training: the loss of the model that came, and what these rows make of it.

use corefed_rules::{CeilingUse, Rule};
use corefed_run::Local;

use crate::desk::{Desk, metrics};
use crate::names::{
    BATCH, CEILING, DRIFT, EPOCHS, FLOOR, INDEX, MOMENTUM, PARTS, RATE, ROUND, RULE, SEED, STEPS,
    WALK, WALK_RATE,
};
use crate::question::{Declined, configs, count, model, models, number};
use crate::record::{Array, Record, Records, Value, value};

/// The most passes over the rows that a server may ask for.
const MOST_EPOCHS: u64 = 100_000;
/// The most rows that one training looks at, the same ones in every pass: a node that is asked to stop finishes it
/// first.
const MOST_VISITS: u64 = 1_000_000_000;

impl Desk {
    /// Trains, or gives derivatives to Newton's method.
    pub(crate) fn trained(&self, request: &Records) -> Result<Records, Declined> {
        let arrays = model(request)?;
        let nothing = Vec::new();
        let config = configs(request).next().unwrap_or(&nothing);
        let rule = value(config, RULE).and_then(Value::text).unwrap_or("");
        // Before training: the reply tells of the model that came.
        let measured = self.measured(arrays)?;
        let params = self.layout().engine(arrays)?;
        let mut reply = if rule == "newton" {
            vec![("arrays".to_owned(), self.derivatives(&params)?)]
        } else {
            self.steps(&params, config, rule, request)?
        };
        reply.push(metrics("metrics", measured));
        reply.push(self.about(true));
        Ok(reply)
    }

    fn steps(
        &self,
        params: &[f64],
        config: &[(String, Value)],
        rule: &str,
        request: &Records,
    ) -> Result<Records, Declined> {
        let own = self.training;
        let epochs = passes(count(config, EPOCHS, own.epochs)?, self.agent.samples())?;
        let whole = |asked: u64| usize::try_from(asked).unwrap_or(usize::MAX);
        let correction = models(request).find(|(name, _)| *name == DRIFT).map(|(_, parts)| parts);
        let drift = correction.map(|parts| self.layout().engine(parts)).transpose()?;
        let known = Rule::named(rule).map(|rule| rule.info().ceilings);
        let log_utility = match known {
            Some(CeilingUse::Training) => {
                Some((number(config, CEILING, 0.0)?, number(config, FLOOR, 0.0)?))
            }
            Some(CeilingUse::Nowhere | CeilingUse::Step) | None => None,
        };
        let local = Local {
            epochs: whole(epochs),
            batch: whole(count(config, BATCH, own.batch)?),
            learning_rate: number(config, RATE, own.learning_rate)?,
            momentum: number(config, MOMENTUM, own.momentum)?,
            weight_decay: 0.0,
            seed: count(config, SEED, 0)?,
            round: count(config, ROUND, 0)?,
            agent: count(config, INDEX, 0)?,
            log_utility,
            drift: drift.as_deref(),
        };
        let after = self.agent.train(params, &local)?;
        let mut reply = vec![("arrays".to_owned(), Record::Arrays(self.layout().arrays(&after)))];
        if let Some(parts) = correction {
            let steps = self.agent.steps(local.epochs, local.batch);
            let mut names: Vec<String> = parts.iter().map(|(name, _)| name.clone()).collect();
            names.sort();
            let walk = vec![
                (STEPS.to_owned(), Value::Int(i64::try_from(steps).unwrap_or(i64::MAX))),
                (WALK_RATE.to_owned(), Value::Double(local.learning_rate)),
                (MOMENTUM.to_owned(), Value::Double(local.momentum)),
                (PARTS.to_owned(), Value::texts(names)),
            ];
            reply.push((WALK.to_owned(), Record::Config(walk)));
        }
        Ok(reply)
    }

    /// Gradient and Hessian in Flower's order of parameters.
    fn derivatives(&self, params: &[f64]) -> Result<Record, Declined> {
        let (_, gradient, hessian) = self.agent.derivatives(params)?;
        let (dim, order) = (gradient.len(), self.layout().order());
        let slope: Vec<f64> = order.clone().map(|place| gradient[place]).collect();
        let entry = |row: usize| order.clone().map(move |column| row * dim + column);
        let curve: Vec<f64> = order.clone().flat_map(entry).map(|at| hessian[at]).collect();
        Ok(Record::Arrays(vec![
            ("gradient".to_owned(), Array::of(&[dim], &slope)),
            ("hessian".to_owned(), Array::of(&[dim, dim], &curve)),
        ]))
    }
}

/// Passes over this many rows, unless they are too many.
fn passes(asked: u64, rows: usize) -> Result<u64, Declined> {
    let visits = asked.saturating_mul(u64::try_from(rows).unwrap_or(u64::MAX));
    let expected = match () {
        () if asked > MOST_EPOCHS => "a number of passes up to 100000",
        () if visits > MOST_VISITS => "a number of passes that look at 1000000000 rows at most",
        () => return Ok(asked),
    };
    Err(Declined::Key { key: EPOCHS, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_that_would_not_end_is_declined() {
        assert_eq!(passes(100_000, 10_000), Ok(100_000));
        for (asked, rows, said) in [
            (100_001, 1, "100000"),
            (100_000, 10_001, "1000000000 rows"),
            (u64::MAX, 0, "100000"),
            (2, usize::MAX, "1000000000 rows"),
        ] {
            let refused = passes(asked, rows).unwrap_err().to_string();
            assert!(refused.contains(said), "{refused}");
        }
    }
}
