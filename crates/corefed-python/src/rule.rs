//! Rules and safeguards by their names in a spec.

use corefed_rules::{
    AtCeiling, CeilingUse, CoreStep, Knob, KnobSlot, KnobValues, RULES, Rule, RuleInfo, Safety,
    ServerStep, WeighsBy,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::raise::Mistake;

/// The rule of this name with these knobs; knobs of other rules do not matter.
pub(crate) fn rule(name: &str, knobs: &Bound<'_, PyDict>) -> PyResult<Rule> {
    let mut rule = named(name)?;
    for (knob, slot) in rule.knobs_mut() {
        let Some(value) = knobs.get_item(knob.name)? else { continue };
        match slot {
            KnobSlot::Number(number) => *number = value.extract().map_err(|_| unfit(knob))?,
            KnobSlot::StepLength(step) => {
                let name: String = value.extract().map_err(|_| unfit(knob))?;
                *step = chosen(knob.name, &name, CoreStep::NAMES)?;
            }
        }
    }
    Ok(rule)
}

/// The rule of this name, as it is by default.
pub(crate) fn named(name: &str) -> Result<Rule, Mistake> {
    let known = RULES.iter().map(|info| info.name);
    Rule::named(name).ok_or_else(|| unknown("rule", name, known))
}

/// Safeguards, as keywords of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Safeguards {
    at_ceiling: String,
    floor: f64,
    weight_cap: f64,
    share_cap: f64,
    clip: f64,
}

impl Safeguards {
    pub(crate) fn safety(&self) -> Result<Safety, Mistake> {
        let at_ceiling = chosen("at_ceiling", &self.at_ceiling, AtCeiling::NAMES)?;
        let &Self { floor, weight_cap, share_cap, clip, .. } = self;
        Ok(Safety { at_ceiling, floor, weight_cap, share_cap, clip })
    }
}

/// The table of rules, row by row.
#[pyfunction]
pub(crate) fn rules(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    RULES.iter().map(|info| row(py, info)).collect()
}

/// Safeguards and the server's step of a user who names none.
#[pyfunction]
pub(crate) fn server_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let (safety, step) = (Safety::DEFAULT, ServerStep::DEFAULT);
    let defaults = PyDict::new(py);
    defaults.set_item("at_ceiling", safety.at_ceiling.name())?;
    defaults.set_item("floor", safety.floor)?;
    defaults.set_item("weight_cap", safety.weight_cap)?;
    defaults.set_item("server_step", step.step)?;
    defaults.set_item("server_momentum", step.momentum)?;
    Ok(defaults)
}

fn row<'py>(py: Python<'py>, info: &RuleInfo) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", info.name)?;
    row.set_item("title", info.title)?;
    row.set_item("about", info.about)?;
    row.set_item("needs_losses", info.needs_losses)?;
    row.set_item("needs_each", info.needs_each)?;
    row.set_item("needs_learning_rate", info.needs_learning_rate)?;
    let ceilings = match info.ceilings {
        CeilingUse::Nowhere => "nowhere",
        CeilingUse::Training => "training",
        CeilingUse::Step => "step",
    };
    row.set_item("ceilings", ceilings)?;
    let weighs_by = match info.weighs_by {
        WeighsBy::Average => "average",
        WeighsBy::Say => "weights",
    };
    row.set_item("weighs_by", weighs_by)?;
    row.set_item("corrects", info.steadied.corrects())?;
    row.set_item("searches", info.steadied.searches())?;
    let mut rule = info.default;
    let knobs: PyResult<Vec<_>> =
        rule.knobs_mut().map(|(knob, slot)| knob_row(py, knob, &slot)).collect();
    row.set_item("knobs", knobs?)?;
    Ok(row)
}

fn knob_row<'py>(
    py: Python<'py>,
    knob: &Knob,
    slot: &KnobSlot<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", knob.name)?;
    row.set_item("about", knob.about)?;
    row.set_item("takes", takes(knob))?;
    let default = match slot {
        KnobSlot::Number(number) => number.into_pyobject(py)?.into_any(),
        KnobSlot::StepLength(step) => PyString::new(py, step.name()).into_any(),
    };
    row.set_item("default", default)?;
    Ok(row)
}

/// What a knob may be, in words.
fn takes(knob: &Knob) -> String {
    match knob.takes {
        KnobValues::Numbers(range) => range.wanted(),
        KnobValues::StepLengths => either(CoreStep::NAMES.iter().map(|(name, _)| *name)),
    }
}

/// The value of this name.
pub(crate) fn chosen<T: Copy>(field: &str, name: &str, names: &[(&str, T)]) -> Result<T, Mistake> {
    let found = names.iter().find(|(known, _)| *known == name);
    let known = names.iter().map(|(known, _)| *known);
    found.map(|(_, value)| *value).ok_or_else(|| unknown(field, name, known))
}

fn unfit(knob: &Knob) -> Mistake {
    Mistake::input(knob.name, format!("`{}` must be {}", knob.name, takes(knob)))
}

/// What names no value of a list.
pub(crate) fn unknown<'a>(
    field: &str,
    found: &str,
    known: impl Iterator<Item = &'a str>,
) -> Mistake {
    let known = either(known);
    Mistake::input(field, format!("there is no {field} `{found}`; expected {known}"))
}

/// Names in backticks, with `or` before the last.
fn either<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
