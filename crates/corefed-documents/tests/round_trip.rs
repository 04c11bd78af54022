//! What is written is read back by the same type, to the last bit; what is not of a kind is refused.

use corefed_core::{Assumption, KappaInterval, Number, Status, Verdict};
use corefed_documents::{
    AgentLine, AuditDocument, BallLine, CeilingPoint, CeilingSearch, CoalitionLine, Coalitions,
    ComparedRun, Comparison, DeviationLine, Document, DocumentError, FirstOrderLine, Fit,
    FixedPoint, Labels, ModelCoalitions, ObstacleLine, Recommended, ReferenceLine, RivalLine,
    Scope, SearchLine, Served, Sweep, SweepPoint, Threshold, Unserved,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Any finite number, tiny and huge ones included.
fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_map(|x| if x.is_finite() { x } else { 0.1 + 0.2 })
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![finite(), Just(f64::INFINITY), Just(f64::NEG_INFINITY)].prop_map(Number)
}

fn interval() -> impl Strategy<Value = KappaInterval> {
    (number(), number()).prop_map(|(lo, hi)| KappaInterval { lo, hi })
}

fn verdict() -> impl Strategy<Value = Verdict> {
    use Verdict::{Blocked, Improvable, Stable, Undecided};
    prop::sample::select(vec![Stable, Blocked, Improvable, Undecided])
}

fn deviation() -> impl Strategy<Value = DeviationLine> {
    let rival = prop_oneof![Just(Value::Null), ".*".prop_map(Value::from)];
    (rival, option::of(0_usize..99), vec((".*", finite()), 0..4)).prop_map(
        |(rival, round, members)| DeviationLine {
            rival,
            round,
            coalition: members.iter().map(|(name, _)| name.clone()).collect(),
            gains: members.into_iter().map(|(n, g)| (n, Value::from(g))).collect::<Map<_, _>>(),
        },
    )
}

fn agent() -> impl Strategy<Value = AgentLine> {
    let some = || option::of(finite());
    (".*", option::of(0_usize..9), finite(), some(), some(), finite(), some()).prop_map(
        |(name, samples, weight, ceiling, loss, utility, alone)| AgentLine {
            name,
            samples,
            weight,
            ceiling,
            loss,
            utility,
            alone,
        },
    )
}

fn rival() -> impl Strategy<Value = RivalLine> {
    (".*", number(), number(), vec(option::of(finite()), 0..3), option::of(number())).prop_map(
        |(model, kappa, everybody, utilities, mean_gain)| RivalLine {
            model,
            kappa,
            everybody,
            utilities,
            mean_gain,
        },
    )
}

prop_compose! {
    fn audit()(
        (rule, file, incumbent) in (option::of(".*"), option::of(".*"), option::of(".*")),
        scope in prop::sample::select(vec![Scope::Ball, Scope::Listed, Scope::Met, Scope::Searched]),
        (verdict, kappa, everybody, tolerance) in (verdict(), interval(), interval(), finite()),
        obstacle in option::of((".*", option::of(".*"))),
        (headroom, log_welfare, proportionality) in
            (option::of(number()), option::of(number()), option::of(number())),
        first_order in option::of((finite(), option::of(finite()), option::of(number()))),
        (deviation, improvement) in (option::of(deviation()), option::of(deviation())),
        (agents, rivals) in (vec(agent(), 0..4), vec(rival(), 0..3)),
        fit in option::of((0_usize..99, finite(), any::<bool>())),
        (fixed, ball) in
            (option::of((finite(), finite())), option::of((finite(), finite(), any::<bool>()))),
        search in option::of((any::<bool>(), 0_usize..99, 0_usize..99)),
        search_failed in option::of(".*"),
        detail in option::of(".*"),
    ) -> AuditDocument {
        AuditDocument {
            rule,
            file,
            incumbent,
            scope,
            verdict,
            kappa,
            everybody,
            tolerance,
            obstacle: obstacle.map(|(reason, help)| ObstacleLine { reason, help }),
            headroom,
            first_order: first_order.map(|(frank_wolfe, strong_convexity, local_radius)| {
                FirstOrderLine { frank_wolfe, strong_convexity, local_radius, local_factor: None }
            }),
            deviation,
            improvement,
            agents,
            log_welfare,
            fit: fit.map(|(iterations, gap, converged)| Fit { iterations, gap, converged }),
            proportionality,
            fixed_point: fixed
                .map(|(residual, gap)| FixedPoint { residual, gap, distance: residual }),
            ball: ball.map(|(radius, norm, active)| BallLine { radius, norm, active }),
            search: search
                .map(|(complete, programs, branches)| SearchLine { complete, programs, branches }),
            rivals,
            assumptions: detail
                .map(|detail| Assumption {
                    statement: "losses are not negative".to_owned(),
                    status: Status::Checked,
                    detail,
                })
                .into_iter()
                .collect(),
            search_failed,
            network: None,
            parameters: Value::Null,
            predictor: None,
        }
    }
}

