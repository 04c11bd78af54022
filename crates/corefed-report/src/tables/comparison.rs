//! A comparison as the paper's table.

use corefed_core::Verdict;
use corefed_documents::{ComparedRun, Comparison};

use super::MOST_COLUMNS;
use crate::{Cell, Grid};

/// The paper's table: every utility, their average and product, the sum of ratios against CoreFed,
/// kappa and the verdict; means over seeds, with deviations. `rules` are the rows, `reference` is the rule of
/// CoreFed's that ratios are taken against.
#[must_use]
pub fn comparison(document: &Comparison, rules: &[&str], reference: Option<&str>) -> Grid {
    let Comparison { agents, runs, .. } = document;
    let listed = agents.len() <= MOST_COLUMNS;
    let mut header = vec!["rule".to_owned()];
    if listed {
        header.extend(agents.iter().map(|name| format!("u({name})")));
    } else {
        header.push("min u".to_owned());
    }
    header.extend(["average", "product"].map(str::to_owned));
    if let Some(reference) = reference {
        header.push(format!("sum u/u({reference})"));
    }
    let tested = runs.iter().any(|run| run.test_accuracy.is_some());
    if tested {
        header.push("test accuracy".to_owned());
    }
    header.extend(["kappa >=", "kappa <=", "everybody >=", "verdict"].map(str::to_owned));
    let columns = header.len();
    let rows = rules.iter().map(|&rule| {
        let own: Vec<&ComparedRun> = runs.iter().filter(|run| run.rule == rule).collect();
        let over =
            |value: &dyn Fn(&ComparedRun) -> f64| spread(own.iter().map(|run| value(run)), 4);
        let mut row = vec![Cell::text(rule)];
        if own.is_empty() {
            row.push(Cell::text("no model"));
            row.resize(columns, Cell::missing());
            return row;
        }
        if listed {
            row.extend((0..agents.len()).map(|k| over(&|run| run.training.utilities[k])));
        } else {
            row.push(over(&|run| run.training.smallest()));
        }
        row.push(over(&|run| {
            run.training.utilities.iter().sum::<f64>() / run.training.utilities.len() as f64
        }));
        row.push(over(&|run| run.training.utilities.iter().product()));
        if let Some(reference) = reference {
            let ratios = own.iter().filter_map(|run| {
                let same = |other: &&ComparedRun| other.rule == reference && other.seed == run.seed;
                let base = &runs.iter().find(same)?.training.utilities;
                Some(run.training.utilities.iter().zip(base).map(|(u, v)| u / v).sum())
            });
            let ratios: Vec<f64> = ratios.collect();
            let none = ratios.is_empty();
            row.push(if none { Cell::missing() } else { spread(ratios.into_iter(), 4) });
        }
        if tested {
            row.push(over(&|run| run.test_accuracy.unwrap_or(f64::NAN)));
        }
        row.push(over(&|run| run.kappa.lo.0));
        row.push(over(&|run| run.kappa.hi.0));
        row.push(over(&|run| run.everybody.lo.0));
        row.push(verdicts(&own));
        row
    });
    Grid { header, rows: rows.collect() }
}

/// A mean over seeds, with the deviation where there are several.
#[must_use]
pub fn spread(values: impl Iterator<Item = f64>, digits: usize) -> Cell {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let cell = Cell::number(mean, digits);
    if values.len() < 2 || !mean.is_finite() {
        return cell;
    }
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (count - 1.0);
    let shown = format!("{} ± {}", cell.shown, Cell::number(variance.sqrt(), digits).shown);
    Cell { shown, exact: cell.exact }
}

/// `stable`, or how many of each.
fn verdicts(runs: &[&ComparedRun]) -> Cell {
    let count = |verdict| runs.iter().filter(|run| run.verdict == verdict).count();
    let all = [Verdict::Stable, Verdict::Blocked, Verdict::Improvable, Verdict::Undecided];
    let found: Vec<(Verdict, usize)> =
        all.into_iter().map(|v| (v, count(v))).filter(|(_, n)| *n > 0).collect();
    match found.as_slice() {
        [(verdict, _)] => Cell::text(verdict.to_string()),
        several => {
            let parts: Vec<String> = several.iter().map(|(v, n)| format!("{n} {v}")).collect();
            Cell::text(parts.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_comes_with_its_deviation() {
        assert_eq!(spread([1.0].into_iter(), 4).shown, "1.0000");
        // 1 and 3: mean 2, deviation sqrt(2).
        let two = spread([1.0, 3.0].into_iter(), 4);
        assert_eq!((two.shown.as_str(), two.exact.as_str()), ("2.0000 ± 1.4142", "2"));
    }
}
