//! Choices end to end: certificates that hold, and forgeries that do not.

use corefed_core::{Fraction, Prefer, VetoCertificate, VetoEvidence};
use corefed_data::UtilityTable;
use corefed_run::choose_among;
use corefed_verify::{ListedUtilities, check_veto, check_veto_table};
use num_rational::BigRational;
use num_traits::One;
use proptest::prelude::*;

fn table(values: &[Vec<u8>]) -> UtilityTable {
    let agents: Vec<String> = (0..values[0].len()).map(|k| format!("a{k}")).collect();
    let rows = values.iter().enumerate().map(|(row, values)| {
        let cells: Vec<String> = values.iter().map(u8::to_string).collect();
        format!("m{row},{}\n", cells.join(","))
    });
    let text = format!("model,{}\n{}", agents.join(","), rows.collect::<String>());
    UtilityTable::parse("u.csv", text.as_bytes()).expect("a table")
}

fn holds(certificate: &VetoCertificate, table: &UtilityTable) -> bool {
    let listed = ListedUtilities {
        models: &table.models,
        agents: &table.agents,
        utilities: &table.utilities,
        digest: &table.digest,
    };
    check_veto_table(certificate, &listed, table.groups.as_deref()).is_ok()
}

/// What the definition says of a model under the shares that a certificate states.
fn vetoed(certificate: &VetoCertificate, values: &[Vec<u8>], model: usize) -> bool {
    let agents = certificate.agents.len();
    (1_u32..1 << agents).any(|members| {
        let coalition: Vec<usize> =
            (0..agents).filter(|agent| (members >> agent) & 1 == 1).collect();
        let better = (0..values.len())
            .filter(|&b| coalition.iter().all(|&i| values[b][i] > values[model][i]))
            .count();
        let share: BigRational = coalition.iter().map(|&i| &certificate.agents[i].share.0).sum();
        BigRational::new(better.into(), values.len().into()) + share > BigRational::one()
    })
}

/// One change to a certificate, at indices that are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
enum Forgery {
    /// The evidence of the next model.
    Evidence(usize),
    /// Half of an agent's share goes to another.
    Share(usize, usize),
    /// A part of a flow goes to another model.
    Part(usize, usize, usize),
    /// A part of a flow is of another size.
    Amount(usize, usize, u32, u32),
    /// A part of a flow is left out.
    Gap(usize, usize),
    /// Somebody joins a coalition.
    Member(usize, usize),
    /// A model joins those said to be better.
    Better(usize, usize),
}

fn forgeries() -> impl Strategy<Value = Forgery> {
    let at = || 0_usize..8;
    prop_oneof![
        at().prop_map(Forgery::Evidence),
        (at(), at()).prop_map(|(a, b)| Forgery::Share(a, b)),
        (at(), at(), at()).prop_map(|(a, b, c)| Forgery::Part(a, b, c)),
        (at(), at(), 1_u32..9, 1_u32..9).prop_map(|(a, b, c, d)| Forgery::Amount(a, b, c, d)),
        (at(), at()).prop_map(|(a, b)| Forgery::Gap(a, b)),
        (at(), at()).prop_map(|(a, b)| Forgery::Member(a, b)),
        (at(), at()).prop_map(|(a, b)| Forgery::Better(a, b)),
    ]
}

