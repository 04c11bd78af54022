//! q-FFL, as q-FedAvg: losses to the power `q` weigh (Li, Sanjabi, Beirami, Smith, *Fair Resource
//! Allocation in Federated Learning*, ICLR 2020, arXiv 1905.10497, Algorithm 2).

use corefed_core::Range;

use super::{Knob, KnobValues, Length, Member, RuleInfo, SteadiedBy, Wants, Weighing};
use crate::Rule;

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "Losses to the power `q` weigh, with the step of the q-FFL paper.",
    needs_losses: true,
    needs_each: Some("everybody's loss and the length of everybody's update"),
    needs_learning_rate: true,
    steadied: SteadiedBy::Search(Wants::PowerMean),
    knobs: &[Knob {
        name: "q",
        takes: KnobValues::Numbers(Range::NOT_NEGATIVE),
        about: "Exponent of the losses; zero is FedAvg.",
    }],
    ..RuleInfo::new("qffl", "q-FFL", Rule::Qffl { q: 1.0 })
};

/// `pull_s = w_s (L_s/L_max)^q`, with `q pull_s/L_s` for the curvature (ledger E29).
///
/// Dividing by `L_max^q` changes neither the step nor, unlike the plain power, overflows. Where the
/// loss is zero the curvature is its limit, because a smooth non-negative loss has
/// `|grad L|^2 <= 2 beta L`; only at `q = 1` does the formula itself give a value, which is kept.
pub(crate) fn power_pulls(members: &[Member], q: f64) -> Weighing {
    let largest = members.iter().map(|member| member.loss).fold(0.0, f64::max);
    let term = |member: &Member| {
        if q == 0.0 {
            (member.weight, 0.0)
        } else if member.loss > 0.0 {
            let pull = member.weight * (member.loss / largest).powf(q);
            (pull, (q * (pull / member.loss)).min(f64::MAX))
        } else if q == 1.0 && largest > 0.0 {
            (0.0, (member.weight / largest).min(f64::MAX))
        } else {
            (0.0, 0.0)
        }
    };
    let (pulls, curvatures) = members.iter().map(term).unzip();
    Weighing { pulls, curvatures, length: Length::Curved }
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::testing::{close, params_after, server};

    /// The step in the form of Flower's `QFedAvg`, from gradients, without its guard of 1e-10.
    fn as_flower_writes_it(terms: &[(f64, f64)], q: f64, eta: f64) -> f64 {
        let gradient = |d: f64| -d / eta;
        let delta: f64 = terms.iter().map(|&(l, d)| l.powf(q) * gradient(d)).sum();
        let h = |&(l, d): &(f64, f64)| q * l.powf(q - 1.0) * gradient(d).powi(2) + l.powf(q) / eta;
        -delta / terms.iter().map(h).sum::<f64>()
    }

    #[test]
    fn one_step_by_hand() {
        // q = 1, L = (2, 1), D = (1, -2), eta = 0.5, so g = (-2, 4).
        // sum L g = -4 + 4 = 0: no step. With D = (1, 2): g = (-2, -4), sum = -8,
        // h = 4 + 2/0.5 + 16 + 1/0.5 = 26; step 8/26.
        let server = server(Rule::Qffl { q: 1.0 }, 2);
        close(params_after(&server, &[(2.0, 1.0), (1.0, -2.0)], 0.5), 0.0);
        close(params_after(&server, &[(2.0, 1.0), (1.0, 2.0)], 0.5), 8.0 / 26.0);
    }

    #[test]
    fn it_is_flowers_formula() {
        let terms = [(0.3, 0.02), (2.3, -0.5), (1.1, 0.7)];
        for q in [0.0, 0.1, 0.5, 1.0, 2.0, 5.0] {
            let server = server(Rule::Qffl { q }, 3);
            close(params_after(&server, &terms, 0.01), as_flower_writes_it(&terms, q, 0.01));
        }
    }

    #[test]
    fn losses_next_to_nothing_leave_numbers() {
        // One over the smallest positive loss overflows; no update moves anything.
        let server = server(Rule::Qffl { q: 1.0 }, 2);
        close(params_after(&server, &[(0.0, 0.0), (5e-324, 0.0)], 0.1), 0.0);
    }

    #[test]
    fn an_agent_without_loss_does_not_pull() {
        for q in [0.5, 2.0] {
            // As if only the second were there.
            let both = params_after(&server(Rule::Qffl { q }, 2), &[(0.0, 9.0), (1.5, 2.0)], 0.1);
            close(both, as_flower_writes_it(&[(1.5, 2.0)], q, 0.1));
        }
        // At q = 1 its gradient still counts: step L g/(|g_1|^2 + |g_2|^2 + L/eta).
        let both = params_after(&server(Rule::Qffl { q: 1.0 }, 2), &[(0.0, 0.3), (1.5, 0.2)], 0.1);
        close(both, 1.5 * 2.0 / (9.0 + 4.0 + 15.0));
        assert_eq!(params_after(&server(Rule::Qffl { q: 1.0 }, 1), &[(0.0, 9.0)], 0.1), 0.0);
    }

    #[test]
    fn powers_of_large_losses_do_not_overflow() {
        let server = server(Rule::Qffl { q: 5.0 }, 2);
        let step = params_after(&server, &[(1e200, 1.0), (1e200, 3.0)], 1.0);
        close(step, 2.0);
    }

    #[test]
    fn norms_that_overflow_shorten_the_step_at_most() {
        // |D|^2/eta = 1e300/1e-10 overflows; q = 0 does not look at it, q = 2 stands still.
        let step = |q| params_after(&server(Rule::Qffl { q }, 1), &[(1.0, 1e150)], 1e-10);
        assert_eq!((step(0.0), step(2.0)), (1e150, 0.0));
    }
}
