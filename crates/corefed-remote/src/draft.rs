//! The evidence of an audit as a document for agents to attest: only what the proof uses.

use std::collections::{BTreeMap, BTreeSet};

use corefed_core::linalg::norm_l2;
use corefed_core::{
    ATTESTED_FORMAT, AgreedModel, Assumption, Attestation, AttestedCertificate, AttestedEvidence,
    AttestedWitness, Claim, Leaf, LeafGradient, Party, Rival, Status, Tangent, TangentConflict,
    TangentHopeless, Terms, Witness, attested_version,
};

use crate::audit::Audit;
use crate::bundle::{Bundle, Known};
use crate::case::Case;
use crate::setup::Setup;

/// How well a number is known, relative to its size or to one: sums differ by their order.
const MARGIN: f64 = 1e-12;

/// Writes down what an audit found, unsigned.
pub(crate) fn draft(
    setup: &Setup,
    case: &Case,
    bundle: &Bundle,
    audit: &Audit,
) -> AttestedCertificate {
    let mut book = Book { bundle, places: vec![audit.theta], leaves: BTreeMap::new() };
    for agent in (0..case.agents()).filter(|agent| !audit.absent.contains(agent)) {
        book.use_loss(agent, audit.theta);
    }
    let witness = audit.best.witness(&audit.now).and_then(|found| book.witness(&found));
    let improvement = audit.best.improvement(&audit.now).and_then(|found| book.witness(&found));
    let evidence = if audit.bounded && audit.best.kappa.is_finite() {
        let conflicts = audit.conflicts().into_iter().map(|conflict| TangentConflict {
            tangents: book.tangents(&conflict.tangents),
            bound: conflict.bound,
        });
        let conflicts = conflicts.collect();
        let hopeless = audit.hopeless.iter().map(|hopeless| TangentHopeless {
            agent: hopeless.agent,
            tangents: book.tangents(&hopeless.tangents),
        });
        AttestedEvidence::Tangents { conflicts, hopeless: hopeless.collect() }
    } else {
        AttestedEvidence::Unbounded
    };
    let predictor = setup.predictor.with_parameters(bundle.point(audit.theta).to_vec());
    let agents = setup.agents.iter().zip(&case.ceilings).map(|(agent, &ceiling)| Party {
        name: agent.name.clone(),
        weight: agent.weight,
        ceiling,
        policy: agent.ceiling.policy(),
        key: None,
    });
    let agents = agents.collect();
    let attestations = (0..case.agents()).map(|agent| book.attestation(agent, setup, audit));
    let attestations = attestations.collect();
    AttestedCertificate {
        format: ATTESTED_FORMAT.to_owned(),
        version: attested_version(&setup.predictor),
        claim: Claim {
            verdict: audit.factors.verdict(case.accuracy.tolerance()),
            kappa: audit.factors.kappa,
            everybody: audit.factors.everybody,
            tolerance: case.accuracy.tolerance(),
        },
        terms: Terms { predictor, agents, tolerance: case.accuracy.tolerance() },
        points: book.places.iter().map(|&place| bundle.point(place).to_vec()).collect(),
        attestations,
        witness,
        improvement,
        evidence,
        assumptions: assumptions(setup),
    }
}

/// Which answers the document uses, while it is written.
struct Book<'a> {
    bundle: &'a Bundle,
    /// Points in the order of their first use.
    places: Vec<usize>,
    /// By agent: places, and whether the gradient there is used.
    leaves: BTreeMap<usize, BTreeMap<usize, bool>>,
}

impl Book<'_> {
    /// The number of a place among the points of the document.
    fn number(&mut self, place: usize) -> usize {
        self.places.iter().position(|&known| known == place).unwrap_or_else(|| {
            self.places.push(place);
            self.places.len() - 1
        })
    }

    fn use_loss(&mut self, agent: usize, place: usize) {
        let point = self.number(place);
        self.leaves.entry(agent).or_default().entry(point).or_insert(false);
    }

    fn tangents(&mut self, tangents: &[Tangent]) -> Vec<Tangent> {
        let numbered = tangents.iter().map(|tangent| {
            let point = self.number(tangent.point);
            self.leaves.entry(tangent.agent).or_default().insert(point, true);
            Tangent { point, ..*tangent }
        });
        numbered.collect()
    }

    fn witness(&mut self, found: &Witness) -> Option<AttestedWitness> {
        let Rival::Parameters(rival) = &found.rival else { return None };
        let place = self.bundle.place(rival)?;
        for &agent in &found.coalition {
            self.use_loss(agent, place);
        }
        let (coalition, gains) = (found.coalition.clone(), found.gains.clone());
        Some(AttestedWitness { coalition, gains, point: self.number(place) })
    }

    fn attestation(&self, agent: usize, setup: &Setup, audit: &Audit) -> Attestation {
        let used: BTreeSet<(usize, bool)> = self
            .leaves
            .get(&agent)
            .into_iter()
            .flatten()
            .map(|(&point, &gradient)| (point, gradient))
            .collect();
        let leaf = |(point, gradient): (usize, bool)| {
            let known = self.bundle.at(agent, self.places[point])?;
            Some(leaf(point, known, gradient))
        };
        let absent = audit.absent.contains(&agent);
        Attestation {
            samples: if absent { 0 } else { setup.agents[agent].samples },
            rows: None,
            leaves: used.into_iter().filter_map(leaf).collect(),
            worst_loss: None,
            signature: None,
        }
    }
}

fn leaf(point: usize, known: &Known, gradient: bool) -> Leaf {
    let size = known.scale.max(1.0);
    let gradient = known.gradient.as_ref().filter(|_| gradient).map(|values| LeafGradient {
        values: values.clone(),
        margin: MARGIN * size.max(norm_l2(values)),
    });
    Leaf { point, loss: known.loss, margin: MARGIN * size.max(known.loss.abs()), gradient }
}

fn assumptions(setup: &Setup) -> Vec<Assumption> {
    let (status, detail) = match &setup.predictor {
        AgreedModel::Known(predictor) => {
            (Status::Checked, format!("by the form of the {} model with l2 >= 0", predictor.family))
        }
        AgreedModel::Own(own) => (
            Status::Assumed,
            format!(
                "the agents claim it of their own model `{}`; only the points that they answered are checked",
                own.own
            ),
        ),
    };
    vec![
        Assumption::new(Assumption::CONVEX, status, detail),
        Assumption::new(
            "every agent's answers are about rows of its own",
            Status::Assumed,
            "a bound on a coalition uses answers of its members only, so it holds for members who told the truth",
        ),
        Assumption::truthful("ceilings"),
    ]
}
