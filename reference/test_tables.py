"""`corefed audit --incumbent`: tables of utilities against Definition 1 in exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from binary import corefed
from cases import write
from core import blocking_coalitions, everybody_against, improves, kappa_against

PUBLISHED = {
    "adult": ("2.59 .77 1.46", "2.62 .90 1.53"),
    "mnist": (".34 .29 .92", ".36 .41 .91"),
    "cifar10": (".63 1.40 .51", ".73 1.35 .71"),
    "vgg11": (".25 3.25 3.46", "1.63 3.17 3.32"),
    "noise": ("3.28 3.30 1.42", "3.26 3.27 1.95"),
    "ten agents": (
        "2.11 2.30 3.04 3.28 1.15 2.70 2.00 2.72 2.76 3.14",
        "2.26 2.50 3.12 3.32 1.42 2.50 1.99 2.80 2.65 2.99",
    ),
}


def audit(folder, rows, incumbent, weights=None):
    """Audits a table of texts; returns the exit code and the JSON."""
    agents = [str(k) for k in range(len(next(iter(rows.values()))))]
    table = write(folder / "t.csv", ["model", *agents], [[m, *u] for m, u in rows.items()])
    flags = []
    if weights:
        pairs = list(zip(agents, weights, strict=True))
        flags = ["--weights", write(folder / "w.csv", ["agent", "weight"], pairs)]
    answer = corefed("audit", table, "--incumbent", incumbent, *flags, "--json")
    assert answer.code in (0, 1), answer.err
    return answer.code, answer.json


def by_definition(rows, incumbent, weights=None):
    """The verdict and both factors, exactly."""
    exact = {model: [Fraction(u) for u in row] for model, row in rows.items()}
    now = exact.pop(incumbent)
    weights = [Fraction(w) for w in weights] if weights else [Fraction(1)] * len(now)
    verdict = "stable"
    if any(improves(now, then) for then in exact.values()):
        verdict = "improvable"
    if any(blocking_coalitions(now, then, weights) for then in exact.values()):
        verdict = "blocked"
    kappa = max(kappa_against(now, then, weights) for then in exact.values())
    return verdict, kappa, max(everybody_against(now, then) for then in exact.values())


def check(folder, rows, incumbent, weights=None):
    """The binary says what the definition says; returns its answer."""
    code, answer = audit(folder, rows, incumbent, weights)
    verdict, *factors = by_definition(rows, incumbent, weights)
    both = f"{rows} {weights}: corefed {answer}, {verdict} {factors}"
    assert (code, answer["verdict"]) == (0 if verdict == "stable" else 1, verdict), both
    for name, exact in zip(("kappa", "everybody"), factors, strict=True):
        lo, hi = (float(answer[name][end]) for end in ("lo", "hi"))
        assert lo <= exact <= hi, both
        assert hi in (lo, math.nextafter(lo, math.inf)), both
    if verdict == "blocked":
        deviation = answer["deviation"]
        now, then = rows[incumbent], rows[deviation["rival"]]
        exact = [[Fraction(u) for u in row] for row in (now, then)]
        shares = [Fraction(w) for w in weights] if weights else [Fraction(1)] * len(now)
        members = {int(name) for name in deviation["coalition"]}
        assert members in blocking_coalitions(*exact, shares), f"{both} {deviation}"
    else:
        assert answer["deviation"] is None, both
    return answer


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_rows_are_judged_by_the_definition_both_ways(tmp_path, name):
    fedavg, core = (row.split() for row in PUBLISHED[name])
    rows = {"fedavg": fedavg, "corefed": core}
    assert check(tmp_path, rows, "corefed")["verdict"] == "stable"
    check(tmp_path, rows, "fedavg")


def test_vgg_fedavg_is_left_by_the_agent_it_starves(tmp_path):
    """Agent 0 gains 1.63/.25 = 6.52, more than three times."""
    fedavg, core = (row.split() for row in PUBLISHED["vgg11"])
    answer = check(tmp_path, {"fedavg": fedavg, "corefed": core}, "fedavg")
    assert answer["deviation"]["coalition"] == ["0"], answer["deviation"]
    assert math.isclose(answer["kappa"]["lo"], 1.63 / 0.25 / 3, rel_tol=1e-12), answer["kappa"]


def test_the_published_adult_row_is_left_for_the_zero_model(tmp_path):
    """M = 3 and ln 2 for everybody: agents 1 and 2 reach (2/3)(3 - ln 2)/1.53 = 1.0052."""
    zero = f"{3 - math.log(2):.12f}"
    rows = {"corefed": PUBLISHED["adult"][1].split(), "zero": [zero] * 3}
    answer = check(tmp_path, rows, "corefed")
    assert answer["deviation"]["coalition"] == ["1", "2"], answer["deviation"]
    assert round(answer["kappa"]["lo"], 3) == 1.005, answer["kappa"]


def test_the_simplex_tie_is_stable(tmp_path):
    """u_i(c) = c_i: every vertex lets one agent break even alone, and nobody gains."""
    rows = {"centre": ["0.2"] * 5}
    rows |= {f"vertex {k}": ["1" if i == k else "0" for i in range(5)] for k in range(5)}
    answer = check(tmp_path, rows, "centre")
    assert answer["verdict"] == "stable" and answer["kappa"]["lo"] == 1.0, answer["kappa"]


def test_min_max_is_left_and_the_fair_model_is_not(tmp_path):
    """The paper's section 3.1 with a = 1, K = 20, M = 21: losses (1, 1, 20) and (10, 10, 18)."""
    rows = {"fair": ["20", "20", "1"], "min-max": ["11", "11", "3"]}
    assert check(tmp_path, rows, "fair")["verdict"] == "stable"
    left = check(tmp_path, rows, "min-max")
    assert left["deviation"]["coalition"] == ["0", "1"], left["deviation"]
    assert left["kappa"]["lo"] <= Fraction(40, 33) <= left["kappa"]["hi"], left["kappa"]


