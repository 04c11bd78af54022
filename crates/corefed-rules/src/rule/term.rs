//! TERM: exponentially tilted weights (Li, Beirami, Sanjabi, Smith, *Tilted Empirical Risk
//! Minimization*, ICLR 2021, arXiv 2007.01162).

use corefed_core::Range;

use super::{Knob, KnobValues, Member, RuleInfo, Weighing};
use crate::Rule;

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "Weights `exp(t loss)`, normalised.",
    needs_losses: true,
    needs_each: Some("everybody's loss, in one exponential with all others"),
    knobs: &[Knob {
        name: "t",
        takes: KnobValues::Numbers(Range::FINITE),
        about: "Tilt per nat of loss; positive favours the worst off.",
    }],
    ..RuleInfo::new("term", "TERM", Rule::Term { t: 1.0 })
};

/// `pull_s = w_s exp(t (L_s - L_*))`, normalised (ledger E30), where `L_*` is the loss with the
/// largest exponent: no exponent is positive, for either sign of `t`.
pub(crate) fn tilted_pulls(members: &[Member], t: f64) -> Weighing {
    let losses = members.iter().map(|member| member.loss);
    let reference =
        if t > 0.0 { losses.fold(0.0, f64::max) } else { losses.fold(f64::INFINITY, f64::min) };
    let pull = |member: &Member| member.weight * (t * (member.loss - reference)).exp();
    Weighing::normalised(members.iter().map(pull).collect())
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::testing::{close, params_after, server};

    #[test]
    fn the_tilt_multiplies_weights_by_exponentials() {
        // t = ln 3, L = (1, 2): weights 1 and 3, so (4 + 3*8)/4 = 7; t = -ln 3: (3*4 + 8)/4 = 5.
        let tilt = 3_f64.ln();
        let terms = [(1.0, 4.0), (2.0, 8.0)];
        close(params_after(&server(Rule::Term { t: tilt }, 2), &terms, 0.1), 7.0);
        close(params_after(&server(Rule::Term { t: -tilt }, 2), &terms, 0.1), 5.0);
    }

    #[test]
    fn extreme_tilts_pick_the_extremes() {
        let terms = [(1e3, 4.0), (2e3, 8.0), (3e3, 16.0)];
        assert_eq!(params_after(&server(Rule::Term { t: 1e6 }, 3), &terms, 0.1), 16.0);
        assert_eq!(params_after(&server(Rule::Term { t: -1e6 }, 3), &terms, 0.1), 4.0);
    }
}
