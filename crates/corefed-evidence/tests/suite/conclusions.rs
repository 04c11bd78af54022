//! What may be concluded from what.

use corefed_core::{Number, Verdict, Weights};
use corefed_evidence::{
    Findings, FoundWitness, HeldOut, Label, Level, Limit, LocalBound, LocalMap, LocalStatement,
    Method, NonConvexAudit, RowUtility, SearchResult, claim_block, claim_no_block,
};

fn searched(utilities: &[f64], kappa: f64) -> SearchResult {
    let witness = (kappa > 1.0).then(|| FoundWitness {
        rival: "zero".to_owned(),
        params: vec![0.0, 1.5],
        coalition: vec![0],
        gains: vec![Number(2.0 * kappa)],
        kappa: Number(kappa),
    });
    SearchResult {
        kappa: Number(kappa),
        witness,
        everybody: Number(1.0),
        improvement: None,
        rises: Vec::new(),
        evaluations: 7,
        bursts: 40,
        utilities: utilities.to_vec(),
    }
}

fn conclude(utilities: &[f64], kappa: f64, local: Option<LocalStatement>) -> NonConvexAudit {
    let search = searched(utilities, kappa);
    let findings = Findings {
        names: &names(2),
        ceilings: &[1.0, 1.0],
        weights: &Weights::equal(2),
        nonnegative_losses: true,
        search: &search,
        local,
        local_map: None,
        block: Err("not asked for".to_owned()),
        no_block: None,
    };
    findings.conclude(1e-6)
}

#[test]
fn only_a_bound_for_every_rival_makes_a_model_stable() {
    // A certificate nearby, and a search that found nothing: still undecided.
    let bound = LocalBound {
        factor: 1.0,
        radius: 3.0,
        gradient_norm: 0.0,
        curvature: 0.0,
        limit: Limit::Reach,
    };
    let audit = conclude(&[0.5, 0.5], 1.0, Some(LocalStatement::Certified(bound)));
    assert_eq!(audit.verdict, Verdict::Undecided);
    // Headroom: everybody could double, and one of two agents alone just break even.
    assert_eq!((audit.kappa.lo, audit.kappa.hi), (Number(1.0), Number(1.0)));
    assert_eq!((audit.everybody.lo, audit.everybody.hi), (Number(1.0), Number(2.0)));
    assert_eq!((audit.local.label, audit.headroom.label), (Label::Certified, Label::Certified));
    assert_eq!((audit.witness.label, audit.witness.finding), (Label::Searched, None));
    // Agents that have all there is to have: headroom proves it.
    let audit = conclude(&[1.0, 1.0], 0.5, None);
    assert_eq!((audit.verdict, audit.kappa.hi), (Verdict::Stable, Number(0.5)));
    assert_eq!(audit.everybody.hi, Number(1.0));
    assert_eq!(audit.local.label, Label::NotApplicable);
}

#[test]
fn a_witness_blocks_whatever_else_is_claimed() {
    let audit = conclude(&[0.4, 0.4], 1.2, None);
    assert_eq!(audit.verdict, Verdict::Blocked);
    let witness = audit.witness.finding.expect("found");
    assert_eq!((witness.rival.as_str(), witness.deviation.kappa), ("zero", Number(1.2)));
    // `printf '\0\0\0\0\0\0\xc0\x3f' | sha256sum`
    assert_eq!(witness.parameters, DIGEST);
    assert!(audit.witness.rests_on[0].contains("7 models"), "{:?}", audit.witness.rests_on);
}

const DIGEST: &str = "1cab600f57951016c0b4bd619177c26235366a7f52e26e839e3aac1219cda82d";

