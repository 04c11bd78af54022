//! One round.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::columns::{Column, Kind, spread_columns};
use crate::{Spread, float};

spread_columns!(utility, "utility");
spread_columns!(accuracy, "accuracy");
spread_columns!(held_out_loss, "held_out_loss");
spread_columns!(held_out_accuracy, "held_out_accuracy");
spread_columns!(held_out_utility, "held_out_utility");

/// What happened in a round, and how agents stand after it. Everything that was not measured is
/// `None`, and `null` in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Counted from one; zero is the initial state.
    pub round: usize,
    /// Agents chosen.
    pub cohort: usize,
    /// Agents whose updates counted.
    pub trained: usize,
    /// Agents that did not answer.
    pub dropped: usize,
    /// Agents that were slow.
    pub stragglers: usize,
    /// Agents whose updates were refused.
    pub rejected: usize,
    /// Who was refused, and why.
    pub rejections: Vec<Rejection>,
    /// Step of local training, > 0.
    #[serde(with = "float::optional")]
    pub learning_rate: Option<f64>,
    /// Euclidean norm of the server's step, >= 0.
    #[serde(with = "float::optional")]
    pub step_norm: Option<f64>,
    /// Whether weights were those of FedAvg until everybody is above the floor.
    pub warm_up: bool,
    /// Agents whose utility was below the floor.
    pub floored: Vec<String>,
    /// Ceilings raised in this round, with their new values.
    #[serde(with = "float::named")]
    pub raised: BTreeMap<String, f64>,
    /// Agents whose weight was capped.
    pub capped: Vec<String>,
    /// Agents whose update was shortened.
    pub clipped: Vec<String>,
    /// Agents that reported another loss of a model than when they measured it, or for a while losses that do not go
    /// where their own updates say; not known of folders of version 3.
    #[serde(default)]
    pub contradicted: Vec<String>,
    /// Which step won where several were compared: `rule`, `fedavg` or `stay`.
    pub chosen: Option<String>,
    /// How much of it was taken, in [0, 1].
    #[serde(with = "float::optional")]
    pub chosen_part: Option<f64>,
    /// Mean training loss over agents, by weight.
    #[serde(with = "float::optional")]
    pub loss: Option<f64>,
    /// Mean training accuracy over agents, by weight, in [0, 1].
    #[serde(with = "float::optional")]
    pub accuracy: Option<f64>,
    /// Sum of weighted log utilities; `-inf` where one is not positive.
    #[serde(with = "float::optional")]
    pub log_welfare: Option<f64>,
    /// Largest factor by which a coalition, not everybody, gains with any candidate, >= 0.
    #[serde(with = "float::optional")]
    pub kappa: Option<f64>,
    /// Round of the candidate that attains it.
    pub kappa_round: Option<usize>,
    /// The coalition that attains it.
    pub coalition: Vec<String>,
    /// Largest factor by which everybody gains at once with any candidate, >= 0.
    #[serde(with = "float::optional")]
    pub everybody: Option<f64>,
    /// What a coalition, not everybody, could gain if its losses fell to zero.
    #[serde(with = "float::optional")]
    pub headroom: Option<f64>,
    /// The factor by which everybody would gain if all losses fell to zero.
    #[serde(with = "float::optional")]
    pub headroom_everybody: Option<f64>,
    /// Frank-Wolfe upper bound of kappa and of everybody's factor.
    #[serde(with = "float::optional")]
    pub bound: Option<f64>,
    /// Agent of the lowest utility.
    pub worst_agent: Option<String>,
    /// Largest distance of a pair's loss ratio from its inverse size ratio, in logs, >= 0.
    #[serde(with = "float::optional")]
    pub equity_gap: Option<f64>,
    /// Utilities over agents.
    #[serde(flatten, with = "utility")]
    pub utility_spread: Option<Spread>,
    /// Training accuracies over agents.
    #[serde(flatten, with = "accuracy")]
    pub accuracy_spread: Option<Spread>,
    /// Losses on held-out rows.
    #[serde(flatten, with = "held_out_loss")]
    pub held_out_loss_spread: Option<Spread>,
    /// Accuracies on held-out rows.
    #[serde(flatten, with = "held_out_accuracy")]
    pub held_out_accuracy_spread: Option<Spread>,
    /// Utilities on held-out rows.
    #[serde(flatten, with = "held_out_utility")]
    pub held_out_utility_spread: Option<Spread>,
    /// Floored log-welfare on the rows to choose a round by.
    #[serde(with = "float::optional")]
    pub validation_welfare: Option<f64>,
    /// Loss on the published test set.
    #[serde(with = "float::optional")]
    pub test_loss: Option<f64>,
    /// Accuracy on the published test set, in [0, 1].
    #[serde(with = "float::optional")]
    pub test_accuracy: Option<f64>,
}

/// An update that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rejection {
    /// Name of the agent.
    pub agent: String,
    /// Why.
    pub reason: String,
}

/// The column that lines of version 3 do not have.
const LATER: &str = "contradicted";

/// Plain columns, then those of spreads, then plain ones again.
macro_rules! columns {
    ($($name:literal $kind:ident,)* [$($spread:ident)*] $($last:literal,)*) => {
        &[
            $(Column::new($name, Kind::$kind),)*
            $(
                Column::new($spread::NAMES[0], Kind::Float),
                Column::new($spread::NAMES[1], Kind::Float),
                Column::new($spread::NAMES[2], Kind::Float),
                Column::new($spread::NAMES[3], Kind::Float),
                Column::new($spread::NAMES[4], Kind::Float),
                Column::new($spread::NAMES[5], Kind::Float),
                Column::new($spread::NAMES[6], Kind::Float),
                Column::new($spread::NAMES[7], Kind::Float),
            )*
            $(Column::new($last, Kind::Float),)*
        ]
    };
}

impl super::Row for RoundRecord {
    const COLUMNS: &'static [Column] = columns![
        "round" Whole, "cohort" Whole, "trained" Whole, "dropped" Whole, "stragglers" Whole,
        "rejected" Whole, "rejections" Json, "learning_rate" Float, "step_norm" Float,
        "warm_up" Truth, "floored" Json, "raised" Json, "capped" Json, "clipped" Json,
        "contradicted" Json,
        "chosen" Text, "chosen_part" Float,
        "loss" Float, "accuracy" Float, "log_welfare" Float, "kappa" Float, "kappa_round" Whole,
        "coalition" Json, "everybody" Float, "headroom" Float, "headroom_everybody" Float,
        "bound" Float, "worst_agent" Text, "equity_gap" Float,
        [utility accuracy held_out_loss held_out_accuracy held_out_utility]
        "validation_welfare", "test_loss", "test_accuracy",
    ];

    fn parse(line: &[u8]) -> Result<Self, serde_json::Error> {
        // Flattened fields let unknown ones pass, so they are looked at here.
        let map: Map<String, Value> = serde_json::from_slice(line)?;
        let missing = |column: &&Column| !map.contains_key(column.name) && column.name != LATER;
        if let Some(column) = Self::COLUMNS.iter().find(missing) {
            let reason = format!("column `{}` is missing", column.name);
            return Err(serde_json::Error::custom(reason));
        }
        let known = |name: &str| Self::COLUMNS.iter().any(|column| column.name == name);
        if let Some(name) = map.keys().find(|name| !known(name)) {
            return Err(serde_json::Error::custom(format!("column `{name}` is unknown")));
        }
        serde_json::from_value(Value::Object(map))
    }
}

#[cfg(test)]
mod tests;
