"""Choices among models, against the definition."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import corefed


def vetoed(table: np.ndarray, model: int, shares: list[Fraction], parts: list[Fraction]) -> bool:
    """Whether some coalition vetoes a model, by going through all of them."""
    for size in range(1, table.shape[1] + 1):
        for group in map(list, combinations(range(table.shape[1]), size)):
            better = (table[:, group] > table[model, group]).all(axis=1)
            share = sum(shares[i] for i in group)
            if sum(parts[b] for b in np.flatnonzero(better)) > 1 - share:
                return True
    return False


def test_the_core_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        agents, models = rng.integers(2, 6), rng.integers(2, 7)
        table = rng.integers(0, 4, (models, agents)).astype(float)
        weights = rng.integers(1, 5, agents)
        groups = [f"g{k}" for k in rng.integers(0, 3, models)]
        shares = [Fraction(int(w), int(weights.sum())) for w in weights]
        parts = [Fraction(1, len(set(groups)) * groups.count(group)) for group in groups]
        found = corefed.choose(table, weights=weights, groups=groups)
        core = [str(m) for m in range(models) if not vetoed(table, m, shares, parts)]
        assert found.core == core
        assert set(found.chosen) <= set(core)


def test_frames_files_and_dictionaries_are_one_table(tmp_path) -> None:
    frame = pd.DataFrame({"a": [0.5, 0.25], "b": [0.25, 0.75]}, index=["x", "y"])
    by_frame = corefed.choose(frame, losses=True)
    by_dict = corefed.choose({"x": {"a": 0.5, "b": 0.25}, "y": {"b": 0.75, "a": 0.25}}, losses=True)
    assert by_frame.table == by_dict.table == "model,a,b\nx,0.5,0.25\ny,0.25,0.75\n"
    assert by_frame.core == by_dict.core == ["x", "y"]
    by_frame.save(tmp_path / "c.json", tmp_path / "t.csv")
    assert corefed.choose(tmp_path / "t.csv", losses=True).certificate == by_frame.certificate
    checked = corefed.verify(tmp_path / "c.json", data=tmp_path / "t.csv")
    assert any("prefers" in line for line in checked.checked)
    assert pd.DataFrame(by_frame.models)["vetoed"].tolist() == [False, False]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(corefed.InputError, match="not finite"):
        corefed.choose({"x": [1.0, float("nan")], "y": [1.0, 2.0]})
    with pytest.raises(corefed.InputError, match="3 numbers of 2 agents"):
        corefed.choose({"x": [1.0, 2.0], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(corefed.InputError, match="1 groups of 2 models"):
        corefed.choose({"x": [1.0, 2.0], "y": [2.0, 1.0]}, groups=["g"])
    with pytest.raises(corefed.InputError, match="weights"):
        corefed.choose({"x": [1.0, 2.0], "y": [2.0, 1.0]}, weights=[1.0, 0.0])
