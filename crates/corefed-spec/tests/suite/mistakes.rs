//! Every mistake is reported, in the order of the file, with its line and what would be right.

use corefed_spec::{Problem, Spec};

const GOOD: &str = "data = 'a.csv'\nagent = 'bank'\ntarget = 'y'\nmodel = 'linear'\n";

/// The messages about a spec, without the name of the file.
fn messages(text: &str) -> Vec<String> {
    let errors = Spec::parse("bad.toml", text).expect_err(text);
    assert!(errors.hint().is_some());
    let all = errors.to_string();
    all.lines().map(|line| line.trim_start_matches("`bad.toml`").to_owned()).collect()
}

/// The one message about a good spec with something added.
fn added(text: &str) -> String {
    let messages = messages(&format!("{GOOD}{text}"));
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages[0].clone()
}

#[test]
fn all_mistakes_come_at_once_and_in_order() {
    let text = "\
model = 'logstic'
radius = -1
cieling = 1.2
seed = 'seven'

[partition]
alpha = 0.5

[train]
rule = 'qffl'
gamma = 0.2
rounds = 0

[train.local]
epochs = 2
steps = 10
learning_rte = 0.1
momentum = 1.0

[train.stop]
rounds = 3
";
    assert_eq!(
        messages(text),
        [
            ": `data`: is missing; it must be a known set or a file",
            ", line 1, `model`: there is no `logstic`; did you mean `logistic`?",
            ", line 2, `radius`: must be a number in (0, 1e50], not `-1`",
            ", line 3, `cieling`: unknown key `cieling`; did you mean `ceiling`?",
            ", line 4, `seed`: must be a whole number from 0 to 2^64 - 1, not the text `seven`",
            ", line 6, `partition.method`: is missing; it must be one of `iid`, `label-dirichlet`, \
             `shards`, `quantity-skew`, `column`",
            ", line 11, `train.gamma`: belongs to `afl`, but `rule` is `qffl`",
            ", line 12, `train.rounds`: must be a whole number from 1 to 1e9, not `0`",
            ", line 16, `train.local.steps`: cannot stand beside `epochs`; keep one of them",
            ", line 17, `train.local.learning_rte`: unknown key `learning_rte`; did you mean \
             `learning_rate`?",
            ", line 18, `train.local.momentum`: must be a number in [0, 1), not `1.0`",
            ", line 21, `train.stop.rounds`: unknown key `rounds` here; there is one in train",
        ]
    );
}

#[test]
fn syntax_errors_have_a_line_and_a_column() {
    assert_eq!(
        messages("data = 'a.csv'\nmodel = logistic\n"),
        [", line 2, column 9: string values must be quoted, expected literal string"]
    );
    assert_eq!(messages("a = 1\na = 2\n"), [", line 2, column 1: duplicate key"]);
}

