"""Is the shared model worth staying for? From Python, beside NumPy and SciPy."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

import corefed


@pytest.fixture(scope="module")
def answer():
    return corefed.stay("hospitals", without=["Evora"], joining=[["Dresden", "Evora"]])


def test_tables_are_read_by_pandas(answer):
    assert answer.verdict == "leave"
    assert answer.sentence in str(answer)
    assert all(len(group) >= 1 for group in answer.leaving)
    agents = answer.agents.to_pandas().set_index("name")
    assert list(agents.index) == ["Aachen", "Bergen", "Coimbra", "Dresden", "Evora"]
    gain = agents["shared_loss"] - agents["alone_loss"]
    known = agents["alone_gain"].notna()
    np.testing.assert_allclose(agents["alone_gain"][known], gain[known], atol=1e-12)
    assert not known["Evora"], "18 rows are too few"
    groups = answer.groups.to_pandas()
    assert len(groups) == 31 * 5
    assert (groups.query("size == 5")["gain"] == 0).all()
    assert len(answer.price["name"]) == 5
    without, joining = answer.what_if
    assert without["question"][0] == "without"
    assert joining["question"][0] == "with"
    assert "<table>" in answer._repr_html_()


def test_tables_are_read_by_polars(answer):
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(answer.agents).height == 5
    assert polars.DataFrame(answer.contributions).width == 14


def values(answer):
    """What every group saves, from the losses of groups alone."""
    groups = {tuple(group["members"]): group["loss"] for group in answer.document["groups"]}
    weights = np.array(answer.agents["weight"])
    weights = weights / weights.mean()
    return {
        members: sum(weights[i] * (groups[(i,)][i] - loss[i]) for i in members)
        for members, loss in groups.items()
    } | {(): 0.0}


def test_contributions_follow_from_the_losses_of_groups(answer):
    v = values(answer)
    n = 5
    shapley = np.zeros(n)
    for order in itertools.permutations(range(n)):
        for k, agent in enumerate(order):
            before, after = (tuple(sorted(order[:end])) for end in (k, k + 1))
            shapley[agent] += (v[after] - v[before]) / math.factorial(n)
    found = answer.contributions
    np.testing.assert_allclose(found["shapley"], shapley, atol=1e-9)
    everybody = tuple(range(n))
    missed = [v[everybody] - v[tuple(j for j in everybody if j != i)] for i in everybody]
    np.testing.assert_allclose(found["leave_one_out"], missed, atol=1e-9)
    for key in ("saves", "leave_one_out", "shapley", "banzhaf"):
        lo, value, hi = (np.array(found[name]) for name in (f"{key}_lo", key, f"{key}_hi"))
        assert np.all(lo < value)
        assert np.all(value < hi)
    # What an agent saves itself is its gain alone, turned around.
    gains = np.array(answer.agents["alone_gain_hi"])[:4]
    np.testing.assert_allclose(found["saves_lo"][:4], -gains, rtol=1e-9)


def test_the_excess_of_the_least_core_is_that_of_scipy(answer):
    v = values(answer)
    groups = [group for group in v if 0 < len(group) < 5]
    # x(S) + e >= v(S); variables are five payments and e.
    rows = [[-float(i in group) for i in range(5)] + [-1.0] for group in groups]
    solved = linprog(
        [0] * 5 + [1],
        A_ub=rows,
        b_ub=[-v[group] for group in groups],
        A_eq=[[1.0] * 5 + [0.0]],
        b_eq=[v[(0, 1, 2, 3, 4)]],
        bounds=[(None, None)] * 6,
    )
    assert answer.document["contributions"]["excess"] == pytest.approx(solved.fun, abs=1e-7)


def test_a_table_is_a_spec(tmp_path):
    rng = np.random.default_rng(1)
    lines = ["clinic,patient,x,y"]
    for clinic in range(3):
        for patient in range(60):
            for _ in range(2):
                x = rng.normal()
                lines.append(f"c{clinic},{clinic}-{patient},{x},{x + rng.normal()}")
    path = tmp_path / "clinics.csv"
    path.write_text("\n".join(lines) + "\n")
    spec = {
        "data": str(path),
        "agent": "clinic",
        "target": "y",
        "model": "linear",
        "ceiling": 100.0,
    }
    answer = corefed.stay(spec, split="group:patient", held_out=0.5)
    assert answer.document["models"]["owner"] == "clinic"
    assert answer.agents["units"] == [30, 30, 30], "patients count once"
    assert answer.agents["held_out"] == [60, 60, 60]
    assert "clinics" in answer.sentence or answer.verdict != "stable"
    # A table may be named itself, and a run asks about its own data and settings.
    keys = {key: value for key, value in spec.items() if key != "data"}
    named = corefed.stay(path, split="group:patient", held_out=0.5, **keys)
    assert named.document["agents"] == answer.document["agents"]
    run = corefed.run(path, out=tmp_path / "run", progress=False, **keys)
    asked = run.stay(split="group:patient", held_out=0.5)
    assert asked.document["agents"] == answer.document["agents"]


def test_mistakes_are_named(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    asked = r"x.csv` mean\? `agent=`, `target=`, `model=` are missing"
    with pytest.raises(corefed.InputError, match=asked):
        corefed.stay(tmp_path / "x.csv")
    with pytest.raises(corefed.InputError, match="`model=` is missing") as said:
        corefed.run(tmp_path / "x.csv", agent="a", target="b")
    assert said.value.field == "model"
    with pytest.raises(corefed.CorefedError, match=r"nowhere\.csv"):
        corefed.stay(tmp_path / "nowhere.csv", agent="a", target="b", model="linear")
    with pytest.raises(corefed.CorefedError, match="no agent is called `Ulm`"):
        corefed.stay("hospitals", without=["Ulm"])
    with pytest.raises(corefed.CorefedError, match="group:COLUMN"):
        corefed.stay("hospitals", split="weeks")
    with pytest.raises(corefed.CorefedError, match="level is `90`"):
        corefed.stay("hospitals", level=90)
    with pytest.raises(corefed.CorefedError, match="rule `kore`"):
        corefed.stay("hospitals", rule="kore")
    with pytest.raises(corefed.CorefedError, match="trains by `corefed`"):
        corefed.stay("hospitals-rounds", rule="core")
    with pytest.raises(corefed.RunError, match="within 0 s") as said:
        corefed.stay("hospitals", time_limit=0)
    assert "raise `time_limit=`" in said.value.hint
