//! The audit of one row of a table of utilities against all others, in exact arithmetic.

use std::path::Path;
use std::time::Instant;

use corefed_audit::{TableAudit, audit_table_while};
use corefed_core::{
    AgentStatement, Assumption, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim,
    Digests, Evidence, Factors, Kappa, Number, Rival, Status, Subject, Verdict, Weights, Witness,
    digest_numbers, ratio_bound, scan,
};
use corefed_data::{Sign, Table, UtilityTable, exact_agent_values};
use corefed_documents::{AgentLine, AuditDocument, DeviationLine, RivalLine, Scope};
use corefed_spec::WeightsBy;
use corefed_verify::{rounded, with_margin};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use serde_json::Value;

use crate::audit::gains;
use crate::{GivenError, Limits, RunError};

/// Audits the row `incumbent` of a table of utilities. There is no interval to end with when the time is up: a
/// table is read whole or not at all.
pub fn audit_table(
    file: &Path,
    incumbent: &str,
    weights: Option<&WeightsBy>,
    limits: Limits,
) -> Result<(AuditDocument, Certificate), RunError> {
    let begin = Instant::now();
    audit_within(&UtilityTable::read(file)?, incumbent, weights, limits, begin)
}

/// The same of a table that was read, with the time since `begin` counted.
pub(crate) fn audit_within(
    table: &UtilityTable,
    incumbent: &str,
    weights: Option<&WeightsBy>,
    limits: Limits,
    begin: Instant,
) -> Result<(AuditDocument, Certificate), RunError> {
    let row = table.incumbent(incumbent)?;
    if table.models.len() < 2 {
        let (file, incumbent) = (table.file.clone(), incumbent.to_owned());
        return Err(GivenError::NoRivals { file, incumbent }.into());
    }
    let weights = exact_weights(weights, table)?;
    check_floats(table)?;
    let go_on = || begin.elapsed().as_secs_f64() < limits.time_limit;
    let Some(found) = audit_table_while(&table.utilities, row, &weights, go_on) else {
        let (rivals, seconds) = (table.models.len() - 1, limits.time_limit);
        return Err(GivenError::TimeLimit { file: table.file.clone(), rivals, seconds }.into());
    };
    Ok(written(table, row, &weights, &found, limits.tolerance))
}

/// Refuses utilities that a certificate, which holds floating-point numbers, could not state: something would
/// become nothing, or have no end.
fn check_floats(table: &UtilityTable) -> Result<(), GivenError> {
    let stated = |value: &BigRational| value.is_zero() || float(value).is_normal();
    for (row, utilities) in table.utilities.iter().enumerate() {
        if let Some(agent) = utilities.iter().position(|value| !stated(value)) {
            let (file, model) = (table.file.clone(), table.models[row].clone());
            return Err(GivenError::NoFloat { file, model, agent: table.agents[agent].clone() });
        }
    }
    Ok(())
}

/// Audits one row of a table that has others.
pub(crate) fn audit_utilities(
    table: &UtilityTable,
    row: usize,
    weights: &[BigRational],
    tolerance: f64,
) -> (AuditDocument, Certificate) {
    let found = corefed_audit::audit_table(&table.utilities, row, weights);
    written(table, row, weights, &found, tolerance)
}

/// What was found, as documents.
fn written(
    table: &UtilityTable,
    row: usize,
    weights: &[BigRational],
    found: &TableAudit,
    tolerance: f64,
) -> (AuditDocument, Certificate) {
    let certificate = certificate(table, row, weights, found, tolerance);
    let told = |verdict: Verdict, witness: &Option<Witness>| {
        let witness = witness.as_ref().filter(|_| certificate.claim.verdict == verdict);
        witness.map(|witness| line(table, witness))
    };
    let agent = |agent: &AgentStatement| AgentLine {
        name: agent.name.clone(),
        samples: None,
        weight: agent.weight,
        ceiling: None,
        loss: None,
        utility: agent.utility,
        alone: None,
    };
    let Claim { verdict, kappa, everybody, .. } = certificate.claim;
    let agents = certificate.agents.iter().map(agent).collect();
    let audit = AuditDocument {
        file: Some(table.file.clone()),
        incumbent: Some(table.models[row].clone()),
        // Without a tolerance the strict rule decides, on exact numbers.
        verdict,
        deviation: told(Verdict::Blocked, &certificate.witness),
        improvement: told(Verdict::Improvable, &certificate.improvement),
        rivals: rivals(table, row, &certificate.agents),
        assumptions: certificate.assumptions.clone(),
        ..AuditDocument::new(Scope::Listed, Factors { kappa, everybody }, tolerance, agents)
    };
    (audit, certificate)
}

