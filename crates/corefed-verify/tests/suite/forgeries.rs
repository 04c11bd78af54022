//! Every field of a certificate, forged in turn: each forgery is refused for its own reason.

use crate::parabolas::{
    self, blocked, conflict, data_digest, federation, first_order, headroom, hopeless, improvable,
    predictor, sign, stable, unbounded,
};
use corefed_core::{
    Assumption, Certificate, Evidence, Number, Rival, Status, Subject, Verdict, digest_bytes,
};
use corefed_verify::{VerifyError, check_on_data, parse};

/// Forges a certificate and holds the refusal against a fragment of its message.
fn forge(
    what: &str,
    mut certificate: Certificate,
    change: impl Fn(&mut Certificate),
    expected: &str,
) {
    change(&mut certificate);
    match check_on_data(&certificate, &federation(), &data_digest()) {
        Ok(_) => panic!("{what}: accepted"),
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains(expected), "{what}: `{message}` lacks `{expected}`");
        }
    }
}

fn frank_wolfe(certificate: &mut Certificate) -> (&mut f64, &mut Vec<corefed_core::WorstLoss>) {
    match &mut certificate.evidence {
        Evidence::FrankWolfe { gap, worst_losses } => (gap, worst_losses),
        other => panic!("no gap in {other:?}"),
    }
}

#[test]
fn a_forged_claim_is_refused() {
    forge("verdict", stable(), |c| c.claim.verdict = Verdict::Blocked, "mean `stable`");
    forge("verdict", blocked(), |c| c.claim.verdict = Verdict::Stable, "mean `blocked`");
    forge("verdict", improvable(), |c| c.claim.verdict = Verdict::Stable, "mean `improvable`");
    forge("verdict", first_order(0.6), |c| c.claim.verdict = Verdict::Stable, "`undecided`");
    forge("hi", stable(), |c| c.claim.kappa = interval(0.5, 0.8), "no conflict bounds");
    forge("hi", stable(), |c| c.claim.everybody = interval(0.9, 0.99), "supports `1");
    forge("hi", blocked(), |c| c.claim.kappa.hi = Number(1.2), "down to `1.2`");
    let weaker = parabolas::claim(Verdict::Undecided, (0.5, 1.2), (1.0, 1.1));
    forge("a lower hi", blocked(), |c| c.claim = weaker, "no conflict bounds `left`");
    forge("hi", first_order(0.6), |c| c.claim.kappa.hi = Number(1.01), "its evidence supports");
    let together = |c: &mut Certificate| c.claim.everybody.hi = Number(1.01);
    forge("hi", first_order(0.6), together, "claims everybody <= `1.01`");
    forge("hi", headroom(), |c| c.claim.kappa.hi = Number(0.8), "its evidence supports `0.857");
    forge("hi", unbounded(), |c| c.claim.kappa = interval(2.0, 3.0), "supports `inf`");
    forge("hi", stable(), |c| c.claim.kappa.hi = Number(f64::NAN), "a number >= 0");
    forge("lo", blocked(), |c| c.claim.kappa = interval(1.4, 1.4), "witness reaches `1.33");
    forge("lo", blocked(), |c| c.claim.kappa = interval(f64::INFINITY, f64::INFINITY), "reaches");
    forge("lo", headroom(), |c| c.claim.kappa.lo = Number(1e-300), "witness reaches `0`");
    let more = |c: &mut Certificate| c.claim.everybody = interval(1.0_f64.next_up(), 1.0 + 1e-7);
    forge("lo", stable(), more, "reaches `1`");
    forge("lo", stable(), |c| c.claim.kappa.lo = Number(f64::NAN), "`claim.kappa.lo` is `NaN`");
    let tolerance = |t: f64| move |c: &mut Certificate| c.claim.tolerance = t;
    forge("tolerance", stable(), tolerance(-1e-9), "`claim.tolerance` is `-0.000000001`");
    forge("tolerance", stable(), tolerance(f64::NAN), "`claim.tolerance` is `NaN`");
    forge(
        "a tolerance that makes blocked stable",
        blocked(),
        |c| (c.claim.tolerance, c.claim.verdict) = (0.5, Verdict::Stable),
        "`claim.tolerance` is `0.5`",
    );
}

