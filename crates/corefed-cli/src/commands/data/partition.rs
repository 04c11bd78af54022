//! `corefed data partition`: who gets which row, written down so that others can reuse it.

use std::io::Write;
use std::path::PathBuf;

use corefed_data::{
    Method, Partition, PartitionFile, Seed, by_groups, iid, label_dirichlet, quantity_skew, shards,
};

use super::super::print_json;
use super::inspect::counts;
use crate::args::{MethodArg, PartitionArgs};
use crate::dataset::{Dataset, Rows, data};
use crate::failure::Failure;
use crate::{files, text};

/// Draws a partition and writes it.
pub(super) fn partition(args: &PartitionArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let set = Dataset::open(&args.source)?;
    let (method, partition) = draw(args, &set)?;
    let labels = set.labels(args.target.as_deref()).ok();
    let seed = Seed(args.source.seed);
    let file = PartitionFile::new(method, seed, set.digest(), partition).map_err(data)?;
    let path = args.out.clone().unwrap_or_else(|| {
        let stem = std::path::Path::new(&set.name).file_stem().unwrap_or_default();
        PathBuf::from(format!("{}.partition.json", stem.to_string_lossy()))
    });
    files::write(&path, &file.to_json())?;
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
        write!(out, "\n{}", text::table(&rows))?;
    }
    Ok(())
}

fn draw(args: &PartitionArgs, set: &Dataset) -> Result<(Method, Partition), Failure> {
    let seed = Seed(args.source.seed).derive("partition");
    let (agents, alpha, min_samples) = (args.agents, args.alpha, args.min_samples);
    let drawn = match args.method {
        MethodArg::Iid => (Method::Iid { agents }, iid(set.len(), agents, seed)),
        MethodArg::LabelDirichlet => {
            let labels = set.labels(args.target.as_deref())?;
            let classes = u32::try_from(labels.classes.len()).unwrap_or(u32::MAX);
            (
                Method::LabelDirichlet { agents, alpha, min_samples },
                label_dirichlet(&labels.of_row, classes, agents, alpha, min_samples, seed),
            )
        }
        MethodArg::Shards => {
            let labels = set.labels(args.target.as_deref())?;
            let shards_per_agent = args.shards;
            (
                Method::Shards { agents, shards_per_agent },
                shards(&labels.of_row, agents, shards_per_agent, seed),
            )
        }
        MethodArg::QuantitySkew => (
            Method::QuantitySkew { agents, alpha, min_samples },
            quantity_skew(set.len(), agents, alpha, min_samples, seed),
        ),
        MethodArg::Column => {
            let (Rows::Table(table), Some(column)) = (&set.rows, &args.column) else {
                return Err(Failure::new("`--method column` needs a table and `--column NAME`"));
            };
            let index = table.column(column)?;
            let names: Vec<&str> = (0..table.rows()).map(|row| table.cell(row, index)).collect();
            (Method::Column { column: column.clone() }, by_groups(&names))
        }
    };
    Ok((drawn.0, drawn.1.map_err(data)?))
}
