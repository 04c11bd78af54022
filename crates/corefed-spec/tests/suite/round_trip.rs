//! A resolved spec reads back as itself, whatever is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use corefed_core::{DecimalMark, Family, Separator, Writing};
use corefed_data::{Check, ColumnType, Corruption, Corruptions, Method, Missing};
use corefed_nn::Init;
use corefed_rules::{AtCeiling, CoreStep, Rule, Safety, ServerStep};
use corefed_spec::{
    Alone, Amount, Ceiling, Cohort, Compare, Contender, Correction, DataSource, Device, Draw, Keep,
    Layers, LocalWork, Model, NetworkAuditSpec, NetworkSpec, Participation, PartitionSpec,
    Precision, Record, Schedule, Search, Spec, Stop, Train, Tune, TuneSeeds, WeightsBy,
};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn positive() -> BoxedStrategy<f64> {
    prop_oneof![1e-9..1e3, select(vec![f64::MIN_POSITIVE, f64::MAX, 0.1, 1.0, 1e300])].boxed()
}

fn part() -> BoxedStrategy<f64> {
    prop_oneof![Just(0.0), 0.0..1.0].boxed()
}

fn count() -> BoxedStrategy<NonZeroUsize> {
    (1_usize..100_000).prop_map(|n| NonZeroUsize::MIN.saturating_add(n - 1)).boxed()
}

/// Names with everything that TOML has to quote.
fn words() -> BoxedStrategy<String> {
    "\\PC{1,12}|[a\"\\\\.=# \n\t\u{7f}]{1,8}".boxed()
}

fn file() -> BoxedStrategy<PathBuf> {
    "[a-z é'\"#]{0,5}/[a-z]{1,5}\\.csv".prop_map(PathBuf::from).boxed()
}

fn rule() -> BoxedStrategy<Rule> {
    let step = select(vec![CoreStep::Printed, CoreStep::Normalised, CoreStep::Dynamic]);
    prop_oneof![
        select(vec![Rule::Fedavg, Rule::Propfair, Rule::NashMtl, Rule::Newton]),
        (step, 1e-3..=1.0).prop_map(|(step, memory)| Rule::Corefed { step, memory }),
        positive().prop_map(|gamma| Rule::Afl { gamma }),
        part().prop_map(|q| Rule::Qffl { q }),
        (-1e3..1e3).prop_map(|t| Rule::Term { t }),
        part().prop_map(|epsilon| Rule::Fedmgda { epsilon }),
    ]
    .boxed()
}

fn model() -> BoxedStrategy<Model> {
    let layers = ["conv 32 5 pad=2 stride=3", "avg-pool 3 stride=1", "gelu", "dropout 0.25"];
    let layers = vec(select(layers.to_vec()), 0..4).prop_map(|layers| {
        Layers::Own(layers.iter().map(|l| l.parse().expect("a layer")).collect())
    });
    let layers = prop_oneof![select(vec!["cnn", "vgg11-smooth"]).prop_map(Layers::Preset), layers];
    let audit = (1e-6..0.999_f64, 0_usize..99, 0_usize..99, 1.01..1e3_f64, 0_usize..99, positive())
        .prop_map(|(level, bursts, climbs, factor, lanczos, radius)| NetworkAuditSpec {
            level,
            bursts,
            climbs,
            factor,
            lanczos,
            radius,
        });
    let init = select(vec![Init::Kaiming, Init::He, Init::Glorot]);
    let device = select(vec![
        (Device::Cpu, Precision::Fp32),
        (Device::Cuda, Precision::Fp32),
        (Device::Cuda, Precision::Tf32),
        (Device::Cuda, Precision::Bf16),
    ]);
    prop_oneof![
        select(Family::ALL.to_vec()).prop_map(Model::Linear),
        (layers, part(), init, any::<bool>(), device, 1_usize..1024, audit).prop_map(
            |(layers, smoothing, init, standardise, (device, precision), together, audit)| {
                Model::Network(NetworkSpec {
                    layers,
                    smoothing,
                    init,
                    standardise,
                    device,
                    precision,
                    together,
                    audit,
                })
            }
        ),
    ]
    .boxed()
}

fn local() -> BoxedStrategy<LocalWork> {
    let amount =
        prop_oneof![count().prop_map(Amount::Epochs), (0_usize..1_000_000).prop_map(Amount::Steps)];
    let schedule = prop_oneof![
        select(vec![Schedule::Constant, Schedule::InverseSqrt, Schedule::Cosine]),
        (1e-6..=1.0, count()).prop_map(|(decay, every)| Schedule::Step { decay, every }),
    ];
    (amount, option::of(count()), positive(), part(), part(), schedule)
        .prop_map(|(amount, batch, learning_rate, momentum, weight_decay, schedule)| LocalWork {
            amount,
            batch,
            learning_rate,
            momentum,
            weight_decay,
            schedule,
        })
        .boxed()
}

