//! Is the shared model worth staying for, on rows that nobody trained on?
//!
//! Rows are split, every group trains a model of its own by the same rule and settings, and every model is
//! measured on the held-out rows of every agent. From these numbers follow who would leave, who should train
//! with whom, what each agent brings, and what fairness costs ([docs/stay.md]).
//!
//! [docs/stay.md]: https://github.com/corefed/corefed/blob/main/docs/stay.md

mod agents;
mod compared;
mod contributions;
mod exact;
mod frame;
mod groups;
mod leaving;
mod models;
mod partitions;
mod parts;
mod repeats;
mod row_shares;
mod settings;
mod trained;
mod what_if;

use std::path::Path;
use std::time::Duration;

use corefed_core::Seed;
use corefed_data::ColumnType;
use corefed_documents::{Stay, StayClaims, StayHeldOut, StayVerdict};
use corefed_spec::Spec;

pub use self::groups::MOST_LISTED;
pub use self::settings::{HELD_OUT, MARGIN, SUPPORT, StaySettings, Which};

use self::agents::Measurement;
use self::exact::exactly;
use self::frame::HeldOutRows;
use self::trained::by_rounds;
use crate::hold_out::HoldOut;
use crate::measure::quality;
use crate::owner::owner;
use crate::prepare::prepare_held_out;
use crate::prepared::{Prepared, TableRun};
use crate::{Observers, RunError, StayError, Stop};

/// Answers whether the shared model is worth staying for; `None` when stopped. `data_dir` is that of
/// [`prepare`](crate::prepare).
///
/// An answer rests on every group, so that there is none when the time limit of the settings has passed.
pub fn stay(
    spec: &Spec,
    settings: &StaySettings,
    data_dir: Option<&Path>,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Option<Stay>, RunError> {
    settings.check()?;
    let Some(seconds) = settings.time_limit else {
        return asked(spec, settings, data_dir, stop, observers);
    };
    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    match asked(spec, settings, data_dir, &stop.within(time), observers)? {
        None if !stop.is_asked() => Err(StayError::Unanswered { seconds }.into()),
        answer => Ok(answer),
    }
}

fn asked(
    spec: &Spec,
    settings: &StaySettings,
    data_dir: Option<&Path>,
    stop: &Stop,
    observers: &dyn Observers,
) -> Result<Option<Stay>, RunError> {
    let spec = &held_out_spec(spec, settings);
    let split = |index: usize| {
        let what = if settings.repeats > 1 {
            format!("split {} of {}", index + 1, settings.repeats)
        } else {
            "groups".to_owned()
        };
        Split { spec, settings, index }.measure(data_dir, stop, &what, observers)
    };
    let Some(first) = split(0)? else { return Ok(None) };
    let mut glances = vec![first.compared.glance()];
    for index in 1..settings.repeats {
        let Some(other) = split(index)? else { return Ok(None) };
        glances.push(other.compared.glance());
    }
    let mut answer = first.answer(spec, settings)?;
    if glances.len() > 1 {
        answer.repeats = Some(first.compared.repeated(&glances));
    }
    Ok(Some(answer))
}

/// Whether every group of an exact model is solved in a second or two: by the work of its Hessians, of which
/// least squares needs only the sums.
pub(crate) fn is_quick(table: &TableRun) -> bool {
    let case = &table.case;
    let (agents, dim) = (case.names.len(), case.losses().dim() as f64);
    let rows =
        if case.family.is_quadratic() { dim } else { case.federation.design().rows() as f64 };
    agents <= MOST_LISTED && (1_u64 << agents) as f64 * rows * dim * dim <= QUICK
}

/// Multiplications that take about a second.
const QUICK: f64 = 4e8;

/// The answer in words, as a terminal shows it.
#[must_use]
pub fn stay_text(answer: &Stay) -> String {
    corefed_report::summary::stay::text(answer)
}

/// The spec with the rows held out that were asked for. A column that says which is not a feature, unless
/// its type was given.
fn held_out_spec(spec: &Spec, settings: &StaySettings) -> Spec {
    let mut spec = spec.clone();
    spec.held_out = settings.share;
    if let Some(column) = settings.hold_out.column() {
        spec.columns.entry(column.to_owned()).or_insert(ColumnType::Ignore);
    }
    spec
}

/// One way to divide the rows.
struct Split<'a> {
    spec: &'a Spec,
    settings: &'a StaySettings,
    index: usize,
}

