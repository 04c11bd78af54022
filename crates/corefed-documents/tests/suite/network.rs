//! Any audit of a network, and any predictor, for the round trip of audits.

use corefed_core::{Deviation, Encoding, Family, Feature, Intake, Predictor, TargetScale};
use corefed_documents::{Gradients, HeldOutUtility, NetworkAudit, SpectrumLine};
use corefed_evidence::{
    BlockClaim, BlockConclusion, Headroom, Interval, Label, Level, Limit, LocalBound, LocalMap,
    LocalStatement, MemberBound, Method, NoBlockClaim, NoBlockConclusion, NonConvexAudit,
    RowUtility, Statement, Witnessed,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::round_trip::{finite, interval, number, verdict};

/// A finding of any label, or none; on the heap, because many of them do not fit on the stack of a test.
fn statement<T: Clone + std::fmt::Debug + 'static>(
    finding: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Statement<T>> {
    use Label::{Certified, Estimated, NotApplicable, Searched};
    let label = select(vec![Certified, Estimated, NotApplicable, Searched]);
    (label, vec(".*", 0..3), option::of(finding))
        .prop_map(|(label, rests_on, finding)| Statement { label, rests_on, finding })
        .boxed()
}

fn level() -> impl Strategy<Value = Level> {
    (0.5..0.999_f64).prop_map(|level| Level::try_from(level).expect("a level"))
}

fn method() -> impl Strategy<Value = Method> {
    use Method::{Better, Betting, EmpiricalBernstein, Hoeffding};
    select(vec![Hoeffding, EmpiricalBernstein, Better, Betting])
}

fn confidence() -> impl Strategy<Value = Interval> {
    (finite(), finite(), level(), method()).prop_map(|(lo, hi, level, method)| Interval {
        lo,
        hi,
        level,
        method,
    })
}

fn row_utility() -> impl Strategy<Value = RowUtility> {
    prop_oneof![finite().prop_map(RowUtility::LossUpTo), Just(RowUtility::TruncatedUtility)]
}

fn witnessed() -> impl Strategy<Value = Witnessed> {
    (".*", ".*", vec(0_usize..9, 0..3), vec(number(), 0..3), number()).prop_map(
        |(rival, parameters, coalition, gains, kappa)| Witnessed {
            rival,
            parameters,
            deviation: Deviation { coalition, gains, kappa },
        },
    )
}

fn local_bound() -> impl Strategy<Value = LocalBound> {
    let utility = (0_usize..9).prop_map(|agent| Limit::Utility { agent });
    let limit = prop_oneof![Just(Limit::Factor), utility, Just(Limit::Reach)];
    (finite(), finite(), finite(), finite(), limit).prop_map(
        |(factor, radius, gradient_norm, curvature, limit)| LocalBound {
            factor,
            radius,
            gradient_norm,
            curvature,
            limit,
        },
    )
}

fn local_statement() -> impl Strategy<Value = LocalStatement> {
    prop_oneof![
        local_bound().prop_map(LocalStatement::Certified),
        (local_bound(), vec(".*", 0..3))
            .prop_map(|(bound, methods)| LocalStatement::Estimated { bound, methods }),
        ".*".prop_map(|reason| LocalStatement::NotApplicable { reason }),
    ]
}

fn local_map() -> impl Strategy<Value = LocalMap> {
    (finite(), finite(), finite(), 0_usize..99).prop_map(
        |(radius, displacement, mean_gain, bursts)| LocalMap {
            radius,
            displacement,
            mean_gain,
            bursts,
        },
    )
}

fn block_claim() -> impl Strategy<Value = BlockClaim> {
    let member =
        (0_usize..9, 0_usize..99, finite(), confidence(), option::of(confidence())).prop_map(
            |(agent, rows, mean, bound, given)| MemberBound { agent, rows, mean, bound, given },
        );
    let open = (0_usize..9).prop_map(|agent| BlockConclusion::Open { agent });
    let conclusion = prop_oneof![Just(BlockConclusion::Blocks), open];
    let who = (vec(0_usize..9, 0..3), finite(), vec(member, 0..3));
    (conclusion, who, level(), row_utility()).prop_map(
        |(conclusion, (coalition, share, members), level, utility)| BlockClaim {
            conclusion,
            coalition,
            share,
            members,
            level,
            utility,
        },
    )
}

fn no_block_claim() -> impl Strategy<Value = NoBlockClaim> {
    let open = vec(0_usize..9, 0..3).prop_map(|coalition| NoBlockConclusion::Open { coalition });
    let conclusion = prop_oneof![Just(NoBlockConclusion::NobodyBlocks), open];
    (conclusion, vec(finite(), 0..3), number(), level(), row_utility()).prop_map(
        |(conclusion, refuses_up_to, kappa, level, utility)| NoBlockClaim {
            conclusion,
            refuses_up_to,
            kappa,
            level,
            utility,
        },
    )
}

prop_compose! {
    fn non_convex()(
        (verdict, kappa, everybody, tolerance) in (verdict(), interval(), interval(), finite()),
        (witness, improvement) in (statement(witnessed()), statement(witnessed())),
        headroom in statement((number(), number()).prop_map(|(kappa, everybody)| {
            Headroom { kappa, everybody }
        })),
        (local, local_map) in (statement(local_bound()), statement(local_map())),
        held_out_block in statement(block_claim()),
        held_out_no_block in statement(no_block_claim()),
    ) -> NonConvexAudit {
        NonConvexAudit {
            verdict,
            kappa,
            everybody,
            tolerance,
            witness,
            improvement,
            headroom,
            local,
            local_map,
            held_out_block,
            held_out_no_block,
        }
    }
}

prop_compose! {
    pub(crate) fn network()(
        (agents, audit) in (vec(".*", 0..3), non_convex().boxed()),
        held_out in vec(option::of((0_usize..99, finite(), confidence())), 0..3),
        gradients in option::of((finite(), vec(finite(), 0..3))),
        spectrum in vec((".*", finite(), finite(), ".*"), 0..3),
        local_estimate in local_statement(),
    ) -> NetworkAudit {
        let utility = |(rows, mean, truncated)| HeldOutUtility { rows, mean, truncated };
        let line = |(agent, smallest, largest, method)| SpectrumLine {
            agent,
            smallest,
            smallest_residual: largest,
            largest,
            largest_residual: smallest,
            method,
        };
        NetworkAudit {
            agents,
            audit,
            held_out: held_out.into_iter().map(|found| found.map(utility)).collect(),
            gradients: gradients.map(|(log_welfare, agents)| Gradients { log_welfare, agents }),
            spectrum: spectrum.into_iter().map(line).collect(),
            local_estimate,
        }
    }
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

prop_compose! {
    pub(crate) fn predictor()(
        family in select(Family::ALL.to_vec()),
        (l2, radius, parameters) in (finite(), finite(), vec(finite(), 0..4)),
        (agent_column, target_column, exposure_column) in (".*", ".*", option::of(".*")),
        (classes, features) in (vec(".*", 0..3), vec(feature(), 0..4)),
        scale in option::of((finite(), finite())),
    ) -> Predictor {
        let target_scale = scale.map(|(mean, scale)| TargetScale { mean, scale });
        let intake = Intake::default();
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
