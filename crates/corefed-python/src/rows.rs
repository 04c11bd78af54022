//! Rows of data with owners, from arrays.

use std::sync::Arc;

use corefed_core::{Encoding, Family, Feature, Intake, digest_bytes, digest_numbers};
use corefed_data::{Agent, Design, Federation, LARGEST};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::families::family_named;
use crate::raise::Mistake;

/// A federation in memory: what a certificate speaks of.
#[pyclass(frozen)]
pub(crate) struct Rows {
    pub(crate) federation: Arc<Federation>,
    pub(crate) encoding: Encoding,
    pub(crate) family: Family,
    /// SHA-256 of everything that was handed in.
    pub(crate) digest: String,
}

/// What was handed in besides numbers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Naming {
    family: String,
    agents: Vec<String>,
    features: Vec<String>,
    classes: Vec<String>,
    intercept: bool,
}

#[pymethods]
impl Rows {
    /// `owners` holds the index of each row's agent; every agent owns a row. `weights`, if there are
    /// any, say how much each row counts in its agent's mean, `exposure` for how long it was observed.
    #[new]
    #[pyo3(signature = (x, y, owners, naming, weights=None, exposure=None))]
    fn new(
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        owners: PyReadonlyArray1<'_, i64>,
        naming: Naming,
        weights: Option<Vec<f64>>,
        exposure: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let (x, y, owners) = (x.as_array(), y.as_array(), owners.as_array());
        let family = family_named("family", &naming.family)?;
        let (rows, columns) = x.dim();
        if y.len() != rows || owners.len() != rows || naming.features.len() != columns {
            let message = format!(
                "X has {rows} rows and {columns} columns, y {} rows, groups {} rows",
                y.len(),
                owners.len()
            );
            return Err(Mistake::input("X", message).into());
        }
        let owner_of: Vec<usize> =
            owners.iter().map(|&owner| usize::try_from(owner).unwrap_or(usize::MAX)).collect();
        let (agents, order) = grouped(&owner_of, &naming.agents)?;
        let mut dense = Vec::with_capacity(rows * columns);
        let mut target = Vec::with_capacity(rows);
        for &row in &order {
            dense.extend(x.row(row).iter());
            target.push(y[row]);
        }
        check_cells(&dense, columns, &order)?;
        if let Some(at) = target.iter().position(|value| !usable(*value)) {
            let message = format!("row {}: the target is `{}`", order[at], target[at]);
            return Err(Mistake::input("y", message).into());
        }
        let unpredictable = |y: &f64| !family.targets().admits(*y, naming.classes.len());
        if let Some(at) = target.iter().position(unpredictable) {
            let owner = owner_of[order[at]];
            let message = format!(
                "row {} of agent `{}`: the target is `{}`, and a {family} model predicts {}",
                order[at],
                naming.agents[owner],
                target[at],
                family.targets().wanted()
            );
            return Err(Mistake { agent: Some(owner), ..Mistake::input("y", message) }.into());
        }
        let ordered = |numbers: Option<Vec<f64>>, field, hint| {
            numbers.map(|numbers| in_order(&numbers, &order, field, hint)).transpose()
        };
        let hint = "weights must be positive and finite; only their ratios matter";
        let weights = ordered(weights, "sample_weight", hint)?;
        if exposure.is_some() && !family.takes_exposure() {
            let message = format!("a {family} model takes no exposures");
            return Err(Mistake::input("exposure", message).into());
        }
        let hint = "exposures must be positive and finite";
        let exposure = ordered(exposure, "exposure", hint)?;
        let by_row = [weights.as_deref(), exposure.as_deref()];
        let digest = digest((&dense, &target), by_row, &agents, &naming);
        let hot = if naming.intercept { vec![column_index(columns); rows] } else { Vec::new() };
        let width = columns + usize::from(naming.intercept);
        let design = Design::new(rows, width, (columns, dense), (width - columns, hot))
            .map_err(|error| Mistake::input("X", error.to_string()))?;
        let numeric =
            |column: String| Feature::Numeric { column, mean: 0.0, scale: 1.0, missing: None };
        let mut features: Vec<Feature> = naming.features.into_iter().map(numeric).collect();
        features.extend(naming.intercept.then_some(Feature::Intercept));
        let encoding = Encoding {
            agent_column: "groups".to_owned(),
            target_column: "y".to_owned(),
            exposure_column: exposure.as_ref().map(|_| "exposure".to_owned()),
            classes: naming.classes,
            target_scale: None,
            intake: Intake::default(),
            features,
        };
        let federation = Federation::new(design, target, agents);
        let federation = federation.with_exposure(exposure.unwrap_or_default());
        let federation = match weights {
            Some(weights) => federation.with_row_weights(weights),
            None => federation,
        };
        Ok(Self { federation: Arc::new(federation), encoding, family, digest })
    }

