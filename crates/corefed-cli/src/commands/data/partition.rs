//! `corefed data partition`: who gets which row, written down so that others can reuse it.

use std::io::Write;
use std::path::PathBuf;

use corefed_core::Seed;
use corefed_data::{DataError, Method, Partition, PartitionFile};

use super::inspect::counts;
use crate::args::{MethodArg, PartitionArgs};
use crate::commands::answer::print_json;
use crate::failure::Failure;
use corefed_report::columns as aligned;
use corefed_run::source::Dataset;

/// Draws a partition and writes it.
pub(super) fn partition(args: &PartitionArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let set = Dataset::open(&args.source.wanted())?;
    let (method, partition) = draw(args, &set)?;
    let labels = set.labels(args.target.as_deref()).ok();
    let seed = Seed(args.source.seed);
    let file =
        PartitionFile::new(method, seed, set.digest(), partition).map_err(DataError::from)?;
    let path = args.out.clone().unwrap_or_else(|| {
        let stem = std::path::Path::new(&set.name).file_stem().unwrap_or_default();
        PathBuf::from(format!("{}.partition.json", stem.to_string_lossy()))
    });
    corefed_log::write_file(&path, file.to_json())?;
    if args.json {
        let answer = serde_json::json!({
            "file": path.display().to_string(),
            "digest": file.digest(),
            "data": file.data(),
            "agents": file.partition().agents().iter()
                .map(|agent| serde_json::json!({"name": agent.name, "rows": agent.rows.len()}))
                .collect::<Vec<_>>(),
        });
        return print_json(out, &answer);
    }
    let sizes: Vec<usize> = file.partition().agents().iter().map(|a| a.rows.len()).collect();
    let (least, most) = (sizes.iter().min(), sizes.iter().max());
    writeln!(
        out,
        "{} rows among {} agents ({} to {} each), seed {}\nwritten to {}, digest {}",
        file.partition().owned(),
        sizes.len(),
        least.copied().unwrap_or_default(),
        most.copied().unwrap_or_default(),
        args.source.seed,
        path.display(),
        &file.digest()[..12]
    )?;
    if let Some(labels) = labels.filter(|labels| sizes.len() <= 12 && labels.classes.len() <= 12) {
        let mut rows = vec![[&["agent".to_owned()][..], &labels.classes].concat()];
        for (agent, counts) in
            file.partition().agents().iter().zip(counts(file.partition(), &labels))
        {
            let mut row = vec![agent.name.clone()];
            row.extend(counts.iter().map(ToString::to_string));
            rows.push(row);
        }
        write!(out, "\n{}", aligned(&rows))?;
    }
    Ok(())
}

fn draw(args: &PartitionArgs, set: &Dataset) -> Result<(Method, Partition), Failure> {
    refuse_unused(args)?;
    let agents = args.agents.unwrap_or(3);
    let (alpha, min_samples) = (args.alpha.unwrap_or(0.5), args.min_samples.unwrap_or(10));
    let method = match args.method {
        MethodArg::Iid => Method::Iid { agents },
        MethodArg::LabelDirichlet => Method::LabelDirichlet { agents, alpha, min_samples },
        MethodArg::Shards => Method::Shards { agents, shards_per_agent: args.shards.unwrap_or(2) },
        MethodArg::QuantitySkew => Method::QuantitySkew { agents, alpha, min_samples },
        MethodArg::Column => {
            let column = args
                .column
                .clone()
                .ok_or_else(|| Failure::new("`--method column` needs `--column NAME`"))?;
            Method::Column { column }
        }
    };
    let partition = set.divide(&method, args.target.as_deref(), Seed(args.source.seed))?;
    Ok((method, partition))
}

/// Refuses a flag that the method does not look at.
fn refuse_unused(args: &PartitionArgs) -> Result<(), Failure> {
    use MethodArg::{Column, LabelDirichlet, QuantitySkew, Shards};
    let dirichlet = matches!(args.method, LabelDirichlet | QuantitySkew);
    let flags = [
        ("--agents", args.agents.is_some(), args.method != Column, "every method but `column`"),
        ("--alpha", args.alpha.is_some(), dirichlet, "`label-dirichlet` and `quantity-skew`"),
        (
            "--min-samples",
            args.min_samples.is_some(),
            dirichlet,
            "`label-dirichlet` and `quantity-skew`",
        ),
        ("--shards", args.shards.is_some(), args.method == Shards, "`shards`"),
        ("--column", args.column.is_some(), args.method == Column, "`column`"),
    ];
    match flags.into_iter().find(|(_, given, used, _)| *given && !used) {
        None => Ok(()),
        Some((flag, _, _, methods)) => {
            Err(Failure::new(format!("`{flag}` has no effect with this method"))
                .hint(format!("drop it; it goes with the methods {methods}")))
        }
    }
}
