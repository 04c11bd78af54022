//! The commands that write something, each small enough to be tried hundreds of times.

/// A command, and how it continues after a kill.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Calls that make what it reads.
    pub(super) before: &'static [&'static str],
    /// Words of the first call.
    pub(super) begin: &'static str,
    /// Words of a call that finds what a killed one left.
    pub(super) again: &'static str,
    /// What it writes.
    pub(super) out: &'static str,
}

pub(super) const EXPORT: &str = "data export hospitals --out h.csv";
const ROUNDS: &str = "run hospitals-rounds --set train.rounds=60 --out out";
pub(super) const SUMMARISE: &str =
    "summarise --data h.csv --agent A --target disease --model logistic --l2 0.1 --out post/A.json";
pub(super) const OTHER: &str =
    "summarise --data h.csv --agent B --target disease --model logistic --l2 0.1 --out post/B.json";
pub(super) const ASK: &str = "audit --answers post --ceiling 1";
const ANSWER: &str = "answer post/questions-01.json --data h.csv --agent A --account A.account.json \
                      --out post/answers-A.json";
const AUDIT: &str = "audit out/federation.csv --predictor out/core.predictor.json --certificate c.json --report r.html";
const INSPECT: &str = "data inspect h.csv --agent agent --target disease --report i.html";
/// What these draw is the same in every trial, which begins with their files.
const KEYS: [&str; 2] = ["keys new Aachen.key", "keys new Bergen.key"];
/// Linear summaries of two agents with keys, which are all that is ever asked.
const OWN: [&str; 2] = [
    "summarise --data h.csv --agent Aachen --key Aachen.key --target disease --model linear --l2 0.1 \
     --out post/Aachen.json",
    "summarise --data h.csv --agent Bergen --key Bergen.key --target disease --model linear --l2 0.1 \
     --out post/Bergen.json",
];
pub(super) const CONCLUDE: &str = "audit --answers post";
const ATTEST: [&str; 2] = [
    "attest post/certificate.json --data h.csv --agent Aachen --key Aachen.key --out A.attestation.json",
    "attest post/certificate.json --data h.csv --agent Bergen --key Bergen.key --out B.attestation.json",
];
const MERGE: &str = "attest post/certificate.json --merge A.attestation.json B.attestation.json --out attested.json";

/// Commands that write and end with the same bytes whenever they are called. Not among them: `keys new` draws at random,
/// `data fetch` needs a server, `report --figures` draws what only a build with figures has.
pub(super) const CASES: &[Case] = &[
    Case {
        name: "run, corefed",
        before: &[],
        begin: "run hospitals-rounds --set train.rounds=300 --set train.record.checkpoint_every=7 --out out",
        again: "run --resume out",
        out: "out",
    },
    Case {
        name: "run, afl with all there is to remember",
        before: &[],
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
        before: &[],
        begin: "run hospitals-rounds --set train.rounds=300 --set train.rule=qffl --set weights=samples \
                --set train.local.learning_rate=0.05 --set train.record.evaluate_every=3 --out out",
        again: "run --resume out",
        out: "out",
    },
    Case {
        name: "run, exact",
        before: &[],
        begin: "run hospitals --out out",
        again: "run hospitals --out out",
        out: "out",
    },
    Case {
        name: "compare",
        before: &[],
        begin: "compare hospitals-rounds --rules fedavg,corefed --seeds 2 --set train.rounds=60 --out out",
        again: "compare hospitals-rounds --rules fedavg,corefed --seeds 2 --set train.rounds=60 --out out \
                --resume",
        out: "out",
    },
    Case {
        name: "sweep",
        before: &[],
        begin: "sweep hospitals --values 0.72,0.9,1,1.3 --out out",
        again: "sweep hospitals --values 0.72,0.9,1,1.3 --out out --resume",
        out: "out",
    },
    Case {
        name: "stay",
        before: &[],
        begin: "stay hospitals --out out",
        again: "stay hospitals --out out",
        out: "out",
    },
    Case {
        name: "ceiling",
        before: &[],
        begin: "ceiling hospitals --policy pooled-constant --out out",
        again: "ceiling hospitals --policy pooled-constant --out out",
        out: "out",
    },
    Case {
        name: "data partition",
        before: &[],
        begin: "data partition hospitals --method iid --agents 5 --out out.json",
        again: "data partition hospitals --method iid --agents 5 --out out.json",
        out: "out.json",
    },
    Case {
        name: "data export",
        before: &[],
        begin: "data export hospitals --out out.csv",
        again: "data export hospitals --out out.csv",
        out: "out.csv",
    },
    Case {
        name: "solve",
        before: &[EXPORT],
        begin: "solve h.csv --agent agent --target disease --model logistic --certificate c.json --report r.html",
        again: "solve h.csv --agent agent --target disease --model logistic --certificate c.json --report r.html",
        out: ".",
    },
    Case {
        name: "audit",
        before: &["run hospitals --out out"],
        begin: AUDIT,
        again: AUDIT,
        out: ".",
    },
    Case { name: "data inspect", before: &[EXPORT], begin: INSPECT, again: INSPECT, out: "." },
    Case {
        name: "choose",
        before: &[
            "compare hospitals-rounds --rules fedavg,corefed --set train.rounds=20 --out out",
        ],
        begin: "choose out --certificate c.json",
        again: "choose out --certificate c.json",
        out: ".",
    },
    Case { name: "report", before: &[ROUNDS], begin: "report out", again: "report out", out: "." },
    Case {
        name: "export",
        before: &[ROUNDS],
        begin: "export out --table rounds --out rounds.csv",
        again: "export out --table rounds --out rounds.csv",
        out: ".",
    },
    Case {
        name: "predict",
        before: &["run hospitals --out out"],
        begin: "predict out out/federation.csv --out p.csv",
        again: "predict out out/federation.csv --out p.csv",
        out: ".",
    },
    Case { name: "summarise", before: &[EXPORT], begin: SUMMARISE, again: SUMMARISE, out: "." },
    Case {
        name: "audit --answers",
        before: &[EXPORT, SUMMARISE, OTHER],
        begin: ASK,
        again: ASK,
        out: ".",
    },
    Case {
        name: "answer",
        before: &[EXPORT, SUMMARISE, OTHER, ASK],
        begin: ANSWER,
        again: ANSWER,
        out: ".",
    },
    Case {
        name: "attest",
        before: &[EXPORT, KEYS[0], KEYS[1], OWN[0], OWN[1], CONCLUDE],
        begin: ATTEST[0],
        again: ATTEST[0],
        out: ".",
    },
    Case {
        name: "attest --merge",
        before: &[EXPORT, KEYS[0], KEYS[1], OWN[0], OWN[1], CONCLUDE, ATTEST[0], ATTEST[1]],
        begin: MERGE,
        again: MERGE,
        out: ".",
    },
];

/// The words of a call.
pub(super) fn words(call: &str) -> Vec<&str> {
    call.split_whitespace().collect()
}
