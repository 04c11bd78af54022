//! FLARE's cross-site evaluation as a table of utilities, and its audit.

use std::path::Path;
use std::time::Instant;

use corefed_core::{Assumption, CeilingPolicy, Certificate, Status};
use corefed_data::{CrossSite, UtilityTable};
use corefed_documents::AuditDocument;
use corefed_spec::{Ceiling, WeightsBy};

use crate::csv_text::csv_text;
use crate::table::audit_within;
use crate::{GivenError, Limits, RunError};

/// A file of results, and how its numbers become utilities.
#[derive(Clone, Copy, Debug)]
pub struct CrossSiteAsked<'a> {
    /// FLARE's `cross_val_results.json`.
    pub file: &'a Path,
    /// The metric; not needed where there is one.
    pub metric: Option<&'a str>,
    /// What a loss is taken from: a number, or a file of them. Without it, more of the metric is better.
    pub ceiling: Option<&'a Ceiling>,
}

/// A cross-site evaluation as the table of utilities that `corefed audit --incumbent` reads.
#[derive(Clone, Debug)]
pub struct CrossSiteTable {
    /// The table as CSV.
    pub csv: String,
    /// How its utilities came about.
    computed: Assumption,
}

impl CrossSiteAsked<'_> {
    /// Reads the file.
    pub fn read(&self) -> Result<CrossSiteTable, RunError> {
        let read = CrossSite::read(self.file).map_err(corefed_data::DataError::from)?;
        let sites = read.sites();
        let ceilings = self.ceiling.map(|ceiling| fixed(ceiling, &sites)).transpose()?;
        utility_table(&read, self.metric, ceilings.as_deref())
    }

    /// Audits one model against all others.
    pub fn audit(
        &self,
        incumbent: &str,
        weights: Option<&WeightsBy>,
        limits: Limits,
    ) -> Result<(AuditDocument, Certificate, String), RunError> {
        let begin = Instant::now();
        let CrossSiteTable { csv, computed } = self.read()?;
        let table = UtilityTable::parse(&self.file.display().to_string(), csv.as_bytes())?;
        let (mut audit, certificate) = audit_within(&table, incumbent, weights, limits, begin)?;
        audit.assumptions.insert(0, computed);
        Ok((audit, certificate, csv))
    }
}

/// The utilities of a metric: what it says, or what is left of each site's ceiling.
pub fn utility_table(
    read: &CrossSite,
    metric: Option<&str>,
    ceilings: Option<&[f64]>,
) -> Result<CrossSiteTable, RunError> {
    let known = |error| corefed_data::DataError::CrossSite(error);
    let metric = read.metric(metric, ceilings.is_some()).map_err(known)?;
    let numbers = read.numbers(&metric, ceilings.is_some()).map_err(known)?;
    let utility = |at: usize, number: f64| ceilings.map_or(number, |tops| tops[at] - number);
    let csv = csv_text(|writer| {
        writer.write_record(std::iter::once("model".to_owned()).chain(read.sites()))?;
        for (model, row) in read.models().into_iter().zip(&numbers) {
            // Shortest digits that read back as the same number.
            let cells = row.iter().enumerate().map(|(at, n)| format!("{:?}", utility(at, *n)));
            writer.write_record(std::iter::once(model).chain(cells))?;
        }
        Ok(())
    })?;
    let detail = match ceilings {
        Some(_) => format!("a utility is the ceiling minus `{metric}`, which sites reported"),
        None => format!("a utility is `{metric}`, which sites reported"),
    };
    let statement = "metrics are those of the models".to_owned();
    Ok(CrossSiteTable { csv, computed: Assumption { statement, status: Status::Assumed, detail } })
}

/// Ceilings that need no rows.
fn fixed(ceiling: &Ceiling, sites: &[String]) -> Result<Vec<f64>, RunError> {
    match ceiling.policy(sites.iter().map(String::as_str))? {
        CeilingPolicy::Fixed(value) => Ok(vec![value; sites.len()]),
        CeilingPolicy::PerAgent(values) => Ok(values),
        _ => Err(GivenError::CeilingOfRows { ceiling: ceiling.to_string() }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sites, the server's model and one of each site.
    const RESULTS: &str = r#"{
        "south": {"SRV_server": {"loss": 0.5}, "north": {"loss": 2.0}, "south": {"loss": 0.25}},
        "north": {"SRV_server": {"loss": 0.5}, "north": {"loss": 0.125}, "south": {"loss": 1.5}}
    }"#;

    fn table(ceilings: &[f64]) -> CrossSiteTable {
        let read = CrossSite::parse("results.json", RESULTS.as_bytes()).unwrap();
        utility_table(&read, None, Some(ceilings)).unwrap()
    }

    #[test]
    fn utilities_are_ceilings_minus_losses_by_site() {
        let made = table(&[2.0, 1.0]);
        assert_eq!(
            made.csv,
            "model,north,south\nSRV_server,1.5,0.5\nnorth,1.875,-1.0\nsouth,0.5,0.75\n"
        );
        assert_eq!(
            made.computed.detail,
            "a utility is the ceiling minus `loss`, which sites reported"
        );
    }

    #[test]
    fn the_audit_is_that_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cross_val_results.json");
        std::fs::write(&file, RESULTS).unwrap();
        let audit = |ceiling: &str| {
            let ceiling: Ceiling = ceiling.parse().unwrap();
            let asked = CrossSiteAsked { file: &file, metric: None, ceiling: Some(&ceiling) };
            let limits = Limits { tolerance: 0.0, time_limit: 10.0 };
            asked.audit("SRV_server", None, limits)
        };
        // North alone has 1/2 of what it could have: 1.875 / 2 against 1.5.
        let (found, _, csv) = audit("2").unwrap();
        assert_eq!(csv, table(&[2.0, 2.0]).csv);
        assert_eq!(found.verdict, corefed_core::Verdict::Stable);
        // Under a ceiling of 0.55 it has 0.05 now, and 0.425 alone: a half of that is 4.25 times as much.
        let (found, _, _) = audit("0.55").unwrap();
        assert_eq!(found.verdict, corefed_core::Verdict::Blocked);
        assert!((found.kappa.lo.0 - 4.25).abs() < 1e-12, "{:?}", found.kappa);
        let error = audit("initial:1.5").unwrap_err();
        assert!(error.message().contains("follows from rows"), "{}", error.message());
    }
}