fn compared() -> impl Strategy<Value = ComparedRun> {
    let numbers = (interval(), interval(), number());
    let rest = (option::of(".*"), option::of(deviation()), vec(finite(), 0..4));
    (".*", any::<u64>(), verdict(), numbers, rest, option::of(finite())).prop_map(
        |(rule, seed, verdict, (kappa, everybody, headroom), rest, accuracy)| ComparedRun {
            folder: format!("runs/{rule}"),
            rule,
            seed,
            verdict,
            kappa,
            everybody,
            headroom,
            rival: rest.0,
            deviation: rest.1,
            utilities: rest.2,
            accuracy,
            test_accuracy: accuracy,
        },
    )
}

fn point() -> impl Strategy<Value = SweepPoint> {
    let numbers = (interval(), interval(), number(), number());
    (".*", vec((".*", finite()), 0..4), numbers, verdict(), option::of(finite())).prop_map(
        |(value, agents, (kappa, everybody, headroom, log_welfare), verdict, accuracy)| {
            let (agents, utilities) = agents.into_iter().unzip();
            SweepPoint {
                value,
                agents,
                utilities,
                log_welfare: Some(log_welfare),
                kappa: Some(kappa),
                everybody: Some(everybody),
                headroom: Some(headroom),
                verdict: Some(verdict),
                infeasible: None,
                accuracy,
                test_accuracy: None,
            }
        },
    )
}

/// A value that serves nobody.
fn unserved() -> impl Strategy<Value = SweepPoint> {
    (point(), vec(".*", 0..3), ".*").prop_map(|(point, agents, reason)| SweepPoint {
        utilities: Vec::new(),
        log_welfare: None,
        kappa: None,
        everybody: None,
        headroom: None,
        verdict: None,
        infeasible: Some(Unserved { agents, reason }),
        ..point
    })
}

fn threshold() -> impl Strategy<Value = Threshold> {
    (option::of(finite()), option::of(finite()), option::of(finite()))
        .prop_map(|(not_at, from, proven_from)| Threshold { not_at, from, proven_from })
}

fn searched() -> impl Strategy<Value = CeilingSearch> {
    let numbers = (finite(), finite(), finite());
    let point = (numbers, interval(), interval(), number(), verdict()).prop_map(
        |((scale, least, most), kappa, everybody, headroom, verdict)| CeilingPoint {
            scale,
            least,
            most,
            kappa,
            everybody,
            headroom,
            verdict,
        },
    );
    let agent = (".*", finite()).prop_map(|(name, reference)| ReferenceLine { name, reference });
    let recommended = (finite(), option::of(".*"), ".*")
        .prop_map(|(scale, ceiling, reason)| Recommended { scale, ceiling, reason });
    let served = (finite(), finite(), vec(".*", 0..3))
        .prop_map(|(not_up_to, above, together)| Served { not_up_to, above, together });
    let texts = (".*", ".*", vec(".*", 0..2));
    let found = (vec(agent, 0..3), vec(point, 0..3), option::of(recommended));
    (texts, served, threshold(), threshold(), finite(), found).prop_map(
        |(
            (file, policy, notes),
            served,
            stable,
            empty,
            tolerance,
            (agents, points, recommended),
        )| {
            CeilingSearch {
                file,
                policy,
                agents,
                tolerance,
                served,
                stable,
                empty,
                points,
                recommended,
                notes,
            }
        },
    )
}

fn coalition() -> impl Strategy<Value = CoalitionLine> {
    (vec(".*", 0..4), finite(), interval(), vec(number(), 0..4))
        .prop_map(|(members, share, value, gains)| CoalitionLine { members, share, value, gains })
}

/// The document as it comes back from its own text.
fn back<D: Document>(document: &D) -> D {
    D::parse("the test", &document.to_json().expect("JSON")).expect("the same document")
}

proptest! {
    #[test]
    fn audits_read_back(document in audit()) {
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn comparisons_read_back(agents in vec(".*", 0..4), runs in vec(compared(), 0..3)) {
        let document = Comparison { folder: "runs/x".to_owned(), agents, runs };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn searches_for_a_ceiling_read_back(document in searched()) {
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn sweeps_read_back(field in ".*", points in vec(prop_oneof![point(), unserved()], 0..3)) {
        let document = Sweep { folder: "runs/x".to_owned(), field, points };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn coalitions_read_back(model in ".*", coalitions in vec(coalition(), 0..4)) {
        let document = Coalitions { models: vec![ModelCoalitions { model, coalitions }] };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn labels_read_back(classes in vec(".*", 0..4), counts in vec(vec(0_usize..99, 0..4), 0..4)) {
        let document = Labels { classes, counts };
        prop_assert_eq!(back(&document), document);
    }
}

#[test]
fn a_document_of_another_kind_or_a_later_version_is_refused_by_name() {
    let labels = Labels::default().to_json().unwrap();
    let error = Sweep::parse("labels.json", &labels).unwrap_err();
    assert_eq!(error.to_string(), "`labels.json` is a label-count, not a sweep");
    let later = labels.replace("\"version\": 1", "\"version\": 9");
    let error = Labels::parse("labels.json", &later).unwrap_err();
    assert!(matches!(error, DocumentError::Version { found: 9, known: 1, .. }), "{error}");
    assert!(error.hint().unwrap().contains("update"));
    let error = Labels::parse("x", "{\"classes\": 3}").unwrap_err();
    assert!(error.to_string().starts_with("`x` is not the JSON of a label-count"), "{error}");
}
