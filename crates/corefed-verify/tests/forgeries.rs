//! Every field of a certificate, forged in turn: each forgery is refused for its own reason.

mod parabolas;

use corefed_core::{
    Assumption, Certificate, Evidence, Number, Rival, Status, Subject, Verdict, digest_bytes,
};
use corefed_verify::{VerifyError, check_on_data, parse};
use parabolas::{
    blocked, conflict, data_digest, federation, first_order, headroom, predictor, sign, stable,
    unbounded,
};

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

fn frank_wolfe(
    certificate: &mut Certificate,
) -> (&mut Vec<f64>, &mut f64, &mut Vec<corefed_core::WorstLoss>) {
    match &mut certificate.evidence {
        Evidence::FrankWolfe { gradient, gap, worst_losses } => (gradient, gap, worst_losses),
        other => panic!("no gap in {other:?}"),
    }
}

#[test]
fn a_forged_claim_is_refused() {
    forge("verdict", stable(), |c| c.claim.verdict = Verdict::Blocked, "means `stable`");
    forge("verdict", blocked(), |c| c.claim.verdict = Verdict::Stable, "means `blocked`");
    forge("verdict", first_order(0.6), |c| c.claim.verdict = Verdict::Stable, "`undecided`");
    forge("hi", stable(), |c| c.claim.kappa = interval(0.9, 0.99), "supports `1`");
    forge("hi", blocked(), |c| c.claim.kappa.hi = Number(1.2), "down to `1.2`");
    forge(
        "a lower hi of a weaker lo",
        blocked(),
        |c| c.claim = parabolas::claim(Verdict::Undecided, 1.0, 1.2),
        "no conflict bounds `left`",
    );
    forge("hi", first_order(0.6), |c| c.claim.kappa.hi = Number(1.01), "its evidence supports");
    forge("hi", headroom(), |c| c.claim.kappa.hi = Number(1.7), "its evidence supports `1.714");
    forge("hi", unbounded(), |c| c.claim.kappa = interval(2.0, 3.0), "supports `inf`");
    forge("hi", stable(), |c| c.claim.kappa.hi = Number(f64::NAN), "a number >= 0");
    forge("lo", blocked(), |c| c.claim.kappa = interval(1.4, 1.4), "witness reaches `1.33");
    forge("lo", blocked(), |c| c.claim.kappa = interval(f64::INFINITY, f64::INFINITY), "reaches");
    forge("lo", stable(), |c| c.claim.kappa = interval(1.000_000_1, 1.000_000_1), "reaches `1`");
    forge("lo", stable(), |c| c.claim.kappa.lo = Number(f64::NAN), "`claim.kappa.lo` is `NaN`");
    forge("epsilon", stable(), |c| c.claim.epsilon = -1e-9, "`claim.epsilon` is `-0.000000001`");
    forge("epsilon", stable(), |c| c.claim.epsilon = f64::NAN, "`claim.epsilon` is `NaN`");
    forge(
        "an epsilon that makes blocked stable",
        blocked(),
        |c| (c.claim.epsilon, c.claim.verdict) = (0.5, Verdict::Stable),
        "`claim.epsilon` is `0.5`",
    );
}

fn interval(lo: f64, hi: f64) -> corefed_core::KappaInterval {
    corefed_core::KappaInterval { lo: Number(lo), hi: Number(hi) }
}

#[test]
fn forged_agents_are_refused() {
    forge("utility", stable(), |c| c.agents[0].utility = 0.36, "the data gives `0.35`");
    forge("utility", stable(), |c| c.agents[0].utility = -0.35, "cannot be proven");
    forge("utility", stable(), |c| c.agents[0].utility = f64::INFINITY, "must be finite");
    forge("utility", stable(), |c| c.agents[0].utility = 0.7, "above its ceiling");
    forge("weight", stable(), |c| c.agents[1].weight = 3.0, "no conflict bounds `right`");
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
    forge("agents", headroom(), |c| c.agents.push(third()), "`agents` has 3 entries");
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
    forge("radius", first_order(0.6), |c| predictor(c).radius = 1.0, "the gap is");
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
    forge("subject", stable(), table, "0 for a table");
}

#[test]
fn a_forged_witness_is_refused() {
    fn witness(c: &mut Certificate) -> &mut corefed_core::Witness {
        c.witness.as_mut().unwrap()
    }
    forge("no witness", blocked(), |c| c.witness = None, "no coalition is named");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![1], "reaches `-1.99");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![7], "agents below 2");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![], "agents below 2");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![0, 0], "agents below 2");
    forge("coalition", blocked(), |c| witness(c).coalition = vec![0, 1], "has 1 entries");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(2.7), "is said to gain `2.7`");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(2.5), "witness reaches `1.25`");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(f64::NAN), "is said to gain `NaN`");
    forge("gain", blocked(), |c| witness(c).gains[0] = Number(f64::INFINITY), "`inf`, yet");
    forge("gain", unbounded(), |c| witness(c).gains[0] = Number(3.0), "the data gives `inf`");
    let rival = |t: f64| move |c: &mut Certificate| witness(c).rival = Rival::Parameters(vec![t]);
    forge("rival", blocked(), rival(0.1), "witness reaches `1.29");
    forge("rival", blocked(), rival(2.1), "outside the ball");
    forge("rival", blocked(), rival(f64::NAN), "`witness.rival.parameters[0]` is `NaN`");
    forge("rival", unbounded(), rival(1.0), "would not leave");
    let row = |c: &mut Certificate| witness(c).rival = Rival::Row("a".to_owned());
    forge("rival", blocked(), row, "`witness.rival` does not belong");
}