#[test]
fn an_estimate_is_printed_as_one() {
    let bound = LocalBound {
        factor: 1.1,
        radius: 0.2,
        gradient_norm: 0.1,
        curvature: 3.0,
        limit: Limit::Factor,
    };
    let methods = vec!["Lanczos, 20 steps, whole basis kept".to_owned()];
    let local = LocalStatement::Estimated { bound, methods };
    let audit = conclude(&[0.5, 0.5], 1.0, Some(local));
    assert_eq!(audit.local.label, Label::Estimated);
    assert!(audit.local.rests_on.iter().any(|line| line.contains("not proven")), "{audit:?}");
    let kinks = LocalStatement::NotApplicable { reason: "ReLU".to_owned() };
    let audit = conclude(&[0.5, 0.5], 1.0, Some(kinks));
    assert_eq!((audit.local.label, audit.local.finding), (Label::NotApplicable, None));
    assert_eq!(audit.local.rests_on, ["ReLU"]);
}

#[test]
fn headroom_is_silent_where_its_premise_fails() {
    // Nothing to lose, a loss below zero, a search that got further than zero losses could.
    for (utilities, kappa) in [([0.0, 0.5], 1.0), ([1.5, 0.5], 1.0), ([0.5, 0.5], 2.5)] {
        let audit = conclude(&utilities, kappa, None);
        assert_eq!(audit.headroom.label, Label::NotApplicable, "{utilities:?}");
        assert_eq!(audit.kappa.hi, Number(f64::INFINITY));
        assert_ne!(audit.verdict, Verdict::Stable);
    }
}

#[test]
fn an_audit_survives_json() {
    let search = searched(&[0.5, -0.5], f64::INFINITY);
    let weights = Weights::equal(2);
    let (now, then) = (vec![0.5; 300], vec![0.9; 300]);
    let rows = HeldOut { ceiling: 1.0, incumbent: &now, rival: &then };
    let (utility, level) = (RowUtility::TruncatedUtility, Level::default());
    let method = Method::default();
    let block = claim_block(&[1], &[rows], &weights, utility, level, method).expect("sound");
    let calm = claim_no_block(&[rows, rows], &weights, utility, level, method).expect("sound");
    let findings = Findings {
        names: &names(2),
        ceilings: &[1.0, 1.0],
        weights: &weights,
        nonnegative_losses: true,
        search: &search,
        local: Some(LocalStatement::NotApplicable { reason: "max-pooling".to_owned() }),
        local_map: Some(LocalMap { radius: 0.1, displacement: 0.05, mean_gain: 1.2, bursts: 3 }),
        block: Ok(block),
        no_block: Some(calm),
    };
    let audit = findings.conclude(1e-6);
    let text = serde_json::to_string(&audit).expect("serialises");
    for part in ["\"label\":\"not-applicable\"", "\"inf\"", "truncated-utility", "nobody-blocks"] {
        assert!(text.contains(part), "{part} not in {text}");
    }
    assert_eq!(serde_json::from_str::<NonConvexAudit>(&text).expect("reads"), audit);
    assert_eq!(audit.verdict, Verdict::Blocked);
    let labels = [audit.local_map.label, audit.held_out_block.label, audit.held_out_no_block.label];
    assert_eq!(labels, [Label::Searched, Label::Estimated, Label::Estimated]);
}

#[test]
fn what_is_better_for_everybody_improves_and_does_not_block() {
    let mut search = searched(&[0.5, 0.5], 0.9);
    search.everybody = Number(1.5);
    search.improvement = Some(FoundWitness {
        rival: "zero".to_owned(),
        params: vec![0.0],
        coalition: vec![0, 1],
        gains: vec![Number(1.5), Number(1.6)],
        kappa: Number(1.5),
    });
    let findings = Findings {
        names: &names(2),
        ceilings: &[1.0, 1.0],
        weights: &Weights::equal(2),
        nonnegative_losses: true,
        search: &search,
        local: None,
        local_map: None,
        block: Err("not asked for".to_owned()),
        no_block: None,
    };
    let audit = findings.conclude(1e-2);
    assert_eq!((audit.verdict, audit.witness.finding), (Verdict::Improvable, None));
    assert_eq!(audit.improvement.finding.map(|found| found.deviation.coalition), Some(vec![0, 1]));
}

fn names(agents: usize) -> Vec<String> {
    (0..agents).map(|agent| format!("agent {agent}")).collect()
}
