"""Whose each row is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from corefed._errors import AgentsWarning, InputError


def chosen(agents: Any, groups: Any, needed: bool = False) -> Any:
    """Give the owners under either name: `groups` is what older code calls `agents`."""
    if agents is not None and groups is not None:
        raise InputError(
            "`agents` and `groups` are two names for the owners of rows",
            field="agents",
            hint="pass `agents` alone",
        )
    found = groups if agents is None else agents
    if found is None and needed:
        raise InputError(
            "`agents` is needed", field="agents", hint="one name or number per row: whose it is"
        )
    return found


def apart(X: Any, agents: Any) -> tuple[Any, Any]:
    """Give rows and owners, where `agents` may be the name of a column of `X`, which it leaves."""
    if not isinstance(agents, str):
        return X, agents
    if agents not in list(getattr(X, "columns", [])):
        raise InputError(
            f"`agents` is {agents!r}, and X has no column of that name",
            field="agents",
            hint="one name or number per row, or the name of a column of a DataFrame",
        )
    # pandas' method takes a word that polars' does not know.
    rest = X.drop(columns=agents) if hasattr(X, "iloc") else X.drop(agents)
    return rest, X[agents]


def warn_alone(agents: Any) -> None:
    """Warn of a fit that has no owners: a splitter's `groups` do not reach it."""
    if agents is None:
        warnings.warn(
            "fitted without `agents`: all rows belong to one agent, and nothing is audited; pass "
            "`fit(X, y, agents=...)`, also through a search or a pipeline (docs/python.md)",
            AgentsWarning,
            stacklevel=4,
        )


def names_of(agents: Any, rows: int) -> npt.NDArray[Any]:
    """One owner per row, none missing; scikit-learn may hand over a column."""
    names = np.asarray(agents)
    if names.ndim == 2 and names.shape[1] == 1:
        names = names[:, 0]
    if names.shape != (rows,):
        raise InputError(
            f"agents has the shape {names.shape}, X has {rows} rows",
            field="agents",
            hint="one name or number per row: whose it is",
        )
    missing = np.flatnonzero([_is_missing(name) for name in names.tolist()])
    if len(missing):
        raise InputError(
            f"row {missing[0]} belongs to nobody, and so do {len(missing) - 1} more"
            if len(missing) > 1
            else f"row {missing[0]} belongs to nobody",
            field="agents",
            hint="name its agent, or leave the row out",
        )
    return names


def indices(agents: Any, rows: int) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Give the index of each row's agent, and agents in order of first appearance.

    Without owners there is one agent.
    """
    if agents is None:
        return np.zeros(rows, dtype=np.int64), ["everybody"]
    order: dict[Any, int] = {}
    owners = [order.setdefault(name, len(order)) for name in names_of(agents, rows).tolist()]
    return np.array(owners, dtype=np.int64), _distinct(list(order))


def _distinct(agents: list[Any]) -> list[Any]:
    names = [str(agent) for agent in agents]
    if len(set(names)) != len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"two agents read `{double}` as text", field="agents", hint="give them other names"
        )
    return agents


def _is_missing(name: Any) -> bool:
    """Whether this is ``None``, a NaN, or what pandas has for them."""
    if name is None:
        return True
    try:
        return bool(name != name)
    except TypeError:
        # pandas' NA does not say whether it is itself.
        return True
