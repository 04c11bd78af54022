"""Writes the first inputs of every fuzz target: `python fuzz/seeds.py PATH/OF/corefed`, with all features built.

Inputs that a fuzzer found stay beside them; their names begin with what was wrong.
"""

import gzip
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
TINY = HERE.parent / "crates" / "corefed-fuzz" / "data" / "tiny.csv"
COLUMNS = ("--agent", "agent", "--target", "sick", "--model", "logistic")
AGENTS = ("Ada", "Bob", "Cy")
SPEC = """name = "tiny"
data = "tiny.csv"
agent = "agent"
target = "sick"
model = "logistic"
l2 = 0.1
"""


def keep(target: str, name: str, content: bytes | str) -> None:
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def text_tables(tiny: str) -> None:
    keep("csv", "tiny", tiny)
    keep("csv", "semicolons", tiny.replace(",", ";"))
    keep("csv", "tabs", tiny.replace(",", "\t"))
    keep("csv", "returns", "\ufeff" + tiny.replace("\n", "\r\n"))
    keep("csv", "gzip", gzip.compress(tiny.encode(), mtime=0))
    keep("csv", "quotes", 'a,"b ""c""",y\n"x, y",1,2\nz,"3\n",4\nz,5,6\n')
    keep("csv", "numbers", "a,x,y\np,1e308,1\np,-1e-308,2\nq,0x1,3\nq,1_000,4\nq,NaN,inf\n")
    keep("csv", "dates", "a,d,t,y\np,2024-02-29,12:30,1\np,2023-01-01,00:00,2\nq,1999-12-31,23:59,0\nq,,,1\n")
    keep("csv", "commas", "a;x;y\np;1,5;2,5\np;2,25;3,5\nq;1.000,5;0\nq;3;1\n")
    keep("csv", "holes", "a,x,c,y\np,,red,1\np,NA,?,2\nq,3,,0\nq,.,-,1\n")


def published() -> None:
    images = struct.pack(">IIII", 0x803, 3, 4, 5) + bytes(i % 251 for i in range(60))
    labels = struct.pack(">II", 0x801, 3) + bytes([1, 2, 3])
    keep("idx", "plain", images + labels)
    keep("idx", "packed", gzip.compress(images, mtime=0) + gzip.compress(labels, mtime=0))
    keep("idx", "mixed", gzip.compress(images, mtime=0) + labels)
    record = bytes([3]) + bytes(i % 256 for i in range(3072))
    keep("cifar", "one", record)
    keep("cifar", "two", record + bytes([9]) + bytes(3072))
    keep("cifar", "label", bytes([10]) + bytes(3072))
    adult = ("39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, "
             "United-States, <=50K\n")
    keep("uci", "adult", adult * 2)
    keep("uci", "adult-test", "|1x3 Cross validator\n" + adult.replace("<=50K", ">50K."))
    keep("uci", "heart", "63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n" * 2)
    keep("uci", "heart-holes", "40,1,2,140,289,0,0,172,0,0,?,?,?,0\n-9,1,1,?,-9,?,?,?,?,?,?,?,?,3\n")


def utilities() -> None:
    keep("utilities", "stable", "model,a,b,c\nnow,2,2,5\nother,1,3,4\n")
    keep("utilities", "blocked", "model,a,b,c\nnow,2,2,5\nother,4,4,0\n")
    keep("utilities", "exact", "model,a,b\nnow,0.1,1e-300\nother,0.3333333333333333333333,1e300\n")
    keep("utilities", "zeros", "model,a,b,c\nnow,0,-1,2\none,1,0,2\ntwo,0,0,0\n")


def requests() -> None:
    keep("live", "frame", "GET / HTTP/1.1\r\nHost: 192.0.2.1:80\r\n\r\n")
    keep("live", "report", "GET /0123456789abcdef/report?x#y HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n")
    keep("live", "state", "GET /0123456789abcdef/state HTTP/1.0\r\nhost:x\r\nAccept: */*\r\n\r\n")
    keep("live", "post", "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")


