//! Which of several models? Those that nobody can veto, with a certificate, and one of them.

use std::path::Path;

use corefed_audit::{Assembly, Ballots, Standing};
use corefed_core::{
    Fraction, Prefer, VETO_FORMAT, VETO_VERSION, VetoAgent, VetoCertificate, VetoEvidence,
    VetoFlow, VetoModel,
};
use corefed_data::UtilityTable;
use corefed_documents::{Choice, ChoiceLine, ChoosingAgent, VetoLine};
use corefed_spec::WeightsBy;
use corefed_verify::{ListedUtilities, check_veto_table};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use crate::table::{exact_weights, float};
use crate::{GivenError, RunError};

/// Every model is compared with every other by every agent; beyond this many comparisons the answer would take
/// minutes, and a gigabyte.
const MOST_COMPARISONS: usize = 25_000_000;

/// An answer and its proof.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// For people.
    pub choice: Choice,
    /// For anybody who does not trust it.
    pub certificate: VetoCertificate,
}

/// Decides for every row of a table whether somebody can veto it, and picks one that nobody can
/// (ledger E60, E61).
///
/// With `group`, a column of the table, every group of models counts the same: copies of a model, or many
/// checkpoints of one training, do not make it more. The certificate is checked before it is returned.
pub fn choose(
    file: &Path,
    group: Option<&str>,
    prefer: Prefer,
    weights: Option<&WeightsBy>,
) -> Result<Chosen, RunError> {
    let table = UtilityTable::read_grouped(file, group)?;
    let weights = exact_weights(weights, &table)?;
    choose_among(&table, group, prefer, &weights)
}

/// The same for a table that was read already, with positive weights.
pub fn choose_among(
    table: &UtilityTable,
    group: Option<&str>,
    prefer: Prefer,
    weights: &[BigRational],
) -> Result<Chosen, RunError> {
    let (models, agents) = (table.models.len(), table.agents.len());
    if models < 2 {
        return Err(GivenError::OneModel { file: table.file.clone() }.into());
    }
    if models * models * agents > MOST_COMPARISONS {
        let file = table.file.clone();
        return Err(GivenError::ManyModels { file, models, agents }.into());
    }
    let ballots = Ballots::new(&table.utilities, prefer);
    let assembly = Assembly::new(ballots, weights, &measures(table));
    let standings = assembly.standings();
    let certificate = certificate(table, group, prefer, &assembly, &standings);
    let listed = ListedUtilities {
        models: &table.models,
        agents: &table.agents,
        utilities: &table.utilities,
        digest: &table.digest,
    };
    check_veto_table(&certificate, &listed, table.groups.as_deref())?;
    let named = |names: &[String], at: &[usize]| -> Vec<String> {
        at.iter().map(|&k| names[k].clone()).collect()
    };
    let line = |(row, standing): (usize, &Standing)| ChoiceLine {
        model: table.models[row].clone(),
        measure: float(&assembly.measure(row)),
        veto: match standing {
            Standing::Kept(_) => None,
            Standing::Vetoed { coalition, better } => Some(VetoLine {
                coalition: named(&table.agents, coalition),
                better: named(&table.models, better),
            }),
        },
        values: table.utilities[row].iter().map(float).collect(),
    };
    let agent = |(k, name): (usize, &String)| ChoosingAgent {
        name: name.clone(),
        share: float(&assembly.share(k)),
    };
    let choice = Choice {
        file: table.file.clone(),
        prefer,
        group: group.map(str::to_owned),
        agents: table.agents.iter().enumerate().map(agent).collect(),
        models: standings.iter().enumerate().map(line).collect(),
        chosen: named(&table.models, &assembly.choose()),
    };
    Ok(Chosen { choice, certificate })
}

/// One for every group, divided equally among its models.
fn measures(table: &UtilityTable) -> Vec<BigRational> {
    let Some(groups) = &table.groups else {
        return vec![BigRational::one(); table.models.len()];
    };
    let size = |own: &String| groups.iter().filter(|group| *group == own).count();
    groups.iter().map(|group| BigRational::new(BigInt::one(), BigInt::from(size(group)))).collect()
}

fn certificate(
    table: &UtilityTable,
    group: Option<&str>,
    prefer: Prefer,
    assembly: &Assembly,
    standings: &[Standing],
) -> VetoCertificate {
    let agent = |(k, name): (usize, &String)| VetoAgent {
        name: name.clone(),
        share: Fraction(assembly.share(k)),
    };
    let model = |(row, standing): (usize, &Standing)| VetoModel {
        name: table.models[row].clone(),
        measure: Fraction(assembly.measure(row)),
        evidence: match standing {
            Standing::Kept(parts) => VetoEvidence::Kept {
                flow: parts
                    .iter()
                    .map(|(agent, model, amount)| VetoFlow {
                        agent: *agent,
                        model: *model,
                        amount: Fraction(amount.clone()),
                    })
                    .collect(),
            },
            Standing::Vetoed { coalition, better } => {
                VetoEvidence::Vetoed { coalition: coalition.clone(), better: better.clone() }
            }
        },
    };
    VetoCertificate {
        format: VETO_FORMAT.to_owned(),
        version: VETO_VERSION,
        prefer,
        group: group.map(str::to_owned),
        agents: table.agents.iter().enumerate().map(agent).collect(),
        models: standings.iter().enumerate().map(model).collect(),
        table: table.digest.clone(),
    }
}
