"""`corefed run` with `[train]` against the same rounds in NumPy: rules, lengths, safeguards, records."""

import numpy as np
import pytest

from cases import Case, federation, write
from records import worst_losses
from training import agrees, run, shares

SIZES = [18, 35, 26, 21]
WEIGHTS = [1.0, 2.5, 0.5, 1.25]
# Two orders of summing in double precision, over a dozen rounds: they differ by less than a tenth of this.
ROUNDING = 1e-12

RULES = {
    "fedavg": {"rule": "fedavg"},
    "printed": {"rule": "corefed", "step_length": "printed"},
    "normalised": {},
    "dynamic": {"rule": "corefed", "step_length": "dynamic"},
    "propfair": {"rule": "propfair"},
    "afl": {"rule": "afl", "gamma": 0.7},
    "qffl": {"rule": "qffl"},
    "qffl-half": {"rule": "qffl", "q": 0.5},
    "qffl-cubed": {"rule": "qffl", "q": 3},
    "term": {"rule": "term", "t": 2.5},
    "term-negative": {"rule": "term", "t": -1.5},
    "fedmgda": {"rule": "fedmgda"},
    "fedmgda-box": {"rule": "fedmgda", "spread": 0.05},
    "nash-mtl": {"rule": "nash-mtl"},
}
# The bargain is found by two methods, each to the residual that rounding leaves.
TOLERANCES = {"nash-mtl": 1e-9}
SETTINGS = {
    "drift": {"local": {"epochs": 4, "learning_rate": 0.2, "momentum": 0.9, "weight_decay": 0.03}},
    "server": {"server_step": 1.3, "server_momentum": 0.6},
    "clip": {"safety": {"clip": 0.045}},
}
SCHEDULES = {
    "cosine": {},
    "inverse-sqrt": {},
    "step": {"decay": 0.5, "decay_every": 3},
}
LENGTHS = ["printed", "normalised", "dynamic"]


def both(folder, case, settings, average="samples", tolerance=ROUNDING, **top):
    """Trains twice, with uneven weights, and compares everything."""
    weights = shares(folder, "weights.csv", WEIGHTS)
    settings = {"rounds": 8, "correction": "none", "search": "off", **settings}
    if settings.get("rule", "corefed") == "corefed":
        settings = {"memory": 1.0, **settings}
    stated = weights if average == "weights" else average
    found = run(folder, case, settings, weights=weights, average=stated, **top)
    data = case.federation()
    by_name = {f"agent {k}": (WEIGHTS[k], SIZES[k]) for k in range(len(SIZES))}
    say, samples = zip(*(by_name[name] for name in data.names), strict=True)
    averaging = say if average == "weights" else samples
    return found, agrees(found, data, say, averaging, settings, tolerance)


@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
@pytest.mark.parametrize("rule", RULES)
def test_rounds_of_every_rule_are_those_of_numpy(tmp_path, rule, family):
    case = federation(tmp_path, family, seed=31, sizes=SIZES, raw=True, l2=0.02)
    both(tmp_path, case, RULES[rule], tolerance=TOLERANCES.get(rule, ROUNDING))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.startswith("qffl-")])
def test_local_work_clip_and_the_servers_step_are_those_of_numpy(tmp_path, rule, setting):
    case = federation(tmp_path, "logistic", seed=32, sizes=SIZES, raw=True)
    tolerance = TOLERANCES.get(rule, ROUNDING)
    _, rounds = both(tmp_path, case, {**RULES[rule], **SETTINGS[setting]}, tolerance=tolerance)
    if setting == "clip":
        clipped = [len(r.clipped) for r in rounds[1:]]
        assert 0 < max(clipped) and (min(clipped) < 4 or rule == "propfair"), clipped


@pytest.mark.parametrize("rule", ["fedavg", "printed", "normalised", "dynamic", "propfair", "qffl", "term"])
def test_corrected_local_steps_are_those_of_numpy(tmp_path, rule):
    case = federation(tmp_path, "logistic", seed=36, sizes=SIZES, raw=True)
    both(tmp_path, case, {**RULES[rule], **SETTINGS["drift"], "correction": "control"})


def test_averaged_utilities_are_those_of_numpy(tmp_path):
    case = federation(tmp_path, "logistic", seed=37, sizes=SIZES, raw=True)
    both(tmp_path, case, {**SETTINGS["drift"], "memory": 0.3})


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_learning_rate_follows_its_schedule(tmp_path, schedule):
    """Under the dynamic length, which divides by the rate, and with it."""
    case = federation(tmp_path, "logistic", seed=33, sizes=SIZES, raw=True)
    local = {"schedule": schedule, "learning_rate": 0.4, **SCHEDULES[schedule]}
    both(tmp_path, case, {**RULES["dynamic"], "local": local})


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("at_ceiling", ["floor", "warm-up", "raise"])
def test_an_agent_below_its_floor_is_treated_as_agreed(tmp_path, at_ceiling, length):
    """The ceiling is below ln 2, where training starts, so at first everybody has less than nothing.

    FedAvg's weights are the others' here: which ones a warm-up takes is a test of its own.
    """
    case = federation(tmp_path, "logistic", seed=34, sizes=SIZES, raw=True, spread=0.4)
    settings = {"rule": "corefed", "step_length": length, "rounds": 12}
    rate = {"printed": 0.1}.get(length, 1.0)
    settings |= {"local": {"learning_rate": rate}, "safety": {"at_ceiling": at_ceiling}}
    found, rounds = both(tmp_path, case, settings, average="weights", ceiling=0.68)
    acted = [bool(r.floored or r.raised) for r in rounds[1:]]
    assert acted[0] and not acted[-1], acted
    assert found.rounds["log_welfare"][0] == -np.inf and found.rounds["headroom"][0] == np.inf
    if at_ceiling == "warm-up":
        assert [r.warm_up for r in rounds[1:]] == acted


