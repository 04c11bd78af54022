"""Answers that are known by hand, through the binary."""

import math

import pytest

from binary import corefed
from cases import write

FLAGS = "--agent agent --target y --model linear --raw --no-intercept --radius 2 --json".split()


@pytest.fixture
def parabolas(tmp_path):
    """L = t^2 and (t - 1)^2."""
    return write(tmp_path / "two.csv", ["agent", "x", "y"], [["a", 1, 0], ["b", 1, 1]])


@pytest.mark.parametrize(
    # At t = 1/2 both have M - 1/4; alone an agent has M at half the share. So kappa is
    # M / (2M - 1/2): 4/3 at 0.4, one at 0.5, and from there on nobody leaves.
    ("ceiling", "code", "kappa"),
    [(0.3, 1, 3.0), (0.4, 1, 4 / 3), (0.49, 1, 0.49 / 0.48), (0.5, 0, 1.0), (0.6, 0, 6 / 7)],
)
def test_two_parabolas_are_blocked_below_one_half(parabolas, ceiling, code, kappa):
    answer = corefed("solve", parabolas, *FLAGS, "--ceiling", ceiling)
    found = answer.json
    assert answer.code == code, answer.err
    assert found["verdict"] == ("blocked" if code else "stable")
    assert abs(found["kappa"]["lo"] - kappa) <= 1e-9, f"{found['kappa']} {kappa}"
    assert found["kappa"]["lo"] <= found["kappa"]["hi"] <= kappa + 1e-6, found["kappa"]
    assert abs(found["parameters"]["x"] - 0.5) <= 1e-9, found["parameters"]
    for agent in found["agents"]:
        assert abs(agent["utility"] - (ceiling - 0.25)) <= 1e-12, agent
        assert abs(agent["alone"] - ceiling) <= 1e-9, agent
    if code:
        assert len(found["deviation"]["coalition"]) == 1, found["deviation"]


def test_the_premise_of_the_theorem_is_said_to_be_violated(parabolas):
    """On [-2, 2] the losses reach 4 and 9: only ceilings of 9 and more satisfy the premise."""
    premise = "utilities are non-negative on the whole ball (premise of Theorem 2)"
    for ceiling, status in [(0.4, "violated"), (8.9, "violated"), (9.1, "checked")]:
        answer = corefed("solve", parabolas, *FLAGS, "--ceiling", ceiling).json
        stated = {a["statement"]: a["status"] for a in answer["assumptions"]}
        assert stated[premise] == status, f"{ceiling}: {stated}"


def test_the_worst_loss_of_a_parabola_is_at_the_far_end(parabolas):
    answer = corefed("solve", parabolas, *FLAGS, "--ceiling", "worst").json
    ceilings = [agent["ceiling"] for agent in answer["agents"]]
    assert all(e <= c <= e * (1 + 1e-8) for c, e in zip(ceilings, [4, 9], strict=True)), ceilings
    assert answer["verdict"] == "stable"


def test_weighted_parabolas_meet_where_the_stationary_equation_says(tmp_path, parabolas):
    """w_a t / (M - t^2) = w_b (1 - t) / (M - (1 - t)^2), solved by bisection."""
    weights = write(tmp_path / "w.csv", ["agent", "weight"], [["b", 1], ["a", 3]])
    answer = corefed("solve", parabolas, *FLAGS, "--ceiling", 1.5, "--weights", weights).json
    low, high = 0.0, 1.0
    for _ in range(100):
        t = (low + high) / 2
        pull = 3 * t / (1.5 - t * t) - (1 - t) / (1.5 - (1 - t) ** 2)
        low, high = (t, high) if pull < 0 else (low, t)
    assert abs(answer["parameters"]["x"] - low) <= 1e-8, f"{answer['parameters']} {low}"


def test_the_zero_predictor_loses_the_logarithm_of_the_classes(tmp_path):
    rows = [[a, x, y] for a in "ab" for x, y in [(1, 0), (2, 1), (3, 2), (4, 0), (6, 1)]]
    path = write(tmp_path / "three.csv", ["agent", "x", "y"], rows)
    args = "--agent agent --target y --model softmax --ceiling initial:2 --json".split()
    answer = corefed("solve", path, *args).json
    ceilings = [agent["ceiling"] for agent in answer["agents"]]
    assert all(abs(c - 2 * math.log(3)) <= 1e-14 for c in ceilings), ceilings
    # Agents that are alike get what they could have alone.
    for agent in answer["agents"]:
        assert abs(agent["utility"] - agent["alone"]) <= 1e-8, agent
