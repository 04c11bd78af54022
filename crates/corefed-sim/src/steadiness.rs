//! What `auto` comes to: decided once, before the first round.

use corefed_rules::Scalar;
use corefed_spec::{Correction, Search, Train};
use thiserror::Error;

/// Control variates that take more bytes than this are kept only where asked for.
const MOST: usize = 1 << 30;

/// How a training is held steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steadiness {
    /// Whether local steps are corrected for drift (ledger E48).
    pub corrects: bool,
    /// Whether the server compares several steps (ledger E49).
    pub searches: bool,
}

/// Why a training cannot be held steady as it is asked to.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unsteady {
    /// Weights of updates are not known before agents train.
    #[error("rule `{rule}` cannot use `train.correction = \"control\"`")]
    Uncorrected {
        /// The rule.
        rule: &'static str,
    },
    /// The rule has no objective.
    #[error("rule `{rule}` cannot use `train.search = \"on\"`: it has no objective of its own")]
    Unsearched {
        /// The rule.
        rule: &'static str,
    },
    /// Steps are compared by everybody's losses.
    #[error("`train.search = \"on\"` needs all of everybody's work in every round")]
    SearchOfSome,
    /// A velocity would lead past the steps that were compared.
    #[error("`train.search = \"on\"` needs `train.server_momentum = 0`")]
    SearchWithMomentum,
}

impl Steadiness {
    /// What a training with this many agents and parameters does, or why it cannot do what it is asked
    /// to.
    pub fn of<T: Scalar>(train: &Train, agents: usize, dim: usize) -> Result<Self, Unsteady> {
        let (info, whole) = (train.rule.info(), train.participation.is_whole(agents));
        let corrects = match train.correction {
            Correction::None => false,
            Correction::Control if info.steadied.corrects() => true,
            Correction::Control => return Err(Unsteady::Uncorrected { rule: info.name }),
            Correction::Auto => {
                let bytes = agents.saturating_mul(dim).saturating_mul(size_of::<T>());
                let same = train.participation.is_constant(agents);
                info.steadied.corrects() && same && bytes <= MOST
            }
        };
        let still = train.server.momentum == 0.0;
        let searches = match train.search {
            Search::Off => false,
            Search::On if !info.steadied.searches() => {
                return Err(Unsteady::Unsearched { rule: info.name });
            }
            Search::On if !whole => return Err(Unsteady::SearchOfSome),
            Search::On if !still => return Err(Unsteady::SearchWithMomentum),
            Search::On => true,
        };
        Ok(Self { corrects, searches })
    }
}

#[cfg(test)]
mod tests {
    use corefed_rules::{RULES, Rule, ServerStep};

    use super::*;

    fn settled(train: &Train) -> Result<(bool, bool), String> {
        let found = Steadiness::of::<f32>(train, 4, 1000);
        found.map(|s| (s.corrects, s.searches)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_default_holds_corefed_steady_where_everybody_takes_part() {
        let train = Train::default();
        assert_eq!(settled(&train), Ok((true, false)));
        assert_eq!(settled(&Train { rule: Rule::Fedavg, ..train.clone() }), Ok((true, false)));
        assert_eq!(settled(&Train { rule: Rule::NashMtl, ..train.clone() }), Ok((false, false)));
        let mut some = train.clone();
        some.participation.dropout = 0.1;
        assert_eq!(settled(&some), Ok((false, false)));
        let mut heavy = train.clone();
        heavy.server = ServerStep { momentum: 0.5, ..heavy.server };
        assert_eq!(settled(&heavy), Ok((true, false)));
        // Four agents with 2^26 numbers of four bytes are a whole GiB, and one more is too much.
        let large = |dim| Steadiness::of::<f32>(&train, 4, dim).unwrap().corrects;
        assert!(large(1 << 26) && !large((1 << 26) + 1));
    }

    #[test]
    fn what_a_rule_cannot_do_is_refused_by_its_name() {
        for info in RULES {
            let train = Train { rule: info.default, ..Train::default() };
            let asked = Train { correction: Correction::Control, ..train.clone() };
            assert_eq!(settled(&asked).is_ok(), info.steadied.corrects(), "{}", info.name);
            let asked = Train { search: Search::On, ..train };
            let found = settled(&asked);
            assert_eq!(found.is_ok(), info.steadied.searches(), "{}", info.name);
            assert!(found.is_ok() || found.unwrap_err().contains(info.name));
        }
        let mut some = Train { search: Search::On, ..Train::default() };
        some.participation.stragglers = 0.5;
        assert!(settled(&some).unwrap_err().contains("everybody"));
        let mut heavy = Train { search: Search::On, ..Train::default() };
        heavy.server.momentum = 0.5;
        assert!(settled(&heavy).unwrap_err().contains("server_momentum"));
    }
}