#[test]
fn no_end_gives_way_by_a_single_rounding() {
    // Every proven number is the last one that is accepted, or a few units from it: two dozen
    // units are refused everywhere.
    let lower = |x: f64| (0..24).fold(x, |x, _| x.next_down());
    let raise = |x: f64| (0..24).fold(x, |x, _| x.next_up());
    forge("hi", stable(), |c| c.claim.kappa = interval(0.0, lower(c.claim.kappa.hi.0)), "bounds");
    forge("lo", blocked(), |c| c.claim.kappa.lo = Number(raise(c.claim.kappa.lo.0)), "");
    forge("bound", stable(), |c| conflict(c, 0).bound = lower(conflict(c, 0).bound), "it proves");
    forge("margin", stable(), |c| c.agents[0].utility = raise(c.agents[0].utility), "within");
    let gap = |c: &mut Certificate| *frank_wolfe(c).0 = lower(*frank_wolfe(c).0);
    forge("gap", first_order(0.6), gap, "the data proves");
    let worst = |c: &mut Certificate| {
        frank_wolfe(c).1[1].bound = lower(frank_wolfe(c).1[1].bound);
    };
    forge("worst", first_order(0.6), worst, "is proven");
}

fn interval(lo: f64, hi: f64) -> corefed_core::KappaInterval {
    corefed_core::KappaInterval::new(lo, hi)
}

#[test]
fn forged_agents_are_refused() {
    forge("utility", stable(), |c| c.agents[0].utility = 0.36, "the data proves `0.35`");
    forge("utility", stable(), |c| c.agents[0].utility = -0.35, "not proven positive");
    forge("margin", stable(), |c| c.agents[0].margin = -1.0, "finite and >= 0");
    forge("margin", stable(), |c| c.agents[0].margin = f64::NAN, "finite and >= 0");
    forge("margin", stable(), |c| c.agents[0].margin = 0.5, "not proven positive");
    forge("utility", stable(), |c| c.agents[0].utility = f64::INFINITY, "must be finite");
    forge("utility", stable(), |c| c.agents[0].utility = 0.7, "above its ceiling");
    forge("weight", stable(), |c| c.agents[1].weight = 3.0, "its witness reaches `0.42");
    let heavier = |c: &mut Certificate| {
        (c.agents[1].weight, c.witness, c.claim.kappa.lo) = (3.0, None, Number(0.0));
    };
    forge("weight", stable(), heavier, "no conflict bounds `right`");
    forge("weight", stable(), |c| c.agents[1].weight = 0.0, "positive and finite");
    forge("weight", stable(), |c| c.agents[1].weight = f64::NAN, "positive and finite");
    forge(
        "weights",
        stable(),
        |c| c.agents.iter_mut().for_each(|agent| agent.weight = f64::MAX),
        "finite in total",
    );
    forge("ceiling", stable(), |c| c.agents[0].ceiling = Some(0.7), "`left` is said to have");
    forge("ceiling", stable(), |c| c.agents[0].ceiling = Some(f64::NAN), "must be finite");
    forge("ceiling", stable(), |c| c.agents[0].ceiling = None, "`agents[0].ceiling` is missing");
    forge("name", stable(), |c| c.agents[0].name = "lift".to_owned(), "`lift` in the certificate");
    forge("name", stable(), |c| c.agents[0].name = " ".to_owned(), "agent 0 has no name");
    forge("names", stable(), |c| c.agents[0].name = "right".to_owned(), "two agents are named");
    forge("order", stable(), |c| c.agents.swap(0, 1), "agent 0 is `right` in the certificate");
    forge("samples", stable(), |c| c.agents[0].samples = 2, "has 2 samples in the certificate");
    forge("samples", stable(), |c| c.agents[0].samples = 0, "at least 1");
    forge("agents", unbounded(), |c| c.agents.push(third()), "`agents` has 3 entries");
    forge("agents", headroom(), |c| c.agents.truncate(1), "speaks of 1 agents");
    forge("agents", headroom(), |c| c.agents.clear(), "speaks of 0 agents");
}

fn third() -> corefed_core::AgentStatement {
    corefed_core::AgentStatement { name: "third".to_owned(), ..stable().agents[0].clone() }
}

