"""Ceilings by policy, and the search for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import corefed
from corefed import _corefed

#: Losses (t - 1)^2 + 1/4 and (t + 1)^2 + 1/4 of a constant prediction t.
X = np.ones((4, 1))
Y = np.array([0.5, 1.5, -0.5, -1.5])
GROUPS = ["a", "a", "b", "b"]


def test_policies_scale_what_they_name() -> None:
    def ceilings(policy: str) -> list[float]:
        model = corefed.CoreRegressor(ceiling=policy, fit_intercept=False).fit(X, Y, groups=GROUPS)
        return list(model.ceilings_.values())

    # The best common constant is 0, and own models predict 1 and -1.
    assert ceilings("pooled-constant:2") == pytest.approx([2.5, 2.5])
    assert ceilings("alone:8") == pytest.approx([2.0, 2.0], rel=1e-6)


def test_own_models_need_a_factor_above_one_without_rows_held_out() -> None:
    with pytest.raises(corefed.InputError, match="no rows are held out"):
        corefed.certify((np.zeros(1), None), X, Y, GROUPS, family="linear", ceiling="alone")


def test_the_search_agrees_with_runs(tmp_path: Path) -> None:
    found = corefed.ceiling("hospitals", policy="initial")
    assert found.served_above < found.stable_from < found.empty_from
    run = corefed.run("hospitals", ceiling=found.recommended, out=tmp_path / "r", progress=False)
    assert run.audit["verdict"] == "stable"
    assert run.audit["headroom"] > 1
    assert (np.diff(found.points["scale"]) > 0).all()
    assert found.points["verdict"][0] == "blocked"
    with pytest.raises(corefed.InputError, match="searched for"):
        corefed.ceiling("hospitals", policy="initial:2")
    with pytest.raises(corefed.InputError, match="precision"):
        corefed.ceiling("hospitals", precision=2.0)


def test_the_common_constant_is_that_of_numpy() -> None:
    rng = np.random.default_rng(3)
    groups = np.array(["a", "b", "c"]).repeat([20, 30, 50])
    labels = (rng.random(100) < np.array([0.2, 0.5, 0.7]).repeat([20, 30, 50])).astype(int)
    weights = {"a": 1.0, "b": 2.0, "c": 5.0}
    model = corefed.CoreClassifier(ceiling="pooled-constant:1.5", weights=weights)
    model.fit(rng.normal(size=(100, 2)), labels, groups=groups)
    own = {name: labels[groups == name].mean() for name in weights}
    share = sum(weights[name] * own[name] for name in weights) / sum(weights.values())
    for name, mean in own.items():
        loss = -mean * np.log(share) - (1 - mean) * np.log(1 - share)
        assert model.ceilings_[name] == pytest.approx(1.5 * loss, rel=1e-12)


@pytest.mark.parametrize(
    ("policy", "losses"),
    [
        ("alone:2", "the agents' own models"),
        ("pooled-constant:2", "the best common constant"),
        ("constant:2", "the best constant predictions"),
    ],
)
def test_a_server_says_which_losses_it_does_not_know(policy: str, losses: str) -> None:
    with pytest.raises(corefed.InputError, match=losses):
        _corefed.resolve_ceilings(policy, ["a", "b"], [1.0, 2.0])