def test_a_warm_up_weighs_as_fedavg_does(tmp_path):
    case = federation(tmp_path, "logistic", seed=34, sizes=SIZES, raw=True, spread=0.4)
    settings = {"local": {"learning_rate": 1.0}, "safety": {"at_ceiling": "warm-up"}}
    both(tmp_path, case, settings, average="samples", ceiling=0.68)


def test_propfairs_log_is_a_line_below_its_floor(tmp_path):
    """Two epochs, so that the slope of the log changes within a round."""
    case = federation(tmp_path, "logistic", seed=34, sizes=SIZES, raw=True, spread=0.4)
    local = {"epochs": 2, "learning_rate": 0.1, "momentum": 0.5, "weight_decay": 0.01}
    settings = {"rule": "propfair", "local": local, "safety": {"floor": 0.2}}
    found, _ = both(tmp_path, case, settings, ceiling=0.72)
    utilities = found.by_agent("utility")
    assert utilities.min() < 0.2 * 0.72 < utilities.max(), utilities


@pytest.mark.parametrize("length", LENGTHS)
def test_no_pull_exceeds_the_cap_times_the_smallest(tmp_path, length):
    case = federation(tmp_path, "logistic", seed=35, sizes=SIZES, raw=True)
    settings = {"rule": "corefed", "step_length": length, "rounds": 12}
    settings |= {"local": {"learning_rate": 0.5}, "safety": {"weight_cap": 1.2}}
    _, rounds = both(tmp_path, case, settings, ceiling=1.1)
    capped = [len(r.capped) for r in rounds[1:]]
    assert min(capped) == 0 and 0 < max(capped) < 4, capped


@pytest.mark.parametrize("rule", ["fedavg", "printed", "afl", "fedmgda"])
def test_parameters_come_back_into_the_ball(tmp_path, rule):
    """What leaves the ball is put a few roundings inside it."""
    case = federation(tmp_path, "logistic", seed=36, sizes=SIZES, raw=True, spread=0.5)
    rate = {"printed": 0.1}.get(rule, 0.8)
    settings = {**RULES[rule], "local": {"learning_rate": rate}, "server_momentum": 0.3}
    found, rounds = both(tmp_path, case, settings, tolerance=1e-11, radius=0.3)
    assert np.linalg.norm(found.theta) <= 0.3
    assert np.isclose(np.linalg.norm(rounds[-1].theta), 0.3, rtol=1e-14)
    assert np.linalg.norm(rounds[1].theta) < 0.3


@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
def test_one_gradient_bounds_kappa_under_the_worst_ceilings(tmp_path, family):
    case = federation(tmp_path, family, seed=37, sizes=SIZES, raw=True, l2=0.05)
    found, _ = both(tmp_path, case, {"rounds": 12}, ceiling="worst", radius=1.5)
    bounds = found.rounds["bound"]
    assert (bounds >= found.rounds["kappa"].fillna(1)).all() and bounds.iloc[-1] < bounds[0], bounds
    ceilings = [agent["ceiling"] for agent in found.header["agents"]]
    expected = worst_losses(case.federation(), 1.5)
    assert np.allclose(ceilings, expected, rtol=1e-9), f"{ceilings} {expected}"


@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
def test_standardised_columns_and_categories_train_alike(tmp_path, family):
    case = federation(tmp_path, family, seed=38, sizes=SIZES, l2=0.01)
    local = {"epochs": 2, "learning_rate": 0.05, "momentum": 0.5}
    both(tmp_path, case, {**RULES["dynamic"], "local": local})


def test_tenths_of_twelve_agents_are_two_and_every_coalition_is_tried(tmp_path):
    """Diverging steps, so that earlier rounds tempt large coalitions and small ones."""
    sizes = list(range(8, 32, 2))
    case = federation(tmp_path, "linear", seed=39, sizes=sizes, raw=True, spread=0.6)
    settings = {"rule": "fedavg", "rounds": 6, "correction": "none", "local": {"learning_rate": 0.07}}
    found = run(tmp_path, case, settings, ceiling=80)
    data = case.federation()
    agrees(found, data, [1.0] * 12, [len(y) for y in data.targets], settings, ROUNDING)
    tempted = found.rounds["coalition"].map(len)
    assert found.rounds["kappa"].astype(float).max() > 1 and tempted[1:].nunique() > 1, tempted


def test_the_documented_line_reads_the_smallest_weights(tmp_path):
    """Losses 1 and 1/4 under a tilt of 960: the second weight, about 2e-313, counts as none."""
    path = write(tmp_path / "two.csv", ["agent", "x", "y"], [["a", 1, 1], ["b", 1, 0.5]])
    settings = {"rule": "term", "t": 960, "rounds": 1}
    found = run(tmp_path, Case(path, "linear", raw=True), settings, allow=["one-sample"])
    assert (found.by_agent("weight")[1] == [1, 0]).all()
