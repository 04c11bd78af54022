//! The check of a certificate about a choice: additions and comparisons, nothing else.

use std::collections::BTreeSet;

use corefed_core::{
    Fraction, Prefer, VETO_FORMAT, VETO_VERSION, VetoCertificate, VetoEvidence, VetoFlow,
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::{Checked, ListedUtilities, VerifyError};

/// Checks a certificate about a choice against itself.
///
/// Shares and measures sum to one, every kept model has a flow that spends each share within the
/// measures, and every veto is large enough. Whether agents prefer what is said is left to
/// [`check_veto_table`].
pub fn check_veto(certificate: &VetoCertificate) -> Result<Checked, VerifyError> {
    let mut checked = against_itself(certificate)?;
    checked.skip("preferences were not compared: no table was given");
    Ok(checked)
}

/// Checks a certificate about a choice against itself and its table (ledger E60); `groups` are the
/// cells of the column that the certificate groups models by.
pub fn check_veto_table(
    certificate: &VetoCertificate,
    table: &ListedUtilities<'_>,
    groups: Option<&[String]>,
) -> Result<Checked, VerifyError> {
    let mut checked = against_itself(certificate)?;
    if certificate.table != table.digest {
        let (stated, present) = (certificate.table.clone(), table.digest.to_owned());
        return Err(VerifyError::Stale { stated, present });
    }
    checked.pass("the table is the file the certificate was issued for");
    same_names(certificate, table)?;
    checked.pass("agents and models are those of the table, all of them and in its order");
    check_measures(certificate, groups)?;
    checked.pass(match groups {
        Some(_) => "every group has the same measure, divided equally among its models",
        None => "every model has the same measure",
    });
    let prefers = |agent: usize, model: usize, to: usize| {
        let (value, other) = (&table.utilities[model][agent], &table.utilities[to][agent]);
        match certificate.prefer {
            Prefer::Larger => value > other,
            Prefer::Smaller => value < other,
        }
    };
    for (at, model) in certificate.models.iter().enumerate() {
        let wrong = |agent: usize, other: usize, prefers| VerifyError::Preference {
            agent: certificate.agents[agent].name.clone(),
            model: certificate.models[other].name.clone(),
            to: model.name.clone(),
            prefers,
        };
        match &model.evidence {
            VetoEvidence::Kept { flow } => {
                let bad = flow.iter().find(|part| prefers(part.agent, part.model, at));
                if let Some(part) = bad {
                    return Err(wrong(part.agent, part.model, true));
                }
            }
            VetoEvidence::Vetoed { coalition, better } => {
                for (&agent, &other) in
                    coalition.iter().flat_map(|agent| better.iter().map(move |b| (agent, b)))
                {
                    if !prefers(agent, other, at) {
                        return Err(wrong(agent, other, false));
                    }
                }
            }
        }
    }
    checked.pass("no share is spent on a model that its agent prefers");
    checked.pass("every member of a coalition that vetoes prefers every model it is said to");
    Ok(checked)
}

fn against_itself(certificate: &VetoCertificate) -> Result<Checked, VerifyError> {
    let mut checked = Checked::default();
    if certificate.format != VETO_FORMAT {
        return Err(VerifyError::Format { found: Some(certificate.format.clone()) });
    }
    if certificate.version != VETO_VERSION {
        let found = certificate.version.to_string();
        return Err(VerifyError::Version { found, supported: VETO_VERSION });
    }
    let agents = certificate.agents.iter().map(|agent| (agent.name.as_str(), &agent.share));
    sums_to_one("agents", "share", agents)?;
    let models = certificate.models.iter().map(|model| (model.name.as_str(), &model.measure));
    sums_to_one("models", "measure", models)?;
    checked.pass("shares of agents and measures of models are positive and sum to one");
    for (at, model) in certificate.models.iter().enumerate() {
        match &model.evidence {
            VetoEvidence::Kept { flow } => check_flow(certificate, at, flow)?,
            VetoEvidence::Vetoed { coalition, better } => {
                check_coalition(certificate, at, coalition, better)?;
            }
        }
    }
    checked.pass("every model has its evidence: each share spent in full and within the measures, or a coalition whose share and better models sum to more than one");
    checked.skip("shares are a choice: the claim holds for those stated");
    Ok(checked)
}

/// Names are distinct, and the fractions positive with the sum one.
fn sums_to_one<'a>(
    list: &str,
    what: &str,
    named: impl Iterator<Item = (&'a str, &'a Fraction)>,
) -> Result<(), VerifyError> {
    let (mut names, mut sum) = (BTreeSet::new(), BigRational::zero());
    for (at, (name, fraction)) in named.enumerate() {
        if name.is_empty() {
            return Err(VerifyError::Missing { field: format!("{list}[{at}].name") });
        }
        if !names.insert(name) {
            return Err(VerifyError::Twice { list: list.to_owned(), name: name.to_owned() });
        }
        if !fraction.0.is_positive() {
            let field = format!("{list}[{at}].{what}");
            return Err(VerifyError::Fraction { field, value: fraction.0.to_string() });
        }
        sum += &fraction.0;
    }
    if !sum.is_one() {
        let field = format!("the sum of `{what}` over `{list}`");
        return Err(VerifyError::Sum { field, found: sum.to_string(), must: "1".to_owned() });
    }
    Ok(())
}

