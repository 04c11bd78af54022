//! Certificates of every kind of evidence are read back as they were written, to the last bit.

use corefed_core::{
    ATTESTED_FORMAT, AgentStatement, AgreedModel, Assumption, Attestation, AttestedCertificate,
    AttestedEvidence, AttestedWitness, CERTIFICATE_FORMAT, CERTIFICATE_VERSION, Certificate, Claim,
    Conflict, DateColumn, DateUse, Digests, Encoding, Evidence, Family, Feature, Fraction,
    Hopeless, Intake, KappaInterval, Leaf, LeafGradient, Number, OwnModel, Party, Predictor,
    Prefer, Rival, Status, Subject, Tangent, TangentConflict, TangentHopeless, TargetScale, Terms,
    UsedRows, VETO_FORMAT, VETO_VERSION, Verdict, VetoAgent, VetoCertificate, VetoEvidence,
    VetoFlow, VetoModel, Witness, WorstLoss, attested_version,
};
use corefed_verify::{AnyCertificate, parse, parse_any};
use num_rational::BigRational;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Any finite number, tiny and huge ones included.
fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_map(|x| if x.is_finite() { x } else { 0.1 + 0.2 })
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    vec(finite(), 0..3)
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![finite(), Just(f64::INFINITY), Just(f64::NEG_INFINITY)].prop_map(Number)
}

fn interval() -> impl Strategy<Value = KappaInterval> {
    (number(), number()).prop_map(|(lo, hi)| KappaInterval { lo, hi })
}

fn claim() -> impl Strategy<Value = Claim> {
    use Verdict::{Blocked, Improvable, Stable, Undecided};
    let verdict = select(vec![Stable, Blocked, Improvable, Undecided]);
    (verdict, interval(), interval(), finite()).prop_map(
        |(verdict, kappa, everybody, tolerance)| Claim { verdict, kappa, everybody, tolerance },
    )
}

fn assumptions() -> impl Strategy<Value = Vec<Assumption>> {
    let status = select(vec![Status::Checked, Status::Assumed, Status::Violated]);
    let one = (".*", status, ".*").prop_map(|(statement, status, detail)| Assumption {
        statement,
        status,
        detail,
    });
    vec(one, 0..3)
}

fn feature() -> impl Strategy<Value = Feature> {
    prop_oneof![
        (".*", finite(), finite(), option::of(finite())).prop_map(
            |(column, mean, scale, missing)| Feature::Numeric { column, mean, scale, missing }
        ),
        (".*", ".*").prop_map(|(column, level)| Feature::Level { column, level }),
        Just(Feature::Intercept),
    ]
}

fn intake() -> impl Strategy<Value = Intake> {
    let date = (".*", select(vec![DateUse::Days, DateUse::Parts]))
        .prop_map(|(column, becomes)| DateColumn { column, becomes });
    let rows = select(vec![UsedRows::All, UsedRows::Labelled, UsedRows::Complete]);
    (vec(".*", 0..2), vec(date, 0..2), rows).prop_map(|(na, dates, rows)| Intake {
        na,
        dates,
        rows,
        ..Intake::default()
    })
}

prop_compose! {
    fn predictor()(
        family in select(Family::ALL.to_vec()),
        (l2, radius, parameters) in (finite(), finite(), numbers()),
        (agent_column, target_column, exposure_column) in (".*", ".*", option::of(".*")),
        (classes, features, intake) in (vec(".*", 0..3), vec(feature(), 0..4), intake()),
        scale in option::of((finite(), finite())),
    ) -> Predictor {
        let target_scale = scale.map(|(mean, scale)| TargetScale { mean, scale });
        let encoding = Encoding {
            agent_column,
            target_column,
            exposure_column,
            classes,
            target_scale,
            intake,
            features,
        };
        Predictor { family, l2, radius, encoding, parameters }
    }
}