fn forge(certificate: &mut VetoCertificate, forgery: Forgery) {
    let (models, agents) = (certificate.models.len(), certificate.agents.len());
    let join = |list: &mut Vec<usize>, new: usize| {
        if !list.contains(&new) {
            list.push(new);
            list.sort_unstable();
        }
    };
    let model = match forgery {
        Forgery::Share(from, to) => {
            let (from, to) = (from % agents, to % agents);
            let half = &certificate.agents[from].share.0 / BigRational::from_integer(2.into());
            certificate.agents[from].share.0 -= &half;
            certificate.agents[to].share.0 += half;
            return;
        }
        Forgery::Evidence(model) => {
            let other = certificate.models[(model + 1) % models].evidence.clone();
            certificate.models[model % models].evidence = other;
            return;
        }
        Forgery::Part(model, ..)
        | Forgery::Amount(model, ..)
        | Forgery::Gap(model, _)
        | Forgery::Member(model, _)
        | Forgery::Better(model, _) => model % models,
    };
    match (&mut certificate.models[model].evidence, forgery) {
        (VetoEvidence::Kept { flow }, Forgery::Part(_, part, to)) if !flow.is_empty() => {
            let part = part % flow.len();
            flow[part].model = to % models;
        }
        (VetoEvidence::Kept { flow }, Forgery::Amount(_, part, above, below))
            if !flow.is_empty() =>
        {
            let part = part % flow.len();
            flow[part].amount = Fraction(BigRational::new(above.into(), below.into()));
        }
        (VetoEvidence::Kept { flow }, Forgery::Gap(_, part)) if !flow.is_empty() => {
            flow.remove(part % flow.len());
        }
        (VetoEvidence::Vetoed { coalition, .. }, Forgery::Member(_, member)) => {
            join(coalition, member % agents);
        }
        (VetoEvidence::Vetoed { better, .. }, Forgery::Better(_, other)) => {
            join(better, other % models);
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Whatever passes the check is true by the definition, for the shares it states.
    #[test]
    fn a_forged_certificate_that_passes_is_true(
        values in (2_usize..5, 2_usize..6)
            .prop_flat_map(|(n, m)| prop::collection::vec(prop::collection::vec(0_u8..4, n), m)),
        changes in prop::collection::vec(forgeries(), 0..4),
    ) {
        let table = table(&values);
        let ones = vec![BigRational::one(); values[0].len()];
        let mut forged = choose_among(&table, None, Prefer::Larger, &ones).unwrap().certificate;
        prop_assert!(holds(&forged, &table));
        prop_assert!(check_veto(&forged).is_ok());
        for change in changes {
            forge(&mut forged, change);
        }
        if holds(&forged, &table) {
            for (row, model) in forged.models.iter().enumerate() {
                let said = matches!(model.evidence, VetoEvidence::Vetoed { .. });
                prop_assert_eq!(said, vetoed(&forged, &values, row));
            }
        }
    }
}

#[test]
fn losses_turn_the_order_and_groups_share_a_measure() {
    let text = b"model,rule,a,b\nx1,x,1,4\nx2,x,1,4\ny,y,4,1\n";
    let parsed = corefed_data::Table::parse("u.csv", text).unwrap();
    let table = UtilityTable::from_table(&parsed, Some("rule")).unwrap();
    let ones = [BigRational::one(), BigRational::one()];
    let chosen = choose_among(&table, Some("rule"), Prefer::Smaller, &ones).unwrap();
    let measures: Vec<f64> = chosen.choice.models.iter().map(|line| line.measure).collect();
    assert_eq!(measures, [0.25, 0.25, 0.5]);
    // Half of the say against half of the models: nobody can veto anything.
    assert_eq!(chosen.choice.core().count(), 3);
    // Without groups the copies of x are two thirds of the models: a has half of the say and prefers
    // two thirds to y.
    let plain = UtilityTable::parse("u.csv", b"model,a,b\nx1,1,4\nx2,1,4\ny,4,1\n").unwrap();
    let chosen = choose_among(&plain, None, Prefer::Smaller, &ones).unwrap();
    let core: Vec<&str> = chosen.choice.core().map(|line| line.model.as_str()).collect();
    assert_eq!(core, ["x1", "x2"]);
}

#[test]
fn a_measure_that_is_not_the_policy_is_refused() {
    let table = table(&[vec![2, 0], vec![0, 2], vec![1, 1]]);
    let ones = [BigRational::one(), BigRational::one()];
    let mut forged = choose_among(&table, None, Prefer::Larger, &ones).unwrap().certificate;
    let twelfth = BigRational::new(1.into(), 12.into());
    forged.models[0].measure.0 += &twelfth;
    forged.models[1].measure.0 -= &twelfth;
    assert!(!holds(&forged, &table));
}