#[test]
fn a_forged_predictor_is_refused() {
    forge("parameter", stable(), |c| predictor(c).parameters[0] = 0.4, "parameters have digest");
    forge(
        "a signed parameter",
        stable(),
        |c| {
            predictor(c).parameters[0] = 0.4;
            sign(c);
        },
        "is said to have utility",
    );
    let outside = |c: &mut Certificate| {
        predictor(c).parameters[0] = 2.1;
        sign(c);
    };
    forge("outside the ball", stable(), outside, "outside the ball of radius `2`");
    forge("radius", stable(), |c| predictor(c).radius = 0.4, "outside the ball");
    forge("radius", first_order(0.5), |c| predictor(c).radius = 3.0, "only `9");
    forge("radius", first_order(0.6), |c| predictor(c).radius = 2.01, "is proven");
    forge("radius", stable(), |c| predictor(c).radius = f64::INFINITY, "positive and finite");
    forge("l2", stable(), |c| predictor(c).l2 = 0.1, "is said to have utility");
    forge("l2", stable(), |c| predictor(c).l2 = -0.1, "finite and >= 0");
    forge("length", stable(), |c| predictor(c).parameters.push(0.0), "2 entries instead of 1");
    forge("features", stable(), |c| predictor(c).encoding.features.clear(), "instead of 1");
    forge(
        "classes",
        stable(),
        |c| predictor(c).encoding.classes.push("0".to_owned()),
        "`subject.encoding.classes` has 1",
    );
    forge(
        "family",
        stable(),
        |c| {
            predictor(c).family = corefed_core::Family::Logistic;
            predictor(c).encoding.classes = vec!["0".to_owned(), "1".to_owned()];
        },
        "is said to have utility",
    );
    let table = |c: &mut Certificate| c.subject = Subject::Table { incumbent: "a".to_owned() };
    forge("subject", stable(), table, "does not belong");
}

#[test]
fn a_forged_witness_is_refused() {
    fn witness(c: &mut Certificate) -> &mut corefed_core::Witness {
        c.witness.as_mut().unwrap()
    }
    fn improvement(c: &mut Certificate) -> &mut corefed_core::Witness {
        c.improvement.as_mut().unwrap()
    }
    forge("no witness", blocked(), |c| c.witness = None, "no coalition is named");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![1], "`right` is said to gain");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![7], "agents below 2");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![], "agents below 2");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![0, 0], "agents below 2");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![0, 1], "has 1 entries");
    let everybody = |c: &mut Certificate| {
        let all = witness(c);
        (all.coalition, all.gains) = (vec![0, 1], vec![Number(1.0); 2]);
    };
    forge("everybody leaves", blocked(), everybody, "everybody together does not leave");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(2.7), "is said to gain `2.7`");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(2.5), "witness reaches `1.25`");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(f64::NAN), "numbers >= 0");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(f64::INFINITY), "said to gain `inf`");
    forge("gain", unbounded(), |c| witness(c).gains[0] = Number(3.0), "its gain says nothing");
    let rival = |t: f64| move |c: &mut Certificate| witness(c).rival = Rival::Parameters(vec![t]);
    forge("rival", blocked(), rival(0.1), "the data proves `2.59");
    forge("the incumbent as rival", blocked(), rival(0.5), "the data proves `1`");
    forge("rival", blocked(), rival(2.1), "outside the ball");
    forge("rival", blocked(), rival(f64::NAN), "`witness.rival.parameters[0]` is `NaN`");
    forge("rival", unbounded(), rival(1.0), "said to gain `inf`");
    forge("gain", improvable(), |c| improvement(c).gains[1] = Number(1.2), "said to gain `1.2`");
    forge("fewer", improvable(), |c| improvement(c).coalition = vec![0], "has 2 entries");
    forge("none", improvable(), |c| c.improvement = None, "claims everybody >=");
    let row = |c: &mut Certificate| witness(c).rival = Rival::Row("a".to_owned());
    forge("rival", blocked(), row, "`witness.rival` does not belong");
}

