//! What an agent answers to exact audits: its terms, what its ceiling goes by, numbers about points, and its
//! signature. What it will not answer it refuses with a reason.

use corefed_core::{AttestedCertificate, digest_bytes};
use corefed_documents::to_json;
use corefed_remote::{Asked, Request};
use corefed_run::AgentError;

use crate::desk::Desk;
use crate::error::NodeError;
use crate::names::{
    ATTESTATION, CERTIFICATE, DECLARE, DECLARED, ORACLE, POINTS, POLICY, RADIUS, REFUSAL, ROUND,
    TERMS,
};
use crate::question::{Declined, count, models, number, text};
use crate::record::{Array, Record, Records, Value, Values, value};

/// The most that one round of questions has in its points, or is answered with: 128 MiB.
const MOST_NUMBERS: usize = 1 << 24;

/// Why a question of an audit has no answer.
enum Unanswered {
    /// Told in a reply, as an agent's decision.
    Refused(String),
    /// Told as an error of the app: the question is not one.
    Declined(Declined),
}

impl From<Declined> for Unanswered {
    fn from(why: Declined) -> Self {
        Self::Declined(why)
    }
}

/// What the agent keeps cannot be read or written.
impl From<NodeError> for Unanswered {
    fn from(error: NodeError) -> Self {
        Self::Declined(Declined::Failed(error.to_string()))
    }
}

impl Desk {
    pub(crate) fn audited(
        &self,
        asked: &str,
        config: &Values,
        request: &Records,
    ) -> Result<Records, Declined> {
        let mut reply = vec![self.about(false)];
        let answered = match asked {
            "terms" => Ok(vec![self.terms()]),
            "declare" => self.declared(config).map(|told| vec![self.terms(), told]),
            "oracle" => self.told(config, request),
            _ => self.attested(config).map(|signed| vec![signed]),
        };
        match answered {
            Ok(records) => reply.extend(records),
            Err(Unanswered::Refused(why)) => {
                // Terms are told before the ceiling is thought about.
                reply.extend((asked == "declare").then(|| self.terms()));
                reply.push(config_of(REFUSAL, REFUSAL, Value::Text(why)));
            }
            Err(Unanswered::Declined(why)) => return Err(why),
        }
        Ok(reply)
    }

    /// What a server must know before it asks: nothing of it is about single rows.
    fn terms(&self) -> (String, Record) {
        let whole = |count: usize| Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
        let told = [
            ("rows-of", Value::from(self.agent.name())),
            ("model", Value::from(self.model.as_str())),
            ("l2", Value::Double(self.l2)),
            ("samples", whole(self.agent.samples())),
            ("cells", whole(self.agent.cells())),
            ("key", Value::Text(self.key.public())),
            ("encoding", Value::from(self.encoding.as_str())),
        ];
        let told = told.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        (TERMS.to_owned(), Record::Config(told))
    }

    /// What the agent's ceiling goes by, unless that goes beyond the budget.
    fn declared(&self, config: &Values) -> Result<(String, Record), Unanswered> {
        let (policy, radius) = (text(config, POLICY)?, number(config, RADIUS, f64::NAN)?);
        let question = question_digest(&[
            format!("'{DECLARE}'").as_bytes(),
            format!("'{policy}'").as_bytes(),
            format!("{radius:?}").as_bytes(),
        ]);
        let told = self.agent.declare(policy, radius);
        let told = told.map_err(|error| Unanswered::Refused(error.to_string()))?;
        let (before, asked) = (self.kept.answered(&question)?, told.len());
        let cells = self.agent.cells();
        if let Some(budget) = self.budget
            && (before + asked) as f64 > budget * cells as f64
        {
            let most = budget * cells as f64;
            let why = format!(
                "the ceiling asks for {asked} numbers; {before} were answered, and {most} are the \
                 most for {cells} cells"
            );
            return Err(Unanswered::Refused(why));
        }
        self.kept.book(&question, asked)?;
        Ok(config_of(DECLARED, DECLARED, Value::doubles(told)))
    }