fn participation() -> BoxedStrategy<Participation> {
    let cohort = prop_oneof![
        Just(Cohort::All),
        count().prop_map(Cohort::Count),
        (1e-6..0.999_f64).prop_map(Cohort::Fraction),
    ];
    let drawn = (cohort, select(vec![Draw::Uniform, Draw::Size]));
    let fixed = btree_set(words(), 1..4)
        .prop_map(|names| (Cohort::All, Draw::Fixed(names.into_iter().collect())));
    (prop_oneof![drawn, fixed], part(), part(), 1e-3..=1.0)
        .prop_map(|((cohort, draw), dropout, stragglers, straggler_work)| Participation {
            cohort,
            draw,
            dropout,
            stragglers,
            straggler_work,
        })
        .boxed()
}

fn train() -> BoxedStrategy<Train> {
    let at_ceiling = select(vec![AtCeiling::Floor, AtCeiling::WarmUp, AtCeiling::Raise]);
    let clip = prop_oneof![Just(f64::INFINITY), positive()];
    let share_cap = prop_oneof![Just(f64::INFINITY), 1.0..1e6_f64];
    let safety = (at_ceiling, 1e-3..0.999_f64, 1.0..1e6_f64, share_cap, clip).prop_map(
        |(at_ceiling, floor, weight_cap, share_cap, clip)| Safety {
            at_ceiling,
            floor,
            weight_cap,
            share_cap,
            clip,
        },
    );
    let server = (positive(), part()).prop_map(|(step, momentum)| ServerStep { step, momentum });
    let server = (server, 1e-3..=1.0_f64);
    let stop = (option::of(positive()), 1.5..1e9_f64, option::of(count())).prop_map(
        |(certificate, loss_factor, patience)| Stop { certificate, loss_factor, patience },
    );
    let record = (option::of(count()), option::of(count()), any::<bool>()).prop_map(
        |(evaluate_every, checkpoint_every, tensorboard)| Record {
            evaluate_every,
            checkpoint_every,
            tensorboard,
        },
    );
    let steadiness = (
        select(Correction::NAMES.iter().map(|(_, correction)| *correction).collect::<Vec<_>>()),
        select(Search::NAMES.iter().map(|(_, search)| *search).collect::<Vec<_>>()),
        select(Keep::NAMES.iter().map(|(_, keep)| *keep).collect::<Vec<_>>()),
        select(Alone::NAMES.iter().map(|(_, alone)| *alone).collect::<Vec<_>>()),
    );
    let agents = (local(), participation(), steadiness);
    (rule(), count(), server, any::<bool>(), agents, safety, stop, record)
        .prop_map(|(rule, rounds, (server, first_step), project, agents, safety, stop, record)| {
            let (local, participation, (correction, search, keep, alone)) = agents;
            Train {
                rule,
                rounds,
                server,
                first_step,
                project,
                correction,
                search,
                keep,
                alone,
                local,
                participation,
                safety,
                stop,
                record,
            }
        })
        .boxed()
}

fn method() -> BoxedStrategy<Method> {
    let drawn = (1_usize..65_536, positive(), 1_usize..1000)
        .prop_filter("alpha", |(_, alpha, _)| *alpha >= 1e-9);
    prop_oneof![
        (1_usize..65_536).prop_map(|agents| Method::Iid { agents }),
        drawn.clone().prop_map(|(agents, alpha, min_samples)| Method::LabelDirichlet {
            agents,
            alpha,
            min_samples
        }),
        drawn.prop_map(|(agents, alpha, min_samples)| Method::QuantitySkew {
            agents,
            alpha,
            min_samples
        }),
        (1_usize..65_536, 1_usize..9)
            .prop_map(|(agents, shards_per_agent)| Method::Shards { agents, shards_per_agent }),
        words().prop_map(|column| Method::Column { column }),
    ]
    .boxed()
}

fn corrupt() -> BoxedStrategy<Corruptions> {
    let step = prop_oneof![
        (0.0..1e6_f64).prop_map(|std| Corruption::FeatureNoise { std }),
        part().prop_map(|rate| Corruption::LabelNoise { rate }),
        part().prop_map(|rate| Corruption::Drop { rate }),
        part().prop_map(|rate| Corruption::Duplicate { rate }),
    ];
    vec((words(), step), 0..5)
        .prop_map(|steps| {
            let mut corruptions = Corruptions::default();
            for (agent, step) in &steps {
                corruptions.add(agent, *step);
            }
            corruptions
        })
        .boxed()
}

fn compare() -> BoxedStrategy<Compare> {
    let own = (
        option::of(select(vec![Correction::Auto, Correction::Control, Correction::None])),
        option::of(select(vec![Search::On, Search::Off])),
        option::of(select(vec![Schedule::Constant, Schedule::InverseSqrt, Schedule::Cosine])),
        option::of(1e-3..=1.0_f64),
    );
    let rules =
        btree_map("[a-z][a-z .é\"]{0,9}", (rule(), own), 1..4).prop_map(|rules| {
            let contender = |(label, (rule, (correction, search, schedule, first_step)))| {
                Contender { label, rule, correction, search, schedule, first_step }
            };
            // Labels that would share a folder are refused.
            let mut folders = BTreeSet::new();
            let rules = rules.into_iter().map(contender);
            rules.filter(|rule: &Contender| folders.insert(rule.folder_name())).collect()
        });
    (rules, btree_set(any::<u64>(), 1..4), any::<bool>(), option::of(tune()))
        .prop_map(|(rules, seeds, told, tune): (Vec<Contender>, _, _, _)| Compare {
            base: rules.last().map(|rule| rule.label.clone()).filter(|_| told),
            rules,
            seeds: seeds.into_iter().collect(),
            tune,
        })
        .boxed()
}

