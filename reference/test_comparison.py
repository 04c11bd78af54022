"""Tuned comparisons of the command against NumPy and SciPy."""

import json

import numpy as np
import pytest
from scipy import stats

from binary import corefed

SEEDS = 4
FLOOR = 0.1


def floored(ceilings, losses):
    """Log-welfare with equal weights, each log a line below `FLOOR` of its ceiling."""
    utility = ceilings - losses
    floor = FLOOR * ceilings
    above = np.log(np.maximum(utility, floor))
    return np.where(utility > floor, above, np.log(floor) + (utility - floor) / floor).sum()


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare") / "t"
    answer = corefed(
        *("compare", "hospitals-rounds", "--rules", "fedavg,corefed,afl", "--seeds", SEEDS, "--json"),
        *("--set", "held_out=0.3", "--set", "validation=0.2", "--set", "train.rounds=8"),
        *("--set", f"train.safety.floor={FLOOR}"),
        *("--tune", "train.local.learning_rate=0.1,1", "--tune", "gamma=0.1,1", "--out", folder),
    )
    assert answer.code == 0, answer.err
    return folder, answer.json


def test_a_tuned_comparison_is_that_of_scipy(compared):
    _, answer = compared
    ceilings = np.ones(len(answer["agents"]))
    measures = {}
    for run in answer["runs"]:
        for rows, own in [("training", run), ("held-out", run["held_out"])]:
            losses = np.array(own["losses"])
            np.testing.assert_allclose(own["utilities"], ceilings - losses, rtol=0, atol=1e-15)
            welfare = floored(ceilings, losses)
            np.testing.assert_allclose(own["floored_log_welfare"], welfare, rtol=1e-13)
            found = {"log-welfare": welfare, "smallest-utility": (ceilings - losses).min(), "accuracy": own["accuracy"]}
            for measure, value in found.items():
                measures[run["rule"], run["seed"], measure, rows] = value
    lines = answer["paired"]["lines"]
    assert answer["paired"]["base"] == "fedavg" and len(lines) == 2 * 6
    for line in lines:
        of = (line["measure"], line["rows"])
        pairs = [(measures[line["rule"], seed, *of], measures["fedavg", seed, *of]) for seed in range(1, SEEDS + 1)]
        differences = np.array([own - base for own, base in pairs])
        lo, hi = stats.t.interval(0.9, SEEDS - 1, loc=differences.mean(), scale=stats.sem(differences))
        found = [line["mean"], line["interval"]["lo"], line["interval"]["hi"]]
        np.testing.assert_allclose(found, [differences.mean(), lo, hi], rtol=1e-9, atol=1e-12)
        assert (line["pairs"], line["larger"]) == (SEEDS, (differences > 0).sum())
        reading = "larger" if lo > 0 else "smaller" if hi < 0 else "within-noise"
        assert line["reading"] == reading


def test_winners_are_the_largest_of_what_their_records_say(compared):
    folder, answer = compared
    for own in answer["tuning"]["rules"]:
        assert own["tried"] == own["grid"] == (4 if own["rule"] == "afl" else 2)
        for seed in range(1, SEEDS + 1):
            worth = []
            for k in range(own["tried"]):
                path = folder / f"{own['rule']}-seed-{seed}-setting-{k + 1}" / "rounds.jsonl"
                rounds = [json.loads(line) for line in path.read_text().splitlines()]
                worth.append(max(line["validation_welfare"] for line in rounds))
            chosen = [tried["chosen"] for tried in own["tries"] if tried["seed"] == seed]
            assert chosen == [k == int(np.argmax(worth)) for k in range(own["tried"])]


@pytest.mark.parametrize("seeds", [1, 2])
def test_too_few_seeds_have_no_interval(tmp_path, seeds):
    answer = corefed(
        *("compare", "hospitals-rounds", "--rules", "fedavg,corefed", "--seeds", seeds, "--json"),
        *("--set", "train.rounds=2", "--out", tmp_path / "t"),
    )
    assert answer.code == 0, answer.err
    for line in answer.json["paired"]["lines"]:
        assert line["interval"] is None and line["reading"] == "too-few"