    /// Losses and derivatives at points.
    fn told(&self, config: &Values, request: &Records) -> Result<Records, Unanswered> {
        let arrays = models(request).find(|(name, _)| *name == POINTS);
        let array = arrays.and_then(|(_, arrays)| arrays.iter().find(|(name, _)| name == POINTS));
        let missing = Declined::Key { key: POINTS, expected: "an array" };
        let points = array.ok_or(missing)?.1.stored().map_err(Declined::from)?;
        let (&[rows, width], dim) = (&points.shape[..], self.agent.dim()) else {
            return Err(Declined::Key { key: POINTS, expected: "a table of points" }.into());
        };
        if width != dim {
            // A table without columns can have any number of rows.
            let wrong = AgentError::Points { found: width, expected: dim };
            return Err(Unanswered::Refused(wrong.to_string()));
        }
        if points.count() > MOST_NUMBERS {
            return Err(too_many().into());
        }
        let points = points.numbers();
        let [gradients, hessians] = [places(config, "gradients")?, places(config, "hessians")?];
        let own = matches!(value(config, "own"), Some(Value::Bool(true)));
        let radius = number(config, RADIUS, f64::NAN)?;
        let bytes: Vec<u8> = points.values.iter().flat_map(|number| number.to_le_bytes()).collect();
        let places = [format!("{gradients:?}"), format!("{hessians:?}")];
        let ball = radius.to_le_bytes();
        let mut parts: Vec<&[u8]> = vec![&bytes, places[0].as_bytes(), places[1].as_bytes()];
        parts.push(if own { b"True" } else { b"False" });
        // The own best predictor is another in another ball.
        parts.extend(own.then_some(ball.as_slice()));
        let question = question_digest(&parts);
        let before = self.kept.answered(&question)?;
        let round = usize::try_from(count(config, ROUND, 0)?).unwrap_or(usize::MAX);
        let points = (0..rows).map(|row| points.values[row * width..][..width].to_vec()).collect();
        let asked = Asked { gradients, hessians, own, ceiling: false };
        let asked = Request { round, points, asked };
        if asked.numbers() > MOST_NUMBERS {
            return Err(too_many().into());
        }
        let answers = self.agent.answer(asked, radius, before, self.budget);
        let (told, after) = answers.map_err(|error| Unanswered::Refused(error.to_string()))?;
        // Before it is sent: what might have been told counts.
        self.kept.book(&question, after - before)?;
        let triangle = dim * (dim + 1) / 2;
        let table = |rows: Vec<Vec<f64>>, width| Array::of(&[rows.len(), width], &rows.concat());
        let mut arrays = vec![
            ("losses".to_owned(), Array::of(&[told.losses.len()], &told.losses)),
            ("gradients".to_owned(), table(told.gradients, dim)),
            ("hessians".to_owned(), table(told.hessians, triangle)),
        ];
        arrays.extend(told.own.map(|best| ("own".to_owned(), Array::of(&[dim], &best))));
        let round = value(config, ROUND).cloned().unwrap_or(Value::Int(0));
        let about = vec![(ROUND.to_owned(), round), (POINTS.to_owned(), Value::Text(told.points))];
        let (answers, oracle) = (Record::Arrays(arrays), Record::Config(about));
        Ok(vec![("answers".to_owned(), answers), (ORACLE.to_owned(), oracle)])
    }

    /// Its signature under its own answers, once they are checked.
    fn attested(&self, config: &Values) -> Result<(String, Record), Unanswered> {
        let refused = |error: String| Unanswered::Refused(error);
        let certificate: AttestedCertificate = serde_json::from_str(text(config, CERTIFICATE)?)
            .map_err(|error| {
                refused(format!("`{CERTIFICATE}` is not what it should be: {error}"))
            })?;
        let signed = self.agent.attest(&certificate, &self.key);
        let signed = signed.map_err(|error| refused(error.to_string()))?;
        let text = to_json(&signed).map_err(|error| refused(error.to_string()))?;
        Ok(config_of(ATTESTATION, ATTESTATION, Value::Text(text)))
    }
}

fn too_many() -> Declined {
    Declined::Failed(format!("more than {MOST_NUMBERS} numbers at once"))
}

fn config_of(name: &str, key: &str, value: Value) -> (String, Record) {
    (name.to_owned(), Record::Config(vec![(key.to_owned(), value)]))
}

fn places(config: &Values, key: &'static str) -> Result<Vec<usize>, Declined> {
    value(config, key).map_or(Ok(Vec::new()), |told| {
        told.places().ok_or(Declined::Key { key, expected: "a list of places" })
    })
}

/// A name for a question by which it is known again; that of the Python package, so that a house can change its node
/// and keep its account.
fn question_digest(parts: &[&[u8]]) -> String {
    digest_bytes(
        &parts.iter().flat_map(|part| [part, b"\0".as_slice()]).collect::<Vec<_>>().concat(),
    )
}
