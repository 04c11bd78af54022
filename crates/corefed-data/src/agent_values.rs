//! One number per agent, such as weights or ceilings, from a file of their own.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::Signed;

use crate::Table;
use crate::decimal::{DecimalError, parse_decimal};
use crate::error::{AgentValueError, DataError};
use crate::names::{excerpt, nearest};

/// Which numbers are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// All finite ones.
    Any,
    /// Only those above zero.
    Positive,
}

/// Reads the numbers of `column`, in the order of `agents`, from a table with a column `agent`.
/// Every agent must occur exactly once; further columns are ignored.
pub fn agent_values<'a>(
    table: &Table,
    column: &str,
    agents: impl IntoIterator<Item = &'a str>,
    sign: Sign,
) -> Result<Vec<f64>, DataError> {
    let parse = |cell: &str| match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((value, value > 0.0)),
        Ok(_) => Err(DecimalError::NotFinite),
        Err(_) if matches!(cell, "" | "?") => Err(DecimalError::Missing),
        Err(_) => Err(DecimalError::NotDecimal),
    };
    read(table, column, agents, sign, parse)
}

/// [`agent_values`] without rounding: decimals become exact fractions.
pub fn exact_agent_values<'a>(
    table: &Table,
    column: &str,
    agents: impl IntoIterator<Item = &'a str>,
    sign: Sign,
) -> Result<Vec<BigRational>, DataError> {
    let parse = |cell: &str| {
        let value = parse_decimal(cell)?;
        let positive = value.is_positive();
        Ok((value, positive))
    };
    read(table, column, agents, sign, parse)
}

/// Reads one value per agent; `parse` also says whether the value is positive.
fn read<'a, T>(
    table: &Table,
    column: &str,
    agents: impl IntoIterator<Item = &'a str>,
    sign: Sign,
    parse: impl Fn(&str) -> Result<(T, bool), DecimalError>,
) -> Result<Vec<T>, DataError> {
    let names: Vec<&str> = agents.into_iter().collect();
    let indices: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let agent_column = table.column("agent")?;
    let value_column = table.column(column)?;
    let mut values: Vec<Option<(usize, T)>> = names.iter().map(|_| None).collect();
    for row in 0..table.rows() {
        let (name, cell) = (table.cell(row, agent_column), table.cell(row, value_column));
        let agent = excerpt(name);
        let at_name = || table.place(row, agent_column);
        let Some(&index) = indices.get(name) else {
            let nearest = nearest(name, &names).map(ToOwned::to_owned);
            let known = names.iter().copied().map(ToOwned::to_owned).collect();
            return Err(AgentValueError::Unknown { place: at_name(), agent, known, nearest }.into());
        };
        if let Some((first, _)) = values[index] {
            return Err(AgentValueError::Duplicate { place: at_name(), agent, first }.into());
        }
        let at_cell = || table.place(row, value_column);
        let (value, positive) = parse(cell).map_err(|problem| AgentValueError::Cell {
            place: at_cell(),
            agent: agent.clone(),
            cell: excerpt(cell),
            problem,
        })?;
        if sign == Sign::Positive && !positive {
            let (place, cell) = (at_cell(), excerpt(cell));
            return Err(AgentValueError::NotPositive { place, agent, cell }.into());
        }
        values[index] = Some((table.line(row), value));
    }
    let absent = |name: &str| AgentValueError::Absent {
        file: table.file().to_owned(),
        column: column.to_owned(),
        agent: excerpt(name),
    };
    let found = values.into_iter().zip(&names);
    let complete: Result<Vec<T>, AgentValueError> =
        found.map(|(v, name)| v.map(|(_, value)| value).ok_or_else(|| absent(name))).collect();
    Ok(complete?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: [&str; 2] = ["Aachen", "Bergen"];

    fn values(text: &str, sign: Sign) -> Result<Vec<f64>, DataError> {
        let table = Table::parse("w.csv", text.as_bytes())?;
        let exact = exact_agent_values(&table, "weight", AGENTS, sign);
        let rounded = agent_values(&table, "weight", AGENTS, sign);
        assert_eq!(exact.is_ok(), rounded.is_ok(), "both readers accept the same files");
        if let (Err(a), Err(b)) = (exact, &rounded) {
            assert_eq!(a.to_string(), b.to_string());
        }
        rounded
    }

    #[track_caller]
    fn message(text: &str) -> String {
        values(text, Sign::Positive).unwrap_err().to_string()
    }

    #[test]
    fn values_come_in_the_order_of_the_agents() {
        let found = values("agent,weight,note\nBergen,2.5,x\nAachen,1e-1,y\n", Sign::Positive);
        assert_eq!(found.unwrap(), [0.1, 2.5]);
        assert_eq!(values("agent,weight\nAachen,-1\nBergen,0\n", Sign::Any).unwrap(), [-1.0, 0.0]);
    }

    #[test]
    fn exact_values_do_not_round() {
        let table = Table::parse("w.csv", b"agent,weight\nAachen,0.1\nBergen,3\n").unwrap();
        let exact = exact_agent_values(&table, "weight", AGENTS, Sign::Positive).unwrap();
        assert_eq!(exact[0], BigRational::new(1.into(), 10.into()));
    }

    #[test]
    fn agents_must_match_exactly_once() {
        let error = values("agent,weight\nAachen,1\nBergn,1\n", Sign::Any).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`w.csv`, line 3, column `agent`: the federation has no agent `Bergn`; \
             it has `Aachen`, `Bergen`"
        );
        assert_eq!(error.hint().unwrap(), "did you mean `Bergen`?");
        assert_eq!(
            message("agent,weight\nAachen,1\nAachen,1\n"),
            "`w.csv`, line 3, column `agent`: agent `Aachen` is already on line 2"
        );
        assert_eq!(message("agent,weight\nAachen,1\n"), "`w.csv`: no `weight` for agent `Bergen`");
        assert!(message("agent,wait\nAachen,1\n").contains("no column `weight`"));
    }

    #[test]
    fn values_must_be_finite_numbers_of_the_right_sign() {
        for (cell, problem) in [
            ("nan", "has `nan`: the value is not finite"),
            ("inf", "has `inf`: the value is not finite"),
            ("", "has ``: the value is missing"),
            ("much", "has `much`: the value is not a decimal number"),
            ("0", "has `0`, which is not positive"),
            ("-2", "has `-2`, which is not positive"),
        ] {
            assert_eq!(
                message(&format!("agent,weight\nAachen,1\nBergen,{cell}\n")),
                format!("`w.csv`, line 3, column `weight`: agent `Bergen` {problem}")
            );
        }
    }
}
