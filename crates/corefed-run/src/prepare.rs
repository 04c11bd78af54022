//! From a spec to agents that can train: rows, owners, ceilings and weights.

use std::path::Path;
use std::sync::Arc;

use corefed_core::{Encoding, Family, Intake, Seed, Writing};
use corefed_data::source::Rows;
use corefed_data::{
    Check, EncodeOptions, Encoded, Federation, FitFile, Partition, PartitionFile, Split, Table,
    TargetKind, apply, corrupt, decode, fit, fit_file, hospitals_csv, split_partition,
};
use corefed_documents::FEDERATION;
use corefed_spec::{Model, PartitionSpec, Spec};

use crate::case::{Case, CaseTerms};
use crate::hold_out::{HeldOutGroups, HoldOut};
use crate::images::linear::linear_images;
use crate::network::prepare::network_images;
use crate::owned_rows::{AGENT, owned_rows};
use crate::policy::{ceiling_policy, resolve_weights};
use crate::prepared::{Prepared, TableRun};
use crate::source::{Dataset, Wanted, data, partition_file};
use crate::{PrepareError, RunError};

/// Reads, divides, splits, corrupts and encodes, as the spec says.
///
/// Published sets lie in `data_dir`, or where [`Wanted::data_dir`] says. That is not part of a spec: a run folder
/// must not depend on where a machine keeps its data.
pub fn prepare(spec: &Spec, data_dir: Option<&Path>) -> Result<Prepared, RunError> {
    let seed = Seed(spec.seed).derive("test");
    Ok(prepare_held_out(spec, data_dir, &HoldOut::Rows, seed)?.0)
}

/// The same with another choice of the rows that are held out, and the groups that these belong to.
pub(crate) fn prepare_held_out(
    spec: &Spec,
    data_dir: Option<&Path>,
    hold_out: &HoldOut,
    held_out_seed: Seed,
) -> Result<(Prepared, Option<HeldOutGroups>), RunError> {
    if let Some(path) = spec.data.file().filter(|_| is_plain(spec)) {
        let agent = spec.agent.as_deref().ok_or(PrepareError::NoOwners)?;
        let file = fit_file(path, &options(spec, agent, &target(spec, None)?)?)?;
        let (csv, partition) = (None, None);
        return Ok((table_run(spec, file, Aside::default(), None, csv, partition)?, None));
    }
    if spec.data.known() == Some("hospitals") && is_plain(spec) && spec.written.is_recognised() {
        let text = hospitals_csv(spec.seed);
        let agent = spec.agent.as_deref().unwrap_or("hospital");
        let target = spec.target.as_deref().unwrap_or("disease");
        let table = Table::parse(FEDERATION, text.as_bytes())?;
        let (digest, file) = (table.digest().to_owned(), table.file().to_owned());
        let encoded = fit(&table, &options(spec, agent, target)?)?;
        let file = FitFile { encoded, digest, file };
        return Ok((table_run(spec, file, Aside::default(), None, Some(text), None)?, None));
    }
    let set = open(spec, data_dir, false)?;
    let (mut owners, partition) = owners(spec, &set)?;
    let seed = Seed(spec.seed);
    if spec.sample < 1.0 {
        // What a split would hold out is what is used.
        owners = split_partition(&owners, spec.sample, seed.derive("sample")).map_err(data)?.test;
    }
    let (train, held_out, groups) = if spec.held_out > 0.0 {
        let (Split { train, test }, groups) =
            hold_out.split(&set, &owners, spec.held_out, held_out_seed)?;
        (train, Some(test), groups)
    } else {
        (owners.clone(), None, None)
    };
    let (train, validation) = if spec.validation > 0.0 {
        // Of all rows, like those that are held out: of what is left it is a larger share.
        let share = spec.validation / (1.0 - spec.held_out);
        let Split { train, test } =
            split_partition(&train, share, seed.derive("validation")).map_err(data)?;
        (train, Some(test))
    } else {
        (train, None)
    };
    let prepared = match &set.rows {
        Rows::Images(images) => {
            let test = if spec.test { Some(open(spec, data_dir, true)?) } else { None };
            let test = test.as_ref().and_then(|set| match &set.rows {
                Rows::Images(images) => Some(images),
                Rows::Table(_) => None,
            });
            let parts = (&train, held_out.as_ref(), validation.as_ref());
            match &spec.model {
                Model::Network(own) => network_images(spec, own, images, parts, test, partition)
                    .map(|run| Prepared::Network(Box::new(run))),
                Model::Linear(_) => linear_images(spec, images, parts, test, partition)
                    .map(|run| Prepared::Images(Box::new(run))),
            }
        }
        Rows::Table(table) => {
            let own = spec.partition.is_none().then(|| set.agent_column(spec.agent.as_deref()));
            let own = own.flatten();
            let parts = Parts { table, own, all: &owners, train: &train, data_dir };
            parts.encode(spec, &set, (held_out.as_ref(), validation.as_ref()), partition)
        }
    };
    Ok((prepared?, groups))
}

