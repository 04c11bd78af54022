//! One agent in one round.

use serde::{Deserialize, Serialize};

use super::columns::{Column, Kind};
use crate::float;

/// What happened to an agent in a round, and how it stands with the model after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentRecord {
    /// Counted from one; zero is the initial state.
    pub round: usize,
    /// Name of the agent.
    pub agent: String,
    /// Whether and how it took part.
    pub part: Part,
    /// Mean training loss, nats or the loss's own unit.
    #[serde(with = "float::optional")]
    pub loss: Option<f64>,
    /// Ceiling less loss.
    #[serde(with = "float::optional")]
    pub utility: Option<f64>,
    /// Training accuracy, in [0, 1].
    #[serde(with = "float::optional")]
    pub accuracy: Option<f64>,
    /// Mean loss on its held-out rows.
    #[serde(with = "float::optional")]
    pub held_out_loss: Option<f64>,
    /// Ceiling less that.
    #[serde(with = "float::optional")]
    pub held_out_utility: Option<f64>,
    /// Accuracy on its held-out rows, in [0, 1].
    #[serde(with = "float::optional")]
    pub held_out_accuracy: Option<f64>,
    /// Mean training loss at the model it received, before it trained: what its weight rests on.
    #[serde(with = "float::optional")]
    pub reported_loss: Option<f64>,
    /// Its weight in the server's step.
    #[serde(with = "float::optional")]
    pub weight: Option<f64>,
    /// Euclidean norm of the update it sent, before clipping, >= 0.
    #[serde(with = "float::optional")]
    pub update_norm: Option<f64>,
}

/// Whether and how an agent took part in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Its update counted.
    Trained,
    /// It was slow and did less work than asked, or came too late.
    Straggler,
    /// It was chosen and did not answer.
    Dropped,
    /// Its update was refused.
    Rejected,
    /// It was not chosen.
    #[default]
    Idle,
}

impl super::Row for AgentRecord {
    const COLUMNS: &'static [Column] = &[
        Column::new("round", Kind::Whole),
        Column::new("agent", Kind::Text),
        Column::new("part", Kind::Text),
        Column::new("loss", Kind::Float),
        Column::new("utility", Kind::Float),
        Column::new("accuracy", Kind::Float),
        Column::new("held_out_loss", Kind::Float),
        Column::new("held_out_utility", Kind::Float),
        Column::new("held_out_accuracy", Kind::Float),
        Column::new("reported_loss", Kind::Float),
        Column::new("weight", Kind::Float),
        Column::new("update_norm", Kind::Float),
    ];

    fn parse(line: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;

    #[test]
    fn the_line_of_an_agent_is_this_one() {
        let record = AgentRecord {
            round: 3,
            agent: "Ål \"1\"".to_owned(),
            part: Part::Trained,
            loss: Some(0.1),
            utility: Some(f64::NEG_INFINITY),
            weight: Some(1.0),
            update_norm: Some(f64::NAN),
            ..AgentRecord::default()
        };
        let line = serde_json::to_string(&record).unwrap();
        assert_eq!(
            line,
            "{\"round\":3,\"agent\":\"Ål \\\"1\\\"\",\"part\":\"trained\",\"loss\":0.1,\
             \"utility\":\"-inf\",\"accuracy\":null,\"held_out_loss\":null,\
             \"held_out_utility\":null,\"held_out_accuracy\":null,\"reported_loss\":null,\"weight\":1.0,\
             \"update_norm\":null}"
        );
        let read = AgentRecord::parse(line.as_bytes()).unwrap();
        assert_eq!(read, AgentRecord { update_norm: None, ..record });
    }

    #[test]
    fn columns_are_those_of_the_line() {
        let value = serde_json::to_value(AgentRecord::default()).unwrap();
        let names: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        let columns: Vec<_> = AgentRecord::COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(names, columns);
    }

    #[test]
    fn a_missing_or_unknown_column_is_refused() {
        let line = serde_json::to_string(&AgentRecord::default()).unwrap();
        for altered in [
            line.replace("\"loss\":null,", ""),
            line.replace("\"loss\"", "\"lost\""),
            line.replace('{', "{\"extra\":1,"),
            line.replace("idle", "asleep"),
        ] {
            assert!(AgentRecord::parse(altered.as_bytes()).is_err(), "{altered}");
        }
    }
}