#[test]
fn a_forged_first_order_bound_is_refused() {
    let base = || first_order(0.6);
    forge("gap", base(), |c| *frank_wolfe(c).0 *= 0.99, "the data proves");
    forge("gap", base(), |c| *frank_wolfe(c).0 = f64::NAN, "its evidence supports");
    let consistent = |c: &mut Certificate| {
        *frank_wolfe(c).0 = 0.0;
        c.claim = parabolas::claim(Verdict::Stable, (0.0, 1.0), (1.0, 1.0));
    };
    forge("gap and claim", base(), consistent, "is said to be at most `0`");
    forge("worst loss", base(), |c| frank_wolfe(c).1[1].bound = 8.9, "only `9");
    forge("worst loss", base(), |c| frank_wolfe(c).1[1].bound = 9.6, "premise violated");
    forge("worst loss", base(), |c| frank_wolfe(c).1[1].bound = f64::NAN, "premise violated");
    forge("worst losses", base(), |c| frank_wolfe(c).1.truncate(1), "has 1 entries instead of 2");
    forge("multiplier", base(), |c| frank_wolfe(c).1[1].multiplier = Some(0.9), "only `inf`");
    forge("multiplier", base(), |c| frank_wolfe(c).1[1].multiplier = Some(1.0), "only `inf`");
    forge("multiplier", base(), |c| frank_wolfe(c).1[1].multiplier = Some(2.0), "only `10");
    forge("multiplier", base(), |c| frank_wolfe(c).1[1].multiplier = None, "is missing");
    let huge = |c: &mut Certificate| frank_wolfe(c).1[1].multiplier = Some(f64::INFINITY);
    forge("multiplier", base(), huge, "must be finite");
    let admitted = |c: &mut Certificate| {
        c.assumptions.push(Assumption {
            statement: "utilities are non-negative on the whole ball".to_owned(),
            status: Status::Violated,
            detail: String::new(),
        });
    };
    forge("a premise known to be false", base(), admitted, "listed as violated");
    // The premise of the parabolas at M = 0.6 is false, so the gap of zero proves nothing.
    let borrowed = |c: &mut Certificate| c.evidence = first_order(0.5).evidence;
    forge("evidence of a larger ceiling", stable(), borrowed, "premise violated");
}

#[test]
fn forged_conflicts_are_refused() {
    let drop_conflict = |k: usize| {
        move |c: &mut Certificate| match &mut c.evidence {
            Evidence::Conflicts { conflicts, .. } => drop(conflicts.remove(k)),
            other => panic!("no conflicts in {other:?}"),
        }
    };
    forge("a conflict left out", stable(), drop_conflict(0), "no conflict bounds `left` by");
    forge("a conflict left out", stable(), drop_conflict(1), "no conflict bounds `right` by");
    forge("a conflict left out", stable(), drop_conflict(2), "claims everybody <=");
    forge("bound", stable(), |c| conflict(c, 0).bound = 1.7, "it proves `1.714");
    forge("bound", stable(), |c| conflict(c, 0).bound = 2.1, "no conflict bounds `left`");
    forge("bound", stable(), |c| conflict(c, 2).bound = f64::NAN, "must be finite");
    forge("bound", stable(), |c| conflict(c, 2).bound = f64::NEG_INFINITY, "must be finite");
    forge("point", stable(), |c| conflict(c, 2).point[0] = 0.1, "conflict 2 is said to bound");
    for far in [2.1, 1e18, 1e200] {
        forge("far", stable(), |c| conflict(c, 0).point[0] = far, "outside the ball");
    }
    forge("point", stable(), |c| conflict(c, 0).point[0] = f64::NAN, "must be finite");
    forge("point", stable(), |c| conflict(c, 0).point.clear(), "0 entries instead of 1");
    let skewed = |c: &mut Certificate| conflict(c, 2).multipliers = vec![0.6, 0.4];
    forge("multipliers", stable(), skewed, "conflict 2 is said to bound gains by `1");
    let huge = |c: &mut Certificate| conflict(c, 2).multipliers = vec![f64::MAX, f64::MAX];
    forge("multipliers", stable(), huge, "it proves `inf`");
    forge("sphere", stable(), |c| conflict(c, 0).sphere = Some(-1.0), "finite and >= 0");
    forge("sphere", stable(), |c| conflict(c, 2).sphere = Some(1.0), "conflict 2 is said");
    for (correction, reason) in [
        (vec![2.5], "outside the ball"),
        (vec![f64::NAN], "must be finite"),
        (vec![], "0 entries instead of 1"),
        (vec![0.0; 2], "2 entries instead of 1"),
        (vec![0.1], "conflict 2 is said to bound"),
    ] {
        let moved = |c: &mut Certificate| conflict(c, 2).correction = Some(correction.clone());
        forge("correction", stable(), moved, reason);
    }
    let signed = |c: &mut Certificate| conflict(c, 2).multipliers = vec![1.5, -0.5];
    forge("multipliers", stable(), signed, "must be positive and finite");
    forge("multipliers", stable(), |c| conflict(c, 2).multipliers = vec![1.0], "has 1 entries");
    forge("agents", stable(), |c| conflict(c, 0).agents[0] = 1, "no conflict bounds `left`");
    forge("agents", stable(), |c| conflict(c, 0).agents[0] = 1 << 40, "agents below 2");
    forge("agents", stable(), |c| conflict(c, 2).agents = vec![1, 0], "ascending");
    forge("evidence", stable(), |c| c.evidence = Evidence::Headroom, "supports `1.714");
    let promise = |c: &mut Certificate| {
        if let Evidence::Conflicts { hopeless, .. } = &mut c.evidence {
            hopeless.push(corefed_core::Hopeless {
                agent: 1,
                point: vec![1.0],
                correction: None,
                sphere: None,
            });
        }
    };
    forge("hopeless", stable(), promise, "said to be hopeless, yet");
    let hope =
        |c: &mut Certificate| (c.agents[1].ceiling, c.agents[1].margin) = (Some(1e-300), 1e-299);
    forge("a ceiling above zero", hopeless(), hope, "said to be hopeless; only");
    forge("evidence", stable(), |c| c.evidence = Evidence::Unbounded, "supports `inf`");
    forge("evidence", stable(), |c| c.evidence = Evidence::Listed, "does not belong");
}