/// Whether the file, as it is, is what agents train on.
fn is_plain(spec: &Spec) -> bool {
    spec.partition.is_none()
        && spec.sample == 1.0
        && spec.held_out == 0.0
        && spec.validation == 0.0
        && !spec.test
        && spec.corrupt.is_empty()
}

fn open(spec: &Spec, data_dir: Option<&Path>, test: bool) -> Result<Dataset, RunError> {
    let (what, data_dir) = (spec.data.to_string(), data_dir.map(Path::to_owned));
    let (seed, written) = (spec.seed, spec.written);
    let damaged = spec.allow.allow(Check::Damaged);
    Dataset::open(&Wanted { what, data_dir, test, seed, written, damaged })
}

fn target(spec: &Spec, set: Option<&Dataset>) -> Result<String, RunError> {
    let asked = spec.target.clone();
    let found = asked.or_else(|| set.and_then(|set| set.target(None)));
    Ok(found.ok_or(PrepareError::NoTarget { data: None })?)
}

/// Who owns which row, and the document that says so.
fn owners(spec: &Spec, set: &Dataset) -> Result<(Partition, Option<PartitionFile>), RunError> {
    let file = match &spec.partition {
        None => {
            let owners = set.owners(None, spec.agent.as_deref())?.ok_or(PrepareError::NoOwners)?;
            return Ok((owners, None));
        }
        Some(PartitionSpec::File(path)) => {
            let file = PartitionFile::read(path).map_err(data)?;
            file.check_against(set.len(), &set.digest())
                .map_err(|error| partition_file(path, error))?;
            file
        }
        Some(PartitionSpec::Method(method)) => {
            let seed = Seed(spec.seed);
            let partition = set.divide(method, spec.target.as_deref(), seed)?;
            PartitionFile::new(method.clone(), seed, set.digest(), partition).map_err(data)?
        }
    };
    Ok((file.partition().clone(), Some(file)))
}

/// The family of a linear predictor, which is what tables have.
fn family(spec: &Spec) -> Result<Family, RunError> {
    let mismatch = || PrepareError::TableForNetwork {
        model: spec.model.to_string(),
        data: spec.data.to_string(),
    };
    Ok(spec.model.family().ok_or_else(mismatch)?)
}

fn options(spec: &Spec, agent: &str, target: &str) -> Result<EncodeOptions, RunError> {
    Ok(EncodeOptions {
        agent_column: agent.to_owned(),
        target_column: target.to_owned(),
        exposure_column: spec.exposure.clone(),
        family: family(spec)?,
        intercept: spec.intercept,
        raw: spec.raw,
        l2: spec.l2,
        allow: spec.allow.clone(),
        written: spec.written,
        missing: spec.missing,
        na: spec.na.clone(),
        types: spec.columns.iter().map(|(name, kind)| (name.clone(), *kind)).collect(),
    })
}

/// A table with owners that its own file does not name.
struct Parts<'a> {
    table: &'a Table,
    /// The table's own column of owners, which then is not a feature.
    own: Option<&'a str>,
    all: &'a Partition,
    train: &'a Partition,
    data_dir: Option<&'a Path>,
}

