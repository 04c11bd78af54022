//! Learning an encoding from what was read of a file.

use corefed_core::Feature;

use super::grid::{Contents, Grid, Plan};
use super::source::Source;
use crate::Agent;
use crate::encode::features::Learnt;
use crate::encode::moments::{Common, Moments, NOTHING, Report};
use crate::encode::schema::Schema;
use crate::encode::tally::Verdict;
use crate::encode::{EncodeOptions, target};
use crate::error::DataError;
use crate::names::excerpt;
use crate::note::Note;

/// The plan that the cells call for, if it is not the one they were read by.
pub(super) fn better_plan(
    grid: &Grid,
    plan: &[Plan],
    schema: &Schema,
    options: &EncodeOptions,
) -> Option<Vec<Plan>> {
    let mut better = plan.to_vec();
    for column in schema.features() {
        let contents = &grid.columns[column].contents;
        match (contents.tally().verdict(schema.types[column], options.missing), contents) {
            (Verdict::Numbers, Contents::Numbers(_))
            | (Verdict::Levels, Contents::Texts(_))
            // It will not be encoded, however it is read.
            | (Verdict::Ignored | Verdict::Refused { .. }, _) => {}
            (Verdict::Numbers, _) => better[column] = Plan::Number,
            (Verdict::Levels, _) => better[column] = Plan::Text,
        }
    }
    (better != plan).then_some(better)
}

/// The classes of the target.
pub(super) fn classes(
    source: &dyn Source,
    grid: &Grid,
    schema: &Schema,
    options: &EncodeOptions,
) -> Result<Vec<String>, DataError> {
    let Some(texts) = grid.dictionary(schema.target) else { return Ok(Vec::new()) };
    target::classes(texts.firsts(), grid.rows, options).or_else(|refusal| match refusal {
        target::Refusal::Cell { row } => {
            Err(target::refused(&source.row(row)?, 0, schema.target, options).into())
        }
        target::Refusal::Whole(problem) => {
            let head = source.head();
            let column = excerpt(&head.columns()[schema.target]);
            Err(problem.error(head.file(), column, options.family).into())
        }
    })
}

/// The features, from a grid that was read by the right plan.
pub(super) fn features(
    source: &dyn Source,
    grid: &Grid,
    agents: &[Agent],
    schema: &Schema,
    options: &EncodeOptions,
) -> Result<(Vec<Feature>, Vec<Note>), DataError> {
    let moments = moments(grid, agents.len());
    let mut learnt = Learnt::default();
    for column in schema.features() {
        let declared = schema.types[column];
        let name = &source.head().columns()[column];
        let contents = &grid.columns[column].contents;
        let tally = contents.tally();
        let flaw = match (tally.verdict(declared, options.missing), contents, grid.slot(column)) {
            (Verdict::Refused { row }, ..) => {
                return Err(tally.refusal((&source.row(row)?, 0, column), declared).into());
            }
            (Verdict::Numbers, Contents::Numbers(_), Some(slot)) => {
                learnt.numeric(name, moments[slot], tally.holes(declared), options)
            }
            (Verdict::Levels, Contents::Texts(texts), _) => {
                let sorted = texts.sorted();
                let counts = (tally.holes(declared), tally.present());
                learnt.levels(name, sorted.iter().map(|&code| texts.get(code)), counts, options)
            }
            (Verdict::Ignored, ..) => Ok(()),
            // A second reading by the right plan gives the right contents, of the same file.
            (Verdict::Numbers | Verdict::Levels, ..) => return Err(source.changed()),
        };
        if let Err(flaw) = flaw {
            return Err(flaw.error(source.head(), column));
        }
    }
    Ok(learnt.features(source.head().file(), options)?)
}

/// Moments of all numbers. Every agent adds up its rows in the order of the file, so that the
/// result has the bits that rows grouped by agent would give.
fn moments(grid: &Grid, agents: usize) -> Vec<Moments> {
    let width = grid.number_columns;
    if width == 0 {
        return Vec::new();
    }
    let rows = || grid.agents.iter().zip(grid.numbers.chunks_exact(width));
    let mut reports = vec![Report::default(); agents * width];
    for (&agent, values) in rows() {
        let own = &mut reports[agent as usize * width..];
        own.iter_mut().zip(values).for_each(|(report, &value)| report.add(value));
    }
    let column = |slot: usize| reports.iter().copied().skip(slot).step_by(width);
    // There is at least one agent.
    let common: Vec<Common> = (0..width).filter_map(|slot| Common::of(column(slot))).collect();
    let mut squares = vec![NOTHING; agents * width];
    for (&agent, values) in rows() {
        let own = squares[agent as usize * width..].iter_mut();
        for ((sum, common), &value) in own.zip(&common).zip(values) {
            common.add_square(sum, value);
        }
    }
    let of = |(slot, common): (usize, &Common)| {
        common.moments(squares.iter().copied().skip(slot).step_by(width))
    };
    common.iter().enumerate().map(of).collect()
}
