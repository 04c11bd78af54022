//! `corefed data export`: a set with its owners, as a table that every other command reads.

use std::io::Write;

use corefed_core::{Family, Seed};
use corefed_data::source::Rows;
use corefed_data::{DataError, Split, split_partition};
use corefed_report::console;
use corefed_run::source::Dataset;
use corefed_run::{corrupted_rows, formulas, inert_rows, owned_rows};

use crate::args::ExportDataArgs;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Writes rows with an `agent` column; test rows are held out, and chosen agents corrupted.
pub(super) fn export(args: &ExportDataArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let files = [("--out", Some(args.out.as_path())), ("--test-out", args.test_out.as_deref())];
    let outputs = Outputs::check(&files, false)?;
    let set = Dataset::open(&args.source.wanted())?;
    let Rows::Table(table) = &set.rows else {
        return Err(Failure::new(format!("`{}` holds images, which no table can", set.name)));
    };
    let owners =
        set.owners(args.partition.as_deref(), args.agent.as_deref())?.ok_or_else(|| {
            Failure::new("who owns the rows?").hint(
                "give `--agent COLUMN`, or a file of `corefed data partition` with `--partition`",
            )
        })?;
    let seed = Seed(args.source.seed);
    let (train, test) = match args.test_share {
        None => (owners, None),
        Some(share) => {
            let Split { train, test } =
                split_partition(&owners, share, seed.derive("test")).map_err(DataError::from)?;
            (train, Some(test))
        }
    };
    let own = set.agent_column(args.agent.as_deref());
    let owner_column = own.filter(|_| args.partition.is_none());
    let mut text = owned_rows(table, &train, owner_column)?;
    let target = set.target(args.target.as_deref());
    if !args.corrupt.is_empty() {
        let target = target.as_deref().ok_or_else(|| {
            Failure::new("which column is the target?").hint("name it with `--target COLUMN`")
        })?;
        let family = args.model.unwrap_or_else(Family::of_any_classes);
        text = corrupted_rows(&text, target, family, &args.corrupt, seed.derive("corrupt"))?;
    }
    let inert = |text: String| if args.spreadsheet { inert_rows(&text) } else { Ok(text) };
    let text = inert(text)?;
    save(&args.out, &text, out)?;
    let mut files = vec![(train.owned(), args.out.clone())];
    if let Some(test) = test {
        let path = args.test_out.clone().unwrap_or_else(|| args.out.with_extension("test.csv"));
        save(&path, inert(owned_rows(table, &test, owner_column)?)?, out)?;
        files.push((test.owned(), path));
    }
    let labels = set.labels(args.target.as_deref()).ok();
    let told = console::Exported {
        agents: train.agents().len(),
        files: &files,
        formulas: formulas(&text)?,
        next: target.as_deref().zip(labels.as_ref().map(|labels| labels.classes.len())),
    };
    outputs.answer(&told.to_string(), out)
}
