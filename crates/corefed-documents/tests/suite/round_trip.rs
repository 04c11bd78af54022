//! What is written is read back by the same type, to the last bit; what is not of a kind is refused.

use corefed_core::{Assumption, KappaInterval, Number, Prefer, Status, Verdict};
use corefed_documents::{
    AbsentLine, AgentLine, Answered, AnsweredAgent, AuditDocument, BallLine, CeilingPoint,
    CeilingSearch, Choice, ChoiceLine, ChoosingAgent, CoalitionLine, Coalitions, ComparedRun,
    Comparison, DeviationLine, DifferenceLine, Document, DocumentError, ExplodedRun,
    FirstOrderLine, Fit, FixedPoint, HeldOutAgent, HeldOutAudit, Labels, Measure, Measured,
    ModelCoalitions, ObstacleLine, OnHeldOut, PairedDifferences, Recommended, ReferenceLine,
    RivalLine, Rows, Scope, SearchLine, Served, Sweep, SweepPoint, TargetLine, Threshold, Try,
    TunedRule, Tuning, Unserved, VetoLine,
};
use corefed_evidence::{Level, SeedDifference};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::network::{network, predictor};

/// Any finite number, tiny and huge ones included.
pub(crate) fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_map(|x| if x.is_finite() { x } else { 0.1 + 0.2 })
}

pub(crate) fn number() -> impl Strategy<Value = Number> {
    prop_oneof![finite(), Just(f64::INFINITY), Just(f64::NEG_INFINITY)].prop_map(Number)
}

pub(crate) fn interval() -> impl Strategy<Value = KappaInterval> {
    (number(), number()).prop_map(|(lo, hi)| KappaInterval { lo, hi })
}

pub(crate) fn verdict() -> impl Strategy<Value = Verdict> {
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

fn held_out() -> impl Strategy<Value = HeldOutAudit> {
    let on = || {
        option::of((finite(), finite(), option::of(finite())))
            .prop_map(|on| on.map(|(loss, utility, quality)| OnHeldOut { loss, utility, quality }))
    };
    let agent = (".*", 0_usize..99, on(), on())
        .prop_map(|(name, rows, model, alone)| HeldOutAgent { name, rows, model, alone });
    (".*", option::of(number()), vec(agent, 0..4))
        .prop_map(|(quality, log_welfare, agents)| HeldOutAudit { quality, log_welfare, agents })
}

fn target() -> impl Strategy<Value = TargetLine> {
    (".*", finite(), finite(), vec(finite(), 0..3)).prop_map(|(column, mean, deviation, errors)| {
        TargetLine { column, mean, deviation, errors }
    })
}

/// By feature name, by class and feature name, or not at all.
fn parameters() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        setting().prop_map(Value::Object),
        vec((".*", setting().prop_map(Value::Object)), 1..3)
            .prop_map(|classes| Value::Object(classes.into_iter().collect())),
    ]
}

prop_compose! {
    pub(crate) fn audit()(
        (rule, file, owner) in (option::of(".*"), option::of(".*"), option::of(".*")),
        incumbent in option::of(".*"),
        scope in prop::sample::select(vec![Scope::Ball, Scope::Listed, Scope::Met, Scope::Searched]),
        (verdict, kappa, everybody, tolerance) in (verdict(), interval(), interval(), finite()),
        obstacle in option::of((".*", option::of(".*"))),
        (headroom, log_welfare, proportionality) in
            (option::of(number()), option::of(number()), option::of(number())),
        first_order in option::of((finite(), option::of(finite()), option::of(number()))),
        (deviation, improvement) in
            (option::of(deviation().boxed()), option::of(deviation().boxed())),
        (agents, rivals, held_out) in
            (vec(agent().boxed(), 0..4), vec(rival().boxed(), 0..3), option::of(held_out().boxed())),
        fit in option::of((0_usize..99, finite(), any::<bool>())),
        (fixed, ball) in
            (option::of((finite(), finite())), option::of((finite(), finite(), any::<bool>()))),
        search in option::of((any::<bool>(), 0_usize..99, 0_usize..99)),
        (search_failed, detail) in (option::of(".*"), option::of(".*")),
        (target, notes, warnings) in (option::of(target()), vec(".*", 0..3), vec(".*", 0..3)),
        absent in vec((".*", finite()), 0..3),
        (network, predictor) in (option::of(network().boxed()), option::of(predictor().boxed())),
        parameters in parameters(),
    ) -> AuditDocument {
        AuditDocument {
            rule,
            file,
            owner,
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
            absent: absent.into_iter().map(|(name, weight)| AbsentLine { name, weight }).collect(),
            held_out,
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
            network,
            parameters,
            predictor,
            target,
            notes,
            warnings,
        }
    }
}

