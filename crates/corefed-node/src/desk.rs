//! One agent at work: its rows, what it keeps, and an answer to every message.

use corefed_core::read_json;
use corefed_run::LinearAgent;
use corefed_verify::AgentKey;

use crate::error::NodeError;
use crate::kept::{Fresh, Kept};
use crate::layout::Layout;
use crate::names::{ABOUT, ACCURACY, AGENT, CORRECTS, EXAMPLES, LOSS, SAMPLES};
use crate::question::{Declined, asked_for, model, models};
use crate::record::{Array, Record, Records, Value, Values};
use crate::settings::Settings;

/// How an agent trains where the server does not say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Training {
    pub(crate) epochs: u64,
    pub(crate) batch: u64,
    pub(crate) learning_rate: f64,
    pub(crate) momentum: f64,
}

/// An agent that answers.
pub(crate) struct Desk {
    pub(crate) agent: LinearAgent,
    /// The agreed encoding, as it was read.
    pub(crate) encoding: String,
    /// Name of the family.
    pub(crate) model: String,
    pub(crate) l2: f64,
    pub(crate) key: AgentKey,
    pub(crate) kept: Kept,
    /// Numbers per cell beyond which audits are refused.
    pub(crate) budget: Option<f64>,
    pub(crate) training: Training,
}

impl Desk {
    /// Reads the rows and takes the folder. `fresh` becomes the agent's key to sign with, should it have none.
    pub(crate) fn open(settings: &Settings, fresh: Fresh) -> Result<Self, NodeError> {
        let beside = || settings.data.with_file_name("encoding.json");
        let path = settings.encoding.clone().unwrap_or_else(beside);
        let encoding = read_json(&path).map_err(|source| NodeError::Encoding { path, source })?;
        let agent = LinearAgent::open(&settings.data, &encoding, settings.model, settings.l2)?;
        let keep = settings.keep.clone().unwrap_or_else(|| settings.data.with_extension("corefed"));
        let kept = Kept::open(&keep)?;
        Ok(Self {
            key: kept.key(fresh)?,
            agent,
            encoding,
            model: settings.model.to_string(),
            l2: settings.l2,
            kept,
            budget: settings.budget,
            training: Training {
                epochs: settings.local_epochs,
                batch: settings.batch_size,
                learning_rate: settings.learning_rate,
                momentum: settings.momentum,
            },
        })
    }

    /// The records of a reply to a message of some type.
    pub(crate) fn answer(&self, kind: &str, request: &Records) -> Result<Records, Declined> {
        let asked = asked_for(request);
        match (kind, asked) {
            ("train" | "evaluate", Some(("who", _))) => Ok(vec![self.about(true)]),
            ("train" | "evaluate", Some(("losses", _))) => self.losses(request),
            (
                "train" | "evaluate",
                Some((asked @ ("terms" | "declare" | "oracle" | "attest"), config)),
            ) => self.audited(asked, config, request),
            ("train" | "evaluate", Some((other, _))) => {
                Err(Declined::Question { asked: other.chars().take(40).collect() })
            }
            ("train", None) => self.trained(request),
            ("evaluate", None) => {
                let measured = self.measured(model(request)?)?;
                let nothing = ("config".to_owned(), Record::Config(Vec::new()));
                Ok(vec![nothing, metrics("metrics", measured), self.about(true)])
            }
            (other, _) => Err(Declined::Kind { kind: other.chars().take(40).collect() }),
        }
    }

    /// Who answers. Only an agent that trains says whether it corrects for drift.
    pub(crate) fn about(&self, trains: bool) -> (String, Record) {
        let mut about = vec![(AGENT.to_owned(), Value::from(self.agent.name()))];
        if trains {
            about.push((CORRECTS.to_owned(), Value::Bool(true)));
        }
        (ABOUT.to_owned(), Record::Config(about))
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.agent.blocks(), self.agent.dim())
    }

    /// Loss, rows and accuracy of a model.
    pub(crate) fn measured(&self, arrays: &[(String, Array)]) -> Result<Values, Declined> {
        let found = self.agent.evaluate(&self.layout().engine(arrays)?)?;
        let rows = Value::Int(i64::try_from(self.agent.samples()).unwrap_or(i64::MAX));
        let mut told = vec![
            (LOSS.to_owned(), Value::Double(found.loss)),
            (SAMPLES.to_owned(), rows.clone()),
            (EXAMPLES.to_owned(), rows),
        ];
        told.extend(found.accuracy.map(|share| (ACCURACY.to_owned(), Value::Double(share))));
        Ok(told)
    }

    /// Losses of all models of a message.
    fn losses(&self, request: &Records) -> Result<Records, Declined> {
        let measured = models(request)
            .map(|(name, arrays)| Ok(metrics(name, self.measured(arrays)?)))
            .collect::<Result<Vec<_>, Declined>>()?;
        Ok([vec![self.about(true)], measured].concat())
    }
}

pub(crate) fn metrics(name: &str, values: Values) -> (String, Record) {
    (name.to_owned(), Record::Metrics(values))
}
