"""Rows with owners: from arrays or DataFrames to what the solvers take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from corefed import _corefed
from corefed._agents import as_floats
from corefed._errors import CorefedError, InputError
from corefed._families import family_named
from corefed._owners import indices, names_of

#: Cells of the largest sparse matrix that is made dense: 2 GiB.
_MOST_CELLS = 2**28


@dataclass(frozen=True)
class Data:
    """A federation in memory."""

    rows: _corefed.Rows
    #: As the caller knows them, in order of first appearance.
    agents: list[Any]
    classes: npt.NDArray[Any] | None
    features: list[str]
    #: Rows of each agent.
    samples: list[int]

    def named(self, error: CorefedError) -> CorefedError:
        """The same error, about an agent that the caller knows."""
        if isinstance(error.agent, int) and error.agent < len(self.agents):
            error.agent = self.agents[error.agent]
        return error


def read(
    X: Any,
    y: Any,
    agents: Any,
    family: str,
    *,
    intercept: bool,
    classes: npt.NDArray[Any] | None = None,
    features: list[str] | None = None,
    sample_weight: Any = None,
    exposure: Any = None,
) -> Data:
    """Take rows, targets and owners; without owners there is one agent.

    Rows of weight zero are left out, as if they were not there.
    """
    if features is None:
        columns = getattr(X, "columns", None)
        features = None if columns is None else [str(name) for name in columns]
    cells = as_floats(dense(X), "X")
    if cells.ndim != 2 or 0 in cells.shape:
        raise InputError(f"X has the shape {cells.shape}; rows and columns are expected", field="X")
    if features is None:
        features = [f"x{column}" for column in range(cells.shape[1])]
    target = np.asarray(y)
    if target.shape != (len(cells),):
        raise InputError(f"y has the shape {target.shape}, X has {len(cells)} rows", field="y")
    weights = None if sample_weight is None else _weights(sample_weight, len(cells))
    observed = None if exposure is None else _exposure(exposure, len(cells))
    if weights is not None and not weights.all():
        kept = weights > 0.0
        agents = None if agents is None else names_of(agents, len(kept))[kept]
        cells, target, weights = cells[kept], target[kept], weights[kept]
        observed = None if observed is None else observed[kept]
    if not family_named(family).is_class:
        labels = as_floats(target, "y")
    else:
        classes = np.unique(target) if classes is None else np.asarray(classes)
        labels = _labels(target, classes)
    owners, known = indices(agents, len(cells))
    texts = [] if classes is None else [str(label) for label in classes]
    naming = {
        "family": family,
        "agents": [str(agent) for agent in known],
        "features": features,
        "classes": texts,
        "intercept": intercept,
    }
    say = None if weights is None else weights.tolist()
    seen = None if observed is None else observed.tolist()
    rows = _corefed.Rows(cells, np.ascontiguousarray(labels), owners, naming, say, seen)
    samples = np.bincount(owners, minlength=len(known)).tolist()
    return Data(rows, known, classes, features, samples)


def dense(X: Any) -> Any:
    """Rows as solvers take them, which is with every zero; sparse matrices may be too large."""
    if not hasattr(X, "toarray"):
        return X
    rows, columns = X.shape
    if rows * columns > _MOST_CELLS:
        raise InputError(
            f"X is sparse with {rows} rows and {columns} columns, too large with all its zeros",
            field="X",
            hint="keep the columns that matter; solvers take dense rows",
        )
    return X.toarray()


def _weights(sample_weight: Any, rows: int) -> npt.NDArray[np.float64]:
    """How much each row counts: finite, none negative, not all zero."""
    weights = as_floats(sample_weight, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise InputError(
            f"sample_weight has the shape {weights.shape}, X has {rows} rows",
            field="sample_weight",
        )
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
        raise InputError(
            "sample_weight holds a number that is negative or not finite, or zeros only",
            field="sample_weight",
        )
    return weights


def _exposure(exposure: Any, rows: int) -> npt.NDArray[np.float64]:
    """For how long, or how many, each row was observed; one number is for all."""
    observed = as_floats(exposure, "exposure")
    if observed.ndim == 0:
        observed = np.full(rows, float(observed))
    if observed.shape != (rows,):
        raise InputError(
            f"exposure has the shape {observed.shape}, X has {rows} rows", field="exposure"
        )
    return observed


def _labels(target: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    order = {label: float(at) for at, label in enumerate(classes.tolist())}
    strangers = [label for label in np.unique(target).tolist() if label not in order]
    if strangers:
        raise InputError(
            f"y holds the class {strangers[0]!r}, which the model does not know", field="y"
        )
    return np.array([order[label] for label in target.tolist()], dtype=np.float64)
