//! Rounds and bytes of audits without pooling, on federations that are always the same.

use std::io::{Write, stdout};
use std::path::Path;

use anyhow::{Result, anyhow};
use corefed_core::{CeilingPolicy, Encoding, Family, Predictor, Weights};
use corefed_data::source::{adult, heart};
use corefed_data::{EncodeOptions, Encoded, Federation, Table, fit, hospitals_csv};
use corefed_model::{FederationLosses, convex_losses, worst_losses};
use corefed_remote::{Hessians, Options, Task};
use corefed_solve::{Problem, Rule, TableReferences, ball_for, solve};

use crate::audited_twice::{Both, Question};
use crate::clusters;
use crate::draws::Draws;
use crate::instance::bare_predictor;
use crate::remote_federation::{CLASSES, Clusters, rows};

/// Of every federation here.
const RADIUS: f64 = 10.0;

/// A federation with the encoding of its rows, if it has one.
struct Named {
    name: &'static str,
    family: Family,
    federation: Federation,
    encoding: Option<Encoding>,
    /// Rules and ceilings to audit under.
    terms: Vec<(Rule, CeilingPolicy)>,
}

/// Prints one line per predictor and way of asking. Published sets are read from `data`; those that are
/// not there are left out, which is said.
pub(crate) fn figures(data: Option<&Path>) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(
        out,
        "federation n d rule ceiling | asking: rounds (verdict in), points, KB up/down of the busiest agent, conflicts/tangents, server s | pooled: verdict, kappa, programs, s"
    )?;
    for named in federations(data, &mut out)? {
        for (rule, policy) in &named.terms {
            for hessians in [Hessians::OnDemand, Hessians::Always] {
                let options = Options { hessians, ..Options::default() };
                let both = named.ask(*rule, policy, options, Task::Audit)?;
                writeln!(out, "{}", line(&named, *rule, policy, hessians, &both))?;
            }
        }
        let (_, policy) = &named.terms[0];
        let both = named.ask(Rule::Core, policy, Options::default(), Task::Train)?;
        let remote = &both.remote;
        let differs = both.difference().map_or(String::new(), |found| format!(" DIFFERS: {found}"));
        writeln!(
            out,
            "{} trained {policy:?}: {} rounds to a gap of {:.1e}, {} with the audit, {}{differs}",
            named.name,
            remote.training_rounds,
            remote.training_gap.unwrap_or(f64::NAN),
            remote.rounds,
            remote.verdict,
        )?;
    }
    Ok(())
}

fn line(
    named: &Named,
    rule: Rule,
    policy: &CeilingPolicy,
    hessians: Hessians,
    both: &Both,
) -> String {
    let Both { pooled, remote, .. } = both;
    let busiest = |of: fn(&corefed_remote::Traffic) -> usize| {
        let total = |rounds: &Vec<corefed_remote::Traffic>| rounds.iter().map(of).sum::<usize>();
        remote.traffic.iter().map(total).max().unwrap_or(0) as f64 * 8.0 / 1024.0
    };
    let (conflicts, tangents) = both.size();
    let differs = both.difference().map_or(String::new(), |found| format!(" DIFFERS: {found}"));
    format!(
        "{} {} {} {rule} {policy:?} | {hessians:?}: {} ({}), {}, {:.0}/{:.0}, {conflicts}/{tangents}, {:.3} | {} {:.6}, {}, {:.3}{differs}",
        named.name,
        named.federation.agents().len(),
        remote.parameters.len(),
        remote.rounds,
        remote.verdict_round.map_or("-".to_owned(), |round| round.to_string()),
        remote.points,
        busiest(|traffic| traffic.answered),
        busiest(|traffic| traffic.sent),
        both.server_seconds,
        pooled.verdict,
        pooled.kappa.hi.0.max(1.0),
        pooled.progress.programs,
        both.pooled_seconds,
    )
}