/// How each rival does against the incumbent, rounded for reading.
fn rivals(table: &UtilityTable, incumbent: usize, agents: &[AgentStatement]) -> Vec<RivalLine> {
    let now: Vec<f64> = agents.iter().map(|agent| agent.utility).collect();
    let weights = Weights::new(agents.iter().map(|agent| agent.weight).collect());
    let line = |(row, model): (usize, &String)| {
        let then: Vec<f64> = table.utilities[row].iter().map(float).collect();
        let weights = weights.as_ref().ok()?;
        let found = scan(&now, &then, weights.values(), &weights.total());
        let (kappa, everybody) = (Number(found.kappa.value()), Number(found.everybody.value()));
        let mean_gain = ratio_bound(&now, &then, weights).ok().map(Number);
        let (model, utilities) = (model.clone(), then.into_iter().map(Some).collect());
        Some(RivalLine { model, kappa, everybody, utilities, mean_gain })
    };
    let rows = table.models.iter().enumerate().filter(|(row, _)| *row != incumbent);
    rows.filter_map(line).collect()
}

pub(crate) fn float(value: &BigRational) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// Weights of a table, which does not know how many samples there are.
pub(crate) fn exact_weights(
    weights: Option<&WeightsBy>,
    table: &UtilityTable,
) -> Result<Vec<BigRational>, RunError> {
    table_weights(weights, &table.agents, None)
}

/// Weights as exact numbers. Only their ratios matter, so fractions are cleared: integers survive
/// the certificate's `f64` unchanged, and ties stay ties.
pub fn table_weights(
    weights: Option<&WeightsBy>,
    agents: &[String],
    samples: Option<&[usize]>,
) -> Result<Vec<BigRational>, RunError> {
    let path = match (weights, samples) {
        (None | Some(WeightsBy::Equal), _) => return Ok(vec![BigRational::one(); agents.len()]),
        (Some(WeightsBy::Samples), Some(samples)) => {
            let integer = |count: &usize| BigRational::from_integer(BigInt::from(*count));
            return Ok(samples.iter().map(integer).collect());
        }
        (Some(WeightsBy::Samples), None) => return Err(GivenError::NoSamples.into()),
        (Some(WeightsBy::File(path)), _) => path,
    };
    let names = agents.iter().map(String::as_str);
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
            Assumption::new(
                "utilities are those of the table",
                Status::Assumed,
                "they are not recomputed from data",
            ),
            Assumption::new(
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
    let (blocks, improves) = (found.deviation.is_some(), found.improvement.is_some());
    let factors = Factors { kappa, everybody };
    let verdict = factors.strict_verdict(blocks, improves, tolerance);
    Claim { verdict, kappa, everybody, tolerance }
}

/// A gain rounded down, so that it is not overstated.
fn gain(now: &BigRational, then: &BigRational) -> Number {
    if now.is_positive() { rounded(Some(&(then / now))).lo } else { Number(f64::INFINITY) }
}

fn line(table: &UtilityTable, witness: &Witness) -> DeviationLine {
    let coalition: Vec<String> =
        witness.coalition.iter().map(|&agent| table.agents[agent].clone()).collect();
    let gains = gains(&coalition, &witness.gains);
    let rival = match &witness.rival {
        Rival::Row(name) => Value::from(name.as_str()),
        Rival::Parameters(_) => Value::Null,
    };
    DeviationLine { rival, round: None, coalition, gains }
}
