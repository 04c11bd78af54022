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
    # FLARE's cross-site evaluation: sites, models, metrics.
    loss = {"a": {"SRV_server": {"loss": 0.5}, "a": {"loss": 0.25}, "b": {"loss": 1.5}}}
    loss["b"] = {"SRV_server": {"loss": 0.5}, "a": {"loss": 1e-3}, "b": {"loss": 0.125}}
    keep("utilities", "cross-site", json.dumps(loss))
    both = {site: {m: v | {"accuracy": 0.75} for m, v in models.items()} for site, models in loss.items()}
    keep("utilities", "cross-site-two-metrics", json.dumps(both))


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


def varint(value: int) -> bytes:
    small, rest = value & 0x7F, value >> 7
    return bytes([small | 0x80]) + varint(rest) if rest else bytes([small])


def field(tag: int, content: bytes) -> bytes:
    """Bytes in protobuf: a tag, a length, and themselves."""
    return varint(tag << 3 | 2) + varint(len(content)) + content


def config(**settings: object) -> bytes:
    """The body of a ConfigRecord."""
    return b"".join(field(1, field(1, key.encode()) + field(2, value_of(value))) for key, value in settings.items())


def value_of(value: object) -> bytes:
    match value:
        case bool():
            return varint(4 << 3) + varint(value)
        case int():
            return varint(2 << 3) + varint(2 * value)
        case float():
            return varint(1 << 3 | 1) + struct.pack("<d", value)
        case str():
            return field(5, value.encode())
        case []:
            return field(24, b"")
        case [str(), *_]:
            return field(25, b"".join(field(1, text.encode()) for text in value))
        case _:
            return field(22, field(1, b"".join(varint(2 * place) for place in value)))


def saved(*shape: int, single: bool = False) -> bytes:
    """An array as `numpy.save` writes it, with numbers that count up."""
    count = 1
    for extent in shape:
        count *= extent
    sizes = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    head = f"{{'descr': '<f{4 if single else 8}', 'fortran_order': False, 'shape': ({sizes}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    numbers = struct.pack(f"<{count}{'f' if single else 'd'}", *(k / 8 for k in range(count)))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + numbers


KINDS = ("Message", "RecordDict", "ArrayRecord", "ConfigRecord", "MetricRecord", "Array", "ArrayChunk", "Other")


class Objects:
    """The objects of a message, as `crates/corefed-fuzz/src/nodes.rs` reads them."""

    def __init__(self) -> None:
        self.bytes, self.count = b"", 0

    def add(self, kind: str, children: list[int], body: bytes) -> int:
        head = bytes([KINDS.index(kind), len(children), *children]) + struct.pack("<H", len(body))
        self.bytes, self.count = self.bytes + head + body, self.count + 1
        return self.count - 1

    def named(self, kind: str, children: dict[str, int]) -> int:
        body = {name: f"@{k}" for k, name in enumerate(children)}
        return self.add(kind, list(children.values()), json.dumps(body).encode())

    def array(self, *shape: int, single: bool = False) -> int:
        chunk = self.add("ArrayChunk", [], saved(*shape, single=single))
        about = {"dtype": "float64", "shape": shape, "stype": "numpy.ndarray", "arraychunk_ids": [0]}
        return self.add("Array", [chunk], json.dumps(about).encode())


#: Parameters of the model of `tiny.csv`: age, three colours and the intercept.
DIM = 5


def node_message(name: str, settings: bytes, *, points: int = 0, models: int = 0, drift: bool = False,
                 kind: int = 0, single: bool = False) -> None:
    parts = Objects()
    records = {"config": parts.add("ConfigRecord", [], settings)}
    if points:
        records["points"] = parts.named("ArrayRecord", {"points": parts.array(points, DIM)})
    for model in ["arrays", "model-1", "model-2"][:models] + ["corefed-drift"] * drift:
        both = {"weight": parts.array(1, DIM - 1, single=single), "bias": parts.array(1, single=single)}
        records[model] = parts.named("ArrayRecord", both)
    whole = parts.named("RecordDict", records)
    parts.add("Message", [whole], b"")
    keep("node", name, bytes([3 + kind]) + parts.bytes)


