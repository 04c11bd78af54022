//! What is compared: agents, groups and held-out rows.

use corefed_core::Seed;
use corefed_evidence::Level;

use super::groups::Groups;
use super::parts::Parts;
use super::settings::StaySettings;
use crate::held_out::HeldOutTable;
use crate::hold_out::HeldOutGroups;
use crate::prepared::TableRun;
use crate::{RunError, TermsError};

/// What is measured, by whose measure.
pub(crate) struct Frame {
    pub(crate) names: Vec<String>,
    pub(crate) groups: Groups,
    pub(crate) parts: Parts,
    pub(crate) support: usize,
    pub(crate) level: Level,
    pub(crate) margin: f64,
}

/// How rows were held out, and what is asked of them.
pub(super) struct HeldOutRows<'a> {
    pub(super) settings: &'a StaySettings,
    /// Which rows belong together.
    pub(super) groups: Option<&'a HeldOutGroups>,
    pub(super) seed: Seed,
    /// Seed of groups that are drawn: the same for all splits, which are averaged group by group.
    pub(super) drawn: Seed,
}

impl HeldOutRows<'_> {
    /// The frame of a table.
    pub(super) fn of_table(&self, table: &TableRun) -> Result<Frame, RunError> {
        let names = table.case.names.clone();
        let rows: Vec<usize> = names.iter().map(|name| HeldOutTable::rows(table, name)).collect();
        self.frame(names, &rows, &table.case.file)
    }

    /// The frame of agents with this many held-out rows each.
    pub(super) fn frame(
        &self,
        names: Vec<String>,
        rows: &[usize],
        file: &str,
    ) -> Result<Frame, RunError> {
        if names.len() < 2 {
            return Err(TermsError::SingleAgent { file: file.to_owned() }.into());
        }
        let StaySettings { support, level, margin, which, .. } = *self.settings;
        let asked = self.settings.asked(&names)?;
        let groups = Groups::new(names.len(), which, &asked, self.drawn)?;
        let parts = Parts::new(&names, rows, self.groups, self.seed.derive("halves"));
        Ok(Frame { names, groups, parts, support, level, margin })
    }
}