fn tune() -> BoxedStrategy<Tune> {
    let rates = btree_set(1_u32..1000, 1..4)
        .prop_map(|rates| rates.iter().map(|k| format!("{:?}", f64::from(*k) / 8.0)).collect());
    let rates =
        rates.prop_map(|rates: Vec<String>| ("train.local.learning_rate".to_owned(), rates));
    let shapes = vec!["\"constant\"".to_owned(), "\"cosine\"".to_owned()];
    let shapes = Just(("train.local.schedule".to_owned(), shapes));
    let grid = (rates, option::of(shapes))
        .prop_map(|(rates, shapes)| [rates].into_iter().chain(shapes).collect());
    let seeds = select(TuneSeeds::NAMES.iter().map(|(_, seeds)| *seeds).collect::<Vec<_>>());
    (grid, count(), seeds).prop_map(|(grid, budget, seeds)| Tune { grid, budget, seeds }).boxed()
}

fn terms() -> BoxedStrategy<Spec> {
    let ceiling = prop_oneof![
        positive().prop_map(Ceiling::Fixed),
        positive().prop_map(Ceiling::Initial),
        positive().prop_map(Ceiling::Constant),
        positive().prop_map(Ceiling::Baseline),
        Just(Ceiling::Worst),
        file().prop_map(Ceiling::File),
    ];
    let weights = prop_oneof![
        select(vec![WeightsBy::Equal, WeightsBy::Samples]),
        file().prop_map(WeightsBy::File)
    ];
    let time_limit = prop_oneof![Just(f64::INFINITY), part()];
    let types = select(ColumnType::ALL.to_vec());
    (
        ("[a-z][a-zé \"'.]{0,9}", file(), any::<u64>(), words(), words()),
        (model(), ceiling, 1e-9..1e9_f64),
        (weights.clone(), weights, part(), any::<[bool; 3]>(), select(Missing::ALL.to_vec())),
        (
            vec(select(Check::ALL.to_vec()), 0..3),
            btree_map(words(), types, 0..3),
            vec("[a-z9-]{1,6}", 0..3),
            (option::of(select(&[Separator::Comma, Separator::Tab][..])), any::<bool>()),
        ),
        (1e-9..0.1_f64, time_limit, part(), part()),
    )
        .prop_map(|(names, (model, ceiling, radius), more, (allow, columns, na, marks), limits)| {
            let (name, data, seed, agent, target) = names;
            let (weights, average, l2, [intercept, raw, test], missing) = more;
            let (tolerance, time_limit, held_out, left_out) = limits;
            Spec {
                data: DataSource::File(data),
                seed,
                agent: Some(agent),
                target: Some(target),
                exposure: model
                    .family()
                    .filter(|family| family.takes_exposure())
                    .map(|_| name.clone()),
                name,
                model,
                ceiling,
                radius,
                weights,
                average,
                l2,
                intercept,
                raw,
                allow: allow.into_iter().collect(),
                written: Writing {
                    separator: marks.0,
                    decimal: marks.1.then_some(DecimalMark::Comma),
                },
                missing,
                na,
                columns: BTreeMap::from_iter(columns),
                tolerance,
                time_limit,
                sample: 1.0 - left_out,
                held_out,
                validation: 0.5 * (1.0 - held_out),
                test,
                partition: None,
                corrupt: Corruptions::default(),
                train: None,
                compare: None,
            }
        })
        .boxed()
}

/// Any spec that makes sense.
fn spec() -> BoxedStrategy<Spec> {
    let partition =
        prop_oneof![method().prop_map(PartitionSpec::Method), file().prop_map(PartitionSpec::File)];
    (terms(), option::of(partition), corrupt(), option::of(train()), option::of(compare()))
        .prop_map(|(terms, partition, corrupt, train, compare)| Spec {
            agent: terms.agent.clone().filter(|_| partition.is_none()),
            compare: compare.filter(|_| train.is_some()).map(|compare| Compare {
                // There must be rows to report on.
                tune: compare.tune.filter(|_| terms.held_out > 0.0),
                ..compare
            }),
            partition,
            corrupt,
            train,
            ..terms
        })
        .boxed()
}

proptest! {
    #[test]
    fn a_resolved_spec_reads_back_as_itself(spec in spec()) {
        let text = spec.to_toml();
        let again = Spec::parse("other.toml", &text);
        prop_assert_eq!(again.as_ref(), Ok(&spec), "{}", text);
        prop_assert_eq!(spec.to_toml(), text);
    }

    #[test]
    fn a_setting_changes_nothing_else(spec in spec(), seed: u64) {
        let set = spec.with("seed", &seed.to_string());
        prop_assert_eq!(set, Ok(Spec { seed, ..spec }));
    }
}