#[test]
fn values_must_have_the_type_and_range_of_their_key() {
    for (text, expected) in [
        ("raw = 1", "`raw`: must be `true` or `false`, not `1`"),
        ("l2 = nan", "`l2`: must be a number in [0, 1e50], not `NaN`"),
        ("radius = inf", "`radius`: must be a number in (0, 1e50], not `inf`"),
        ("radius = 1979-05-27", "`radius`: must be a number in (0, 1e50], not a date"),
        ("epsilon = 1e-6", "`epsilon`: unknown key `epsilon`; did you mean `tolerance`?"),
        ("tolerance = 0.2", "`tolerance`: must be a number in (0, 0.1], not `0.2`"),
        ("seed = 1.0", "`seed`: must be a whole number from 0 to 2^64 - 1, not `1.0`"),
        (
            "seed = 99999999999999999999",
            "`seed`: must be a whole number from 0 to 2^64 - 1, not \
          `99999999999999999999`",
        ),
        (
            "name = 'a/b'",
            "`name`: must be text for the name of a folder, without slashes, not the \
          text `a/b`",
        ),
        ("columns = 3", "`columns`: must be a table, not `3`"),
        ("columns.zip = 'txt'", "`columns.zip`: there is no `txt`; did you mean `text`?"),
        (
            "allow = ['wid']",
            "`allow`: no check is called `wid`; there are `one-sample`, \
          `one-class`, `constant`, `wide`, `damaged`",
        ),
        ("weights = 'rows'", "`weights`: expected `equal`, `samples` or a .csv file"),
        (
            "ceiling = 0",
            "`ceiling`: must be a number > 0, `initial[:F]`, `constant[:F]`, `pooled-constant[:F]`, \
          `baseline[:F]`, `alone[:F]`, `worst` or a .csv file, not `0`",
        ),
        ("ceiling = 'initial:x'", "`ceiling`: `x` is not a number"),
        (
            "corrupt.a = 'noise:1'",
            "`corrupt.a`: must be a list of corruptions such as \
          `[\"noise:0.5\", \"labels:0.2\"]`, not the text `noise:1`",
        ),
        (
            "corrupt.a = ['noise:1', 'drop:2']",
            "`corrupt.a`: the amount of `drop` must be from `0` \
          to `1`, not `2`; it is a share of the agent's rows",
        ),
        (
            "train.local.batch = 0",
            "`train.local.batch`: must be `full` or a whole number from 1 to 1e9, \
          not `0`",
        ),
        (
            "train.participation.cohort = 0",
            "`train.participation.cohort`: must be `all`, a whole \
          number >= 1 or a fraction in (0, 1), not `0`",
        ),
        (
            "train.participation.cohort = 1.0",
            "`train.participation.cohort`: must be `all`, a \
          whole number >= 1 or a fraction in (0, 1), not `1.0`",
        ),
        ("train.safety.clip = 0", "`train.safety.clip`: must be `none` or a number > 0, not `0`"),
        ("train.stop.loss_factor = 1", "`train.stop.loss_factor`: must be a number > 1, not `1`"),
    ] {
        assert_eq!(added(text), format!(", line 5, {expected}"));
    }
}

#[test]
fn keys_that_do_not_go_together_are_refused() {
    for (text, expected) in [
        ("[compare]\nrules = ['fedavg']", "line 5, `compare`: needs `[train]`"),
        (
            "[partition]\nmethod = 'iid'",
            "line 5, `partition`: cannot stand beside `agent`; keep \
          one of them",
        ),
        ("[train]\nq = 2", "line 6, `train.q`: belongs to `qffl`, but `rule` is `corefed`"),
        (
            "[train]\nrule = 'fedagv'",
            "line 6, `train.rule`: there is no `fedagv`; did you mean \
          `fedavg`?",
        ),
        (
            "[train.local]\ndecay = 0.5",
            "line 6, `train.local.decay`: belongs to `step`, but \
          `schedule` is `constant`",
        ),
        (
            "[train.participation]\ndraw = 'fixed'",
            "line 5, `train.participation.agents`: is \
          missing; it must be a list of names, none twice",
        ),
        (
            "[train.participation]\ndraw = 'fixed'\nagents = ['a', 'a']",
            "line 7, \
          `train.participation.agents`: `a` is there twice",
        ),
        (
            "[train.participation]\ndraw = 'fixed'\nagents = []",
            "line 7, \
          `train.participation.agents`: must be a list of at least one name, not a list",
        ),
        (
            "[train]\n[compare]\nseeds = [1]",
            "line 6, `compare.rules`: is missing; it must be a \
          list of rules, by name or as tables such as `{ rule = \"qffl\", q = 2.0 }`",
        ),
        (
            "[train]\n[compare]\nrules = [{ rule = 'qffl', t = 1 }]",
            "line 7, `compare.rules[0].t`: \
          belongs to `term`, but `rule` is `qffl`",
        ),
        (
            "[train]\n[compare]\nrules = ['qffl', { rule = 'qffl', q = 2 }]",
            "line 7, \
          `compare.rules`: the rule `qffl`, which needs a `label` of its own, is there twice",
        ),
        (
            "[train]\n[compare]\nrules = ['fedavg']\nseeds = [1, 2, 1]",
            "line 8, `compare.seeds`: \
          `1` is there twice",
        ),
    ] {
        assert_eq!(added(text), format!(", {expected}"));
    }
}