fn measured() -> impl Strategy<Value = Measured> {
    let by_agent = vec((finite(), finite()), 0..4);
    (by_agent, option::of(finite()), option::of(number()), option::of(finite())).prop_map(
        |(by_agent, accuracy, log_welfare, floored_log_welfare)| {
            let (losses, utilities) = by_agent.into_iter().unzip();
            Measured { losses, utilities, accuracy, log_welfare, floored_log_welfare }
        },
    )
}

fn setting() -> impl Strategy<Value = Map<String, Value>> {
    vec((".*", finite()), 0..3)
        .prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k, Value::from(v))).collect())
}

fn compared() -> impl Strategy<Value = ComparedRun> {
    let numbers = (interval(), interval(), number());
    let rest = (option::of(".*"), option::of(deviation()), option::of(finite()));
    let measured = (measured(), option::of(measured()), 0_usize..99, setting());
    (".*", any::<u64>(), verdict(), numbers, rest, measured).prop_map(
        |(rule, seed, verdict, (kappa, everybody, headroom), rest, measured)| ComparedRun {
            folder: format!("runs/{rule}"),
            rule,
            seed,
            verdict,
            kappa,
            everybody,
            headroom,
            rival: rest.0,
            deviation: rest.1,
            training: measured.0,
            held_out: measured.1,
            test_accuracy: rest.2,
            round: measured.2,
            setting: measured.3,
        },
    )
}

fn paired() -> impl Strategy<Value = PairedDifferences> {
    use Measure::{Accuracy, LogWelfare, SmallestUtility};
    let measures = prop::sample::select(vec![LogWelfare, SmallestUtility, Accuracy]);
    let rows = prop::sample::select(vec![Rows::Training, Rows::HeldOut, Rows::Test]);
    let line = (".*", measures, rows, vec(-1e3..1e3_f64, 1..6)).prop_map(
        |(rule, measure, rows, differences)| DifferenceLine {
            rule,
            measure,
            rows,
            over_seeds: SeedDifference::of(&differences, Level::default()).expect("some"),
        },
    );
    (".*", vec(line, 0..4)).prop_map(|(base, lines)| PairedDifferences {
        base,
        level: Level::default(),
        lines,
    })
}

fn tuning() -> impl Strategy<Value = Tuning> {
    let one = (any::<u64>(), setting(), option::of(finite()), option::of(".*"), any::<bool>())
        .prop_map(|(seed, setting, validation_welfare, failure, chosen)| Try {
            seed,
            setting,
            validation_welfare,
            failure,
            chosen,
        });
    let rule = (".*", vec(".*", 0..3), 0_usize..99, 0_usize..9, vec(one, 0..4))
        .prop_map(|(rule, keys, grid, tried, tries)| TunedRule { rule, keys, grid, tried, tries });
    (0_usize..99, ".*", vec(rule, 0..3)).prop_map(|(budget, seeds, rules)| Tuning {
        budget,
        seeds,
        rules,
    })
}

