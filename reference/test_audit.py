"""`corefed audit --predictor` against one convex program per coalition."""

import json

import numpy as np
import pytest

from binary import corefed, solve
from cases import federation
from core import kappa_against
from optimum import kappa

# Clarabel's accuracy on gains.
PROGRAM = 2e-6
EPSILON = 1e-6

CASES = [
    # family, seed, sizes, rule, ceiling, weights
    ("linear", 11, [20, 20, 20, 20], "utilitarian", "initial:1.1", "equal"),
    ("linear", 12, [12, 30, 18, 25, 15], "egalitarian", "initial:1.5", "samples"),
    ("logistic", 13, [20, 30, 16, 24, 18], "egalitarian", "0.48", "samples"),
    ("logistic", 14, [20, 20, 20, 20], "core", "initial:1.05", "equal"),
    ("logistic", 15, [25, 25, 25, 25], "egalitarian", "0.75", "equal"),
    ("logistic", 14, [20, 20, 20, 20], "utilitarian", "initial:1.1", "equal"),
    ("softmax", 16, [20, 20, 20, 20], "egalitarian", "0.75", "equal"),
    ("softmax", 17, [15, 25, 20, 30], "core", "initial:1.5", "samples"),
]


@pytest.mark.parametrize(("family", "seed", "sizes", "rule", "ceiling", "weighting"), CASES)
def test_kappa_is_that_of_all_coalitions(
    tmp_path, family, seed, sizes, rule, ceiling, weighting
):
    case = federation(tmp_path, family, seed, sizes, l2=0.01, spread=1.0)
    fitted = solve(case, "--ceiling", ceiling, "--weights", weighting, "--radius", 5, rule=rule)
    (tmp_path / "fit.json").write_text(fitted.out)
    audited = corefed("audit", case.path, "--predictor", tmp_path / "fit.json", "--json")
    answer, data = audited.json, case.federation()
    assert answer["kappa"] == fitted.json["kappa"], f"{answer['kappa']} {fitted.json['kappa']}"

    ceilings, weights, utilities = (
        np.array([agent[key] for agent in answer["agents"]])
        for key in ("ceiling", "weight", "utility")
    )
    expected, coalition = kappa(data, ceilings, weights, utilities, 5)
    lo, hi = answer["kappa"]["lo"], answer["kappa"]["hi"]
    both = f"corefed [{lo!r}, {hi!r}], brute force {expected!r} by {coalition}"
    assert lo - PROGRAM <= expected <= hi + PROGRAM, both
    # A stable model needs no more than a bound; a blocked one is given its best coalition.
    assert hi - lo <= 1e-6 * hi or answer["verdict"] != "blocked", both
    assert answer["search"]["complete"], answer["search"]
    assert answer["tolerance"] == EPSILON
    if expected > 1 + EPSILON + PROGRAM:
        assert (audited.code, answer["verdict"]) == (1, "blocked"), both
        check_deviation(data, answer, ceilings, weights, utilities)
    else:
        assert (audited.code, answer["verdict"]) == (0, "stable"), both


def test_the_cases_above_contain_both_verdicts(tmp_path):
    """A brute force that always agrees could be one that never sees the other side."""
    verdicts = set()
    for family, seed, sizes, rule, ceiling, weighting in CASES:
        case = federation(tmp_path, family, seed, sizes, l2=0.01, spread=1.0)
        flags = ["--ceiling", ceiling, "--weights", weighting, "--radius", 5]
        verdicts.add(solve(case, *flags, rule=rule).json["verdict"])
    assert verdicts == {"stable", "blocked"}, verdicts


def check_deviation(data, answer, ceilings, weights, utilities):
    """The rival and its gains, recomputed: the coalition really would leave."""
    stated, deviation = answer["predictor"], answer["deviation"]
    blocks = deviation["rival"]
    blocks = [blocks[c] for c in data.classes] if data.family == "softmax" else [blocks]
    rival = np.array([block[name] for block in blocks for name in data.features])
    assert np.linalg.norm(rival) <= stated["radius"] * (1 + 1e-9), np.linalg.norm(rival)
    then = ceilings - data.losses(rival)
    members = [data.names.index(name) for name in deviation["coalition"]]
    for name, gain in deviation["gains"].items():
        recomputed = then[data.names.index(name)] / utilities[data.names.index(name)]
        assert abs(gain - recomputed) <= 1e-9 * gain, f"{name}: {gain!r} {recomputed!r}"
    reached = sum(weights[members]) / sum(weights) * min(deviation["gains"].values())
    assert abs(reached - answer["kappa"]["lo"]) <= 1e-9, f"{reached!r} {answer['kappa']}"
    assert kappa_against(utilities, then, weights) <= answer["kappa"]["hi"] * (1 + 1e-9)


def test_bare_parameters_mean_the_same_as_a_whole_predictor(tmp_path):
    case = federation(tmp_path, "logistic", 18, [20, 30, 25])
    fitted = solve(case).json
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps({"parameters": fitted["parameters"]}))
    flags = [*case.flags(), "--tolerance", fitted["tolerance"], "--json"]
    answer = corefed("audit", case.path, "--predictor", bare, *flags).json
    for key in ("verdict", "kappa", "agents", "log_welfare", "predictor"):
        assert answer[key] == fitted[key], f"{key}: {answer[key]} {fitted[key]}"
