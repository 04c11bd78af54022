//! One split, with every group's model trained by rounds.

use corefed_core::Seed;
use corefed_model::ConvexLosses;
use corefed_rules::Rule;
use corefed_sim::{Federated, Part, Terms};
use corefed_spec::{Spec, Train};

use super::agents::Measurement;
use super::compared::Compared;
use super::exact::one_class;
use super::frame::{Frame, HeldOutRows};
use crate::group_training::Training;
use crate::images::case::ImageCase;
use crate::linear_rows::linear;
use crate::measure::{LinearRuler, Ruler, constants};
use crate::prepared::Prepared;
use crate::train::terms_of_table;
use crate::{NoModel, Observer, RunError, StayError, Stop};

/// Trains, measures and compares; `None` when stopped.
pub(super) fn by_rounds(
    spec: &Spec,
    train: &Train,
    prepared: &Prepared,
    held_out: &HeldOutRows<'_>,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Option<Measurement>, RunError> {
    let seed = Seed(spec.seed).derive("train");
    match prepared {
        Prepared::Table(table) => {
            let federation = linear(table);
            let losses = table.case.losses();
            let terms = terms_of_table(table);
            let ruler = LinearRuler { federation: &federation, constants: constants(table) };
            let whole = Whole {
                training: Training {
                    federation: &federation,
                    hessians: Some(&*losses as &dyn ConvexLosses),
                    terms: &terms,
                    train,
                    seed,
                },
                ruler: &ruler,
                one_class: one_class(table),
                digest: table.case.digest.clone(),
            };
            whole.measure(held_out.of_table(table)?, stop, observer)
        }
        Prepared::Images(run) => {
            let terms = run.case.terms(spec.radius);
            let federation = &*run.federation;
            let ruler = LinearRuler { federation, constants: None };
            let training = Training { federation, hessians: None, terms: &terms, train, seed };
            let whole = Whole::of_images(training, &ruler, &run.case);
            let frame = image_frame(spec, federation, &run.case, held_out)?;
            whole.measure(frame, stop, observer)
        }
        Prepared::Network(run) => {
            let terms = run.case.terms(spec.radius);
            let federation = &*run.federation;
            let training = Training { federation, hessians: None, terms: &terms, train, seed };
            let whole = Whole::of_images(training, federation, &run.case);
            let frame = image_frame(spec, federation, &run.case, held_out)?;
            whole.measure(frame, stop, observer)
        }
    }
}

fn image_frame<F: Federated>(
    spec: &Spec,
    federation: &F,
    case: &ImageCase,
    held_out: &HeldOutRows<'_>,
) -> Result<Frame, RunError> {
    let names: Vec<String> = case.agents.iter().map(|agent| agent.name.clone()).collect();
    let rows: Vec<usize> =
        (0..names.len()).map(|agent| federation.samples(Part::HeldOut, agent)).collect();
    held_out.frame(names, &rows, &spec.data.to_string())
}

/// Everything that the models of one split depend on.
struct Whole<'a, F> {
    training: Training<'a, F>,
    ruler: &'a dyn Ruler,
    one_class: Vec<bool>,
    digest: String,
}

impl<'a, F: Federated> Whole<'a, F> {
    fn of_images(training: Training<'a, F>, ruler: &'a dyn Ruler, case: &ImageCase) -> Self {
        let single = |own: &Vec<usize>| own.iter().filter(|count| **count > 0).count() < 2;
        let one_class = case.labels.iter().map(single).collect();
        Self { training, ruler, one_class, digest: case.digest.clone() }
    }

    fn measure(
        self,
        frame: Frame,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Option<Measurement>, RunError> {
        let Some(models) = self.training.all(&frame.groups.list, stop, observer) else {
            return Ok(None);
        };
        let shared = match models.last() {
            Some(Ok(shared)) => shared,
            Some(Err(error)) => {
                return Err(StayError::NotTrained { error: error.clone() }.into());
            }
            None => return Ok(None),
        };
        let compared = Compared::new(self.ruler, &models, shared, frame)?;
        let Training { federation, terms, train, .. } = &self.training;
        let titles = (train.rule.label(), Rule::Fedavg.label());
        let price = match self.plain(stop) {
            Ok(params) => {
                let plain = self.ruler.measure(&params)?;
                Ok(compared.price(titles, &compared.shared, &plain))
            }
            Err(error) => Err(error),
        };
        let rows = |agent: usize| federation.samples(Part::Train, agent);
        let Terms { weights, ceilings, names, .. } = terms;
        Ok(Some(Measurement {
            compared,
            weights: weights.clone(),
            ceilings: ceilings.clone(),
            rows: (0..names.len()).map(rows).collect(),
            one_class: self.one_class,
            digest: self.digest,
            rule: train.rule.label(),
            exact: false,
            price,
        }))
    }

    /// FedAvg's model of everybody, or why there is none to compare with.
    fn plain(&self, stop: &Stop) -> Result<Vec<f64>, NoModel> {
        let Training { train, terms, .. } = &self.training;
        if train.rule == Rule::Fedavg {
            return Err(NoModel::Itself);
        }
        let fedavg = Train { rule: Rule::Fedavg, ..(*train).clone() };
        let everybody: Vec<usize> = (0..terms.names.len()).collect();
        self.training
            .one(&everybody, &fedavg, stop)
            .map_err(|error| error.by("FedAvg with these settings"))
    }
}