def replies() -> None:
    number = lambda value: struct.pack("<d", value)  # noqa: E731

    def reports(losses: list[float]) -> bytes:
        told = b"".join(bytes([k]) + number(loss) for k, loss in enumerate(losses))
        deltas = b"".join(struct.pack("<fff", 0.1, -0.2, 0.3) for _ in losses)
        return bytes([len(losses)]) + told + deltas

    knobs = {1: number(0.2), 3: number(0.1), 4: number(2.0), 5: number(1.0), 6: number(0.5)}
    for rule in range(8):
        head = bytes([0, rule]) + knobs.get(rule, b"") + bytes([0, 0, 2])
        rounds = reports([0.5, 1.5, 1.9]) + reports([3.0, 0.0]) + reports([float("nan"), 1e300, 5e-324])
        keep("replies", f"rule-{rule}", head + rounds)
    odd = bytes([1, 1]) + number(1.0) + bytes([1, 1]) + number(0.1) + number(1.0) + number(0.5) + bytes([1])
    keep("replies", "terms", odd + number(1e300) + number(1e-300) + number(1e300) + number(1e-30) + reports([1.0, 2.0]))


class Command:
    def __init__(self, program: str, folder: Path):
        self.program, self.folder = str(Path(program).resolve()), folder

    def __call__(self, *arguments: str, codes: tuple[int, ...] = (0, 1, 3)) -> str:
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True)
        if done.returncode not in codes:
            raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


def documents(corefed: Command) -> None:
    ridge = ("--l2", "0.1")
    keep("predictor", "solved", corefed("solve", "tiny.csv", *COLUMNS, *ridge, "--json", "--certificate", "stable.json"))
    keep("certificate", "predictor", corefed.read("stable.json"))
    tight = ("--ceiling", "0.5", "--rule", "utilitarian")
    keep("predictor", "utilitarian", corefed("solve", "tiny.csv", *COLUMNS, *ridge, *tight, "--json", "--certificate", "tight.json"))
    keep("certificate", "utilitarian", corefed.read("tight.json"))
    (corefed.folder / "u.csv").write_text("model,a,b,c\nnow,2,2,5\nother,4,4,0\n")
    corefed("audit", "u.csv", "--incumbent", "now", "--certificate", "table.json")
    keep("certificate", "table", corefed.read("table.json"))
    corefed("choose", "u.csv", "--certificate", "veto.json")
    keep("certificate", "veto", corefed.read("veto.json"))
    keep("predictor", "bare", '{"parameters": {"age": 0.5, "colour=blue": 1, "colour=green": -1, "colour=red": 0, "intercept": 0}}')
    for seed in ("1", "2"):
        corefed("data", "partition", "tiny.csv", "--method", "iid", "--agents", "3", "--seed", seed, "--out", f"p{seed}.json")
        keep("partition", f"iid-{seed}", corefed.read(f"p{seed}.json"))
    corefed("data", "partition", "tiny.csv", "--method", "label-dirichlet", "--agents", "2", "--alpha", "1",
            "--target", "sick", "--min-samples", "2", "--out", "d.json")
    keep("partition", "dirichlet", corefed.read("d.json"))


