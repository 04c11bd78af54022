//! What to do about each error, in terms of the keys of a spec.

use corefed_sim::EngineError;

use crate::RunError;

impl RunError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.hint_of_others()
            .or_else(|| self.hint_with_values())
            .or_else(|| self.plain_hint().map(str::to_owned))
    }

    /// Hints of errors that come from elsewhere.
    fn hint_of_others(&self) -> Option<String> {
        match self {
            Self::Data(error) => error.hint(),
            Self::PartitionFile { error, .. } => error.hint(),
            Self::Spec(errors) => errors.hint(),
            Self::Log(error) => error.hint(),
            Self::Document(error) => error.hint().map(str::to_owned),
            Self::Report(error) => error.hint(),
            Self::Engine(error) => Some(engine(error).to_owned()),
            Self::Refused(error) => error.hint().map(ToOwned::to_owned),
            Self::DataFolder(error) => Some(error.hint().to_owned()),
            Self::UnknownSet(error) => Some(error.hint()),
            Self::Network(error) => Some(error.hint()),
            Self::Device(failure) => Some(failure.hint.clone()),
            Self::At { error, .. } => error.hint(),
            _ => None,
        }
    }

    /// Hints that repeat a value.
    fn hint_with_values(&self) -> Option<String> {
        Some(match self {
            Self::UnknownSpec { presets, .. } => {
                let names: Vec<String> = presets.iter().map(|name| format!("`{name}`")).collect();
                let names = names.join(", ");
                format!("the presets are {names}; for a CSV file see `corefed solve`")
            }
            Self::LargeBatch { most, .. } => {
                format!("set `train.local.batch` to at most {most}")
            }
            Self::Infeasible { shortfall, .. } => format!(
                "raise the ceilings by more than {:.4}, or enlarge the ball with `radius`",
                shortfall.max(0.0)
            ),
            Self::Tolerance { exact, .. } => {
                let range = if *exact { "[0, 0.1]" } else { "(0, 0.1]" };
                format!(
                    "gains up to the tolerance do not count in a verdict; it must lie in {range}"
                )
            }
            Self::NoRivals { incumbent, .. } => {
                format!("add a row for every model to compare `{incumbent}` with")
            }
            Self::Stopped { error, model } => {
                format!("{}; it is in `{}`", error.hint(), model.display())
            }
            Self::Predictor { hint, .. } => hint.clone()?,
            _ => return None,
        })
    }

    fn plain_hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Ceiling(_) | Self::AgentCeiling { .. } => {
                "choose another `ceiling`, such as `initial:1.5`"
            }
            Self::NoOwners => {
                "name the column with `agent = \"...\"`, or divide them with `[partition]`"
            }
            Self::NoTarget { data: None } => "name it with `target = \"...\"`",
            Self::NoTarget { data: Some(_) } => "name the target column",
            Self::NoTestPart { .. } => {
                "in a spec, hold rows out with `held_out = 0.2` instead of `test = true`"
            }
            Self::NoColumns => "give a partition file",
            Self::NotClasses { .. } => {
                "partition by rows (`iid` or `quantity-skew`), or name another target"
            }
            Self::OwnerColumn { .. } => "rename it, or name it as the column of owners",
            Self::TableForNetwork { .. } => "use a model of tables, such as `linear` or `logistic`",
            Self::ImagesForModel { .. } => {
                "use `model = \"softmax\"`, or a network such as `model = \"cnn\"`"
            }
            Self::ImagesForSolver { .. } => "add `[train]` to train by rounds",
            Self::CorruptPixels => "remove it, or use a network such as `model = \"cnn\"`",
            Self::NetworkRidge => "use `train.local.weight_decay` instead",
            Self::NoWorstLoss { .. } => {
                "set `network.smoothing` above zero, or choose another `ceiling`"
            }
            Self::AgentWeight { .. } => {
                "only ratios of weights matter: scale them to be around one"
            }
            Self::Radius { .. } => {
                "parameters are searched in a ball; its `radius` is 10 unless told"
            }
            Self::Ridge { .. } => "use zero or a small positive number",
            Self::TimeLimit { .. } => "give seconds, zero or more",
            Self::ManyAgents { .. } => {
                "does the column identify rows instead of owners? name another with `agent`"
            }
            Self::ManyParameters { .. } => {
                "is a column with many different texts an identifier? remove it"
            }
            Self::SingleAgent { .. } => {
                "a coalition needs somebody to leave: give data of at least two agents"
            }
            Self::NotFound { .. } => "raise the ceilings, or enlarge the ball with `radius`",
            Self::OutsideBall { .. } => {
                "choose a larger `radius`; rivals are searched in the same ball"
            }
            Self::NoPredictor { .. } => {
                "expected the JSON of `corefed solve --json`, or {\"parameters\": {\"age\": 0.3, ...}}"
            }
            Self::NoEncoding { .. } => {
                "predict with the JSON of `corefed solve --json` or a run's predictor"
            }
            Self::NoSamples => "give the weights in a CSV file with columns `agent,weight`",
            Self::NoTraining { .. } => {
                "add `[train]` with a `rule`, or use `corefed run` to solve it exactly"
            }
            Self::NothingToCompare { .. } => "add `[train]` to the spec",
            Self::Checkpoint => "was `spec.toml` edited? start a new run instead",
            Self::OtherSettings { asked: true, .. } => "use those, or write to another folder",
            Self::OtherSettings { asked: false, .. } => {
                "was `spec.toml` or a file it names edited? start a new run instead"
            }
            Self::DataChanged { .. } => {
                "a run continues only on the very data it began with; start a new one"
            }
            Self::OtherDevice { .. } => {
                "rounds of one run are computed alike: use the same device and precision, or start a new run"
            }
            _ => return None,
        })
    }
}

fn engine(error: &EngineError) -> &'static str {
    match error {
        EngineError::NoHessians => "use rule `corefed` instead",
        EngineError::NotEverybody => {
            "set `train.participation.cohort = \"all\"`, without dropout and stragglers"
        }
        EngineError::Stranger { .. } => "names are those of the agent column or the partition",
        _ => "see docs/spec.md",
    }
}
