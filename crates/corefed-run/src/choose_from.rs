//! A choice among the models of a table or of a folder, as somebody asks for it.

use std::path::{Path, PathBuf};

use corefed_core::Prefer;
use corefed_log::write_entry;
use corefed_spec::WeightsBy;

use crate::{Choices, Chosen, GivenError, RunError, choices, choose};

/// Which models, and who has what say.
#[derive(Clone, Copy, Debug)]
pub struct AskedChoice<'a> {
    /// A table of models by agents, or the folder of a run or a comparison.
    pub source: &'a Path,
    /// Whether a table holds losses; a folder has them anyway.
    pub losses: bool,
    /// The column of a table that names the group of a model.
    pub group: Option<&'a str>,
    /// Of a comparison from several seeds, the one whose models are meant.
    pub seed: Option<u64>,
    /// The say of each agent.
    pub weights: Option<&'a WeightsBy>,
}

/// An answer, and the table that its certificate speaks of.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The answer.
    pub chosen: Chosen,
    /// The table; that of a folder is written into it.
    pub table: PathBuf,
    /// What the folder had to choose from.
    pub from: Option<Choices>,
}

/// Chooses; what has no effect on such a source is refused.
pub fn choose_from(asked: &AskedChoice<'_>) -> Result<Decided, RunError> {
    let AskedChoice { source, losses, group, seed, weights } = *asked;
    if !source.is_dir() {
        if seed.is_some() {
            return Err(GivenError::SeedOfTable.into());
        }
        let prefer = if losses { Prefer::Smaller } else { Prefer::Larger };
        let chosen = choose(source, group, prefer, weights)?;
        return Ok(Decided { chosen, table: source.to_owned(), from: None });
    }
    if group.is_some() {
        return Err(GivenError::GroupsOfFolder.into());
    }
    if losses {
        return Err(GivenError::LossesOfFolder.into());
    }
    let from = choices(source, seed)?;
    // A certificate speaks of a file.
    let table = source.join("choices.csv");
    write_entry(&table, &from.csv)?;
    let chosen = choose(&table, None, Prefer::Smaller, weights)?;
    Ok(Decided { chosen, table, from: Some(from) })
}
