//! Rules and safeguards by their names in a spec.

use corefed_rules::{AtCeiling, CoreStep, Rule, Safety};
use pyo3::prelude::*;

use crate::raise::Mistake;

/// A rule with its knobs, as keywords of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Knobs {
    rule: String,
    step_length: String,
    gamma: f64,
    q: f64,
    t: f64,
    spread: f64,
}

impl Knobs {
    pub(crate) fn rule(&self) -> Result<Rule, Mistake> {
        Ok(match self.rule.as_str() {
            "fedavg" => Rule::Fedavg,
            "corefed" => Rule::Corefed { step: self.step()? },
            "propfair" => Rule::Propfair,
            "afl" => Rule::Afl { gamma: self.gamma },
            "qffl" => Rule::Qffl { q: self.q },
            "term" => Rule::Term { t: self.t },
            "fedmgda" => Rule::Fedmgda { epsilon: self.spread },
            "newton" => Rule::Newton,
            other => {
                let known = "`fedavg`, `corefed`, `propfair`, `afl`, `qffl`, `term` or `fedmgda`";
                return Err(unknown("rule", other, known));
            }
        })
    }

    fn step(&self) -> Result<CoreStep, Mistake> {
        Ok(match self.step_length.as_str() {
            "printed" => CoreStep::Printed,
            "normalised" => CoreStep::Normalised,
            "dynamic" => CoreStep::Dynamic,
            other => {
                let known = "`printed`, `normalised` or `dynamic`";
                return Err(unknown("step_length", other, known));
            }
        })
    }
}

/// Safeguards, as keywords of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Safeguards {
    at_ceiling: String,
    floor: f64,
    weight_cap: f64,
    clip: f64,
}

impl Safeguards {
    pub(crate) fn safety(&self) -> Result<Safety, Mistake> {
        let at_ceiling = match self.at_ceiling.as_str() {
            "floor" => AtCeiling::Floor,
            "warm-up" => AtCeiling::WarmUp,
            "raise" => AtCeiling::Raise,
            other => return Err(unknown("at_ceiling", other, "`floor`, `warm-up` or `raise`")),
        };
        let &Self { floor, weight_cap, clip, .. } = self;
        Ok(Safety { at_ceiling, floor, weight_cap, clip })
    }
}

fn unknown(field: &str, found: &str, known: &str) -> Mistake {
    Mistake::input(field, format!("there is no {field} `{found}`; expected {known}"))
}
