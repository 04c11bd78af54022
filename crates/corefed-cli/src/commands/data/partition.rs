//! `corefed data partition`: who gets which row, written down so that others can reuse it.

use std::io::Write;
use std::path::{Path, PathBuf};

use corefed_core::Seed;
use corefed_data::{DataError, Division, PartitionFile};
use corefed_documents::{Document, Partitioned};
use corefed_report::console::{Divided, divided};
use corefed_run::source::Dataset;

use crate::args::PartitionArgs;
use crate::failure::Failure;
use crate::outputs::{Outputs, save};

/// Draws a partition and writes it.
pub(super) fn partition(args: &PartitionArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let path = args.out.clone().unwrap_or_else(|| {
        let stem = Path::new(&args.source.what).file_stem().unwrap_or_default();
        PathBuf::from(format!("{}.partition.json", stem.to_string_lossy()))
    });
    let outputs = Outputs::check(&[("--out", Some(&path))], args.json)?;
    let division = Division {
        by: args.method,
        agents: args.agents,
        alpha: args.alpha,
        min_samples: args.min_samples,
        shards: args.shards,
        column: args.column.clone(),
    };
    let method = division.method().map_err(DataError::from)?;
    let set = Dataset::open(&args.source.wanted())?;
    let (target, seed) = (args.target.as_deref(), args.source.seed);
    let partition = set.divide(&method, target, Seed(seed))?;
    let labels = set.labels(target).ok();
    let file =
        PartitionFile::new(method, Seed(seed), set.digest(), partition).map_err(DataError::from)?;
    save(&path, file.to_json(), out)?;
    let owners = file.partition();
    let agents: Vec<(&str, usize)> =
        owners.agents().iter().map(|agent| (agent.name.as_str(), agent.rows.len())).collect();
    let digest = file.digest();
    if args.json {
        let digests = [digest, file.data().to_owned()];
        let answer = Partitioned::new(path.display().to_string(), digests, &agents);
        return Ok(out.write_all(answer.to_json()?.as_bytes())?);
    }
    let classes = labels.as_ref().map(|labels| (labels.classes.as_slice(), labels.counts(owners)));
    let done = Divided { agents: &agents, seed, file: &path, digest: &digest, classes };
    outputs.answer(&divided(&done), out)
}