#[test]
fn a_forged_first_order_bound_is_refused() {
    let base = || first_order(0.6);
    forge("gradient", base(), |c| frank_wolfe(c).0[0] *= 1.01, "the gap is");
    forge("gradient", base(), |c| frank_wolfe(c).0[0] = f64::NAN, "`evidence.gradient[0]`");
    forge("gradient", base(), |c| frank_wolfe(c).0.clear(), "`evidence.gradient` has 0");
    forge("gap", base(), |c| *frank_wolfe(c).1 *= 0.99, "its gradient gives");
    forge("gap", base(), |c| *frank_wolfe(c).1 = f64::NAN, "the gap is `NaN`");
    let consistent = |c: &mut Certificate| {
        frank_wolfe(c).0[0] = 0.0;
        *frank_wolfe(c).1 = 0.0;
        c.claim = parabolas::claim(Verdict::Stable, 1.0, 1.0);
    };
    forge("gradient, gap and claim", base(), consistent, "gradient entry 0 is `0`");
    forge("worst loss", base(), |c| frank_wolfe(c).2[1].bound = 8.9, "only `9");
    forge("worst loss", base(), |c| frank_wolfe(c).2[1].bound = 9.6, "premise violated");
    forge("worst loss", base(), |c| frank_wolfe(c).2[1].bound = f64::NAN, "premise violated");
    forge("worst losses", base(), |c| frank_wolfe(c).2.truncate(1), "has 1 entries instead of 2");
    forge("multiplier", base(), |c| frank_wolfe(c).2[1].multiplier = Some(0.9), "curvature");
    forge("multiplier", base(), |c| frank_wolfe(c).2[1].multiplier = Some(2.0), "may reach `10");
    forge("multiplier", base(), |c| frank_wolfe(c).2[1].multiplier = None, "is missing");
    let huge = |c: &mut Certificate| frank_wolfe(c).2[1].multiplier = Some(f64::INFINITY);
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
            Evidence::Conflicts { conflicts } => drop(conflicts.remove(k)),
            other => panic!("no conflicts in {other:?}"),
        }
    };
    forge("a conflict left out", stable(), drop_conflict(0), "no conflict bounds `left` by");
    forge("a conflict left out", stable(), drop_conflict(1), "no conflict bounds `right` by");
    forge("a conflict left out", stable(), drop_conflict(2), "bounds `left`, `right` by");
    forge("bound", stable(), |c| conflict(c, 0).bound = 1.7, "it proves `1.714");
    forge("bound", stable(), |c| conflict(c, 0).bound = 2.1, "no conflict bounds `left`");
    forge("bound", stable(), |c| conflict(c, 2).bound = f64::NAN, "must be finite");
    forge("bound", stable(), |c| conflict(c, 2).bound = f64::NEG_INFINITY, "must be finite");
    forge("point", stable(), |c| conflict(c, 0).point[0] = 0.1, "conflict 0 is said to bound");
    forge("point", stable(), |c| conflict(c, 0).point[0] = 1e200, "it proves `NaN`");
    forge("point", stable(), |c| conflict(c, 0).point[0] = f64::NAN, "must be finite");
    forge("point", stable(), |c| conflict(c, 0).point.clear(), "0 entries instead of 1");
    forge("multipliers", stable(), |c| conflict(c, 2).multipliers[0] = 0.6, "sum to `1.1`");
    let skewed = |c: &mut Certificate| conflict(c, 2).multipliers = vec![0.6, 0.4];
    forge("multipliers", stable(), skewed, "conflict 2 is said to bound gains by `1`");
    let signed = |c: &mut Certificate| conflict(c, 2).multipliers = vec![1.5, -0.5];
    forge("multipliers", stable(), signed, "must be positive");
    forge("multipliers", stable(), |c| conflict(c, 2).multipliers = vec![1.0], "has 1 entries");
    forge("agents", stable(), |c| conflict(c, 0).agents[0] = 1, "no conflict bounds `left`");
    forge("agents", stable(), |c| conflict(c, 0).agents[0] = 1 << 40, "agents below 2");
    forge("agents", stable(), |c| conflict(c, 2).agents = vec![1, 0], "ascending");
    forge("evidence", stable(), |c| c.evidence = Evidence::Headroom, "supports `1.714");
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
    forge("version", stable(), |c| c.version = 7, "version 7; this corefed reads version 1");
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
        "\"version\":1",
        "\"version\":7,\"theorem\":4",
        "certificate has version 7; this corefed reads version 1",
    );
    assert!(version.hint().is_some_and(|hint| hint.contains("matching release")));
    refuse("\"version\":1", "\"version\":\"1\"", "version \"1\"");
    refuse("\"claim\":{", "\"claim\":{\"sure\":true,", "unknown field `sure`");
    refuse("\"kind\":\"conflicts\"", "\"kind\":\"headroom\"", "conflicts");
    refuse("\"weight\":1.0", "\"weight\":1.0,\"weight\":2.0", "duplicate field");
    refuse("\"epsilon\":", "\"epsilon\":1e999,\"x\":", "out of range");
    assert!(matches!(parse("{").unwrap_err(), VerifyError::Syntax { .. }));
    assert!(matches!(parse("[1]").unwrap_err(), VerifyError::Format { found: None }));
    let table = r#"{"kind":"table","incumbent":"a","note":"x"}"#;
    let start = text.find("\"subject\":").unwrap() + "\"subject\":".len();
    let end = text.find(",\"witness\"").unwrap();
    let error = parse(&format!("{}{table}{}", &text[..start], &text[end..])).unwrap_err();
    assert!(error.to_string().contains("subject.note"), "{error}");
}
