//! FedAvg: the weighted mean of updates (McMahan et al., AISTATS 2017, arXiv 1602.05629).

use super::{Member, RuleInfo, SteadiedBy, Wants, Weighing, WeighsBy};
use crate::Rule;

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "The weighted mean of updates.",
    weighs_by: WeighsBy::Average,
    steadied: SteadiedBy::Search(Wants::PowerMean),
    ..RuleInfo::new("fedavg", "FedAvg", Rule::Fedavg)
};

/// `pull_s = w_s`, normalised (ledger E21).
pub(crate) fn mean_pulls(members: &[Member]) -> Weighing {
    Weighing::normalised(members.iter().map(|member| member.weight).collect())
}

/// The same by the weights of a warm-up (ledger E24).
pub(crate) fn warm_up_pulls(members: &[Member]) -> Weighing {
    Weighing::normalised(members.iter().map(|member| member.average).collect())
}

#[cfg(test)]
mod tests {
    use crate::testing::{params_after, server, weighted_server};
    use crate::{Rule, Safety};

    #[test]
    fn fedavg_is_the_weighted_mean_of_updates() {
        // Weights 1 and 3: (1/4) 4 + (3/4) 8 = 7; losses do not matter.
        let server = weighted_server(Rule::Fedavg, Safety::default(), vec![1.0, 3.0], 3.0);
        assert_eq!(params_after(&server, &[(0.1, 4.0), (2.0, 8.0)], 0.1), 7.0);
    }

    #[test]
    fn equal_weights_are_the_plain_mean() {
        let server = server(Rule::Fedavg, 3);
        assert_eq!(params_after(&server, &[(0.0, 1.0), (1.0, 2.0), (2.0, 6.0)], 0.1), 3.0);
    }
}