fn witness() -> impl Strategy<Value = Witness> {
    let rival = prop_oneof![numbers().prop_map(Rival::Parameters), ".*".prop_map(Rival::Row)];
    (vec(0_usize..9, 0..3), vec(number(), 0..3), rival)
        .prop_map(|(coalition, gains, rival)| Witness { coalition, gains, rival })
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let worst = (finite(), option::of(finite()))
        .prop_map(|(bound, multiplier)| WorstLoss { bound, multiplier });
    let correction = || option::of(numbers());
    let sphere = || option::of(finite());
    let conflict = (vec(0_usize..9, 0..3), numbers(), numbers(), correction(), finite(), sphere())
        .prop_map(|(agents, multipliers, point, correction, bound, sphere)| Conflict {
            agents,
            multipliers,
            point,
            correction,
            bound,
            sphere,
        });
    let hopeless = (0_usize..9, numbers(), correction(), sphere()).prop_map(
        |(agent, point, correction, sphere)| Hopeless { agent, point, correction, sphere },
    );
    prop_oneof![
        (finite(), vec(worst, 0..3))
            .prop_map(|(gap, worst_losses)| Evidence::FrankWolfe { gap, worst_losses }),
        (vec(conflict, 0..3), vec(hopeless, 0..2))
            .prop_map(|(conflicts, hopeless)| Evidence::Conflicts { conflicts, hopeless }),
        Just(Evidence::Headroom),
        Just(Evidence::Listed),
        Just(Evidence::Unbounded),
    ]
}

prop_compose! {
    fn certificate()(
        claim in claim(),
        agents in vec((".*", 0_usize..9, finite(), option::of(finite()), finite(), finite()), 0..4),
        subject in prop_oneof![
            predictor().prop_map(Subject::Predictor),
            ".*".prop_map(|incumbent| Subject::Table { incumbent }),
        ],
        (witness, improvement) in (option::of(witness()), option::of(witness())),
        evidence in evidence(),
        assumptions in assumptions(),
        (data, parameters) in (".*", ".*"),
    ) -> Certificate {
        let agent = |(name, samples, weight, ceiling, utility, margin)| AgentStatement {
            name,
            samples,
            weight,
            ceiling,
            utility,
            margin,
        };
        Certificate {
            format: CERTIFICATE_FORMAT.to_owned(),
            version: CERTIFICATE_VERSION,
            claim,
            agents: agents.into_iter().map(agent).collect(),
            subject,
            witness,
            improvement,
            evidence,
            assumptions,
            digests: Digests { data, parameters },
        }
    }
}

fn tangents() -> impl Strategy<Value = Vec<Tangent>> {
    let tangent = (0_usize..9, 0_usize..9, finite())
        .prop_map(|(agent, point, multiplier)| Tangent { agent, point, multiplier });
    vec(tangent, 0..3)
}

fn attested_evidence() -> impl Strategy<Value = AttestedEvidence> {
    let conflict =
        (tangents(), finite()).prop_map(|(tangents, bound)| TangentConflict { tangents, bound });
    let hopeless =
        (0_usize..9, tangents()).prop_map(|(agent, tangents)| TangentHopeless { agent, tangents });
    prop_oneof![
        (vec(conflict, 0..3), vec(hopeless, 0..2))
            .prop_map(|(conflicts, hopeless)| AttestedEvidence::Tangents { conflicts, hopeless }),
        finite().prop_map(|gap| AttestedEvidence::FrankWolfe { gap }),
        Just(AttestedEvidence::Headroom),
        Just(AttestedEvidence::Unbounded),
    ]
}

fn attestation() -> impl Strategy<Value = Attestation> {
    let gradient =
        (numbers(), finite()).prop_map(|(values, margin)| LeafGradient { values, margin });
    let leaf = (0_usize..9, finite(), finite(), option::of(gradient))
        .prop_map(|(point, loss, margin, gradient)| Leaf { point, loss, margin, gradient });
    let signed = (option::of(".*"), option::of(".*"));
    (0_usize..99, vec(leaf, 0..3), option::of(finite()), signed).prop_map(
        |(samples, leaves, worst_loss, (rows, signature))| Attestation {
            samples,
            rows,
            leaves,
            worst_loss,
            signature,
        },
    )
}

