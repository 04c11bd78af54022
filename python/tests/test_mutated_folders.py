"""Thousands of files that something was changed in: what comes out is a result or a `RunError`."""

import copy
import json
import random
import shutil
import warnings

import numpy as np
import pytest

import corefed

CASES = 200
ODD = [None, True, -1, 0, 1e308, -1e-320, 2**70, "", "\x1b[2J", "a" * 500, [], {}, [[]], "nan"]
TABLE = "agent,x,y\n" + "".join(
    f"{agent},{at + k},{(at * slope + k) % 7}\n"
    for k, (agent, slope) in enumerate({"a": 1, "b": 2, "c": 3}.items())
    for at in range(8)
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A training, one whose settings were changed on the way, and an exact run, all small."""
    place = tmp_path_factory.mktemp("folders")
    (place / "rows.csv").write_text(TABLE)
    told = {"name": "small", "data": str(place / "rows.csv"), "agent": "agent", "target": "y"}
    spec = told | {"model": "linear", "ceiling": 3.0}
    train = {"rule": "corefed", "rounds": 3, "local": {"epochs": 1, "learning_rate": 0.1}}
    corefed.run(spec | {"train": train}, out=place / "trained", progress=False)
    corefed.run(spec, out=place / "exact", progress=False)
    shutil.copytree(place / "trained", place / "changed")
    text = (place / "changed/spec.toml").read_text()
    (place / "changed/spec.toml").write_text(
        text.replace("learning_rate = 0.1", "learning_rate = 0.2")
    )
    corefed.resume(place / "changed", changed_spec=True, progress=False)
    return place


def mutated(data: bytes, name: str, draw: random.Random) -> bytes:
    """The bytes of a file in which one thing is not as it was."""
    if draw.random() < 0.5 and name.endswith((".json", ".jsonl")):
        return _mutated_json(data, name, draw)
    way, at = draw.randrange(5), draw.randrange(len(data))
    end = min(len(data), at + draw.choice([1, 1, 7, 64]))
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + data[end:]
    if way == 2:
        return data[:at] + data[at:end] + data[at:]
    if way == 3:
        return data[:at] + draw.randbytes(end - at) + data[end:]
    flipped = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        flipped[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(flipped)


def _mutated_json(data, name, draw):
    lines = data.decode().splitlines() if name.endswith(".jsonl") else [data.decode()]
    at = draw.randrange(len(lines))
    document = json.loads(lines[at])
    holders = list(_holders(document))
    holder, key = draw.choice(holders)
    way = draw.random()
    if way < 0.3:
        del holder[key]
    elif way < 0.6:
        holder[key] = copy.deepcopy(draw.choice(ODD))
    else:
        other, place = draw.choice(holders)
        holder[key], other[place] = copy.deepcopy(other[place]), copy.deepcopy(holder[key])
    lines[at] = json.dumps(document)
    return "\n".join(lines).encode()


def _holders(value):
    """All places of a document: a list or an object, and the key in it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs) if isinstance(value, dict | list) else []:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _holders(inner)


def outcome(act):
    """What a call gives, or what the one error says that may come."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return act(), None
        except corefed.RunError as error:
            said = str(error)
            assert said
            assert all(c == "\n" or c.isprintable() for c in said)
            return None, said


def read_all(folder):
    run = corefed.load(folder)
    for name in ("spec", "header", "rounds", "agents", "model", "rules", "audit"):
        getattr(run, name)
    return run.certificate, run.verdict, repr(run), run._repr_html_()


READ = [
    ("trained", "run.json"),
    ("trained", "rounds.jsonl"),
    ("trained", "agents.jsonl"),
    ("trained", "spec.toml"),
    ("trained", "audit.json"),
    ("trained", "certificate.json"),
    ("trained", "model.safetensors"),
    ("trained", "digests.sha256"),
    ("changed", "changes.json"),
    ("exact", "run.json"),
    ("exact", "core.predictor.json"),
    ("exact", "core.certificate.json"),
]
RESUMED = [
    ("trained", "checkpoints/00000003.checkpoint"),
    ("trained", "rounds.jsonl"),
    ("trained", "agents.jsonl"),
    ("trained", "spec.toml"),
    ("trained", "digests.sha256"),
    ("changed", "changes.json"),
]


@pytest.mark.parametrize(("kind", "name"), READ)
def test_a_folder_with_a_changed_file_is_read_or_is_a_run_error(folders, tmp_path, kind, name):
    draw, refused = random.Random(f"read {kind} {name}"), 0
    folder = tmp_path / "run"
    shutil.copytree(folders / kind, folder)
    data = (folder / name).read_bytes()
    for _ in range(CASES):
        (folder / name).write_bytes(mutated(data, name, draw))
        refused += outcome(lambda: read_all(folder))[1] is not None
    # Both happen, or nothing was tried; what nobody reads here is never refused.
    assert refused > 0 or name in ("digests.sha256", "changes.json", "spec.toml")
    (folder / name).write_bytes(data)
    assert outcome(lambda: read_all(folder))[1] is None


@pytest.mark.parametrize(("kind", "name"), RESUMED)
def test_a_changed_file_is_a_run_error_or_the_same_model_after_a_resume(folders, kind, name):
    draw, same = random.Random(f"resume {kind} {name}"), 0
    data = (folders / kind / name).read_bytes()
    expected = [
        (folders / kind / own).read_bytes() for own in ("model.safetensors", "agents.jsonl")
    ]
    for case in range(CASES // 4):
        # Beside the table, which a spec names from where it is.
        folder = folders / f"{kind}-{case}"
        shutil.copytree(folders / kind, folder)
        (folder / name).write_bytes(mutated(data, name, draw))
        run, said = outcome(lambda folder=folder: corefed.resume(folder, progress=False))
        if said is None:
            same += 1
            found = [(folder / own).read_bytes() for own in ("model.safetensors", "agents.jsonl")]
            assert found == expected, case
            assert np.isfinite(np.concatenate([p.ravel() for p in run.model.values()])).all()
        shutil.rmtree(folder)
    assert same > 0 or name == "spec.toml"
