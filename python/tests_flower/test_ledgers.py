"""What a server must not forget: budgets, tickets and sums, in a folder that somebody damaged."""

import hashlib
import json

import pytest
from summed import grid, lines, train
from test_privacy import agents_grid

from corefed import RunError, flower, load
from corefed._errors import EditedWarning

ROUNDS = 3
NESTED = "[" * 100_000


def private(run):
    """Room for a few rounds more than are trained first."""
    promise = flower.Privacy(epsilon=4.0, delta=1e-5, clip=0.2, noise=4.0)
    return flower.FedAvg(ceilings=5.0, average="equal", privacy=promise, run=run)


def secure(run):
    return flower.CoreFed(ceilings=12.0, secure=True, run=run)


def told(run):
    return flower.CoreFed(ceilings=5.0, run=run, evaluate_every=0, norm_cap=None)


KINDS = {"privacy": private, "secure": secure, "told": told}
FILES = {
    "privacy.jsonl": "privacy",
    "secure.json": "secure",
    "sums.jsonl": "secure",
    "told-privacy.jsonl": "told",
}


def net(kind, folder):
    if kind == "told":
        return agents_grid(folder / "keep")
    return grid(folder / "keep", plain=kind == "privacy")


def begun(kind, folder):
    strategy = KINDS[kind](folder / "run")
    train(strategy, net(kind, folder), rounds=ROUNDS)
    strategy.history.close()
    return folder / "run"


def resumed(kind, folder, rounds=ROUNDS + 1):
    strategy = KINDS[kind](folder / "run")
    try:
        train(strategy, net(kind, folder), rounds=rounds)
    finally:
        strategy.history.close()
    return strategy


@pytest.mark.parametrize("name", list(FILES))
def test_ledgers_are_listed_in_the_digests_and_an_edit_is_said(tmp_path, name):
    run = begun(FILES[name], tmp_path)
    listed = dict(line.split("  ")[::-1] for line in _digests(run))
    assert listed[name] == hashlib.sha256((run / name).read_bytes()).hexdigest()
    resumed(FILES[name], tmp_path)
    listed = dict(line.split("  ")[::-1] for line in _digests(run))
    assert listed[name] == hashlib.sha256((run / name).read_bytes()).hexdigest()
    (run / name).write_text((run / name).read_text() + " ")
    with pytest.warns(EditedWarning, match=name):
        load(run)


def _digests(run):
    *listed, count = (run / "digests.sha256").read_text().splitlines()
    assert count == f"# {len(listed)} documents"
    return listed


@pytest.mark.parametrize("name", list(FILES))
@pytest.mark.parametrize(
    "damage", ["{", "[1]\n", "7\n", "null\n", '{"a": 1}\n', NESTED, NESTED + "\n"]
)
def test_a_damaged_ledger_is_named(tmp_path, name, damage):
    run = begun(FILES[name], tmp_path)
    text = (run / name).read_text()
    whole = (
        damage if name == "secure.json" else damage + ("" if damage[-1] == "\n" else "\n") + text
    )
    (run / name).write_text(whole)
    if name == "told-privacy.jsonl" and damage == '{"a": 1}\n':
        pytest.skip("what agents said is for people: nothing is computed from it")
    with pytest.raises(RunError, match=name.replace(".", r"\.") + "` is damaged"):
        resumed(FILES[name], tmp_path)


@pytest.mark.parametrize("damage", [b"\xff\xfe", b""])
def test_a_session_that_is_no_text_is_named(tmp_path, damage):
    run = begun("secure", tmp_path)
    (run / "secure.json").write_bytes(damage)
    with pytest.raises(RunError, match=r"secure\.json` is damaged"):
        resumed("secure", tmp_path)


def _edit(run, change):
    rows = lines(run / "privacy.jsonl")
    change(rows)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (run / "privacy.jsonl").write_text(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[0].update(squares=1e-9),
        lambda rows: rows[0].update(squares=-1.0),
        lambda rows: rows[0].update(squares="0"),
        lambda rows: rows[0].update(squares=None),
        lambda rows: rows.pop(),
        lambda rows: rows.clear(),
    ],
)
def test_an_edit_buys_no_rounds(tmp_path, change):
    run = begun("privacy", tmp_path)
    _edit(run, change)
    with pytest.raises(RunError, match=r"privacy\.jsonl` is damaged") as caught:
        resumed("privacy", tmp_path)
    assert "nobody knows what is spent" in caught.value.hint


def test_a_ledger_that_was_removed_is_missed(tmp_path):
    run = begun("privacy", tmp_path)
    (run / "privacy.jsonl").unlink()
    with pytest.raises(RunError, match="the checkpoint knows of"):
        resumed("privacy", tmp_path)


@pytest.mark.parametrize("left", [1, 40])
def test_half_a_line_counts_as_a_whole_release(tmp_path, left):
    run = begun("privacy", tmp_path)
    undisturbed = resumed("privacy", tmp_path).private.spent
    text = (run / "privacy.jsonl").read_text()
    # Somebody copied the folder while the next line was being written.
    (run / "privacy.jsonl").write_text(text + text.splitlines()[0][:left])
    again = resumed("privacy", tmp_path, rounds=ROUNDS + 2)
    rows = lines(run / "privacy.jsonl")
    assert [row["round"] for row in rows] == [1, 2, 3, 4, None, 5]
    assert rows[4]["squares"] == rows[3]["squares"]
    assert again.private.spent > undisturbed
    # A last line that was torn away is not forgotten either: the checkpoint knows of it.
    (run / "privacy.jsonl").write_text("".join(line + "\n" for line in text.splitlines()[:-1]))
    with pytest.raises(RunError, match="the checkpoint knows of"):
        resumed("privacy", tmp_path, rounds=ROUNDS + 3)
