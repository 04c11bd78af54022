//! Data by name or by path: published sets, generated ones, and files of the user's own.

use std::path::Path;

use corefed_core::digest_bytes;
use corefed_data::source::catalogue::{self, Origin};
use corefed_data::source::{Rows, data_folder};
use corefed_data::{
    Method, Partition, PartitionFile, Seed, Table, by_groups, iid, label_dirichlet, quantity_skew,
    shards,
};

use crate::args::DataSource;
use crate::failure::Failure;

/// Data with what is known about its roles.
pub(crate) struct Dataset {
    pub(crate) name: String,
    pub(crate) rows: Rows,
    /// Column that names the owner, if the set comes with one.
    agent: Option<&'static str>,
    /// Column to predict, if the set comes with one.
    target: Option<&'static str>,
}

/// Classes of a set and the class of every row.
pub(crate) struct Labels {
    pub(crate) classes: Vec<String>,
    pub(crate) of_row: Vec<u32>,
}

/// More distinct targets than this are numbers, not classes.
const MOST_CLASSES: usize = 1000;

impl Dataset {
    /// Opens a set by its name, or a CSV file by its path.
    pub(crate) fn open(source: &DataSource) -> Result<Self, Failure> {
        let name = source.what.as_str();
        let whole = || {
            Failure::new(format!("`{name}` has no test part of its own"))
                .hint("in a spec, keep rows back with `held_out = 0.2` instead of `test = true`")
        };
        if Path::new(name).extension().is_some() || name.contains(['/', '\\']) {
            if source.test {
                return Err(whole());
            }
            let rows = Rows::Table(Table::read(name.as_ref())?);
            return Ok(Self { name: name.to_owned(), rows, agent: None, target: None });
        }
        let entry = catalogue::find(name)
            .map_err(|error| Failure::new(error.to_string()).hint(error.hint()))?;
        if source.test && !entry.has_test() {
            return Err(whole());
        }
        let rows = match entry.origin {
            Origin::Generated(draw) => draw(Seed(source.seed))?,
            Origin::Published(published) => {
                let folder = data_folder(source.data_dir.as_deref())?.join(entry.name);
                published.read_part(&folder, source.test).map_err(data)?
            }
        };
        Ok(Self { name: name.to_owned(), rows, agent: entry.agent, target: entry.target })
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        match &self.rows {
            Rows::Table(table) => table.rows(),
            Rows::Images(images) => images.len(),
        }
    }

    /// SHA-256 of what the rows were read from.
    pub(crate) fn digest(&self) -> String {
        match &self.rows {
            Rows::Table(table) => table.digest().to_owned(),
            Rows::Images(images) => digest_bytes(&[images.pixels(), images.labels()].concat()),
        }
    }

    /// The column that names the owners: as asked for, or the set's own.
    pub(crate) fn agent_column<'a>(&self, asked: Option<&'a str>) -> Option<&'a str> {
        asked.or(self.agent)
    }

    /// The column to predict: as asked for, or the set's own.
    pub(crate) fn target(&self, asked: Option<&str>) -> Option<String> {
        asked.map(str::to_owned).or(self.target.map(str::to_owned))
    }

    /// The classes, by the target column or by the images' labels.
    pub(crate) fn labels(&self, asked: Option<&str>) -> Result<Labels, Failure> {
        match &self.rows {
            Rows::Images(images) => Ok(Labels {
                classes: (0..images.classes()).map(|class| class.to_string()).collect(),
                of_row: images.labels().iter().map(|label| u32::from(*label)).collect(),
            }),
            Rows::Table(table) => {
                let target = self.target(asked).ok_or_else(|| {
                    Failure::new(format!("which column of `{}` is the target?", self.name))
                        .hint("name it with `--target COLUMN`")
                })?;
                table_labels(table, &target)
            }
        }
    }

    /// Divides the rows among agents. The same seed divides a training run and `data partition`
    /// alike.
    pub(crate) fn divide(
        &self,
        method: &Method,
        target: Option<&str>,
        seed: Seed,
    ) -> Result<Partition, Failure> {
        let seed = seed.derive("partition");
        let drawn = match method {
            Method::Iid { agents } => iid(self.len(), *agents, seed),
            Method::LabelDirichlet { agents, alpha, min_samples } => {
                let labels = self.labels(target)?;
                let classes = u32::try_from(labels.classes.len()).unwrap_or(u32::MAX);
                label_dirichlet(&labels.of_row, classes, *agents, *alpha, *min_samples, seed)
            }
            Method::Shards { agents, shards_per_agent } => {
                shards(&self.labels(target)?.of_row, *agents, *shards_per_agent, seed)
            }
            Method::QuantitySkew { agents, alpha, min_samples } => {
                quantity_skew(self.len(), *agents, *alpha, *min_samples, seed)
            }
            Method::Column { column } => {
                let owners = self.owners(None, Some(column))?;
                return owners.ok_or_else(|| Failure::new("images have no columns"));
            }
            _ => return Err(Failure::new("this partition exists only as a file")),
        };
        drawn.map_err(data)
    }

    /// Who owns which row: by a partition file, by a column, or by the set's own column.
    pub(crate) fn owners(
        &self,
        partition: Option<&Path>,
        column: Option<&str>,
    ) -> Result<Option<Partition>, Failure> {
        if let Some(path) = partition {
            let file = PartitionFile::read(path).map_err(data)?;
            file.check_against(self.len(), &self.digest())
                .map_err(|error| data(error).about(path))?;
            return Ok(Some(file.partition().clone()));
        }
        match (&self.rows, self.agent_column(column)) {
            (Rows::Table(table), Some(column)) => {
                let index = table.column(column)?;
                let names: Vec<&str> =
                    (0..table.rows()).map(|row| table.cell(row, index)).collect();
                Ok(Some(by_groups(&names).map_err(data)?))
            }
            (Rows::Images(_), Some(_)) => {
                Err(Failure::new("images have no columns").hint("give a `--partition` file"))
            }
            (_, None) => Ok(None),
        }
    }
}

/// Wraps any error of the data crate with its hint.
pub(crate) fn data(error: impl Into<corefed_data::DataError>) -> Failure {
    error.into().into()
}

fn table_labels(table: &Table, target: &str) -> Result<Labels, Failure> {
    let column = table.column(target)?;
    let cells: Vec<&str> = (0..table.rows()).map(|row| table.cell(row, column)).collect();
    let mut classes: Vec<&str> = cells.clone();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() > MOST_CLASSES {
        return Err(Failure::new(format!(
            "column `{target}` has {} different values, which are no classes",
            classes.len()
        ))
        .hint("partition by rows (`--method iid` or `quantity-skew`), or name another target"));
    }
    let index = |cell: &&str| u32::try_from(classes.partition_point(|class| class < cell));
    Ok(Labels {
        of_row: cells.iter().map(|cell| index(cell).unwrap_or(u32::MAX)).collect(),
        classes: classes.into_iter().map(str::to_owned).collect(),
    })
}
