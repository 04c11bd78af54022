//! `corefed audit --incumbent`: a table of utilities, in exact arithmetic.

use std::io::Write;

use corefed_audit::TableAudit;
use corefed_core::{
    AgentStatement, Assumption, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim,
    Digests, Evidence, Kappa, KappaInterval, Number, Rival, Status, Subject, Verdict, Weights,
    Witness, digest_numbers, ratio_bound, scan,
};
use corefed_data::{Sign, Table, UtilityTable, exact_agent_values};
use corefed_spec::WeightsBy;
use corefed_verify::{rounded, with_margin};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};
use serde::Serialize;
use serde_json::Value;

use super::solve::check_tolerance;
use super::{exit, print_json, save_certificate, to_json};
use crate::answer::{DeviationLine, number};
use crate::args::AuditArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{report, words};

#[derive(Serialize)]
struct TableAnswer<'a> {
    file: &'a str,
    incumbent: &'a str,
    verdict: Verdict,
    kappa: KappaInterval,
    everybody: KappaInterval,
    tolerance: f64,
    deviation: Option<DeviationLine>,
    improvement: Option<DeviationLine>,
    agents: Vec<TableAgent<'a>>,
    rivals: Vec<RivalLine<'a>>,
    assumptions: &'a [Assumption],
}

#[derive(Serialize)]
struct RivalLine<'a> {
    model: &'a str,
    kappa: Number,
    everybody: Number,
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
    // Tables are judged exactly, so nothing is tolerated unless it is asked for.
    let tolerance = args.audit.tolerance.unwrap_or(0.0);
    check_tolerance(tolerance, true)?;
    let weights = exact_weights(args.terms.weights.as_ref(), &table)?;
    let found = corefed_audit::audit_table(&table.utilities, row, &weights);
    let certificate = certificate(&table, row, &weights, &found, tolerance);
    save_certificate(args.certificate.as_deref(), &certificate)?;
    let told = |verdict: Verdict, witness: &Option<Witness>| {
        let witness = witness.as_ref().filter(|_| certificate.claim.verdict == verdict);
        witness.map(|witness| line(&table, witness))
    };
    let answer = TableAnswer {
        file: &table.file,
        incumbent,
        verdict: certificate.claim.verdict,
        kappa: certificate.claim.kappa,
        everybody: certificate.claim.everybody,
        tolerance,
        deviation: told(Verdict::Blocked, &certificate.witness),
        improvement: told(Verdict::Improvable, &certificate.improvement),
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
        let found = scan(&now, &then, weights.values(), &weights.total());
        let (kappa, everybody) = (Number(found.kappa.value()), Number(found.everybody.value()));
        let mean_gain = ratio_bound(&now, &then, weights).ok().map(Number);
        Some(RivalLine { model, kappa, everybody, utilities: then, mean_gain })
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
    tolerance: f64,
) -> Certificate {
    let now = &table.utilities[row];
    let stated: Vec<(f64, f64)> = now.iter().map(with_margin).collect();
    let utilities: Vec<f64> = stated.iter().map(|(utility, _)| *utility).collect();
    let witness = |rival: usize, coalition: Vec<usize>| Witness {
        gains: coalition.iter().map(|&i| gain(&now[i], &table.utilities[rival][i])).collect(),
        coalition,
        rival: Rival::Row(table.models[rival].clone()),
    };
    let deviation = found.deviation.as_ref();
    let improvement = found.improvement.map(|rival| witness(rival, (0..now.len()).collect()));
    let assumption = |statement: &str, status, detail: &str| Assumption {
        statement: statement.to_owned(),
        status,
        detail: detail.to_owned(),
    };
    Certificate {
        format: CERTIFICATE_FORMAT.to_owned(),
        version: CERTIFICATE_VERSION,
        claim: claim(found, tolerance),
        agents: (0..utilities.len())
            .map(|k| AgentStatement {
                name: table.agents[k].clone(),
                samples: 0,
                weight: float(&weights[k]),
                ceiling: None,
                utility: utilities[k],
                margin: stated[k].1,
            })
            .collect(),
        subject: Subject::Table { incumbent: table.models[row].clone() },
        witness: deviation.map(|(rival, coalition)| witness(*rival, coalition.clone())),
        improvement,
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

/// The verdict by the strict rule; with a tolerance, by the intervals.
fn claim(found: &TableAudit, tolerance: f64) -> Claim {
    let exact = |factor: &Kappa<BigRational>| match factor {
        Kappa::Finite(value) => rounded(Some(value)),
        Kappa::Infinite => rounded(None),
    };
    let (kappa, everybody) = (exact(&found.kappa), exact(&found.everybody));
    let verdict = if tolerance > 0.0 {
        Verdict::judge(kappa, everybody, tolerance)
    } else if found.deviation.is_some() {
        Verdict::Blocked
    } else if found.improvement.is_some() {
        Verdict::Improvable
    } else {
        Verdict::Stable
    };
    Claim { verdict, kappa, everybody, tolerance }
}

/// A gain rounded down, so that it is not overstated.
fn gain(now: &BigRational, then: &BigRational) -> Number {
    if now.is_positive() { rounded(Some(&(then / now))).lo } else { Number(f64::INFINITY) }
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
    let weights: Vec<f64> = answer.agents.iter().map(|agent| agent.weight).collect();
    let rival = |line: &DeviationLine| line.rival.as_str().unwrap_or_default().to_owned();
    let verdict = match (&answer.deviation, &answer.improvement) {
        (Some(deviation), _) => {
            let place = |name: &String| answer.agents.iter().position(|a| a.name == name);
            let members: Vec<usize> = deviation.coalition.iter().filter_map(place).collect();
            let said = words::blocked(&weights, &members, deviation);
            format!("{said} (with `{}`)", rival(deviation))
        }
        (None, Some(better)) => format!(
            "improvable: no group gains by leaving for a listed rival, but `{}` is better for \
             everybody (x{:.4})",
            rival(better),
            answer.everybody.lo.0
        ),
        (None, None) => format!(
            "{}: with none of the {rivals} listed rivals does a group do better than `{}` by more than \
             its share allows",
            answer.verdict, answer.incumbent
        ),
    };
    let tolerance = if answer.tolerance > 0.0 {
        format!(", tolerance {}", corefed_report::words::percent(answer.tolerance))
    } else {
        String::new()
    };
    format!(
        "{verdict}\nkappa {:.7}, everybody {:.7} (exact, against the listed rivals only{tolerance})\n",
        answer.kappa.lo.0, answer.everybody.lo.0
    )
}
