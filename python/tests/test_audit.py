"""Kappa and audits of tables."""

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest

import corefed


def brute_force(now, then, weights):
    """Kappa by its definition: the best over all coalitions that leave somebody behind."""
    agents = range(len(now))
    coalitions = chain.from_iterable(combinations(agents, k) for k in range(1, len(now)))
    total = sum(weights)
    reached = (
        sum(weights[i] for i in members) / total * min(then[i] / now[i] for i in members)
        for members in coalitions
    )
    return max(reached, default=0.0)


@pytest.mark.parametrize("seed", range(20))
def test_kappa_is_the_best_over_all_coalitions(seed):
    rng = np.random.default_rng(seed)
    agents = int(rng.integers(1, 8))
    now, weights = rng.uniform(0.1, 2, agents), rng.uniform(0.5, 3, agents)
    rivals = rng.uniform(0.05, 3, (6, agents))
    found = corefed.kappa(now, rivals, weights)
    expected = [brute_force(now, then, weights) for then in rivals]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert corefed.kappa(now, rivals[0], weights) == found[0]


def test_the_coalition_of_a_verdict_reaches_kappa():
    rng = np.random.default_rng(7)
    now, rivals = rng.uniform(0.5, 1, 9), rng.uniform(0, 3, (40, 9))
    found = corefed.audit(now, rivals)
    assert found.status == "blocked"
    assert found.kappa.lo == found.kappa.hi == max(found.rivals["kappa"])
    share = len(found.coalition) / 9
    assert share * min(found.gains.values()) == pytest.approx(found.kappa.lo, rel=1e-12)
    assert found.rival == int(np.argmax(found.rivals["kappa"]))


def test_names_come_from_frames_and_dictionaries():
    table = pd.DataFrame(
        {"south": [1.0, 0.1, 0.9], "north": [1.0, 3.0, 0.9]}, index=["now", "split", "worse"]
    )
    for given in [
        (table.loc["now"], table.drop("now")),
        ({"north": 1.0, "south": 1.0}, table.drop("now")),
        (
            {"north": 1.0, "south": 1.0},
            {"split": {"south": 0.1, "north": 3.0}, "worse": [0.9, 0.9]},
        ),
    ]:
        found = corefed.audit(*given)
        assert (found.status, found.coalition, found.rival) == ("blocked", ["north"], "split")
        assert found.gains == {"north": 3.0}
    shown = found.to_pandas()
    assert shown.loc["north", "leaves"]
    assert list(shown.index) == ["north", "south"]


def test_ties_are_decided_exactly():
    # A share of one half of twice as much: the agent breaks even, and nobody gains.
    for exact in (False, True):
        stay = corefed.audit([1.0, 1.0], [[2.0, 0.0], [1.0, 1.0]], exact=exact)
        assert (stay.status, stay.kappa.lo) == ("stable", 1.0)
        leave = corefed.audit([1.0, 1.0], [[np.nextafter(2.0, 3.0), 0.5]], exact=exact)
        assert (leave.status, leave.coalition) == ("blocked", [0])


def test_what_everybody_prefers_is_an_improvement():
    found = corefed.audit([1.0, 1.0], {"better": [1.0, np.nextafter(1.0, 2.0)]})
    assert (found.status, found.coalition, found.rival) == ("improvable", [], "better")
    found = corefed.audit([1.0, 1.0], {"better": [1.05, 1.1]}, tolerance=0.1)
    assert (found.status, found.everybody.lo, found.tolerance) == ("stable", 1.05, 0.1)
    assert "Everybody could still gain 5 %" in found.explanation


def test_nothing_before_and_after_is_no_reason_to_leave():
    found = corefed.audit({"a": 1, "b": -1}, {"same": [1, -1]})
    assert (found.status, found.kappa.hi, found.everybody.hi) == ("stable", 0.5, 0.0)


