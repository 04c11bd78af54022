"""Comparisons, sweeps, charts, tables of exact runs, and names for type checkers."""

import json
from typing import get_args

import numpy as np
import pytest

import corefed
from corefed._models import LossName


def test_rules_are_compared(tmp_path):
    out = tmp_path / "c"
    rules = ["fedavg", "corefed"]
    found = corefed.compare(
        "hospitals-rounds", rules=rules, seeds=2, jobs=1, out=out, train__rounds=3
    )
    assert found.runs["rule"] == [*rules, *rules]
    assert found.runs["seed"] == [1, 1, 2, 2]
    assert found.document == json.loads((out / "compare.json").read_text())
    assert str(tmp_path) not in (out / "compare.json").read_text()
    assert corefed.load(found.runs["folder"][3]).path == out / "corefed-seed-2"
    assert (out / "report.html").exists()
    assert not found.exploded
    table = found.utilities.to_pandas().set_index(["rule", "seed", "agent"])["utility"]
    alone = corefed.run(
        "hospitals-rounds", out=tmp_path / "r", progress=False, train__rounds=3,
        train__rule="fedavg", seed=1,
    )  # fmt: skip
    last = alone.agents.to_pandas().query("round == 3").set_index("agent")["utility"]
    for agent, utility in last.items():
        assert table["fedavg", 1, agent] == pytest.approx(utility, rel=1e-12)
    with pytest.raises(corefed.RunError, match="exists"):
        corefed.compare(rules=rules, out=out)


def test_a_key_is_swept(tmp_path):
    found = corefed.sweep("hospitals", field="ceiling", values=[0.2, 2.0], out=tmp_path / "s")
    assert found.points["value"] == ["0.2", "2.0"]
    assert found.points["verdict"][0] is None
    assert "positive utility" in found.points["infeasible"][0]
    exact = corefed.run("hospitals", out=tmp_path / "r", progress=False, ceiling=2.0)
    assert found.points["verdict"][1] == exact.verdict.status
    np.testing.assert_allclose(found.utilities["utility"], exact.verdict.utilities)
    assert (tmp_path / "s" / "sweep.json").exists()


class Axes:
    """Records what is drawn."""

    def __init__(self):
        self.drawn = []

    def __getattr__(self, name):
        return lambda *values, **options: self.drawn.append((name, values, options))


def test_runs_are_drawn(tmp_path):
    exact = corefed.run("hospitals", out=tmp_path / "e", progress=False)
    bars = exact.plot(Axes()).drawn
    heights = {options["label"]: values[1] for name, values, options in bars if name == "bar"}
    for rule, found in exact.rules.items():
        assert heights[rule] == [agent["utility"] for agent in found["agents"]]
    trained = corefed.run("hospitals-rounds", out=tmp_path / "t", progress=False, train__rounds=3)
    lines = {o["label"]: v for name, v, o in trained.plot(Axes()).drawn if name == "plot"}
    assert len(lines) == 5
    assert all(list(v[0]) == [0, 1, 2, 3] for v in lines.values())
    try:
        import matplotlib as mpl
    except ImportError:
        with pytest.raises(corefed.RunError, match="matplotlib"):
            exact.plot()
    else:
        mpl.use("Agg")
        assert exact.plot().get_ylabel() == "utility"


def test_an_exact_run_has_a_table_of_agents(tmp_path):
    run = corefed.run("hospitals", out=tmp_path / "e", progress=False)
    table = run.agents.to_pandas()
    assert len(table) == 3 * 5
    assert table["samples"].gt(0).all()
    core = table[table["rule"] == "core"]
    np.testing.assert_array_equal(core["utility"], run.verdict.utilities)
    np.testing.assert_allclose(core["ceiling"] - core["loss"], core["utility"])


def test_names_for_type_checkers_are_those_of_the_engine():
    for loss in get_args(LossName):
        models = {"a": [0.5, 0.5], "b": [0.4, 0.6]}
        found = corefed.audit_models(models, None, [0, 1], ["x", "y"], loss=loss, ceiling=2.0)
        assert len(found) == 2