/// Each agent spends its share, and nothing takes more than its measure.
fn check_flow(
    certificate: &VetoCertificate,
    at: usize,
    flow: &[VetoFlow],
) -> Result<(), VerifyError> {
    let field = || format!("models[{at}].evidence.flow");
    let mut spent = vec![BigRational::zero(); certificate.agents.len()];
    let mut taken = vec![BigRational::zero(); certificate.models.len()];
    for part in flow {
        let (Some(spent), Some(taken)) = (spent.get_mut(part.agent), taken.get_mut(part.model))
        else {
            return Err(VerifyError::Index { field: field() });
        };
        if !part.amount.0.is_positive() {
            let value = part.amount.0.to_string();
            return Err(VerifyError::Fraction { field: field(), value });
        }
        *spent += &part.amount.0;
        *taken += &part.amount.0;
    }
    for (agent, spent) in certificate.agents.iter().zip(spent) {
        if spent != agent.share.0 {
            let field = format!("what `{}` spends in `{}`", agent.name, field());
            let (found, must) = (spent.to_string(), agent.share.0.to_string());
            return Err(VerifyError::Sum { field, found, must });
        }
    }
    for (model, taken) in certificate.models.iter().zip(taken) {
        if taken > model.measure.0 {
            let field = format!("what is spent on `{}` in `{}`", model.name, field());
            let (found, must) = (taken.to_string(), format!("at most {}", model.measure.0));
            return Err(VerifyError::Sum { field, found, must });
        }
    }
    Ok(())
}

/// A coalition's share and the measure of its better models sum to more than one.
fn check_coalition(
    certificate: &VetoCertificate,
    at: usize,
    coalition: &[usize],
    better: &[usize],
) -> Result<(), VerifyError> {
    let ascending = |list: &[usize], below: usize| {
        !list.is_empty() && list.windows(2).all(|w| w[0] < w[1]) && list.iter().all(|&i| i < below)
    };
    for (name, list, below) in [
        ("coalition", coalition, certificate.agents.len()),
        ("better", better, certificate.models.len()),
    ] {
        if !ascending(list, below) {
            return Err(VerifyError::Index { field: format!("models[{at}].evidence.{name}") });
        }
    }
    let share: BigRational = coalition.iter().map(|&i| &certificate.agents[i].share.0).sum();
    let measure: BigRational = better.iter().map(|&b| &certificate.models[b].measure.0).sum();
    let sum = share + measure;
    if sum <= BigRational::one() {
        let model = certificate.models[at].name.clone();
        return Err(VerifyError::NoVeto { model, sum: sum.to_string() });
    }
    Ok(())
}

/// Measures are not free: equal by group, and equal within one.
fn check_measures(
    certificate: &VetoCertificate,
    groups: Option<&[String]>,
) -> Result<(), VerifyError> {
    let count = |of: usize| BigRational::from_integer(BigInt::from(of));
    let all = groups.map(|groups| groups.iter().collect::<BTreeSet<_>>().len());
    for (at, model) in certificate.models.iter().enumerate() {
        let parts = match (groups, all) {
            (Some(groups), Some(all)) => {
                let own = groups.get(at);
                count(all) * count(groups.iter().filter(|group| Some(*group) == own).count())
            }
            _ => count(certificate.models.len()),
        };
        let must = BigRational::one() / parts;
        if model.measure.0 != must {
            let field = format!("`models[{at}].measure`");
            let (found, must) = (model.measure.0.to_string(), must.to_string());
            return Err(VerifyError::Sum { field, found, must });
        }
    }
    Ok(())
}

fn same_names(
    certificate: &VetoCertificate,
    table: &ListedUtilities<'_>,
) -> Result<(), VerifyError> {
    let length = |field: &str, expected: usize, found: usize| {
        if expected == found {
            return Ok(());
        }
        Err(VerifyError::Length { field: field.to_owned(), expected, found })
    };
    length("agents", table.agents.len(), certificate.agents.len())?;
    length("models", table.models.len(), certificate.models.len())?;
    length("rows of the table", table.models.len(), table.utilities.len())?;
    for row in table.utilities {
        length("a row of the table", table.agents.len(), row.len())?;
    }
    for (agent, (stated, present)) in certificate.agents.iter().zip(table.agents).enumerate() {
        if stated.name != *present {
            let (stated, present) = (stated.name.clone(), present.clone());
            return Err(VerifyError::AgentName { agent, stated, present });
        }
    }
    match certificate.models.iter().zip(table.models).find(|(stated, row)| stated.name != **row) {
        Some((stated, _)) => {
            Err(VerifyError::UnknownRow { field: "models".to_owned(), row: stated.name.clone() })
        }
        None => Ok(()),
    }
}
