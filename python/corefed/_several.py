"""Comparisons of rules and sweeps over a key, from Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corefed import _corefed
from corefed._asked_spec import asked_spec
from corefed._columns import Columns


def compare(
    spec: str | Path | Mapping[str, Any] = "hospitals-rounds",
    *,
    rules: Sequence[str] = (),
    seeds: int | None = None,
    base: str | None = None,
    tune: Mapping[str, Iterable[Any]] | None = None,
    budget: int | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    data_dir: str | Path | None = None,
    **overrides: Any,
) -> Comparison:
    """Train several rules from several seeds on the same data, and audit them against each other.

    Parameters
    ----------
    spec
        A preset, a file ending in ``.toml``, or the spec itself as a dictionary; it has ``train``.
    rules
        Names of rules; those of the spec, else a usual few, unless told.
    seeds
        Train from seeds 1 to this; those of the spec unless told.
    base
        The rule that others are compared with, seed by seed.
    tune
        Keys of the spec with values to try for every rule:
        ``{"train.local.learning_rate": [0.01, 0.1]}``.
    budget
        At most this many settings per rule.
    jobs
        How many trainings run at once.
    out
        Folder to write; it must not exist. The next free ``runs/NAME-compare`` unless told.
    resume
        Continue in the folder of `out`, where the same call was stopped.
    data_dir
        As for :func:`run`.
    **overrides
        Keys of the spec, with two underscores for a dot: ``train__rounds=20``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = compare(rules=["fedavg", "corefed"], out=f"{folder}/c", train__rounds=3)
    ...     found.runs["rule"]
    ['fedavg', 'corefed']
    """
    wanted, settings = asked_spec(spec, overrides)
    asked = {
        "rules": [str(rule) for rule in rules],
        "seeds": seeds,
        "base": base,
        "tune": [(key, [str(value) for value in values]) for key, values in (tune or {}).items()],
        "budget": budget,
        "jobs": jobs,
    }
    place, data = (_path(out), resume), _path(data_dir)
    folder, text = _corefed.compare_spec(wanted, settings, asked, place, data, lambda _: None)
    if text is None:
        raise KeyboardInterrupt
    return Comparison(Path(folder), json.loads(text))


def sweep(
    spec: str | Path | Mapping[str, Any] = "hospitals",
    *,
    field: str,
    values: Iterable[Any],
    jobs: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    data_dir: str | Path | None = None,
    **overrides: Any,
) -> Sweep:
    """Run a spec once for each value of one of its keys, and audit every model.

    Parameters
    ----------
    spec
        A preset, a file ending in ``.toml``, or the spec itself as a dictionary.
    field
        The key: ``ceiling``, ``train.rounds``.
    values
        Its values. One at which nobody can serve all agents is a row without a verdict.
    jobs
        How many trainings run at once.
    out
        Folder to write; it must not exist. The next free ``runs/NAME-sweep`` unless told.
    resume
        Continue in the folder of `out`, where the same call was stopped.
    data_dir
        As for :func:`run`.
    **overrides
        Other keys of the spec, with two underscores for a dot.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = sweep("hospitals", field="ceiling", values=[0.9, 2.0], out=f"{folder}/s")
    ...     found.points["value"]
    ['0.9', '2.0']
    """
    wanted, settings = asked_spec(spec, overrides)
    texts = [str(value) for value in values]
    place, data = (_path(out), resume), _path(data_dir)
    asked = (field, texts, jobs)
    folder, text = _corefed.sweep_spec(wanted, settings, *asked, place, data, lambda _: None)
    if text is None:
        raise KeyboardInterrupt
    return Sweep(Path(folder), json.loads(text))


class Comparison:
    """Rules compared; ``document`` is ``compare.json`` in the folder ``path``."""

    def __init__(self, path: Path, document: dict[str, Any]) -> None:
        self.path = path
        self.document = document

    @property
    def runs(self) -> Columns:
        """One row per rule and seed that left a model."""
        runs = self.document["runs"]
        columns: dict[str, Any] = {
            name: [run[name] for run in runs] for name in ("rule", "seed", "verdict")
        }
        columns["folder"] = [str(self.path / run["folder"]) for run in runs]
        columns.update(_intervals(runs))
        return Columns(columns)

    @property
    def utilities(self) -> Columns:
        """One row per rule, seed and agent."""
        names = self.document["agents"]
        rows = [
            (run["rule"], run["seed"], agent, utility)
            for run in self.document["runs"]
            for agent, utility in zip(names, run["utilities"], strict=True)
        ]
        return _table(("rule", "seed", "agent", "utility"), rows)

    @property
    def exploded(self) -> list[dict[str, Any]]:
        """Trainings that left no model, with the reason."""
        found: list[dict[str, Any]] = self.document["exploded"]
        return found

    def __repr__(self) -> str:
        said = f"<Comparison {self.path}: {len(self.document['runs'])} trainings>"
        return _corefed.one_line(said)


class Sweep:
    """A key with several values; ``document`` is ``sweep.json`` in the folder ``path``."""

    def __init__(self, path: Path, document: dict[str, Any]) -> None:
        self.path = path
        self.document = document

    @property
    def points(self) -> Columns:
        """One row per value; a value without a model has no verdict and says why."""
        points = self.document["points"]
        columns: dict[str, Any] = {"value": [point["value"] for point in points]}
        columns["verdict"] = [point["verdict"] for point in points]
        columns.update(_intervals(points))
        columns["infeasible"] = [(point["infeasible"] or {}).get("reason") for point in points]
        return Columns(columns)

    @property
    def utilities(self) -> Columns:
        """One row per value and agent, where there is a model."""
        rows = [
            (point["value"], agent, utility)
            for point in self.document["points"]
            if point["utilities"]
            for agent, utility in zip(point["agents"], point["utilities"], strict=True)
        ]
        return _table(("value", "agent", "utility"), rows)

    def __repr__(self) -> str:
        said = f"{self.document['field']}, {len(self.document['points'])} values"
        return _corefed.one_line(f"<Sweep {self.path}: {said}>")


def _intervals(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Both ends of both factors; not a number where there are none."""
    columns = {}
    for name in ("kappa", "everybody"):
        for end in ("lo", "hi"):
            ends = [float("nan") if row[name] is None else float(row[name][end]) for row in rows]
            columns[f"{name}_{end}"] = np.array(ends)
    return columns


def _table(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Columns:
    cells = list(zip(*rows, strict=True)) or [()] * len(names)
    columns: dict[str, Any] = {name: list(own) for name, own in zip(names, cells, strict=True)}
    columns[names[-1]] = np.array(columns[names[-1]], dtype=np.float64)
    return Columns(columns)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
