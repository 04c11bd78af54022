//! Certificates about tables of utilities, true and forged.

use crate::parabolas::{claim, data_digest, stable};
use corefed_core::{
    AgentStatement, Certificate, Evidence, Number, Rival, Subject, Verdict, Witness, digest_numbers,
};
use corefed_verify::{ListedUtilities, check_document, check_table, rounded, with_margin};
use num_rational::BigRational;

const MODELS: [&str; 4] = ["fair", "left", "right", "tie"];

/// `fair` is blocked by nobody: half of 2.1 is 1.05 > 1. Rows in hundredths.
fn rows(best: i64) -> Vec<Vec<BigRational>> {
    let cents = [[100, 100], [best, 10], [10, 150], [200, 100]];
    let exact = |row: [i64; 2]| row.map(|c| BigRational::new(c.into(), 100.into())).to_vec();
    cents.map(exact).to_vec()
}

/// The doubles on either side of some hundredths.
fn between(cents: i64) -> (f64, f64) {
    let ends = rounded(Some(&BigRational::new(cents.into(), 100.into())));
    (ends.lo.0, ends.hi.0)
}

fn certificate() -> Certificate {
    let agents: Vec<AgentStatement> = ["left", "right"]
        .iter()
        .map(|name| AgentStatement {
            name: (*name).to_owned(),
            samples: 0,
            weight: 1.0,
            ceiling: None,
            utility: 1.0,
            margin: 0.0,
        })
        .collect();
    let mut certificate = Certificate {
        claim: claim(Verdict::Blocked, between(105), (1.0, 1.0)),
        agents,
        subject: Subject::Table { incumbent: "fair".to_owned() },
        witness: Some(Witness {
            coalition: vec![0],
            gains: vec![Number(between(210).0)],
            rival: Rival::Row("left".to_owned()),
        }),
        evidence: Evidence::Listed,
        ..stable()
    };
    certificate.claim.tolerance = 0.0;
    certificate.digests.parameters = digest_numbers(&[1.0, 1.0]);
    certificate
}

fn check(certificate: &Certificate, best: i64) -> Result<(), String> {
    let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let (models, agents, utilities) = (owned(&MODELS), owned(&["left", "right"]), rows(best));
    let table = ListedUtilities {
        models: &models,
        agents: &agents,
        utilities: &utilities,
        digest: &data_digest(),
    };
    check_table(certificate, &table).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn a_table_is_decided_by_the_strict_rule() {
    assert_eq!(check(&certificate(), 210), Ok(()));
    assert!(check_document(&certificate()).is_ok());
    // The row `tie` gives left twice as much and right the same: nobody would leave, since half of 2
    // is no better than now, but together both are at least as well off, left strictly.
    let mut tie = certificate();
    tie.claim = claim(Verdict::Improvable, (1.0, 1.0), (1.0, 1.0));
    tie.claim.tolerance = 0.0;
    tie.witness = None;
    tie.improvement = Some(Witness {
        coalition: vec![0, 1],
        gains: vec![Number(2.0), Number(1.0)],
        rival: Rival::Row("tie".to_owned()),
    });
    assert_eq!(check(&tie, 150), Ok(()));
    let mut alone = tie.clone();
    alone.claim.verdict = Verdict::Blocked;
    alone.witness = Some(Witness {
        coalition: vec![0],
        gains: vec![Number(2.0)],
        rival: Rival::Row("tie".to_owned()),
    });
    let message = check(&alone, 150).unwrap_err();
    assert!(message.contains("nobody in it is strictly better off"), "{message}");
    tie.claim.verdict = Verdict::Stable;
    let message = check(&tie, 150).unwrap_err();
    assert!(message.contains("the table says `improvable`"), "{message}");
    // With a tolerance nobody would notice the difference.
    tie.claim.tolerance = 1e-3;
    assert_eq!(check(&tie, 150), Ok(()));
}

#[test]
fn exact_numbers_are_rounded_outwards() {
    let third = BigRational::new(1.into(), 3.into());
    let ends = rounded(Some(&third));
    assert_eq!(ends.hi.0, ends.lo.0.next_up());
    let exact = |value: f64| BigRational::from_float(value).unwrap();
    assert!(exact(ends.lo.0) < third && third < exact(ends.hi.0));
    assert_eq!(rounded(Some(&exact(0.5))).hi.0, 0.5);
    assert_eq!(rounded(None).lo.0, f64::INFINITY);
    let (value, margin) = with_margin(&third);
    assert!(exact(value) - exact(margin) <= third && third <= exact(value) + exact(margin));
    assert_eq!(with_margin(&exact(0.75)), (0.75, 0.0));
}

#[test]
fn forged_tables_are_refused() {
    let forge = |change: &dyn Fn(&mut Certificate), expected: &str| {
        let mut forged = certificate();
        change(&mut forged);
        let message = check(&forged, 210).expect_err(expected);
        assert!(message.contains(expected), "`{message}` lacks `{expected}`");
    };
    forge(&|c| c.claim.kappa.hi = Number(1.04), "down to `1.04`");
    forge(&|c| c.claim.kappa.hi = Number(1.2), "claims kappa `1.2`; the table gives `1.05`");
    forge(&|c| c.claim.kappa.lo = Number(0.5), "claims kappa `0.5`");
    forge(&|c| c.claim.everybody.hi = Number(1.5), "claims everybody `1.5`");
    forge(&|c| c.claim.verdict = Verdict::Undecided, "the table says `blocked`");
    forge(&|c| c.subject = Subject::Table { incumbent: "best".to_owned() }, "the row `best`");
    forge(&|c| c.agents[0].weight = 2.0, "the table gives `1.4");
    forge(&|c| c.agents[0].samples = 3, "does not belong");
    forge(&|c| c.agents[0].ceiling = Some(3.0), "does not belong");
    forge(&|c| c.agents[0].name = "lift".to_owned(), "`lift` in the certificate");
    forge(&|c| c.agents[0].utility = 0.9, "parameters have digest");
    forge(&|c| c.digests.data = digest_numbers(&[]), "stale");
    let resigned = |c: &mut Certificate| {
        c.agents[0].utility = 0.9;
        c.digests.parameters = digest_numbers(&[0.9, 1.0]);
    };
    forge(&resigned, "`left` is said to have utility `0.9`");
    forge(&|c| c.witness.as_mut().unwrap().gains[0] = Number(2.2), "is said to gain `2.2`");
    let rival = |c: &mut Certificate, row: &str| {
        c.witness.as_mut().unwrap().rival = Rival::Row(row.to_owned());
    };
    forge(&|c| rival(c, "fair"), "names the row `fair`");
    forge(&|c| rival(c, "none"), "names the row `none`");
    forge(&|c| rival(c, "tie"), "is said to gain `2.09");
    forge(&|c| c.witness = None, "no coalition is named");
    forge(&|c| c.evidence = Evidence::Headroom, "does not belong");
}