impl Split<'_> {
    fn measure(
        &self,
        data_dir: Option<&Path>,
        stop: &Stop,
        what: &str,
        observers: &dyn Observers,
    ) -> Result<Option<Measurement>, RunError> {
        let Self { spec, settings, index } = *self;
        let first = Seed(spec.seed).derive("test");
        // The first split is the one of `held_out` in a spec.
        let seed = if index == 0 { first } else { first.derive_index(index as u64) };
        let (prepared, groups) = prepare_held_out(spec, data_dir, &settings.hold_out, seed)?;
        let held_out =
            HeldOutRows { settings, groups: groups.as_ref(), seed, drawn: first.derive("orders") };
        let mut observer = observers.watch(what);
        match (&spec.train, prepared) {
            (None, Prepared::Table(table)) => exactly(&table, &held_out, stop, &mut *observer),
            (None, Prepared::Images(_) | Prepared::Network(_)) => {
                let data = spec.data.to_string();
                Err(crate::PrepareError::ImagesForSolver { data }.into())
            }
            (Some(train), prepared) => {
                by_rounds(spec, train, &prepared, &held_out, stop, &mut *observer)
            }
        }
    }
}

impl Measurement {
    /// The document of this split.
    fn answer(&self, spec: &Spec, settings: &StaySettings) -> Result<Stay, RunError> {
        let compared = &self.compared;
        let about = settings.asked(&compared.names)?;
        let questions = settings.questions.iter().zip(&about);
        let leaving = compared.leaving();
        let leaves = leaving.verdict == StayVerdict::Leave;
        let family = spec.model.family();
        Ok(Stay {
            verdict: leaving.verdict,
            models: corefed_documents::StayModels {
                file: spec.data.to_string(),
                digest: self.digest.clone(),
                owner: owner(spec),
                model: spec.model.to_string(),
                loss: family.map_or("cross-entropy", |family| family.facts().loss).to_owned(),
                quality: quality(family).to_owned(),
                rule: self.rule.clone(),
                exact: self.exact,
                seed: spec.seed,
            },
            held_out: StayHeldOut { by: settings.hold_out.to_string(), share: settings.share },
            claims: StayClaims {
                level: settings.level.get(),
                margin: settings.margin,
                support: settings.support,
            },
            agents: self.agents(),
            leaving: leaving.chosen.iter().filter(|_| leaves).cloned().collect(),
            tempted: leaving.chosen,
            kept: leaving.kept,
            failed: leaving.failed,
            partitions: compared.partitions(),
            contributions: compared.contributions(&self.weights),
            what_if: questions
                .map(|((question, _), about)| compared.what_if(*question, about))
                .collect(),
            price: self.price.clone().ok(),
            no_price: self.price.as_ref().err().map(ToString::to_string),
            repeats: None,
            groups: compared.listed(),
            rests_on: rests_on(settings, self.exact),
        })
    }
}

/// What statements rest on.
fn rests_on(settings: &StaySettings, exact: bool) -> Vec<String> {
    let rows = match &settings.hold_out {
        HoldOut::Rows => {
            "held-out rows are independent draws of what each agent will meet".to_owned()
        }
        HoldOut::Group(column) => format!(
            "rows of different values of `{column}` are independent draws of what each agent will meet"
        ),
        HoldOut::Time(column) => format!(
            "rows are independent, and what comes after the latest `{column}` is like the held-out rows"
        ),
    };
    let models = if exact {
        "every group's model is the optimum of its rule on the group's training rows"
    } else {
        "every group trains once, from the same seed; another seed may give other models"
    };
    let intervals = "intervals are Student's, corrected for skewness: right for many rows, nearly so for \
                     the minimum that is asked for";
    let features =
        "levels and scales of columns come from all rows, those of other agents included";
    vec![rows, models.to_owned(), intervals.to_owned(), features.to_owned()]
}