def folders(corefed: Command) -> None:
    (corefed.folder / "exact.toml").write_text(SPEC)
    (corefed.folder / "rounds.toml").write_text(SPEC + "[train]\nrounds = 3\n")
    corefed("run", "exact.toml", "--out", "exact")
    corefed("run", "rounds.toml", "--out", "trained")
    files = ("trained/run.json", "trained/spec.toml", "trained/rounds.jsonl", "trained/agents.jsonl", "trained/audit.json",
             "exact/run.json", "exact/core.predictor.json", "exact/coalitions.json")
    for k, name in enumerate(files):
        keep("folder", name.replace("/", "-"), bytes([k]) + corefed.read(name))
    keep("safetensors", "model", corefed.read("trained/model.safetensors"))
    keep("safetensors", "checkpoint", corefed.read("trained/checkpoints/00000003.checkpoint"))
    head = b'{"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}'
    keep("safetensors", "small", struct.pack("<Q", len(head)) + head + bytes(16))
    for table in ("rounds", "agents"):
        corefed("export", "trained", "--table", table, "--out", f"{table}.parquet")
        keep("parquet", table, corefed.read(f"{table}.parquet"))
    (corefed.folder / "one.toml").write_text(SPEC + "[train]\nrounds = 1\n")
    corefed("run", "one.toml", "--out", "one")
    corefed("export", "one", "--table", "agents", "--out", "one.parquet")
    keep("parquet", "one-round", corefed.read("one.parquet"))
    keep("spec", "exact", SPEC)
    keep("spec", "trained", corefed.read("trained/spec.toml"))
    keep("spec", "setting", "train.rule = 'qffl'")
    keep("spec", "full", FULL)


FULL = """name = "full"
data = "mnist"
model = "softmax"
allow = ["wide"]
[partition]
method = "label-dirichlet"
alpha = 0.5
[corrupt]
"agent 1" = ["noise:0.5", "drop:0.1"]
[train]
rule = "qffl"
q = 2.0
[train.local]
steps = 3
batch = "full"
schedule = "step"
decay = 0.5
[train.participation]
draw = "fixed"
agents = ["a", "b"]
[train.safety]
clip = 1.5
[compare]
rules = ["fedavg", { rule = "qffl", q = 2.0, label = "q-FFL 2" }]
seeds = [1, 2, 3]
"""


def mail(corefed: Command, tiny: str) -> None:
    header, *rows = tiny.splitlines()
    (corefed.folder / "post").mkdir()
    for agent in AGENTS:
        own = [row for row in rows if row.startswith(agent)]
        (corefed.folder / f"{agent}.csv").write_text("\n".join([header, *own]) + "\n")
        corefed("keys", "new", f"{agent}.key")
        corefed("summarise", "--data", f"{agent}.csv", "--agent-column", "agent", "--agent", agent, "--target", "sick",
                "--model", "logistic", "--key", f"{agent}.key", "--out", f"post/{agent}.summary.json")
    keep("answers", "summary", corefed.read("post/Ada.summary.json"))
    terms: tuple[str, ...] = ("--l2", "0.1")
    for number in range(1, 100):
        corefed("audit", "--answers", "post", *terms)
        terms = ()
        if (corefed.folder / "post/certificate.json").exists():
            break
        questions = f"post/questions-{number:02}.json"
        if number in (1, 2):
            keep("questions", f"round-{number}", corefed.read(questions))
            document = json.loads(corefed.read(questions))
            document["questions"]["asked"][0]["hessians"] = [0, 0, 10**9]
            keep("questions", f"places-{number}", json.dumps(document))
        for agent in AGENTS:
            out = f"post/answers-{number:02}-{agent}.json"
            corefed("answer", questions, "--data", f"{agent}.csv", "--agent", agent, "--key", f"{agent}.key", "--out", out)
        keep("answers", f"round-{number}", corefed.read(f"post/answers-{number:02}-Ada.json"))
    certificate = corefed.read("post/certificate.json")
    keep("attestation", "draft", certificate)
    for agent in AGENTS:
        out = f"{agent}.attestation.json"
        corefed("attest", "post/certificate.json", "--data", f"{agent}.csv", "--key", f"{agent}.key", "--out", out)
        keep("attestation", agent, certificate + b"\n---\n" + corefed.read(out))
    signed = [f"{agent}.attestation.json" for agent in AGENTS]
    corefed("attest", "post/certificate.json", "--out", "attested.json", "--merge", *signed)
    keep("certificate", "attested", corefed.read("attested.json"))


def main() -> None:
    tiny = TINY.read_text()
    text_tables(tiny)
    published()
    utilities()
    requests()
    replies()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tiny.csv").write_text(tiny)
        corefed = Command(sys.argv[1], Path(folder))
        documents(corefed)
        folders(corefed)
        mail(corefed, tiny)


main()
