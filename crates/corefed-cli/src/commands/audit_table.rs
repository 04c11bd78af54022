//! `corefed audit --incumbent`: a table of utilities, in exact arithmetic.

use std::io::Write;

use corefed_audit::TableAudit;
use corefed_core::{
    AgentStatement, Assumption, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim,
    Digests, Evidence, Kappa, KappaInterval, Number, Rival, Status, Subject, Verdict, Weights,
    Witness, digest_numbers, gain, ratio_bound, scan,
};
use corefed_data::{Sign, Table, UtilityTable, exact_agent_values};
use corefed_spec::WeightsBy;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};
use serde::Serialize;
use serde_json::Value;

use super::{exit, print_json, save_certificate, to_json};
use crate::answer::{DeviationLine, number};
use crate::args::AuditArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{report, text};

#[derive(Serialize)]
struct TableAnswer<'a> {
    file: &'a str,
    incumbent: &'a str,
    verdict: Verdict,
    kappa: KappaInterval,
    deviation: Option<DeviationLine>,
    agents: Vec<TableAgent<'a>>,
    rivals: Vec<RivalLine<'a>>,
    assumptions: &'a [Assumption],
}

#[derive(Serialize)]
struct RivalLine<'a> {
    model: &'a str,
    kappa: Number,
    utilities: Vec<f64>,
    /// The weighted mean of all gains, an upper bound of `kappa`; absent when a gain is negative.
    mean_gain: Option<Number>,
}

#[derive(Serialize)]
struct TableAgent<'a> {
    name: &'a str,
    weight: f64,
    utility: f64,
}

/// Audits one row against all others.
pub(super) fn audit_table(
    args: &AuditArgs,
    incumbent: &str,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if args.terms.ceiling.is_some() || args.terms.radius.is_some() {
        return Err(Failure::new("a table of utilities has no ceilings and no ball")
            .hint("drop `--ceiling` and `--radius`, or audit a predictor with `--predictor`"));
    }
    let table = UtilityTable::read(&args.file)?;
    let row = table.incumbent(incumbent)?;
    if table.models.len() < 2 {
        return Err(Failure::new(format!("{}: the table has no rivals", table.file))
            .hint(format!("add a row for every model to compare `{incumbent}` with")));
    }
    let weights = exact_weights(args.terms.weights.as_ref(), &table)?;
    let found = corefed_audit::audit_table(&table.utilities, row, &weights);
    let certificate = certificate(&table, row, &weights, &found);
    save_certificate(args.certificate.as_deref(), &certificate)?;
    let deviation = certificate.witness.as_ref().map(|witness| line(&table, witness));
    let answer = TableAnswer {
        file: &table.file,
        incumbent,
        verdict: certificate.claim.verdict,
        kappa: certificate.claim.kappa,
        deviation,
        agents: certificate
            .agents
            .iter()
            .map(|a| TableAgent { name: &a.name, weight: a.weight, utility: a.utility })
            .collect(),
        rivals: rivals(&table, row, &certificate.agents),
        assumptions: &certificate.assumptions,
    };
    if let Some(path) = &args.report {
        report::write_answer(&to_json(&answer)?, None, path)?;
    }
    if args.json {
        print_json(out, &answer)?;
    } else {
        out.write_all(render(&answer).as_bytes())?;
        if let Some(path) = &args.report {
            writeln!(out, "report: {}", path.display())?;
        }
    }
    Ok(exit(answer.verdict))
}

/// How each rival does against the incumbent, rounded for reading.
fn rivals<'a>(
    table: &'a UtilityTable,
    incumbent: usize,
    agents: &[AgentStatement],
) -> Vec<RivalLine<'a>> {
    let now: Vec<f64> = agents.iter().map(|agent| agent.utility).collect();
    let weights = Weights::new(agents.iter().map(|agent| agent.weight).collect());
    let line = |(row, model): (usize, &'a String)| {
        let then: Vec<f64> = table.utilities[row].iter().map(float).collect();
        let weights = weights.as_ref().ok()?;
        let kappa = scan(&now, &then, weights.values(), &weights.total()).kappa.value();
        let mean_gain = ratio_bound(&now, &then, weights).ok().map(Number);
        Some(RivalLine { model, kappa: Number(kappa), utilities: then, mean_gain })
    };
    let rows = table.models.iter().enumerate().filter(|(row, _)| *row != incumbent);
    rows.filter_map(line).collect()
}