fn point() -> impl Strategy<Value = SweepPoint> {
    let numbers = (interval(), interval(), number(), number());
    (".*", vec((".*", finite()), 0..4), numbers, verdict(), option::of(finite())).prop_map(
        |(value, agents, (kappa, everybody, headroom, log_welfare), verdict, accuracy)| {
            let (agents, utilities): (Vec<String>, Vec<f64>) = agents.into_iter().unzip();
            SweepPoint {
                value,
                leaving: agents.iter().take(1).cloned().collect(),
                agents,
                losses: utilities.iter().map(|utility| -utility).collect(),
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
    let texts = (".*", ".*", ".*", vec(".*", 0..2));
    let found = (vec(agent, 0..3), vec(point, 0..3), option::of(recommended));
    (texts, served, threshold(), threshold(), finite(), found).prop_map(
        |(
            (file, owner, policy, notes),
            served,
            stable,
            empty,
            tolerance,
            (agents, points, recommended),
        )| {
            CeilingSearch {
                file,
                owner,
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
pub(crate) fn back<D: Document>(document: &D) -> D {
    D::parse("the test", &document.to_json().expect("JSON")).expect("the same document")
}

proptest! {
    #[test]
    fn audits_read_back(document in audit().boxed()) {
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn comparisons_read_back(
        agents in vec(".*", 0..4),
        runs in vec(compared(), 0..3),
        lost in vec((".*", any::<u64>(), ".*"), 0..3),
        paired in option::of(paired()),
        tuning in option::of(tuning()),
    ) {
        let lost = lost.into_iter().map(|(rule, seed, failure)| ExplodedRun { rule, seed, failure });
        let document = Comparison {
            folder: "runs/x".to_owned(),
            agents,
            runs,
            exploded: lost.collect(),
            paired,
            tuning,
        };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn searches_for_a_ceiling_read_back(document in searched()) {
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn sweeps_read_back(field in ".*", points in vec(prop_oneof![point(), unserved()], 0..3)) {
        let (folder, owner) = ("runs/x".to_owned(), "clinic".to_owned());
        let document = Sweep { folder, field, owner, points };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn coalitions_read_back(model in ".*", coalitions in vec(coalition(), 0..4)) {
        let document = Coalitions { models: vec![ModelCoalitions { model, coalitions }] };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn choices_read_back(
        names in vec(".*", 0..4),
        measure in finite(),
        vetoed in any::<bool>(),
        values in vec(finite(), 0..3),
    ) {
        let veto = vetoed.then(|| VetoLine { coalition: names.clone(), better: names.clone() });
        let line = ChoiceLine { model: "x".to_owned(), measure, veto, values };
        let agents = names.iter().map(|name| ChoosingAgent { name: name.clone(), share: measure });
        let document = Choice {
            file: "u.csv".to_owned(),
            prefer: if vetoed { Prefer::Larger } else { Prefer::Smaller },
            group: names.first().cloned(),
            agents: agents.collect(),
            models: vec![line],
            chosen: names,
        };
        prop_assert_eq!(back(&document), document);
    }

    #[test]
    fn accounts_of_answers_read_back(
        (rounds, training_rounds, points) in (0_usize..9, 0_usize..9, 0_usize..99),
        agents in vec(
            (".*", option::of(0_usize..99), vec((0_usize..99, 0_usize..99), 0..4), option::of(".*")),
            0..4,
        ),
    ) {
        let agent = |(name, cells, told, left_out): (String, _, Vec<(usize, usize)>, Option<String>)| {
            let (answered, sent) = told.into_iter().unzip();
            AnsweredAgent { name, cells, answered, sent, unsigned: left_out.clone(), left_out }
        };
        let agents = agents.into_iter().map(agent).collect();
        let document = Answered { rounds, training_rounds, points, agents };
        let text = document.to_json().unwrap();
        prop_assert_eq!(Answered::parse("answered.json", &text).unwrap(), document);
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

#[test]
fn comparisons_of_earlier_versions_are_read() {
    let run = "{\"rule\": \"afl\", \"seed\": 3, \"folder\": \"r\", \"verdict\": \"stable\", \
               \"kappa\": {\"lo\": 0.5, \"hi\": 1}, \"everybody\": {\"lo\": 1, \"hi\": 1}, \
               \"headroom\": \"inf\", \"rival\": null, \"utilities\": [0.5, 2], \
               \"accuracy\": 0.75, \"test_accuracy\": null}";
    let text = format!("{{\"folder\": \"f\", \"agents\": [\"a\", \"b\"], \"runs\": [{run}]}}");
    let read = Comparison::parse("compare.json", &text).unwrap();
    assert_eq!(read.runs[0].training.utilities, [0.5, 2.0]);
    assert_eq!(read.runs[0].training.accuracy, Some(0.75));
    assert!(read.runs[0].held_out.is_none() && read.tuning.is_none() && read.paired.is_none());
}
