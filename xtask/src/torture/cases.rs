//! The commands that write something, each small enough to be tried hundreds of times.

/// A command, and how it continues after a kill.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Words of the first call.
    pub(super) begin: &'static str,
    /// Words of a call that finds what a killed one left.
    pub(super) again: &'static str,
    /// What it writes.
    pub(super) out: &'static str,
}

/// Every command that writes.
pub(super) const CASES: &[Case] = &[
    Case {
        name: "run, corefed",
        begin: "run hospitals-rounds --set train.rounds=300 --set train.record.checkpoint_every=7 --out out",
        again: "run --resume out",
        out: "out",
    },
    Case {
        name: "run, afl with all there is to remember",
        begin: "run hospitals-rounds --set train.rounds=300 --set train.rule=afl --set train.local.batch=8 \
                --set train.local.momentum=0.9 --set train.server_momentum=0.5 \
                --set train.participation.cohort=3 --set train.participation.dropout=0.2 \
                --set train.participation.stragglers=0.2 --set train.local.learning_rate=0.01 \
                --set train.record.checkpoint_every=1 --set train.record.tensorboard=true \
                --set held_out=0.2 --out out",
        again: "run --resume out",
        out: "out",
    },
    Case {
        name: "run, q-FFL by samples",
        begin: "run hospitals-rounds --set train.rounds=300 --set train.rule=qffl --set weights=samples \
                --set train.local.learning_rate=0.05 --set train.record.evaluate_every=3 --out out",
        again: "run --resume out",
        out: "out",
    },
    Case {
        name: "run, exact",
        begin: "run hospitals --out out",
        again: "run hospitals --out out",
        out: "out",
    },
    Case {
        name: "compare",
        begin: "compare hospitals-rounds --rules fedavg,corefed --seeds 2 --set train.rounds=60 --out out",
        again: "compare hospitals-rounds --rules fedavg,corefed --seeds 2 --set train.rounds=60 --out out \
                --resume",
        out: "out",
    },
    Case {
        name: "sweep",
        begin: "sweep hospitals --values 0.72,0.9,1,1.3 --out out",
        again: "sweep hospitals --values 0.72,0.9,1,1.3 --out out --resume",
        out: "out",
    },
    Case {
        name: "stay",
        begin: "stay hospitals --out out",
        again: "stay hospitals --out out",
        out: "out",
    },
    Case {
        name: "ceiling",
        begin: "ceiling hospitals --policy pooled-constant --out out",
        again: "ceiling hospitals --policy pooled-constant --out out",
        out: "out",
    },
    Case {
        name: "data partition",
        begin: "data partition hospitals --method iid --agents 5 --out out.json",
        again: "data partition hospitals --method iid --agents 5 --out out.json",
        out: "out.json",
    },
    Case {
        name: "data export",
        begin: "data export hospitals --out out.csv",
        again: "data export hospitals --out out.csv",
        out: "out.csv",
    },
];

/// The words of a call.
pub(super) fn words(call: &str) -> Vec<&str> {
    call.split_whitespace().collect()
}
