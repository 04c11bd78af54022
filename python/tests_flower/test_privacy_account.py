"""The exact curve of Gaussian noise against integrals, bounds, and another accountant."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from corefed import InputError
from corefed.privacy import Account, Budget, BudgetError, delta_of, epsilon_of, mu_of, normal

SHIFTS = [0.05, 0.3, 1.0, 2.5, 6.0]


def integrated(epsilon, mu):
    """`delta` by its definition: the integral of `max(0, p - e^epsilon q)` of two normals."""
    x = np.linspace(-12, 12 + mu, 2_000_001)
    p, q = (np.exp(-((x - at) ** 2) / 2) / math.sqrt(2 * math.pi) for at in (mu, 0.0))
    return float(np.maximum(0, p - math.exp(epsilon) * q).sum() * (x[1] - x[0]))


def renyi(delta, mu):
    """The bound that Renyi accountants give: it is valid and never below the exact one."""
    orders = np.concatenate([np.linspace(1.01, 20, 2000), np.geomspace(20, 1e5, 2000)])
    curve = orders * mu**2 / 2
    found = curve + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    return float(found.min())


@pytest.mark.parametrize("mu", SHIFTS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_delta_is_the_integral_of_its_definition(mu, epsilon):
    assert delta_of(epsilon, mu) == pytest.approx(integrated(epsilon, mu), rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("mu", SHIFTS)
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_epsilon_and_shift_are_inverse_and_below_renyi(mu, delta):
    epsilon = epsilon_of(delta, mu)
    assert delta_of(epsilon, mu) <= delta * (1 + 1e-9)
    if epsilon > 0:
        assert delta_of(epsilon * (1 - 1e-9), mu) > delta * (1 - 1e-6)
        assert mu_of(epsilon, delta) == pytest.approx(mu, rel=1e-9)
    assert epsilon <= renyi(delta, mu)
    assert renyi(delta, mu) < 1.25 * epsilon + 0.1


def test_the_curve_has_no_seam_where_its_series_begins():
    # At 25 standard deviations one form takes over from the other.
    for mu in (49.99, 50.0, 50.01):
        one, two = epsilon_of(1e-300, mu), epsilon_of(1e-300, mu * (1 + 1e-9))
        assert 0 <= two - one < 1e-5 * one


def test_the_guide_says_how_many_rounds_a_noise_keeps():
    guide = (Path(__file__).parents[2] / "docs/private-models.md").read_text()
    assert "Budget(4.0, 1e-5).releases(25.0**-2 + 80.0**-2)         # 487 trainings" in guide
    assert Budget(4.0, 1e-5).releases(25.0**-2 + 80.0**-2) == 487


#: What dp-accounting 0.6.0 says; `accountant.py` has the command.
OTHER = json.loads((Path(__file__).parent / "accountant.json").read_text())


@pytest.mark.parametrize("row", OTHER["epsilons"], ids=str)
def test_epsilon_is_that_of_another_accountant(row):
    ours = epsilon_of(row["delta"], math.sqrt(row["rounds"]) / row["noise"])
    assert ours == pytest.approx(row["exact"], rel=1e-5)
    assert ours <= row["renyi"]
    assert OTHER["dp-accounting"] == "0.6.0"


def test_a_budget_says_how_often_and_how_much_noise():
    budget = Budget(4.0, 1e-5)
    noise = budget.noise(20)
    assert budget.releases(noise**-2) == 20
    assert budget.spent(20 * noise**-2) == pytest.approx(4.0, rel=1e-9)
    assert budget.allows(20 * noise**-2)
    assert not budget.allows(20.01 * noise**-2)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0, 0.1), (-1, 0.1), (1, 0), (1, 1), (math.inf, 0.1)]
)
def test_a_promise_that_is_none_is_refused(epsilon, delta):
    with pytest.raises(InputError):
        Budget(epsilon, delta)


def test_an_account_remembers_and_refuses(tmp_path):
    budget, path = Budget(2.0, 1e-5), tmp_path / "keep" / "account.json"
    square = budget.noise(3) ** -2
    for spent in range(3):
        assert Account(path, budget).squares == pytest.approx(spent * square)
        Account(path, budget).spend(square)
    with pytest.raises(BudgetError, match=r"epsilon is 2 of 2, and one more .* 2\.\d+"):
        Account(path, budget).spend(square)
    assert json.loads(path.read_text())["epsilon"] == pytest.approx(2.0)
    path.write_text("[]")
    with pytest.raises(InputError, match=r"account\.json` cannot be read"):
        Account(path, budget).spend(square)


def test_noise_is_normal_and_nobody_elses():
    drawn = normal(b"1" * 32, "a", 200_001)
    assert drawn.size == 200_001
    assert abs(drawn.mean()) < 5 / math.sqrt(drawn.size)
    assert abs(drawn.var() - 1) < 5 * math.sqrt(2 / drawn.size)
    inside = np.mean(np.abs(drawn) < 1.959964)
    assert abs(inside - 0.95) < 5 * math.sqrt(0.95 * 0.05 / drawn.size)
    assert abs((drawn**4).mean() - 3) < 5 * math.sqrt(96 / drawn.size)
    # Halves of a pair are independent, other names and other secrets are other noise.
    for other in (normal(b"1" * 32, "b", 200_001), normal(b"2" * 32, "a", 200_001)):
        assert abs(np.corrcoef(drawn, other)[0, 1]) < 5 / math.sqrt(drawn.size)
    half = drawn.size // 2
    assert abs(np.corrcoef(drawn[:half], drawn[half + 1 :])[0, 1]) < 5 / math.sqrt(half)
    assert np.array_equal(drawn, normal(b"1" * 32, "a", 200_001))
