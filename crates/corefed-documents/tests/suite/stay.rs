//! `stay.json` is read back as it was written, whatever it holds.

use corefed_documents::{
    BalancedGroup, BestGroup, ContributionLine, Contributions, Document, Estimate, FailedGroup,
    GainLine, KeptGroups, LeavingGroup, LeavingMember, LossAndQuality, PartitionLines, PriceLine,
    PriceOfFairness, RepeatedAgent, RepeatedGroup, Repeats, Spread, Stay, StayAgent, StayClaims,
    StayGroup, StayHeldOut, StayModels, StayVerdict, WhatIf, WhatIfLine, WhatIfQuestion,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_map(|x| if x.is_finite() { x } else { 0.1 + 0.2 })
}

fn names() -> impl Strategy<Value = Vec<String>> {
    vec(".*", 0..3)
}

fn measured() -> impl Strategy<Value = LossAndQuality> {
    (finite(), of(finite())).prop_map(|(loss, quality)| LossAndQuality { loss, quality })
}

fn gain() -> impl Strategy<Value = GainLine> {
    (finite(), finite(), finite(), 0..99_usize).prop_map(|(mean, lo, hi, units)| GainLine {
        mean,
        lo,
        hi,
        units,
    })
}

fn spread() -> impl Strategy<Value = Spread> {
    (finite(), finite()).prop_map(|(mean, deviation)| Spread { mean, deviation })
}

fn leaving() -> impl Strategy<Value = LeavingGroup> {
    let member = (".*", of(gain())).prop_map(|(name, gain)| LeavingMember { name, gain });
    (vec(member, 0..3), finite()).prop_map(|(members, p)| LeavingGroup { members, p })
}

prop_compose! {
    fn agent()(
        name in ".*",
        (weight, ceiling) in (finite(), finite()),
        (rows, held_out, units) in (0..99_usize, 0..99_usize, 0..99_usize),
        (few, one_class) in (any::<bool>(), any::<bool>()),
        (shared, alone, alone_gain) in (of(measured()), of(measured()), of(gain())),
        best in of((names(), measured(), of(gain()))),
    ) -> StayAgent {
        let best = best.map(|(members, measured, gain)| BestGroup { members, measured, gain });
        StayAgent {
            name, weight, ceiling, rows, held_out, units, few, one_class, shared, alone, alone_gain, best,
        }
    }
}

fn estimate() -> impl Strategy<Value = Estimate> {
    (finite(), of((finite(), finite()))).prop_map(|(value, interval)| Estimate { value, interval })
}

prop_compose! {
    fn contribution()(
        name in ".*",
        (saves, leave_one_out, payment) in (of(estimate()), of(estimate()), of(finite())),
        (shapley, banzhaf) in (of(estimate()), of(estimate())),
    ) -> ContributionLine {
        ContributionLine { name, saves, leave_one_out, shapley, banzhaf, payment }
    }
}

fn contributions() -> impl Strategy<Value = Contributions> {
    let group = (names(), finite()).prop_map(|(members, weight)| BalancedGroup { members, weight });
    let numbers = (of(finite()), of(finite()));
    (".*", of(".*"), numbers, vec(contribution(), 0..3), vec(group, 0..3)).prop_map(
        |(value, open, (everybody, excess), agents, proof)| Contributions {
            value,
            everybody,
            agents,
            excess,
            proof,
            open,
        },
    )
}

fn partitions() -> impl Strategy<Value = PartitionLines> {
    (0..9_usize, vec(vec(names(), 0..3), 0..3), 0..9_usize, any::<bool>(), any::<bool>()).prop_map(
        |(count, stable, within_margin, everybody, everybody_within_margin)| PartitionLines {
            count,
            stable,
            within_margin,
            everybody,
            everybody_within_margin,
        },
    )
}

fn what_if() -> impl Strategy<Value = WhatIf> {
    use WhatIfQuestion::{Expel, With, Without};
    let line = (".*", any::<bool>(), of(measured()), of(measured()), of(gain())).prop_map(
        |(name, about, before, after, gain)| WhatIfLine { name, about, before, after, gain },
    );
    let question = prop::sample::select(vec![Without, With, Expel]);
    (question, names(), vec(line, 0..3), of(".*"))
        .prop_map(|(question, about, lines, failed)| WhatIf { question, about, lines, failed })
}

fn price() -> impl Strategy<Value = PriceOfFairness> {
    let line = (".*", of(measured()), of(measured()), of(gain()))
        .prop_map(|(name, fair, plain, gain)| PriceLine { name, fair, plain, gain });
    (".*", ".*", vec(line, 0..3)).prop_map(|(fair, plain, agents)| PriceOfFairness {
        fair,
        plain,
        agents,
    })
}

fn repeats() -> impl Strategy<Value = Repeats> {
    let agent = (".*", of(spread()), of(spread()), of(spread()))
        .prop_map(|(name, shared, alone, gain)| RepeatedAgent { name, shared, alone, gain });
    let group = (names(), vec(spread(), 0..3))
        .prop_map(|(members, gains)| RepeatedGroup { members, gains });
    (0..9_usize, 0..9_usize, vec(agent, 0..3), vec(group, 0..3)).prop_map(
        |(splits, leave, agents, tempted)| Repeats {
            splits,
            stable: 1,
            leave,
            open: 2,
            agents,
            tempted,
        },
    )
}

fn group() -> impl Strategy<Value = StayGroup> {
    let by_agent = || vec(of(finite()), 0..3);
    (vec(0..9_usize, 0..3), by_agent(), by_agent(), by_agent(), by_agent()).prop_map(
        |(members, loss, quality, gain, error)| StayGroup { members, loss, quality, gain, error },
    )
}

prop_compose! {
    fn stay()(
        verdict in prop::sample::select(vec![StayVerdict::Stable, StayVerdict::Leave, StayVerdict::Open]),
        (file, owner, rule, exact, seed) in (".*", ".*", ".*", any::<bool>(), any::<u64>()),
        (by, share, level, margin, support) in (".*", finite(), finite(), finite(), 0..99_usize),
        (agents, leaving, tempted) in (vec(agent(), 0..3), vec(leaving(), 0..2), of(leaving())),
        (looked_at, all, kept, open) in (0..9_usize, any::<bool>(), 0..9_usize, vec(names(), 0..3)),
        failed in vec((names(), ".*"), 0..3),
        (partitions, contributions) in (of(partitions()), contributions()),
        (what_if, price, repeats) in (vec(what_if(), 0..2), of(price()), of(repeats())),
        (groups, rests_on) in (vec(group(), 0..3), names()),
    ) -> Stay {
        Stay {
            verdict,
            models: StayModels {
                digest: file.clone(),
                model: rule.clone(),
                loss: owner.clone(),
                quality: by.clone(),
                file, owner, rule, exact, seed,
            },
            held_out: StayHeldOut { by, share },
            claims: StayClaims { level, margin, support },
            agents,
            leaving,
            tempted,
            kept: KeptGroups { looked_at, all, kept, open },
            failed: failed.into_iter().map(|(members, reason)| FailedGroup { members, reason }).collect(),
            partitions,
            contributions,
            what_if,
            no_price: price.is_none().then(|| "why".to_owned()),
            price,
            repeats,
            groups,
            rests_on,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn stays_read_back(document in stay()) {
        let text = document.to_json().expect("JSON");
        let begins = text.starts_with("{\n  \"kind\": \"stay\",\n  \"version\": 1,");
        prop_assert!(begins, "{}", text);
        prop_assert_eq!(Stay::parse("the test", &text).expect("the same document"), document);
    }
}