#[test]
fn a_partition_is_a_file_or_a_method() {
    let text = "data = 'mnist'\nmodel = 'softmax'\n[partition]\nfile = 'm.partition.json'\n";
    Spec::parse("m.toml", text).unwrap();
    assert_eq!(
        messages(&format!("{text}alpha = 1.0\n")),
        [", line 5, `partition.alpha`: cannot stand beside `file`; keep one of them"]
    );
    assert_eq!(
        messages(&text.replace("file = 'm.partition.json'", "method = 'iid'\nalpha = 1.0")),
        [
            ", line 5, `partition.alpha`: belongs to `label-dirichlet`, `quantity-skew`, but `method` \
          is `iid`"
        ]
    );
}

#[test]
fn a_table_of_the_users_own_must_say_what_is_what() {
    assert_eq!(
        messages("data = 'a.csv'\nmodel = 'linear'\n"),
        [
            ": `agent`: is missing; it must be the name of a column, or `[partition]` a table",
            ": `target`: is missing; it must be the name of a column",
        ]
    );
    Spec::parse("h.toml", "data = 'heart'\nmodel = 'logistic'\n").unwrap();
    assert_eq!(
        messages("data = 'minst'\nmodel = 'softmax'\n"),
        [", line 1, `data`: no data set is called `minst`; did you mean `mnist`?"]
    );
}

#[test]
fn problems_can_be_told_apart() {
    let errors = Spec::parse("bad.toml", &format!("{GOOD}radius = 'x'\nl3 = 1\n")).unwrap_err();
    let [radius, l3] = errors.mistakes() else { panic!("{errors}") };
    assert_eq!((radius.line, radius.key.as_str()), (Some(5), "radius"));
    assert!(
        matches!(&radius.problem, Problem::Unfit { wanted, .. } if wanted == "a number in (0, 1e50]")
    );
    assert!(matches!(l3.problem, Problem::UnknownKey { nearest: Some("l2"), .. }));
}

#[test]
fn networks_need_their_layers_and_nothing_else_does() {
    let network = "data = 'cifar10'\nmodel = 'network'\n";
    assert!(
        messages(network)[0].contains("`network.layers`: is missing"),
        "{:?}",
        messages(network)
    );
    let text = format!("{network}[network]\nlayers = ['conv 8', 'relu']\n");
    assert_eq!(messages(&text).len(), 1);
    assert!(
        messages(&text)[0].contains("layer `conv 8` misses a number; layers are `conv CHANNELS")
    );
    let text = "data = 'cifar10'\nmodel = 'cnn'\n[network]\nlayers = ['flatten']\n";
    assert!(messages(text)[0].contains("are those of `cnn`; use `model = \"network\"` for others"));
    let text = "data = 'cifar10'\nmodel = 'softmax'\n[network]\ndevice = 'cuda'\n";
    assert!(messages(text)[0].contains("is for networks, and `model` is `softmax`"));
    for device in ["", "device = 'cpu'\n"] {
        let text =
            format!("data = 'cifar10'\nmodel = 'cnn'\n[network]\nprecision = 'bf16'\n{device}");
        let wanted = "`network.precision`: `bf16` is for GPUs, and `network.device` is `cpu`; set \
                      `network.device = \"cuda\"`, or leave the precision at `fp32`";
        assert!(messages(&text)[0].contains(wanted), "{:?}", messages(&text));
        assert_eq!(messages(&text).len(), 1);
    }
    let spec = Spec::parse("n.toml", "data = 'cifar10'\nmodel = 'cnn'\n").unwrap();
    assert_eq!(spec.radius, 1e9);
}