def test_an_agent_with_nothing_to_lose_leaves_alone():
    found = corefed.audit([0.0, 1.0], [0.1, 0.1])
    assert (found.status, found.coalition, found.kappa.hi) == ("blocked", [0], np.inf)
    assert found.to_dict()["kappa"]["hi"] == "inf"


def test_headroom_speaks_of_every_rival():
    # M = 1, u = (0.5, 0.8): one of two gains at most 1/2 * 2, everybody 1.25.
    found = corefed.audit([0.5, 0.8], ceilings=1.0)
    assert (found.status, found.kappa.hi, found.everybody.hi) == ("undecided", 1.0, 1.25)
    assert corefed.audit([0.4, 0.9], [1.0, 0.1], ceilings=[1.0, 1.0]).status == "blocked"
    safe = corefed.audit([1.0, 1.0], ceilings=1.0)
    assert (safe.status, safe.scope) == ("stable", "every rival")


@pytest.mark.parametrize(
    ("utilities", "rivals", "field"),
    [([0.5, 1.1], None, "utilities"), ([0.5, 0.5], [0, 2], "rivals")],
)
def test_nobody_has_more_than_its_ceiling(utilities, rivals, field):
    with pytest.raises(corefed.InputError, match="under a ceiling of 1") as caught:
        corefed.audit(utilities, rivals, ceilings=1.0)
    assert (caught.value.agent, caught.value.field) == (1, field)


def test_a_verdict_is_no_bool():
    found = corefed.audit([1.0, 1.0], [1.0, 0.5])
    with pytest.raises(TypeError, match="four values"):
        bool(found)
    assert "stable" in str(found)


def test_pages_escape_names():
    found = corefed.audit({"<b>": 1.0, "b": 1.0}, [1.0, 0.5])
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;" in found._repr_html_()


@pytest.mark.parametrize(
    ("given", "field", "agent"),
    [
        (([1.0, np.nan], [1.0, 1.0]), "utilities", 1),
        (([1.0, 1.0], [[1.0, 1.0], [1.0, np.inf]]), "rivals", 1),
        (([1.0, 1.0], [1.0]), "rivals", None),
        (([1.0, 1.0], np.zeros((2, 3))), "rivals", None),
        (([1.0, 1.0], np.zeros((2, 2, 2))), "rivals", None),
        (([[1.0, 1.0]], [1.0, 1.0]), "utilities", None),
        (([], []), "agents", None),
        ((["a"], [1.0]), "utilities", None),
        (([1.0, 1.0],), "rivals", None),
        (([1.0, 1.0], [1.0, 1.0], [1.0, -1.0]), "weights", 1),
        (({"a": 1.0, "b": 1.0}, {"x": {"a": 1.0}}), "rivals", "b"),
        (({"a": 1.0, "b": 1.0}, {"x": {"a": 1.0, "b": 1.0, "c": 1.0}}), "rivals", "c"),
    ],
)
def test_hostile_tables_are_refused_by_name(given, field, agent):
    with pytest.raises(corefed.InputError) as caught:
        corefed.audit(*given)
    assert (caught.value.field, caught.value.agent) == (field, agent)


def test_doubled_names_are_refused():
    with pytest.raises(corefed.InputError, match="two agents"):
        corefed.audit(pd.Series([1.0, 1.0], index=["a", "a"]), [1.0, 1.0])
    table = pd.DataFrame([[1.0, 1.0], [2.0, 0.0]], columns=["a", "b"], index=["x", "x"])
    with pytest.raises(corefed.InputError, match="two rivals"):
        corefed.audit({"a": 1.0, "b": 1.0}, table)


def test_tables_in_any_memory_order_are_read_alike():
    rng = np.random.default_rng(8)
    now, table = rng.uniform(0.5, 1, 6), rng.uniform(0, 2, (30, 6))
    expected = corefed.kappa(now, table)
    padded = np.zeros((60, 12))
    padded[::2, ::2] = table
    for same in [np.asfortranarray(table), padded[::2, ::2], table.astype(object)]:
        np.testing.assert_array_equal(corefed.kappa(now, same), expected)