impl Parts<'_> {
    /// Learns levels and scales from all rows, and parameters from those of `train` only: a level
    /// that happens to lie among held-out rows must not stop a run.
    fn encode(
        &self,
        spec: &Spec,
        set: &Dataset,
        (held_out, validation): (Option<&Partition>, Option<&Partition>),
        partition: Option<PartitionFile>,
    ) -> Result<Prepared, RunError> {
        let mut options = options(spec, AGENT, &target(spec, Some(set))?)?;
        // What is encoded is written here, not in the user's way.
        options.written = Writing::default();
        let family = options.family;
        let all = Table::parse(&set.name, self.text(self.all)?.as_bytes())?;
        let Encoded { mut encoding, notes, .. } = fit(&all, &options)?;
        let encoded =
            |encoding: &Encoding, name: &str, text: &str| -> Result<Federation, RunError> {
                Ok(apply(&Table::parse(name, text.as_bytes())?, encoding, family)?)
            };
        let as_read = encoding.clone();
        let mut csv = self.text(self.train)?;
        if !spec.corrupt.is_empty() {
            let (kind, seed) = (TargetKind::of(&encoding), Seed(spec.seed).derive("corrupt"));
            let clean = encoded(&as_read, FEDERATION, &csv)?;
            let corrupted = corrupt(&clean, kind, &spec.corrupt, seed).map_err(data)?;
            csv = decode(&encoding, &corrupted);
            // What is written now has no holes, and dates are numbers.
            encoding.intake = Intake::default();
        }
        // Encoded from the very text that is written, so that anybody who reads it trains on the same
        // numbers.
        let federation = encoded(&encoding, FEDERATION, &csv)?;
        let aside = |name: &str, rows: Option<&Partition>| {
            rows.map(|rows| encoded(&as_read, name, &self.text(rows)?)).transpose()
        };
        let aside = Aside {
            held_out: aside("the held-out rows", held_out)?,
            validation: aside("the validation rows", validation)?,
        };
        let test = if spec.test { Some(self.test(spec, &as_read)?) } else { None };
        let digest = corefed_core::digest_bytes(csv.as_bytes());
        let file = FitFile {
            encoded: Encoded { encoding, federation, notes },
            digest,
            file: FEDERATION.to_owned(),
        };
        table_run(spec, file, aside, test, Some(csv), partition)
    }

    fn text(&self, rows: &Partition) -> Result<String, RunError> {
        owned_rows(self.table, rows, self.own)
    }

    /// The published test part, owned by nobody in particular.
    fn test(&self, spec: &Spec, encoding: &Encoding) -> Result<Federation, RunError> {
        let set = open(spec, self.data_dir, true)?;
        let Rows::Table(table) = &set.rows else {
            return Err(PrepareError::TestNotTable { name: set.name }.into());
        };
        let everything = corefed_data::iid(table.rows(), 1, Seed(0)).map_err(data)?;
        let text = owned_rows(table, &everything, self.own)?;
        let name = format!("the test part of {}", set.name);
        Ok(apply(&Table::parse(&name, text.as_bytes())?, encoding, family(spec)?)?)
    }
}

/// Rows that nobody trains on.
#[derive(Default)]
struct Aside {
    held_out: Option<Federation>,
    validation: Option<Federation>,
}

fn table_run(
    spec: &Spec,
    file: FitFile,
    aside: Aside,
    test: Option<Federation>,
    csv: Option<String>,
    partition: Option<PartitionFile>,
) -> Result<Prepared, RunError> {
    let held_out = aside.held_out.map(Arc::new);
    let agents = file.encoded.federation.agents();
    let average = resolve_weights(&spec.average, agents)?;
    let terms = CaseTerms {
        family: family(spec)?,
        l2: spec.l2,
        radius: spec.radius,
        weights: resolve_weights(&spec.weights, agents)?,
        ceiling: ceiling_policy(&spec.ceiling, agents)?,
        held_out: held_out.clone(),
    };
    let case = Case::new(file, terms)?;
    let run = TableRun {
        case,
        average,
        held_out,
        validation: aside.validation.map(Arc::new),
        test: test.map(Arc::new),
        csv: csv.map(Arc::from),
        partition: partition.map(Arc::new),
    };
    Ok(Prepared::Table(Box::new(run)))
}
