//! Single settings, as sweeps make them, go through the same checks.

use corefed_data::Method;
use corefed_rules::{CoreStep, Rule};
use corefed_spec::{Amount, Draw, PartitionSpec, Spec, Train};

fn mnist() -> Spec {
    Spec::preset("mnist").expect("a preset")
}

fn train(spec: &Spec) -> &Train {
    spec.train.as_ref().expect("a training")
}

/// The message that a setting earns.
fn refused(path: &str, value: &str) -> String {
    mnist().with(path, value).expect_err(path).to_string()
}

#[test]
fn a_setting_takes_the_place_of_what_it_excludes() {
    let spec = mnist();
    let steps = spec.with("train.local.steps", "0").unwrap();
    assert_eq!(train(&steps).local.amount, Amount::Steps(0));
    let rule = spec.with("train.rule", "qffl").unwrap();
    assert_eq!(train(&rule).rule, Rule::Qffl { q: 1.0 });
    let knob = rule.with("train.q", "3").unwrap();
    assert_eq!(train(&knob).rule, Rule::Qffl { q: 3.0 });
    let iid = spec.with("partition.method", "iid").unwrap();
    assert_eq!(iid.partition, Some(PartitionSpec::Method(Method::Iid { agents: 3 })));
    let file = spec.with("partition.file", "m.partition.json").unwrap();
    assert_eq!(file.partition, Some(PartitionSpec::File("m.partition.json".into())));
    assert_eq!(file.with("partition.method", "iid").unwrap(), iid);
    let column = spec.with("agent", "owner").unwrap();
    assert_eq!((column.agent.as_deref(), column.partition), (Some("owner"), None));
}

#[test]
fn a_setting_keeps_what_still_makes_sense() {
    let printed = mnist().with("train.step_length", "printed").unwrap();
    let again = printed.with("train.rule", "corefed").unwrap();
    let Rule::Corefed { step, .. } = train(&again).rule else { panic!("{again:?}") };
    assert_eq!(step, CoreStep::Printed);
    let skewed = mnist().with("partition.alpha", "0.1").unwrap();
    let sizes = skewed.with("partition.method", "quantity-skew").unwrap();
    let Some(PartitionSpec::Method(Method::QuantitySkew { alpha, .. })) = sizes.partition else {
        panic!("{sizes:?}")
    };
    assert_eq!(alpha, 0.1);
}

#[test]
fn settings_that_need_each_other_are_made_together() {
    let [draw, agents] =
        [("train.participation.draw", "fixed"), ("train.participation.agents", "['agent-1']")];
    assert!(mnist().with(draw.0, draw.1).is_err());
    for settings in [[draw, agents], [agents, draw]] {
        let spec = mnist().with_all(&settings).unwrap();
        assert_eq!(train(&spec).participation.draw, Draw::Fixed(vec!["agent-1".to_owned()]));
    }
    let both = [("train.local.steps", "5"), ("train.local.epochs", "2")];
    assert!(mnist().with_all(&both).unwrap_err().to_string().contains("cannot stand beside"));
}

#[test]
fn tables_and_names_of_the_users_own_can_be_set() {
    let noisy = mnist().with("corrupt.\"agent 1\"", "['noise:0.5']").unwrap();
    assert_eq!(noisy.corrupt.to_string(), "agent 1=noise:0.5");
    let table = mnist().with("train.local", "{ epochs = 3, batch = 'full' }").unwrap();
    assert_eq!((train(&table).local.batch, train(&table).local.learning_rate), (None, 0.1));
    let exact = Spec::preset("hospitals").unwrap();
    let trained = exact.with("train.rounds", "7").unwrap();
    assert_eq!(train(&trained).rounds.get(), 7);
    // An optimum is exact, a trained model is not.
    assert_eq!((exact.tolerance, trained.tolerance), (1e-6, 1e-2));
    let both = [("train.rounds", "7"), ("tolerance", "0.001")];
    assert_eq!(exact.with_all(&both).unwrap().tolerance, 1e-3);
    let compare = mnist().with("compare.rules", "['fedavg', 'corefed']").unwrap();
    assert_eq!(compare.compare.unwrap().seeds, [1]);
}

#[test]
fn refusals_name_the_key_but_no_line() {
    for (path, value, expected) in [
        (
            "train.local.learning_rte",
            "1",
            "`train.local.learning_rte`: unknown key `learning_rte`; did you mean `learning_rate`?",
        ),
        (
            "train.rounds",
            "many",
            "`train.rounds`: must be a whole number from 1 to 1e9, not the text `many`",
        ),
        ("seed.x", "1", "`seed.x`: `seed` is a value, not a table"),
        ("foo.bar.baz", "1", "`foo`: unknown key `foo`"),
        (
            "compare.rules",
            "['newtn']",
            "`compare.rules`: there is no `newtn`; did you mean `newton`?",
        ),
        (
            "a b",
            "1",
            "`a b`: must be a path such as `train.rounds` or `corrupt.\"agent 1\"`, not `a b`",
        ),
    ] {
        assert_eq!(refused(path, value), expected);
    }
}
