//! PropFair: agents climb the log of their own mini-batches' utility, the server averages (Zhang et
//! al., *Proportional Fairness in Federated Learning*, TMLR 2023, arXiv 2202.01666).
//!
//! The server's side is FedAvg's; what is special happens on agents, which multiply the gradient of
//! each mini-batch by [`LocalObjective::factor`].

use serde::{Deserialize, Serialize};

use super::{CeilingUse, RuleInfo, WeighsBy};
use crate::{LogUtility, Rule, Safety};

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "Agents climb the log of their mini-batches' utility; the server averages.",
    ceilings: CeilingUse::Training,
    weighs_by: WeighsBy::Average,
    ..RuleInfo::new("propfair", "PropFair", Rule::Propfair)
};

/// What an agent minimises in local training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum LocalObjective {
    /// Its loss.
    Loss,
    /// Minus the log of its utility, continued as a line below the floor.
    LogUtility(LogUtility),
}

impl Rule {
    /// What an agent with this ceiling minimises under the rule (ledger E26).
    ///
    /// The floor is `safety.floor * ceiling`, ours; the paper's is the number 0.2. `at_ceiling` does
    /// not matter: the log of a mini-batch always continues as a line.
    #[must_use]
    pub fn local_objective(&self, safety: &Safety, ceiling: f64) -> LocalObjective {
        match self {
            Self::Propfair => {
                LocalObjective::LogUtility(LogUtility { ceiling, floor: safety.floor * ceiling })
            }
            _ => LocalObjective::Loss,
        }
    }
}

impl LocalObjective {
    /// What the gradient of a mini-batch's mean loss is multiplied by (ledger E26).
    ///
    /// ```
    /// use corefed_rules::{Rule, Safety};
    /// let objective = Rule::Propfair.local_objective(&Safety::default(), 2.0);
    /// assert_eq!(objective.factor(1.5), 2.0); // 1/(2 - 1.5)
    /// assert_eq!(objective.factor(9.0), 5.0); // one over the floor, 0.1 * 2
    /// ```
    #[must_use]
    pub fn factor(&self, batch_loss: f64) -> f64 {
        match self {
            Self::Loss => 1.0,
            Self::LogUtility(log) => log.slope(batch_loss),
        }
    }

    /// The objective's value at a loss.
    #[must_use]
    pub fn value(&self, loss: f64) -> f64 {
        match self {
            Self::Loss => loss,
            Self::LogUtility(log) => log.value(loss),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params_after, weighted_server};

    #[test]
    fn propfairs_server_averages_by_weight() {
        // (1/4) 4 + (3/4) 8 = 7: the log is already in the updates.
        let server = weighted_server(Rule::Propfair, Safety::default(), vec![1.0, 3.0], 3.0);
        assert_eq!(params_after(&server, &[(2.9, 4.0), (0.1, 8.0)], 0.1), 7.0);
    }

    #[test]
    fn the_factor_is_the_slope_of_the_value() {
        let objective = Rule::Propfair.local_objective(&Safety::default(), 2.0);
        for loss in [0.0, 0.7, 1.7, 1.9, 2.0, 5.0] {
            let h = 1e-6;
            let slope = (objective.value(loss + h) - objective.value(loss - h)) / (2.0 * h);
            assert!((slope - objective.factor(loss)).abs() < 1e-6, "{loss}: {slope}");
        }
    }

    #[test]
    fn only_propfair_changes_local_training() {
        let objective = Rule::Fedavg.local_objective(&Safety::default(), 2.0);
        assert_eq!((objective.factor(1.9), objective.value(1.9)), (1.0, 1.9));
    }
}
