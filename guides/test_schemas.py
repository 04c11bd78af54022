"""Every document that real commands write is one that its schema describes."""

import functools
import json
import shutil
import tomllib

import jsonschema
import pytest
from console import ROOT, run

SCHEMAS = ROOT / "schemas"
#: Documents by the field that tells what they are.
KINDS = {
    "audit": "audit",
    "comparison": "comparison",
    "sweep": "sweep",
    "spec-changes": "spec-changes",
    "ceiling-search": "ceiling-search",
    "coalition-list": "coalition-list",
    "label-count": "label-count",
    "answered": "answered",
    "choice": "choice",
    "stay": "stay",
    "inspection": "inspection",
    "table-summary": "table-summary",
    "questions": "questions",
    "answers": "answers",
    "exact": "exact-run",
    "training": "training-run",
    "corefed-certificate": "certificate",
    "corefed-attested-certificate": "attested-certificate",
    "corefed-veto-certificate": "veto-certificate",
    "corefed-attestation": "attestation",
    "corefed-partition": "partition",
}
#: Kept by one side of a federation by mail, and not exchanged.
OWN = {"mail-session", "account", "corefed-key"}

TABLE = "--agent agent --target disease --model logistic --ceiling 1.0"
COMMANDS = f"""
corefed data export hospitals --out all.csv
corefed data list --json > known-sets.printed
corefed data inspect all.csv --agent agent --target disease --json > inspection.json
corefed data partition hospitals --method iid --agents 3 --json > partitioned.printed
corefed solve all.csv {TABLE} --certificate core.certificate.json --json > core.json
corefed verify core.certificate.json --data all.csv --json > verified.1.printed
corefed audit all.csv --predictor core.json --ceiling 0.72 --json > blocked.json || test $? = 1
corefed run --out exact --json > run-answer.printed
corefed run --out held-out --set held_out=0.3 > said.txt
corefed run hospitals-rounds --out rounds --set train.rounds=3 --json > event.lines || test $? -le 3
corefed run hospitals-rounds --out changed --set train.rounds=1000 --json | head -n 5 > said.txt
sed -i 's/^learning_rate = 1.0/learning_rate = 0.5/' changed/spec.toml
corefed run --resume changed --changed-spec > said.txt || test $? -le 3
corefed run shapes.toml --out network > said.txt || test $? -le 3
corefed compare hospitals-rounds --rules fedavg,corefed --seeds 3 --set train.rounds=2 \\
    --set held_out=0.2 --out compared > said.txt
corefed sweep hospitals --values 0.3,1 --out swept > said.txt
corefed ceiling hospitals --json > ceiling.json
corefed stay hospitals --without Evora --json > stay.json || test $? -le 3
corefed choose u.csv --certificate veto.json --json > choice.json
corefed audit u.csv --incumbent fedavg --certificate table.json --json > listed.json || test $? -le 3
corefed verify veto.json --data u.csv --json > verified.2.printed
sh "$PLAY" mail > said.txt
corefed verify mail/coordinator/attested.json --json > verified.3.printed
"""
UTILITIES = "model,north,south\nfedavg,2.6,0.9\nother,1.9,1.8\n"
NETWORK = """data = "shapes"
model = "cnn-smooth"
[partition]
method = "iid"
agents = 2
[train]
rounds = 1
"""


@functools.cache
def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def problems(name, document):
    found = jsonschema.exceptions.best_match(validator(name).iter_errors(document))
    return found and f"{name}: {found.json_path}: {found.message[:300]}"


@pytest.fixture(scope="module")
def written(programs, tmp_path_factory):
    """A folder with what many commands wrote."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "u.csv").write_text(UTILITIES)
    (folder / "shapes.toml").write_text(NETWORK)
    shutil.copy(ROOT / "examples" / "by-mail" / "play.sh", folder / "play.sh")
    for command in COMMANDS.replace("\\\n", " ").replace('"$PLAY"', "play.sh").splitlines():
        run(command, folder, programs)
    return folder


def test_every_json_file_is_known_and_valid(written):
    seen = set()
    for path in sorted(written.rglob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        kind = document.get("kind") if document.get("format") in (None, "corefed-run") else None
        kind = kind or document.get("format")
        if kind in OWN or path.name in {"spectrum.json"}:
            continue
        assert kind in KINDS, f"{path.relative_to(written)} is of an unknown kind: {kind}"
        assert problems(KINDS[kind], document) is None, path.relative_to(written)
        seen.add(KINDS[kind])
    assert seen == set(KINDS.values()), set(KINDS.values()) - seen


def test_what_is_printed_is_valid(written):
    seen = set()
    for path in sorted(written.glob("*.printed")):
        name = path.name.split(".")[0]
        assert problems(name, json.loads(path.read_text())) is None
        seen.add(name)
    assert seen == {"known-sets", "partitioned", "run-answer", "verified"}


def test_every_line_of_a_run_is_valid(written):
    lines = (written / "event.lines").read_text().splitlines()
    assert len(lines) == 6
    assert [found for line in lines if (found := problems("event", json.loads(line)))] == []
    for name in ("rounds", "agents"):
        for path in sorted(written.rglob(f"{name}.jsonl")):
            for line in path.read_text().splitlines():
                assert problems(name, json.loads(line)) is None, path


def test_specs_are_valid_and_mistakes_are_not(written):
    presets = sorted((ROOT / "crates/corefed-spec/presets").glob("*.toml"))
    resolved = sorted(written.rglob("spec.toml"))
    assert len(presets) > 5
    assert len(resolved) > 5
    for path in presets + resolved:
        assert problems("spec", tomllib.loads(path.read_text())) is None, path
    good = {"data": "hospitals", "model": "logistic"}
    for mistake in ({"modle": 1}, {"held_out": 1.5}, {"train": {"rounds": "many"}}, {"seed": -1}):
        assert problems("spec", good | mistake), mistake


@pytest.mark.parametrize(
    ("name", "file", "spoil"),
    [
        ("certificate", "core.certificate.json", lambda d: d["claim"].update(verdict="fine")),
        ("certificate", "core.certificate.json", lambda d: d.update(extra=1)),
        ("certificate", "core.certificate.json", lambda d: d.update(version=3)),
        ("audit", "core.json", lambda d: d.pop("kappa")),
        ("audit", "core.json", lambda d: d["agents"][0].update(utility="much")),
        ("stay", "stay.json", lambda d: d.update(kind="audit")),
    ],
)
def test_a_schema_refuses_what_is_not_such_a_document(written, name, file, spoil):
    document = json.loads((written / file).read_text())
    spoil(document)
    assert problems(name, document)


def test_every_schema_is_tried_or_is_for_lines():
    names = {path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json")}
    others = {"known-sets", "partitioned", "run-answer", "verified", "event", "rounds", "agents"}
    assert names == set(KINDS.values()) | others | {"spec"}


def test_the_command_prints_the_committed_schemas(programs, tmp_path):
    names = [line.split()[0] for line in run("corefed schema", tmp_path, programs)]
    assert names == sorted(
        path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.json")
    )
    for name in names:
        printed = run(f"corefed schema {name}", tmp_path, programs)
        committed = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
        assert printed == [line.rstrip() for line in committed.splitlines()]
