"""The other rules, phase one, and what happens when nobody can be served."""

import numpy as np
import pytest

from binary import corefed, solve
from cases import federation, write
from optimum import egalitarian, nash, utilitarian
from core import log_welfare

SIZES = [18, 35, 26, 21]


def utilities(answer):
    return np.array([agent["utility"] for agent in answer["agents"]])


@pytest.mark.parametrize("radius", [10, 0.4])
@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
def test_the_utilitarian_optimum_has_the_largest_weighted_sum(tmp_path, family, radius):
    case = federation(tmp_path, family, seed=6, sizes=SIZES, l2=0.02)
    answer = solve(case, "--radius", radius, "--weights", "samples", rule="utilitarian").json
    data = case.federation()
    weights = np.array([len(y) for y in data.targets], dtype=float)
    ceilings = [agent["ceiling"] for agent in answer["agents"]]
    best = weights @ (ceilings - data.losses(utilitarian(data, weights, radius)))
    found = weights @ utilities(answer)
    both = f"corefed {found!r}, reference {best!r}, gap {answer['gap']!r}"
    assert abs(found - best) <= 1e-7 * weights.sum(), both
    assert best - found <= answer["gap"] + 1e-12 * weights.sum(), both


@pytest.mark.parametrize("radius", [10, 0.4])
@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
def test_the_egalitarian_optimum_has_the_largest_smallest_utility(tmp_path, family, radius):
    case = federation(tmp_path, family, seed=7, sizes=SIZES, l2=0.02)
    answer = solve(case, "--radius", radius, rule="egalitarian").json
    ceilings = [agent["ceiling"] for agent in answer["agents"]]
    _, best = egalitarian(case.federation(), ceilings, radius)
    found = utilities(answer).min()
    both = f"corefed {found!r}, reference {best!r}, gap {answer['gap']!r}"
    assert abs(found - best) <= 1e-6, both
    assert best - found <= answer["gap"] + 1e-12, both
    assert answer["gap"] <= 1e-7, both
    # About ten steps reach what rounding allows; in progress from there gains nothing.
    assert answer["iterations"] <= 50, answer["iterations"]


@pytest.mark.parametrize("family", ["linear", "logistic", "softmax"])
def test_phase_one_finds_a_start_where_the_zero_predictor_serves_nobody(tmp_path, family):
    """Ceilings above the best possible worst loss, below the loss of knowing nothing."""
    case = federation(tmp_path, family, seed=8, sizes=SIZES, spread=0.3)
    data = case.federation()
    zero = data.losses(np.zeros(data.dim))
    _, least = egalitarian(data, np.zeros(4), 10)
    ceiling = 0.7 * -least + 0.3 * zero.min()
    assert ceiling < zero.min(), f"ceiling {ceiling} does not exclude the zero predictor {zero}"
    answer = solve(case, "--ceiling", ceiling).json
    weights, ceilings = np.ones(4), np.full(4, ceiling)
    best = log_welfare(ceilings - data.losses(nash(data, ceilings, weights, 10)), weights)
    both = f"corefed {answer['log_welfare']!r}, reference {best!r}, gap {answer['gap']!r}"
    assert abs(answer["log_welfare"] - best) <= 1e-7, both
    assert best - answer["log_welfare"] <= answer["gap"] + 1e-11, both


def test_agents_that_cannot_be_served_together_are_named(tmp_path):
    """(t - 1)^2 and (t + 1)^2 stay at 1 or more on average; the third parabola is harmless."""
    rows = [["left", 1, -1], ["right", 1, 1], ["centre", 1, 0]]
    path = write(tmp_path / "apart.csv", ["agent", "x", "y"], rows)
    flags = "--agent agent --target y --model linear --raw --no-intercept --radius 2".split()
    answer = corefed("solve", path, *flags, "--ceiling", 0.9)
    assert answer.code == 2, answer
    assert answer.out == "", answer.out
    assert "`left`" in answer.err and "`right`" in answer.err, answer.err
    assert "`centre`" not in answer.err, answer.err
    # The average utility of the two is at most 0.9 - 1, so the ceilings lack a tenth.
    assert "-0.1" in answer.err and "hint: raise the ceilings" in answer.err, answer.err
    assert "0.1000" in answer.err, answer.err
    # A little more and there is a predictor for all three.
    assert corefed("solve", path, *flags, "--ceiling", 1.01).code in (0, 1)


@pytest.mark.parametrize("rule", ["utilitarian", "egalitarian"])
def test_other_rules_answer_where_the_core_rule_cannot(tmp_path, rule):
    rows = [["left", 1, -1], ["right", 1, 1]]
    path = write(tmp_path / "apart.csv", ["agent", "x", "y"], rows)
    flags = "--agent agent --target y --model linear --raw --no-intercept --radius 2".split()
    answer = corefed("solve", path, *flags, "--ceiling", 0.9, "--rule", rule, "--json")
    # Both get 0.9 - 1 < 0: each would rather have the predictor at its own end.
    assert answer.code == 1, answer
    assert answer.json["kappa"] == {"lo": "inf", "hi": "inf"}, answer.json["kappa"]
    assert answer.json["log_welfare"] == "-inf", answer.json["log_welfare"]
