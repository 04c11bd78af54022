//! `corefed data export`: a set with its owners, as a table that every other command reads.

use std::io::Write;

use corefed_core::Family;
use corefed_core::Seed;
use corefed_data::source::Rows;
use corefed_data::{
    Check, Corruptions, DataError, EncodeOptions, Missing, Split, Table, TargetKind, corrupt,
    decode, fit, split_partition,
};

use crate::args::ExportDataArgs;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};
use corefed_run::source::Dataset;
use corefed_run::{AGENT, owned_rows};

/// Writes rows with an `agent` column; test rows are kept back, and chosen agents corrupted.
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
        text = corrupted(&text, args, target.as_deref(), seed)?;
    }
    save(&args.out, &text, out)?;
    let mut said = vec![format!(
        "{} rows of {} agents written to {}\n",
        train.owned(),
        train.agents().len(),
        args.out.display()
    )];
    if let Some(test) = test {
        let path = args.test_out.clone().unwrap_or_else(|| args.out.with_extension("test.csv"));
        save(&path, owned_rows(table, &test, owner_column)?, out)?;
        let (count, path) = (test.owned(), path.display());
        said.push(format!("{count} rows kept back for testing written to {path}\n"));
    }
    if let (Some(target), Ok(labels)) = (target, set.labels(args.target.as_deref())) {
        let classes = labels.classes.len();
        let suits = |family: &Family| family.targets().fits(classes);
        let model = Family::ALL.into_iter().find(suits).unwrap_or(Family::Softmax);
        said.push(format!(
            "next: corefed solve {} --agent {AGENT} --target {target} --model {model}\n",
            args.out.display()
        ));
    }
    outputs.answer(&said.concat(), out)
}

/// Encodes, corrupts and decodes: noise is in units of a column's deviation.
fn corrupted(
    text: &str,
    args: &ExportDataArgs,
    target: Option<&str>,
    seed: Seed,
) -> Result<String, Failure> {
    let target = target.ok_or_else(|| {
        Failure::new("which column is the target?").hint("name it with `--target COLUMN`")
    })?;
    let table = Table::parse("the exported rows", text.as_bytes())?;
    let encoded = fit(
        &table,
        &EncodeOptions {
            agent_column: AGENT.to_owned(),
            target_column: target.to_owned(),
            exposure_column: None,
            family: args.model.unwrap_or(Family::Softmax),
            intercept: false,
            raw: false,
            l2: 0.0,
            // Nothing is fitted here: only what cannot be encoded is refused.
            allow: Check::ALL.into_iter().collect(),
            missing: Missing::Error,
            na: Vec::new(),
            types: Vec::new(),
        },
    )?;
    let mut corruptions = Corruptions::default();
    for text in &args.corrupt {
        corruptions.add_text(text).map_err(DataError::from)?;
    }
    let kind = TargetKind::of(&encoded.encoding);
    let federation = corrupt(&encoded.federation, kind, &corruptions, seed.derive("corrupt"))
        .map_err(DataError::from)?;
    Ok(decode(&encoded.encoding, &federation))
}
