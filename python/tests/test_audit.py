"""Kappa and audits of tables."""

import json
import subprocess
import sys
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest

import corefed

COMMAND = "import sys; from corefed._command import main; sys.exit(main())"


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


def definition(now, rivals, weights, ceilings):
    """Both intervals and the strict verdict, coalition by coalition, in fractions."""
    now, weights = [Fraction(u) for u in now], [Fraction(w) for w in weights]
    agents = range(len(now))
    proper = [c for k in range(1, len(now)) for c in combinations(agents, k)]

    def gain(i, then):
        return None if then[i] <= 0 else then[i] / now[i] if now[i] > 0 else Fraction(10**9)

    def reached(then, members):
        """What a coalition makes of a rival, and whether Definition 1 lets it leave."""
        share = sum(weights[i] for i in members) / sum(weights)
        gains = [gain(i, then) for i in members]
        if None in gains:
            return Fraction(0), False
        return share * min(gains), share * min(gains) >= 1 and share * max(gains) > 1

    def factors(then):
        then = [Fraction(u) for u in then]
        own = [reached(then, members) for members in proper]
        all_of_them = reached(then, list(agents))
        return max((k for k, _ in own), default=0), any(b for _, b in own), *all_of_them

    found = [factors(then) for then in rivals]
    kappa = max((f[0] for f in found), default=0), max((f[2] for f in found), default=0)
    if ceilings is None:
        upper = kappa
    else:
        stay, room = factors([max(u, 0) for u in now]), factors(ceilings)
        kappa = max(kappa[0], stay[0]), max(kappa[1], stay[2])
        upper = room[0], room[2]
    if any(f[1] for f in found):
        status = "blocked"
    elif any(f[3] for f in found):
        status = "improvable"
    else:
        status = "stable" if max(upper) <= 1 else "undecided"
    return status, (kappa[0], upper[0]), (kappa[1], upper[1])


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_verdicts_are_those_of_the_definition_on_any_table(seed, exact):
    rng = np.random.default_rng(seed)
    agents, count = int(rng.integers(1, 6)), int(rng.integers(0, 4))
    # Quarters, so that ties are frequent; agents with nothing, too.
    now = rng.integers(0, 8, agents) / 4
    rivals = rng.integers(0, 9, (count, agents)) / 4
    weights = rng.integers(1, 4, agents).astype(float)
    ceilings = None if count > 0 and rng.random() < 0.5 else np.full(agents, 2.0)
    found = corefed.audit(now, rivals, weights, ceilings, exact=exact)
    status, kappa, everybody = definition(now, rivals, weights, ceilings)
    assert found.status == status
    for interval, expected in [(found.kappa, kappa), (found.everybody, everybody)]:
        for end, value in zip(interval, expected, strict=True):
            assert min(end, 1e6) == pytest.approx(min(float(value), 1e6), rel=1e-12)
    assert (found.rival is None) == (status in ("stable", "undecided"))
    assert found.headroom is None or found.headroom == found.kappa.hi


def test_ceilings_know_that_everybody_can_stay():
    # Two of three have 2/3 of what they have; the same numbers as `factors.rs` of the core.
    found = corefed.audit([0.25, 0.25, 0.5], ceilings=1)
    assert found.kappa == pytest.approx((2 / 3, 8 / 3), rel=1e-15)
    assert found.everybody == (1.0, 2.0)
    assert [said["statement"] for said in found.assumptions] == [
        "utilities are those given",
        "losses are not negative",
    ]


def test_a_tie_that_rounding_would_decide_names_who_leaves():
    # A third of three times as much: floats break even, and the numbers that they are may not.
    for scale in (0.1, 0.7, 1.1, 1.3):
        now, then = [scale] * 3, [[3 * scale, 0.0, 0.0]]
        found, exact = (corefed.audit(now, then, exact=way) for way in (False, True))
        assert (found.status, found.coalition) == (exact.status, exact.coalition)
        assert (found.status == "blocked") == bool(found.coalition)


@pytest.mark.parametrize("seed", range(5))
def test_the_command_says_the_same_of_a_table(seed, tmp_path):
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 9, (4, 3)) / 4
    lines = [f"m{row},{','.join(map(str, cells))}" for row, cells in enumerate(table)]
    path = tmp_path / "table.csv"
    path.write_text("model,a,b,c\n" + "\n".join(lines) + "\n")
    said = subprocess.run(
        [sys.executable, "-c", COMMAND, "audit", path, "--incumbent", "m0", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(said.stdout)
    found = corefed.audit(table[0], table[1:])
    assert found.status == document["verdict"]
    assert found.kappa.lo == pytest.approx(float(document["kappa"]["lo"]), rel=1e-15)
    assert found.everybody.hi == pytest.approx(float(document["everybody"]["hi"]), rel=1e-15)
