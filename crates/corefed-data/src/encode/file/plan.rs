//! Deciding how the columns of a file are read.

use corefed_core::{Encoding, Family};

use super::grid::Plan;
use crate::Table;
use crate::encode::layout::Layout;
use crate::encode::schema::Schema;
use crate::encode::{ColumnType, EncodeOptions};
use crate::error::DataError;

/// Checks an encoding and plans how its columns are read; on failure, `plan` stays as it is.
pub(super) fn plan_of<'a>(
    head: &Table,
    encoding: &'a Encoding,
    family: Family,
    plan: &mut [Plan],
) -> Result<Layout<'a>, DataError> {
    let layout = Layout::of(encoding, family)?;
    let column = |name: &str| head.column(name);
    let numbers: Result<Vec<_>, _> = layout.numeric.iter().map(|n| column(n.column)).collect();
    let numbers = numbers?;
    let texts: Result<Vec<_>, _> = layout.groups.iter().map(|g| column(g.column)).collect();
    let texts = texts?;
    let target = column(&encoding.target_column)?;
    let exposure = encoding.exposure_column.as_deref().map(column).transpose()?;
    for index in numbers {
        plan[index] = Plan::Number;
    }
    for index in texts {
        plan[index] = Plan::Text;
    }
    plan[target] = target_plan(family);
    if let Some(index) = exposure {
        plan[index] = Plan::Number;
    }
    Ok(layout)
}

fn target_plan(family: Family) -> Plan {
    if family.targets().is_class() { Plan::Text } else { Plan::Number }
}

/// What is declared, and else what the source guesses.
pub(super) fn first_plan(guess: &[Plan], schema: &Schema, options: &EncodeOptions) -> Vec<Plan> {
    let mut plan = guess.to_vec();
    for (plan, kind) in plan.iter_mut().zip(&schema.types) {
        match kind {
            Some(ColumnType::Number | ColumnType::Date | ColumnType::Parts) => *plan = Plan::Number,
            Some(ColumnType::Text) => *plan = Plan::Text,
            Some(ColumnType::Ignore) => *plan = Plan::Skip,
            None => {}
        }
    }
    plan[schema.agent] = Plan::Text;
    plan[schema.target] = target_plan(options.family);
    if let Some(index) = schema.exposure {
        plan[index] = Plan::Number;
    }
    plan
}