#[test]
fn forged_digests_are_refused() {
    forge("data", stable(), |c| c.digests.data = digest_bytes(b"other data"), "stale");
    forge("data", stable(), |c| c.digests.data = "abc".to_owned(), "not a SHA-256 digest");
    let other = |c: &mut Certificate| c.digests.parameters = digest_bytes(b"other");
    forge("parameters", stable(), other, "parameters have digest");
    forge("format", stable(), |c| c.format = "report".to_owned(), "not a certificate");
    forge("version", stable(), |c| c.version = 7, "version 7; this corefed reads version 2");
}

#[test]
fn forged_text_is_refused_before_it_is_believed() {
    let text = serde_json::to_string(&stable()).unwrap();
    let refuse = |from: &str, to: &str, expected: &str| {
        assert!(text.contains(from), "{from}");
        let error = parse(&text.replacen(from, to, 1)).unwrap_err();
        assert!(error.to_string().contains(expected), "`{error}` lacks `{expected}`");
        error
    };
    refuse("corefed-certificate", "corefed-report", "`format` is `corefed-report`");
    let version = refuse(
        "\"version\":2",
        "\"version\":7,\"theorem\":4",
        "certificate has version 7; this corefed reads version 2",
    );
    assert!(version.hint().is_some_and(|hint| hint.contains("matching release")));
    refuse("\"version\":2", "\"version\":\"2\"", "version \"2\"");
    let old = refuse("\"version\":2", "\"version\":1", "version 1; this corefed reads");
    assert!(old.hint().is_some_and(|hint| hint.contains("could be forged")));
    refuse("\"claim\":{", "\"claim\":{\"sure\":true,", "unknown field `sure`");
    refuse("\"kind\":\"conflicts\"", "\"kind\":\"headroom\"", "conflicts");
    // Lenient readers would take a tag by its number, and a field left out for null.
    refuse("\"kind\":\"numeric\"", "\"kind\":0", "of another form");
    refuse("\"improvement\":null,", "", "`improvement` that is unknown, missing");
    refuse("\"weight\":1.0", "\"weight\":1.0,\"weight\":2.0", "duplicate field");
    refuse("\"tolerance\":", "\"tolerance\":1e999,\"x\":", "out of range");
    assert!(matches!(parse("{").unwrap_err(), VerifyError::Syntax { .. }));
    assert!(matches!(parse("[1]").unwrap_err(), VerifyError::Format { found: None }));
    let table = r#"{"kind":"table","incumbent":"a","note":"x"}"#;
    let start = text.find("\"subject\":").unwrap() + "\"subject\":".len();
    let end = text.find(",\"witness\"").unwrap();
    let error = parse(&format!("{}{table}{}", &text[..start], &text[end..])).unwrap_err();
    assert!(error.to_string().contains("subject.note"), "{error}");
}