    /// SHA-256 of the data, as certificates state it.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }
}

/// Columns are indexed by 32 bits; more do not fit into memory.
fn column_index(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}

/// Agents with consecutive rows, and where each row comes from; an agent keeps the order of its rows.
fn grouped(owner_of: &[usize], names: &[String]) -> Result<(Vec<Agent>, Vec<usize>), Mistake> {
    let mut counts = vec![0; names.len()];
    for &owner in owner_of {
        let count = counts.get_mut(owner).ok_or_else(|| {
            Mistake::input("groups", format!("a row belongs to agent {owner}, which is unknown"))
        })?;
        *count += 1;
    }
    let mut next = 0;
    let agents: Vec<Agent> = (names.iter().zip(&counts))
        .map(|(name, count)| {
            let start = next;
            next += count;
            Agent { name: name.clone(), rows: start..next }
        })
        .collect();
    if let Some(index) = counts.iter().position(|&count| count == 0) {
        let message = format!("agent `{}` owns no row", names[index]);
        return Err(Mistake { agent: Some(index), ..Mistake::input("groups", message) });
    }
    let mut at: Vec<usize> = agents.iter().map(|agent| agent.rows.start).collect();
    let mut order = vec![0; owner_of.len()];
    for (row, &owner) in owner_of.iter().enumerate() {
        order[at[owner]] = row;
        at[owner] += 1;
    }
    Ok((agents, order))
}

/// Positive numbers, one per row, in the order of the federation's rows.
fn in_order(
    numbers: &[f64],
    order: &[usize],
    field: &str,
    hint: &str,
) -> Result<Vec<f64>, Mistake> {
    if numbers.len() != order.len() {
        let message = format!("{} numbers for {} rows", numbers.len(), order.len());
        return Err(Mistake::input(field, message));
    }
    let usable = |number: &f64| (1.0 / LARGEST..=LARGEST).contains(number);
    if let Some(row) = numbers.iter().position(|number| !usable(number)) {
        let mistake = Mistake::input(field, format!("row {row} has `{}`", numbers[row]));
        return Err(Mistake { hint: Some(hint.to_owned()), ..mistake });
    }
    Ok(order.iter().map(|&row| numbers[row]).collect())
}

/// Squares of cells must not overflow; not-a-number is in no range.
fn usable(value: f64) -> bool {
    (-LARGEST..=LARGEST).contains(&value)
}

fn check_cells(dense: &[f64], columns: usize, order: &[usize]) -> Result<(), Mistake> {
    match dense.iter().position(|value| !usable(*value)) {
        None => Ok(()),
        Some(at) => Err(Mistake {
            hint: Some("scale the column, or drop the row".to_owned()),
            ..Mistake::input(
                "X",
                format!(
                    "row {}, column {}: `{}` is not a number of at most {LARGEST:e}",
                    order[at / columns],
                    at % columns,
                    dense[at]
                ),
            )
        }),
    }
}

/// Rows by agent in order, so that only what losses depend on counts.
fn digest(
    numbers: (&[f64], &[f64]),
    [weights, exposure]: [Option<&[f64]>; 2],
    agents: &[Agent],
    naming: &Naming,
) -> String {
    let (dense, target) = numbers;
    let counts: Vec<usize> = agents.iter().map(Agent::samples).collect();
    let mut text = format!(
        "{}\n{}\n{counts:?}\n{:?}\n{:?}\n{:?}\n{}\n",
        digest_numbers(dense),
        digest_numbers(target),
        naming.agents,
        naming.features,
        naming.classes,
        naming.intercept,
    );
    text.extend(weights.map(digest_numbers));
    // Marked, so that exposures are not taken for weights.
    text.extend(exposure.map(|exposure| format!("exposure\n{}", digest_numbers(exposure))));
    digest_bytes(text.as_bytes())
}