fn agreed() -> impl Strategy<Value = AgreedModel> {
    let own = (".*", finite(), finite(), numbers())
        .prop_map(|(own, l2, radius, parameters)| OwnModel { own, l2, radius, parameters });
    prop_oneof![predictor().prop_map(AgreedModel::Known), own.prop_map(AgreedModel::Own)]
}

prop_compose! {
    fn attested()(
        (claim, predictor, tolerance) in (claim(), agreed(), finite()),
        agents in vec((".*", finite(), finite(), ".*", option::of(".*")), 0..4),
        points in vec(numbers(), 0..3),
        attestations in vec(attestation(), 0..3),
        witnesses in vec((vec(0_usize..9, 0..3), vec(number(), 0..3), 0_usize..9), 0..3),
        (evidence, assumptions) in (attested_evidence(), assumptions()),
    ) -> AttestedCertificate {
        let party = |(name, weight, ceiling, policy, key)| {
            Party { name, weight, ceiling, policy, key }
        };
        let mut witnesses = witnesses.into_iter().map(|(coalition, gains, point)| {
            AttestedWitness { coalition, gains, point }
        });
        AttestedCertificate {
            format: ATTESTED_FORMAT.to_owned(),
            version: attested_version(&predictor),
            claim,
            terms: Terms { predictor, agents: agents.into_iter().map(party).collect(), tolerance },
            points,
            attestations,
            witness: witnesses.next(),
            improvement: witnesses.next(),
            evidence,
            assumptions,
        }
    }
}

fn fraction() -> impl Strategy<Value = Fraction> {
    (0_i64..i64::MAX, 1_i64..i64::MAX)
        .prop_map(|(top, bottom)| Fraction(BigRational::new(top.into(), bottom.into())))
}

prop_compose! {
    fn veto()(
        prefer in select(vec![Prefer::Larger, Prefer::Smaller]),
        (group, table) in (option::of(".*"), ".*"),
        agents in vec((".*", fraction()), 0..3),
        models in vec(
            (".*", fraction(), vec(0_usize..9, 0..3), vec((0_usize..9, 0_usize..9, fraction()), 0..3)),
            0..3,
        ),
        kept in any::<bool>(),
    ) -> VetoCertificate {
        let flow = |(agent, model, amount)| VetoFlow { agent, model, amount };
        let model = |(name, measure, coalition, flows): (String, Fraction, Vec<usize>, Vec<_>)| {
            let evidence = if kept {
                VetoEvidence::Kept { flow: flows.into_iter().map(flow).collect() }
            } else {
                VetoEvidence::Vetoed { better: coalition.clone(), coalition }
            };
            VetoModel { name, measure, evidence }
        };
        VetoCertificate {
            format: VETO_FORMAT.to_owned(),
            version: VETO_VERSION,
            prefer,
            group,
            agents: agents.into_iter().map(|(name, share)| VetoAgent { name, share }).collect(),
            models: models.into_iter().map(model).collect(),
            table,
        }
    }
}

proptest! {
    #[test]
    fn certificates_read_back(document in certificate()) {
        let text = serde_json::to_string_pretty(&document).unwrap();
        prop_assert_eq!(parse(&text).unwrap(), document.clone());
        prop_assert_eq!(parse_any(&text).unwrap(), AnyCertificate::Core(Box::new(document)));
    }

    #[test]
    fn attested_certificates_read_back(document in attested()) {
        let text = serde_json::to_string_pretty(&document).unwrap();
        prop_assert_eq!(parse_any(&text).unwrap(), AnyCertificate::Attested(Box::new(document)));
    }

    #[test]
    fn certificates_of_a_choice_read_back(document in veto()) {
        let text = serde_json::to_string_pretty(&document).unwrap();
        prop_assert_eq!(parse_any(&text).unwrap(), AnyCertificate::Veto(document));
    }
}