def node() -> None:
    about = field(2, b"a" * 64) + varint(1 << 3) + varint(11) + field(8, b"train")
    keep("node", "pull-messages", bytes([0]) + field(2, field(1, about) + field(2, b"")) + field(3, field(1, b"a" * 64)))
    keep("node", "push-messages", bytes([0]) + field(3, b"b" * 64) + field(4, b"session"))
    keep("node", "pull-object", bytes([0]) + b"\x08\x01\x10\x01" + field(3, b"ArrayChunk  3\0abc"))
    keep("node", "empty-messages", bytes([0]) + field(2, b"") * 300)
    keep("node", "object", bytes([1]) + b"RecordDict " + b"c" * 64 + b"," + b"d" * 64 + b" 2\0{}")
    keep("node", "numbers", bytes([2]) + saved(2, 3))
    keep("node", "singles", bytes([2]) + saved(7, single=True))
    keep("node", "by-columns", bytes([2]) + saved(3, 2).replace(b"False", b"True "))
    steps = {"server-round": 1, "corefed-rule": "corefed", "lr": 0.5, "seed": 8, "local-epochs": 2, "batch-size": 2}
    node_message("train", config(**steps), models=1)
    node_message("train-single", config(**steps), models=1, single=True)
    node_message("train-corrected", config(**steps, momentum=0.5), models=1, drift=True)
    propfair = {"corefed-rule": "propfair", "corefed-ceiling": 2.0, "corefed-floor": 0.1}
    node_message("train-propfair", config(**steps | propfair), models=1)
    node_message("newton", config(**{"corefed-rule": "newton"}), models=1)
    node_message("evaluate", config(**{"server-round": 1}), models=1, kind=1)
    node_message("query", config(a=1), models=1, kind=2)
    node_message("losses", config(**{"corefed-ask": "losses", "names": ["a", "b"]}), models=3)
    for word in ("who", "terms", "seal"):
        node_message(word, config(**{"corefed-ask": word}))
    node_message("declare", config(**{"corefed-ask": "declare", "policy": "pooled-constant:1.5", "radius": 10.0}))
    asked = {"corefed-ask": "oracle", "server-round": 1, "radius": 10.0, "gradients": [0, 1], "hessians": [1], "own": True}
    node_message("oracle", config(**asked), points=2)
    node_message("oracle-losses", config(**asked | {"gradients": [], "hessians": [], "own": False}), points=3)
    node_message("oracle-beyond", config(**asked | {"hessians": [9] * 40}), points=2)


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
    corefed("compare", "rounds.toml", "--set", "train.rounds=1", "--rules", "fedavg,corefed", "--out", "compared")
    corefed("sweep", "exact.toml", "--field", "ceiling", "--values", "1,2", "--out", "swept")
    corefed("stay", "exact.toml", "--out", "stayed")
    for k, name in enumerate(FILES):
        path = corefed.folder / name
        if path.is_file():
            keep("folder", name.replace("/.", "-").replace("/", "-"), bytes([k]) + path.read_bytes())
    changed = {"kind": "spec-changes", "version": 1,
               "changes": [{"after_round": 1, "key": "train.rounds", "then": "2", "now": "3"}]}
    kept = {"kind": "comparison", "spec": (corefed.folder / "compared/spec.toml").read_text(), "field": None, "values": []}
    corefed("data", "partition", "tiny.csv", "--method", "iid", "--agents", "3", "--seed", "1", "--out", "p.json")
    more = {"trained/changes.json": json.dumps(changed).encode(), "trained/partition.json": corefed.read("p.json"),
            "exact/stay.json": corefed.read("stayed/stay.json"), "compared/.unfinished": json.dumps(kept).encode()}
    for name, content in more.items():
        keep("folder", name.replace("/.", "-").replace("/", "-"), bytes([FILES.index(name)]) + content)
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


#: The files of `crates/corefed-fuzz/src/folders.rs`, in their order.
FILES = ("trained/run.json", "trained/spec.toml", "trained/rounds.jsonl", "trained/agents.jsonl", "trained/audit.json",
         "exact/run.json", "exact/core.predictor.json", "exact/coalitions.json", "trained/certificate.json",
         "trained/digests.sha256", "trained/changes.json", "trained/partition.json", "exact/core.certificate.json",
         "exact/digests.sha256", "exact/stay.json", "compared/compare.json", "compared/.unfinished",
         "compared/digests.sha256", "swept/sweep.json", "stayed/stay.json", "post/session.json")

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
    keep("folder", "post-session.json", bytes([FILES.index("post/session.json")]) + corefed.read("post/session.json"))
    certificate = corefed.read("post/certificate.json")
    keep("attestation", "draft", certificate)
    node_message("attest", config(**{"corefed-ask": "attest", "certificate": certificate.decode()}))
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
    node()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tiny.csv").write_text(tiny)
        corefed = Command(sys.argv[1], Path(folder))
        documents(corefed)
        folders(corefed)
        mail(corefed, tiny)


main()
