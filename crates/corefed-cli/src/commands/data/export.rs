//! `corefed data export`: a set with its owners, as a table that every other command reads.

use std::io::Write;

use corefed_core::Seed;
use corefed_report::console;
use corefed_run::source::Dataset;
use corefed_run::{AskedRows, formulas};

use crate::args::ExportDataArgs;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Writes rows with an `agent` column; test rows are held out, and chosen agents corrupted.
pub(super) fn export(args: &ExportDataArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let files = [("--out", Some(args.out.as_path())), ("--test-out", args.test_out.as_deref())];
    let outputs = Outputs::check(&files, false)?;
    let set = Dataset::open(&args.source.wanted())?;
    let asked = AskedRows {
        partition: args.partition.as_deref(),
        agent: args.agent.as_deref(),
        target: args.target.as_deref(),
        model: args.model,
        corrupt: &args.corrupt,
        test_share: args.test_share,
        seed: Seed(args.source.seed),
        spreadsheet: args.spreadsheet,
    };
    let found = corefed_run::export(&set, &asked)?;
    save(&args.out, &found.train.csv, out)?;
    let mut files = vec![(found.train.rows, args.out.clone())];
    if let Some(test) = &found.test {
        let path = args.test_out.clone().unwrap_or_else(|| args.out.with_extension("test.csv"));
        save(&path, &test.csv, out)?;
        files.push((test.rows, path));
    }
    let labels = set.labels(args.target.as_deref()).ok();
    let told = console::Exported {
        agents: found.agents,
        files: &files,
        formulas: formulas(&found.train.csv)?,
        next: found.target.as_deref().zip(labels.as_ref().map(|labels| labels.classes.len())),
    };
    outputs.answer(&told.to_string(), out)
}