#[test]
fn exposures_are_for_models_of_counts() {
    let text = "data = 't.csv'\nagent = 'a'\ntarget = 'y'\nexposure = 'years'\nmodel = ";
    let spec = Spec::parse("counts.toml", &format!("{text}'poisson'")).unwrap();
    assert_eq!(spec.exposure.as_deref(), Some("years"));
    for model in ["linear", "cnn"] {
        let found = messages(&format!("{text}'{model}'"));
        let expected = format!("is for models of counts, and `model` is `{model}`");
        assert!(found.iter().any(|message| message.contains(&expected)), "{found:?}");
    }
}

#[test]
fn what_cannot_be_tuned_is_said_by_name() {
    let rows = "validation = 0.1\nheld_out = 0.1\n";
    let about = |rows: &str, tune: &str| {
        let rules = "[train]\n[compare]\nrules = ['fedavg', 'qffl']\n[compare.tune]\n";
        messages(&format!("{GOOD}{rows}{rules}{tune}"))
    };
    for (tune, expected) in [
        ("grid.train.local.rate = [1]", "`compare.tune.grid.train.local.rate`: unknown key `rate`"),
        ("grid.qq = [1]", "`qq` is neither a key below `train` nor the knob of a rule"),
        ("grid.ceiling = [1]", "`ceiling` is neither a key below `train` nor the knob of a rule"),
        ("grid.t = [1]", "no rule of this comparison has the knob `t`"),
        ("grid.train.rule = ['afl']", "cannot be tuned: it does not change how a rule trains"),
        ("grid.train.safety.floor = [0.1]", "cannot be tuned"),
        ("grid.q = []", "must be a list of numbers or names, none twice; at least one, not a list"),
        ("grid.q = 1", "must be a list of numbers or names, none twice; at least one, not `1`"),
        ("grid.q = [[1]]", "must be a number or a name, not a list"),
        ("grid.q = [1, 1.0]", "`1.0` is there twice"),
        ("grid = { q = [1], train.q = [2] }", "`q` is there twice"),
        ("", "`compare.tune.grid`: is missing; it must be a table with at least one key"),
        ("budget = 0\ngrid.q = [1]", "must be a whole number from 1 to 1e9, not `0`"),
        ("seeds = 'last'\ngrid.q = [1]", "there is no `last`; there are `each`, `first`"),
        ("buget = 3\ngrid.q = [1]", "unknown key `buget`; did you mean `budget`?"),
    ] {
        let found = about(rows, tune);
        assert!(found.len() == 1 && found[0].contains(expected), "{tune}: {found:#?}");
    }
    let many: Vec<String> = (0..1001).map(|k| k.to_string()).collect();
    let many = many.join(", ");
    let found = about(rows, &format!("grid.q = [{many}]\ngrid.train.rounds = [{many}]"));
    assert!(found[0].contains("has more than 1000000 settings"), "{found:?}");
    for (rows, needed) in [("held_out = 0.1\n", "validation"), ("validation = 0.1\n", "held_out")] {
        let found = about(rows, "grid.q = [1]");
        assert!(found.len() == 1, "{found:?}");
        assert!(found[0].contains(&format!("such as `{needed} = 0.1`")), "{found:?}");
    }
    let base = format!("{GOOD}[train]\n[compare]\nrules = ['fedavg', 'afl']\nbase = 'qffl'\n");
    assert!(messages(&base)[0].contains("must be the label of one of the rules"));
}

#[test]
fn keys_to_tune_may_be_quoted_or_tables_within_tables() {
    let head =
        format!("{GOOD}validation = 0.1\nheld_out = 0.1\n[train]\n[compare]\nrules = ['qffl']\n");
    let one = Spec::parse(
        "a.toml",
        &format!("{head}[compare.tune.grid]\ntrain.q = [1, 2]\ntrain.local.momentum = [0.5]\n"),
    );
    let two = Spec::parse(
        "a.toml",
        &format!("{head}[compare.tune.grid]\n\"train.local.momentum\" = [0.5]\nq = [1, 2]\n"),
    );
    assert_eq!(one, two);
    let grid = one.unwrap().compare.unwrap().tune.unwrap().grid;
    assert_eq!(grid["q"], ["1", "2"]);
    assert_eq!(grid["train.local.momentum"], ["0.5"]);
}