impl Named {
    fn ask(
        &self,
        rule: Rule,
        policy: &CeilingPolicy,
        options: Options,
        task: Task,
    ) -> Result<Both> {
        let agents = self.federation.agents().len();
        let weights = Weights::equal(agents);
        let model = FederationLosses::new(&self.federation, self.family, CLASSES, 0.0);
        let worst = worst_losses(&model, RADIUS);
        let known = TableReferences {
            model: &model,
            weights: &weights,
            radius: RADIUS,
            held_out: None,
            worst: &worst,
        };
        let ceilings = policy.resolve(&known)?;
        let losses = convex_losses(&self.federation, self.family, CLASSES, 0.0);
        let problem = Problem::new(losses.as_ref(), ceilings.clone(), weights.clone(), RADIUS);
        let parameters = match task {
            Task::Audit => {
                solve(&problem, rule, 1e-10).map_err(|_| anyhow!("no model serves all"))?.params
            }
            Task::Train => vec![0.0; losses.dim()],
        };
        let radius = ball_for(RADIUS, &parameters).ok_or_else(|| anyhow!("outside the ball"))?;
        let columns = self.federation.design().dim();
        let bare =
            bare_predictor((self.family, CLASSES), (0.0, radius), (columns, false), parameters);
        let encoding = self.encoding.clone().unwrap_or_else(|| bare.encoding.clone());
        let question = Question {
            federation: &self.federation,
            predictor: Predictor { encoding, ..bare },
            classes: CLASSES,
            ceilings,
            weights,
            options,
            task,
        };
        question.ask()
    }
}

fn federations(data: Option<&Path>, out: &mut dyn Write) -> Result<Vec<Named>> {
    let fixed = |rule: Rule, ceiling: f64| (rule, CeilingPolicy::Fixed(ceiling));
    let core = |ceilings: &[f64]| -> Vec<(Rule, CeilingPolicy)> {
        ceilings.iter().map(|&ceiling| fixed(Rule::Core, ceiling)).collect()
    };
    let utilitarian = |ceiling: f64| vec![fixed(Rule::Utilitarian, ceiling)];
    let table = Table::parse("hospitals.csv", hospitals_csv(8).as_bytes())?;
    let encode = |table: &Table, agent: &str, target: &str| {
        fit(table, &EncodeOptions::new(agent, target, Family::Logistic))
    };
    let encoded = |name, Encoded { federation, encoding, .. }: Encoded, terms| Named {
        name,
        family: Family::Logistic,
        federation,
        encoding: Some(encoding),
        terms,
    };
    let mut found = vec![encoded(
        "hospitals",
        encode(&table, "hospital", "disease")?,
        [core(&[1.0, 0.75]), utilitarian(1.0)].concat(),
    )];
    if let Some(data) = data {
        let table = heart::read(&data.join("heart"))?;
        let initial = (Rule::Utilitarian, CeilingPolicy::Initial(1.5));
        let terms = [core(&[0.7]), vec![initial]].concat();
        found.push(encoded("heart", encode(&table, "hospital", heart::TARGET)?, terms));
        let table = adult::read(&data.join("adult"))?.train;
        let terms = [core(&[0.7]), utilitarian(0.6)].concat();
        found.push(encoded("adult-by-race", encode(&table, "race", adult::TARGET)?, terms));
    } else {
        writeln!(out, "heart and adult are left out: no --data")?;
    }
    let drawn = |name, family, clusters: Clusters, terms| {
        let federation = rows(&mut Draws::new(1, 0), family, &clusters);
        Named { name, family, federation, encoding: None, terms }
    };
    let three = Clusters {
        count: 3,
        agents: 8,
        columns: 20,
        samples: (500, 500),
        spread: 0.3,
        strength: 0.5,
    };
    let logistic = Family::Logistic;
    found.extend([
        drawn(
            "softmax",
            Family::Softmax,
            Clusters { agents: 5, columns: 6, samples: (300, 300), ..three },
            [core(&[1.15, 1.3]), utilitarian(1.15)].concat(),
        ),
        drawn("clustered", logistic, three, [core(&[0.7, 0.75]), utilitarian(0.7)].concat()),
        drawn(
            "clustered-tight",
            logistic,
            Clusters { agents: 10, spread: 0.1, ..three },
            core(&[0.7, 0.75]),
        ),
        drawn(
            "twelve",
            logistic,
            Clusters { agents: 12, ..three },
            [core(&[0.75, 0.7]), utilitarian(0.75)].concat(),
        ),
        Named {
            name: "bench",
            family: logistic,
            federation: clusters::federation(12, 1),
            encoding: None,
            terms: [core(&[0.75, 0.7]), utilitarian(0.75)].concat(),
        },
        drawn("wide", logistic, Clusters { agents: 6, columns: 60, ..three }, core(&[0.75, 0.7])),
        drawn(
            "linear",
            Family::Linear,
            Clusters { columns: 10, ..three },
            vec![(Rule::Core, CeilingPolicy::Constant(1.5))],
        ),
    ]);
    Ok(found)
}