fn float(value: &BigRational) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// Weights as exact numbers. Only their ratios matter, so fractions are cleared: integers survive
/// the certificate's `f64` unchanged, and ties stay ties.
fn exact_weights(
    weights: Option<&WeightsBy>,
    table: &UtilityTable,
) -> Result<Vec<BigRational>, Failure> {
    let path = match weights {
        None | Some(WeightsBy::Equal) => return Ok(vec![BigRational::one(); table.agents.len()]),
        Some(WeightsBy::Samples) => {
            return Err(Failure::new(
                "a table of utilities does not say how many samples there are",
            )
            .hint("give the weights in a CSV file with columns `agent,weight`"));
        }
        Some(WeightsBy::File(path)) => path,
    };
    let names = table.agents.iter().map(String::as_str);
    let values = exact_agent_values(&Table::read(path)?, "weight", names, Sign::Positive)?;
    let clear: BigInt = values.iter().fold(BigInt::one(), |clear, value| clear * value.denom());
    let integers: Vec<BigRational> = values.iter().map(|v| v * &clear).collect();
    let exact = |value: &BigRational| {
        value.to_f64().and_then(BigRational::from_float).is_some_and(|back| back == *value)
    };
    Ok(if integers.iter().all(exact) { integers } else { values })
}

fn certificate(
    table: &UtilityTable,
    row: usize,
    weights: &[BigRational],
    found: &TableAudit,
) -> Certificate {
    let utilities: Vec<f64> = table.utilities[row].iter().map(float).collect();
    let kappa = match &found.kappa {
        Kappa::Finite(kappa) => float(kappa),
        Kappa::Infinite => f64::INFINITY,
    };
    let witness = found.deviation.as_ref().map(|(rival, coalition)| Witness {
        gains: coalition
            .iter()
            .map(|&i| Number(gain(utilities[i], float(&table.utilities[*rival][i]))))
            .collect(),
        coalition: coalition.clone(),
        rival: Rival::Row(table.models[*rival].clone()),
    });
    let assumption = |statement: &str, status, detail: &str| Assumption {
        statement: statement.to_owned(),
        status,
        detail: detail.to_owned(),
    };
    Certificate {
        format: CERTIFICATE_FORMAT.to_owned(),
        version: CERTIFICATE_VERSION,
        claim: Claim {
            verdict: if witness.is_some() { Verdict::Blocked } else { Verdict::Stable },
            kappa: KappaInterval { lo: Number(kappa), hi: Number(kappa) },
            epsilon: 0.0,
        },
        agents: (0..utilities.len())
            .map(|k| AgentStatement {
                name: table.agents[k].clone(),
                samples: 0,
                weight: float(&weights[k]),
                ceiling: None,
                utility: utilities[k],
            })
            .collect(),
        subject: Subject::Table { incumbent: table.models[row].clone() },
        witness,
        evidence: Evidence::Listed,
        assumptions: vec![
            assumption(
                "utilities are those of the table",
                Status::Assumed,
                "they are not recomputed from data",
            ),
            assumption(
                "rivals are the other rows",
                Status::Assumed,
                "a model that is not listed may still block",
            ),
        ],
        digests: Digests { data: table.digest.clone(), parameters: digest_numbers(&utilities) },
    }
}

fn line(table: &UtilityTable, witness: &Witness) -> DeviationLine {
    let coalition: Vec<String> =
        witness.coalition.iter().map(|&agent| table.agents[agent].clone()).collect();
    let gains = coalition.iter().cloned().zip(witness.gains.iter().map(|g| number(*g))).collect();
    let rival = match &witness.rival {
        Rival::Row(name) => Value::from(name.as_str()),
        Rival::Parameters(_) => Value::Null,
    };
    DeviationLine { rival, coalition, gains }
}

fn render(answer: &TableAnswer<'_>) -> String {
    let rivals = answer.rivals.len();
    let verdict = match &answer.deviation {
        Some(deviation) => {
            let rival = deviation.rival.as_str().unwrap_or_default();
            format!("blocked by `{rival}`: {}", text::leaving(deviation))
        }
        None => format!("stable: none of the {rivals} listed rivals blocks {}", answer.incumbent),
    };
    let kappa = answer.kappa.lo.0;
    format!("{verdict}\nkappa {kappa:.7} (exact, against the listed rivals only)\n")
}
