//! Data by name or by path: published sets, generated ones, and files of the user's own.

use std::path::{Path, PathBuf};

use corefed_core::{Seed, Writing};
use corefed_data::source::catalogue::{self, Origin};
use corefed_data::source::{Rows, check_inside, check_published, data_folder};
use corefed_data::{
    AgentRows, Method, Partition, PartitionFile, Table, by_groups, check_writing, iid,
    label_dirichlet, quantity_skew, read_table_as, shards,
};

use crate::{PrepareError, RunError};

/// Which data, and which part of them.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// A known set or a file.
    pub what: String,
    /// Folder of downloaded sets; `COREFED_DATA`, else the user's cache, unless told.
    pub data_dir: Option<PathBuf>,
    /// Whether the published test part is meant.
    pub test: bool,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// How a file is written, where that is told.
    pub written: Writing,
    /// Whether a published set is taken even if its files are others than those published.
    pub damaged: bool,
}

/// Data with what is known about its roles.
pub struct Dataset {
    /// As it was asked for.
    pub name: String,
    /// What it holds.
    pub rows: Rows,
    /// Column that names the owner, if the set comes with one.
    agent: Option<&'static str>,
    /// Column to predict, if the set comes with one.
    target: Option<&'static str>,
}

/// Classes of a set and the class of every row.
pub struct Labels {
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Class of every row.
    pub of_row: Vec<u32>,
}

impl Labels {
    /// How often each agent has each class.
    #[must_use]
    pub fn counts(&self, owners: &Partition) -> Vec<Vec<usize>> {
        let count = |agent: &AgentRows| {
            let mut counts = vec![0; self.classes.len()];
            for row in &agent.rows {
                counts[self.of_row[*row as usize] as usize] += 1;
            }
            counts
        };
        owners.agents().iter().map(count).collect()
    }
}

/// More distinct targets than this are numbers, not classes.
const MOST_CLASSES: usize = 1000;

impl Dataset {
    /// Opens a set by its name, or a CSV or Parquet file by its path.
    pub fn open(wanted: &Wanted) -> Result<Self, RunError> {
        let name = wanted.what.as_str();
        let whole = || PrepareError::NoTestPart { name: name.to_owned() };
        if Path::new(name).extension().is_some() || name.contains(['/', '\\']) {
            if wanted.test {
                return Err(whole().into());
            }
            check_writing(name.as_ref(), wanted.written)?;
            let rows = Rows::Table(read_table_as(name.as_ref(), wanted.written)?);
            return Ok(Self { name: name.to_owned(), rows, agent: None, target: None });
        }
        let entry = catalogue::find(name)?;
        if !wanted.written.is_recognised() {
            return Err(PrepareError::NoWriting { name: name.to_owned() }.into());
        }
        if wanted.test && !entry.has_test() {
            return Err(whole().into());
        }
        let rows = match entry.origin {
            Origin::Generated(draw) => draw(Seed(wanted.seed))?,
            Origin::Published(published) => {
                let folder = data_folder(wanted.data_dir.as_deref())?;
                check_inside(entry, &folder).map_err(data)?;
                if !wanted.damaged {
                    check_published(entry, &folder).map_err(data)?;
                }
                published.read_part(&folder.join(entry.name), wanted.test).map_err(data)?
            }
        };
        Ok(Self { name: name.to_owned(), rows, agent: entry.agent, target: entry.target })
    }

    /// Number of rows.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "readers refuse empty sets")]
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Table(table) => table.rows(),
            Rows::Images(images) => images.len(),
        }
    }

    /// SHA-256 of what the rows were read from.
    #[must_use]
    pub fn digest(&self) -> String {
        match &self.rows {
            Rows::Table(table) => table.digest().to_owned(),
            Rows::Images(images) => images.digest(),
        }
    }

    /// The column that names the owners: as asked for, or the set's own.
    #[must_use]
    pub fn agent_column<'a>(&self, asked: Option<&'a str>) -> Option<&'a str> {
        asked.or(self.agent)
    }

    /// The column to predict: as asked for, or the set's own.
    #[must_use]
    pub fn target(&self, asked: Option<&str>) -> Option<String> {
        asked.map(str::to_owned).or(self.target.map(str::to_owned))
    }

    /// The classes, by the target column or by the images' labels.
    pub fn labels(&self, asked: Option<&str>) -> Result<Labels, RunError> {
        match &self.rows {
            Rows::Images(images) => Ok(Labels {
                classes: (0..images.classes()).map(|class| class.to_string()).collect(),
                of_row: images.labels().iter().map(|label| u32::from(*label)).collect(),
            }),
            Rows::Table(table) => {
                let target = self
                    .target(asked)
                    .ok_or_else(|| PrepareError::NoTarget { data: Some(self.name.clone()) })?;
                table_labels(table, &target)
            }
        }
    }

    /// Divides the rows among agents. The same seed divides a training run and `data partition`
    /// alike.
    pub fn divide(
        &self,
        method: &Method,
        target: Option<&str>,
        seed: Seed,
    ) -> Result<Partition, RunError> {
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
                return Ok(owners.ok_or(PrepareError::NoColumns)?);
            }
            _ => return Err(PrepareError::PartitionIsFile.into()),
        };
        drawn.map_err(data)
    }

    /// Who owns which row: by a partition file, by a column, or by the set's own column.
    pub fn owners(
        &self,
        partition: Option<&Path>,
        column: Option<&str>,
    ) -> Result<Option<Partition>, RunError> {
        if let Some(path) = partition {
            let file = PartitionFile::read(path).map_err(data)?;
            file.check_against(self.len(), &self.digest())
                .map_err(|error| partition_file(path, error))?;
            return Ok(Some(file.partition().clone()));
        }
        match (&self.rows, self.agent_column(column)) {
            (Rows::Table(table), Some(column)) => {
                let index = table.column(column)?;
                let names: Vec<&str> =
                    (0..table.rows()).map(|row| table.cell(row, index)).collect();
                Ok(Some(by_groups(&names).map_err(data)?))
            }
            (Rows::Images(_), Some(_)) => Err(PrepareError::NoColumns.into()),
            (_, None) => Ok(None),
        }
    }
}

/// A partition file that does not fit the data.
pub(crate) fn partition_file(
    path: &Path,
    error: impl Into<corefed_data::DataError>,
) -> PrepareError {
    PrepareError::PartitionFile { path: path.to_owned(), error: Box::new(error.into()) }
}

/// Any error of the data crate.
pub(crate) fn data(error: impl Into<corefed_data::DataError>) -> RunError {
    RunError::Data(error.into())
}

fn table_labels(table: &Table, target: &str) -> Result<Labels, RunError> {
    let column = table.column(target)?;
    let cells: Vec<&str> = (0..table.rows()).map(|row| table.cell(row, column)).collect();
    let mut classes: Vec<&str> = cells.clone();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() > MOST_CLASSES {
        let (column, values) = (target.to_owned(), classes.len());
        return Err(PrepareError::NotClasses { column, values }.into());
    }
    let index = |cell: &&str| u32::try_from(classes.partition_point(|class| class < cell));
    Ok(Labels {
        of_row: cells.iter().map(|cell| index(cell).unwrap_or(u32::MAX)).collect(),
        classes: classes.into_iter().map(str::to_owned).collect(),
    })
}
