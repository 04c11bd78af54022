"""Audits of models of any kind, by what they predict for every row."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from corefed import _corefed, _html
from corefed._agents import Roster
from corefed._columns import Columns
from corefed._corefed import one_line
from corefed._errors import CorefedError, InputError
from corefed._owners import apart, chosen, indices
from corefed._predictions import OF_CLASSES, classes_of, rows_of, targets_of
from corefed._verdict import Verdict
from corefed._verdict_document import from_audit

#: What a prediction costs, by name.
LossName: TypeAlias = Literal["squared", "absolute", "log", "zero-one", "poisson", "given"]
#: Per-row losses of a model: ``loss(model, X, y)``.
LossFunction: TypeAlias = Callable[[Any, Any, Any], Any]


def audit_models(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    agents: Any = None,
    *,
    loss: LossName | LossFunction,
    ceiling: Any = None,
    weights: Any = None,
    clip: float = 0.0,
    tolerance: float = 0.0,
    groups: Any = None,
) -> ModelAudits:
    """Ask of each of these models whether some coalition would leave it for another of them.

    Models may be of any kind: all that counts is what each row loses. The answers are about the
    listed models alone, in exact arithmetic on their utilities.

    Parameters
    ----------
    models
        By name: fitted estimators (pipelines and searches, too), functions of `X`, PyTorch modules,
        or arrays with one prediction per row.
    X, y
        Rows and targets. Use rows that no model was fitted to, or the best-fitted one wins.
    agents
        Whose each row is, or the name of that column where `X` is a DataFrame.
    loss
        What a prediction costs, averaged over an agent's rows: ``squared``, ``absolute``, ``log``
        (of probabilities), ``zero-one`` (of classes), ``poisson`` (half the deviance of a mean
        count), or ``given``, where models are arrays of per-row losses. A function
        ``loss(model, X, y)`` gives per-row losses itself; PyTorch modules are set to evaluation for
        it, without gradients.
    ceiling
        The loss at which an agent gets nothing: a number, ``pooled-constant:F`` (F times the loss
        of the best common constant prediction; F is 1.5 unless told), ``constant:F`` (of the
        agent's own best constant), ``initial:F`` (of zero, or of all classes alike), or numbers per
        agent. Needed for ``given`` losses and functions.
    weights
        The say of each agent: a list in order of first appearance, a dictionary, or ``samples``.
    clip
        Probabilities below this are raised to it, and all are divided by their sum. A model that
        gives the true class no probability has an infinite loss and is refused unless this is set.
    tolerance
        Gains up to this do not count in a status, at most 0.1; zero for the strict rule.
    groups
        Another name for `agents`.

    Examples
    --------
    >>> y = [0.0, 1.0, 4.0, 5.0]
    >>> found = audit_models(
    ...     {"low": [0.5, 0.5, 0.5, 0.5], "high": [4.5, 4.5, 4.5, 4.5]},
    ...     None, y, ["north", "north", "south", "south"], loss="squared", ceiling=20.0,
    ... )
    >>> found["low"].status, found["low"].coalition
    ('blocked', ['south'])
    """
    target = np.asarray(y)
    if target.ndim != 1 or not len(target):
        raise InputError(f"y has the shape {target.shape}; one target per row", field="y")
    X, told = apart(X, chosen(agents, groups, needed=True))
    owners, names = indices(told, len(target))
    roster, samples = Roster(names), np.bincount(owners, minlength=len(names)).tolist()
    kind = "given" if callable(loss) else loss
    if kind not in get_args(LossName):
        known = ", ".join(f"'{name}'" for name in get_args(LossName))
        raise InputError(f"there is no loss {kind!r}", field="loss", hint=f"{known}, or a function")
    fixed = _ceiling(ceiling, roster)
    classes = classes_of(models, target) if kind in OF_CLASSES else []
    rows = {
        "agents": [str(name) for name in names],
        "owners": owners,
        "targets": targets_of(target, kind, classes),
        "classes": [str(label) for label in classes],
    }
    cells = [
        (str(name), rows_of(str(name), model, X, y, loss, classes))
        for name, model in models.items()
    ]
    terms = {
        "loss": str(kind),
        "clip": float(clip),
        "ceiling": fixed,
        "weights": roster.numbers(samples if _by_samples(weights) else weights, "weights", 1.0),
        "tolerance": _tolerance(tolerance),
    }
    try:
        losses, ceilings, documents, csv = _corefed.audit_models(rows, cells, terms)
    except CorefedError as error:
        if isinstance(error.agent, int):
            error.agent = roster.name(error.agent)
        raise
    verdicts = {
        name: from_audit(json.loads(document), names=names)
        for name, document in zip(models, documents, strict=True)
    }
    return ModelAudits(verdicts, np.array(losses), np.array(ceilings), csv)


class ModelAudits(Mapping[str, Verdict]):
    """A verdict on every model, against the others.

    Attributes
    ----------
    losses
        A table: for every agent its ceiling and its mean loss under each model.
    """

    def __init__(
        self,
        verdicts: Mapping[str, Verdict],
        losses: npt.NDArray[np.float64],
        ceilings: npt.NDArray[np.float64],
        csv: str,
    ) -> None:
        self._verdicts = dict(verdicts)
        self._csv = csv
        columns: dict[str, Any] = {"agent": next(iter(self._verdicts.values())).agents}
        columns["ceiling"] = ceilings
        columns.update(zip(self._verdicts, losses, strict=True))
        self.losses = Columns(columns)

    def __getitem__(self, name: str) -> Verdict:
        """Give the verdict on one model."""
        return self._verdicts[name]

    def __iter__(self) -> Iterator[str]:
        """Go through the names of models."""
        return iter(self._verdicts)

    def __len__(self) -> int:
        """Count the models."""
        return len(self._verdicts)

    @property
    def stable(self) -> list[str]:
        """Models that nobody would leave for another of them."""
        return [name for name, found in self.items() if found.status == "stable"]

    def save_utilities(self, path: str | Path) -> None:
        """Write the table of utilities, which ``corefed audit FILE --incumbent NAME`` reads."""
        Path(path).write_text(self._csv, encoding="utf-8")

    def _columns(self) -> Columns:
        return Columns(
            {
                "model": list(self),
                "status": [found.status for found in self.values()],
                "kappa": np.array([found.kappa.lo for found in self.values()]),
                "everybody": np.array([found.everybody.lo for found in self.values()]),
                "coalition": [found.coalition for found in self.values()],
                "rival": [found.rival for found in self.values()],
            }
        )

    def to_pandas(self) -> Any:
        """Give one row per model as a DataFrame."""
        return self._columns().to_pandas().set_index("model")

    def __repr__(self) -> str:
        said = (f"{name}: {found.status}" for name, found in self.items())
        return one_line(f"<ModelAudits {', '.join(said)}>")

    def _repr_html_(self) -> str:
        columns = self._columns()
        return _html.table(list(columns), zip(*columns.values(), strict=True))


def _ceiling(ceiling: Any, roster: Roster) -> Any:
    told = ceiling is None or isinstance(ceiling, str)
    return ceiling if told else roster.numbers(ceiling, "ceiling")


def _by_samples(weights: Any) -> bool:
    if isinstance(weights, str) and weights != "samples":
        raise InputError(f"`weights` is `{weights}`", field="weights", hint="'samples', or numbers")
    return isinstance(weights, str)


def _tolerance(tolerance: float) -> float:
    if not 0.0 <= tolerance <= 0.1:
        raise InputError(f"`tolerance` is `{tolerance}`; it must be in [0, 0.1]", field="tolerance")
    return float(tolerance)