def test_decimals_tie_where_binary_fractions_do_not(tmp_path):
    """3 * 0.7 is 2.1 on paper: agent 0 breaks even. A digit more and it leaves."""
    rows = {"now": ["0.7", "0.9", "0.9"], "then": ["2.1", "0.1", "0.1"]}
    assert 3 * 0.7 != 2.1, "the tie would be visible in floating point too"
    assert check(tmp_path, rows, "now")["verdict"] == "stable"
    rows["then"][0] = "2.1000000000000000000000001"
    assert check(tmp_path, rows, "now")["verdict"] == "blocked"


@pytest.mark.parametrize("utility", ["0", "-0.5"])
def test_an_agent_with_nothing_leaves_alone(tmp_path, utility):
    rows = {"now": [utility, "1", "1"], "then": ["0.1", "0.5", "0.5"]}
    answer = check(tmp_path, rows, "now")
    assert answer["kappa"] == {"lo": "inf", "hi": "inf"}, answer["kappa"]
    assert answer["deviation"]["coalition"] == ["0"], answer["deviation"]
    assert answer["deviation"]["gains"] == {"0": "inf"}, answer["deviation"]


def test_weights_decide_who_can_leave(tmp_path):
    """Agent 0 doubles: enough at half of the weight only if strictly more, so 3/6 and 3.1/6.1."""
    rows = {"now": ["1", "1", "1"], "then": ["2", "0.5", "0.5"]}
    assert check(tmp_path, rows, "now", ["3", "2", "1"])["verdict"] == "stable"
    assert check(tmp_path, rows, "now", ["3.1", "2", "1"])["verdict"] == "blocked"
    # 0.3 = 0.1 + 0.2 in decimals, not in binary.
    assert check(tmp_path, rows, "now", ["0.3", "0.1", "0.2"])["verdict"] == "stable"


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_full_of_ties(tmp_path, seed):
    rng = np.random.default_rng(seed)
    agents, low = int(rng.integers(2, 6)), int(rng.choice([-1, 0, 1]))
    rows = {
        f"m{k}": [str(Fraction(int(v), 2).limit_denominator()) for v in row]
        for k, row in enumerate(rng.integers(low, 7, size=(4, agents)))
    }
    rows = {m: [f"{float(Fraction(u)):.1f}" for u in row] for m, row in rows.items()}
    weights = [str(int(w)) for w in rng.integers(1, 4, size=agents)] if seed % 2 else None
    for incumbent in rows:
        check(tmp_path, rows, incumbent, weights)
