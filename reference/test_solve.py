"""`corefed solve --rule core` against CVXPY and SciPy on the same rows."""

import numpy as np
import pytest

from binary import solve
from cases import federation, write
from core import log_welfare, tangent_gap, welfare_gradient
from optimum import nash

SIZES = [18, 35, 26, 21]
# How well two solvers must agree on log-welfare; a point differs by the root of it at most.
WELFARE = 1e-7
POINT = 2e-4

CASES = [
    # family, raw, l2, weights, radius, whether the ball holds the optimum back
    ("linear", False, 0.0, "equal", 10, False),
    ("linear", True, 0.1, "samples", 10, False),
    ("linear", False, 0.0, "file", 0.5, True),
    ("logistic", False, 0.05, "equal", 10, False),
    ("logistic", True, 0.0, "samples", 10, False),
    ("logistic", False, 0.0, "file", 0.4, True),
    ("softmax", False, 0.05, "samples", 10, False),
    ("softmax", True, 0.02, "equal", 10, False),
    ("softmax", False, 0.0, "file", 0.5, True),
]


def weights_of(kind, folder):
    """The flag and the numbers."""
    if kind == "file":
        stated = [1.0, 2.5, 0.5, 1.25]
        # In another order than the data: names decide.
        rows = [[f"agent {k}", w] for k, w in reversed(list(enumerate(stated)))]
        path = write(folder / "weights.csv", ["agent", "weight"], rows)
        return path, dict(zip([f"agent {k}" for k in range(4)], stated, strict=True))
    sizes = SIZES if kind == "samples" else [1.0] * 4
    return kind, {f"agent {k}": float(size) for k, size in enumerate(sizes)}


def usual_ceilings(data, weights, raw):
    """The defaults: `baseline:1.5` of a standardised target, and `initial:1.5` of anything else."""
    if data.family != "linear" or raw:
        return 1.5 * data.losses(np.zeros(data.dim))
    means = np.array([np.mean(y) for y in data.targets])
    constant = np.average(means, weights=weights)
    losses = np.array([np.mean((y - constant) ** 2) for y in data.targets])
    return 1.5 * np.maximum(losses, losses.mean())


@pytest.mark.parametrize(("family", "raw", "l2", "kind", "radius", "active"), CASES)
def test_the_core_optimum_is_that_of_other_solvers(
    tmp_path, family, raw, l2, kind, radius, active
):
    case = federation(tmp_path, family, seed=3, sizes=SIZES, raw=raw, l2=l2, spread=0.5)
    flag, by_name = weights_of(kind, tmp_path)
    answer = solve(case, "--radius", radius, "--weights", flag).json
    data = case.federation()
    weights = [by_name[name] for name in data.names]
    ceilings = usual_ceilings(data, weights, raw)
    theta = nash(data, ceilings, weights, radius)

    found = {key: [agent[key] for agent in answer["agents"]] for key in answer["agents"][0]}
    assert found["name"] == data.names
    assert found["weight"] == weights
    assert found["samples"] == [len(y) for y in data.targets]
    assert np.allclose(found["ceiling"], ceilings, rtol=1e-12), f"{found['ceiling']} {ceilings}"
    names = answer["predictor"]["encoding"]["features"]
    assert len(names) == len(data.features), f"{names} {data.features}"

    losses = data.losses(theta)
    expected = log_welfare(ceilings - losses, weights)
    worse = expected - answer["log_welfare"]
    both = f"corefed {answer['log_welfare']!r}, reference {expected!r}"
    assert abs(worse) <= WELFARE, both
    assert worse <= answer["gap"] + 1e-12 * sum(weights), f"{both}, gap {answer['gap']!r}"
    assert np.allclose(found["loss"], losses, atol=POINT), f"{found['loss']} {losses}"
    assert np.allclose(found["utility"], ceilings - losses, atol=POINT)
    assert answer["ball"]["active"] == active, answer["ball"]
    assert answer["converged"], answer["gap"]


@pytest.mark.parametrize(("family", "raw", "l2", "kind", "radius", "active"), CASES)
def test_the_printed_gap_is_the_gap_at_the_printed_parameters(
    tmp_path, family, raw, l2, kind, radius, active
):
    """No other solver: the tangent of log-welfare at our parameters bounds every other."""
    case = federation(tmp_path, family, seed=4, sizes=SIZES, raw=raw, l2=l2, spread=0.5)
    flag, by_name = weights_of(kind, tmp_path)
    answer = solve(case, "--radius", radius, "--weights", flag).json
    data = case.federation()
    weights = [by_name[name] for name in data.names]
    ceilings = [agent["ceiling"] for agent in answer["agents"]]
    theta = np.array(answer["predictor"]["parameters"])
    value, gradient = welfare_gradient(data, ceilings, weights, theta)
    gap = tangent_gap(gradient, theta, radius)
    rounding = 1e-12 * sum(weights) * radius
    assert abs(value - answer["log_welfare"]) <= 1e-11 * sum(weights)
    assert gap <= answer["gap"] + rounding, f"NumPy {gap!r}, printed {answer['gap']!r}"
    assert answer["gap"] <= 1e-9 * sum(weights), answer["gap"]
    assert answer["iterations"] <= 40, answer["iterations"]
    assert np.linalg.norm(theta) <= radius * (1 + 1e-12), (active, np.linalg.norm(theta))


@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
def test_parameters_by_name_are_the_parameters_in_order(tmp_path, family):
    case = federation(tmp_path, family, seed=5, sizes=SIZES)
    answer, data = solve(case).json, case.federation()
    blocks = answer["parameters"]
    blocks = [blocks[c] for c in data.classes] if family == "softmax" else [blocks]
    assert all(list(block) == data.features for block in blocks), f"{blocks} {data.features}"
    flat = [value for block in blocks for value in block.values()]
    assert flat == answer["predictor"]["parameters"]
