"""Audits of utilities: an incumbent against rivals that are listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from corefed import _corefed
from corefed._agents import Roster, as_floats
from corefed._errors import CorefedError, InputError
from corefed._verdict import Interval, Verdict

_Floats = npt.NDArray[np.float64]


def kappa(incumbent: Any, rivals: Any, weights: Any = None) -> Any:
    """Give the largest factor by which a coalition could gain with its share of a rival.

    Coalitions are those that leave somebody behind; everybody together does not leave.

    Parameters
    ----------
    incumbent
        Utilities of the agents under the incumbent.
    rivals
        Utilities under one rival, or a table of rivals by agents.
    weights
        The say of each agent; equal unless told.

    Returns
    -------
    float or numpy.ndarray
        One number per rival; above one means that a coalition gains.

    Examples
    --------
    >>> kappa([1.0, 1.0], [3.0, 0.1])
    1.5
    """
    agents, now = _incumbent(incumbent, None)
    _, table, single = _rivals(rivals, agents)
    say = agents.numbers(weights, "weights", 1.0)
    with _named(agents):
        found = _corefed.scan_rivals(now, table, say)
    return float(found[0]) if single else found


def audit(
    utilities: Any,
    rivals: Any = None,
    weights: Any = None,
    ceilings: Any = None,
    *,
    tolerance: float = 0.0,
    exact: bool = False,
    agents: Any = None,
) -> Verdict:
    """Ask whether some coalition would leave an incumbent.

    Against listed rivals the answer is about those alone. With `ceilings` it is about every rival:
    no loss is negative, so nobody can have more than its ceiling, and *headroom* bounds kappa. The
    listed rivals then only look for somebody who leaves, or for what is better for everybody.
    Utilities at or below zero count as nothing.

    Parameters
    ----------
    utilities
        Utilities under the incumbent: an array, a dictionary or a Series by agent.
    rivals
        One vector, or a table of rivals by agents: a two-dimensional array, a DataFrame whose
        columns are agents, or a dictionary of vectors by name. It is read where it lies.
    weights
        The say of each agent; equal unless told.
    ceilings
        The loss at which an agent gets nothing.
    tolerance
        Gains up to this do not count in the status, at most 0.1. With zero the strict rule of
        Definition 1 decides, without rounding.
    exact
        Compute every number in exact arithmetic on the numbers that the floats are. Slow for large
        tables.
    agents
        Names, where `utilities` has none.

    Examples
    --------
    >>> found = audit({"north": 1.0, "south": 1.0}, {"alone": [3.0, 0.1], "worse": [0.5, 0.5]})
    >>> found.status, found.coalition, found.rival
    ('blocked', ['north'], 'alone')
    """
    roster, now = _incumbent(utilities, agents)
    say = roster.numbers(weights, "weights", 1.0)
    if not 0.0 <= tolerance <= 0.1:
        raise InputError(f"`tolerance` is `{tolerance}`; it must be in [0, 0.1]", field="tolerance")
    top = None if ceilings is None else roster.numbers(ceilings, "ceilings")
    if rivals is None and top is None:
        raise InputError(
            "there is nothing to compare with",
            field="rivals",
            hint="pass rivals, or ceilings for a bound that holds against every rival",
        )
    names, table, _ = _rivals(np.empty((0, len(roster))) if rivals is None else rivals, roster)
    if top is not None:
        _below(now.reshape(1, -1), top, roster, "utilities")
        _below(table, top, roster, "rivals")
    with _named(roster):
        found = _corefed.audit_utilities(now, table, say, top, float(tolerance), exact)
    keys = ("statement", "status", "detail")
    return Verdict(
        status=found.status,
        kappa=Interval(*found.kappa),
        everybody=Interval(*found.everybody),
        tolerance=float(tolerance),
        scope=_count(len(names)) if top is None else "every rival",
        agents=roster.names,
        utilities=now,
        weights=np.asarray(say),
        ceilings=None if top is None else np.asarray(top),
        headroom=found.headroom,
        coalition=[roster.name(agent) for agent in found.coalition],
        gains={roster.name(agent): gain for agent, gain in found.gains},
        rival=None if found.rival is None else names[found.rival],
        rivals={
            "rival": names,
            "kappa": found.kappas,
            "everybody": found.factors,
            "mean_gain": found.mean_gains,
        },
        obstacle=found.obstacle,
        assumptions=[dict(zip(keys, said, strict=True)) for said in found.assumptions],
    )


def _below(table: _Floats, ceilings: list[float], agents: Roster, field: str) -> None:
    """No loss is negative, so no utility exceeds its ceiling."""
    above = np.argwhere(table > np.asarray(ceilings))
    if len(above):
        row, at = above[0]
        agent = agents.name(int(at))
        raise InputError(
            f"agent {agent!r} has the utility {table[row, at]:g} "
            f"under a ceiling of {ceilings[at]:g}",
            agent=agent,
            field=field,
            hint="utility is ceiling minus loss, and no loss is negative; are these the ceilings?",
        )


def _count(rivals: int) -> str:
    return "the listed rival" if rivals == 1 else f"the {rivals} listed rivals"


@contextmanager
def _named(agents: Roster) -> Iterator[None]:
    """Let errors name agents as the caller does, rather than by their places."""
    try:
        yield
    except CorefedError as error:
        if isinstance(error.agent, int):
            error.agent = agents.name(error.agent)
        raise


def _incumbent(utilities: Any, agents: Any) -> tuple[Roster, _Floats]:
    """Agents and their utilities."""
    names = agents
    if isinstance(utilities, Mapping):
        names = list(utilities) if names is None else names
        utilities = [utilities[name] for name in names]
    elif _labelled(utilities) and names is None:
        names = list(utilities.index)
    now = as_floats(utilities, "utilities")
    if now.ndim != 1:
        raise InputError(
            f"`utilities` has the shape {now.shape}; one number per agent is expected",
            field="utilities",
        )
    roster = Roster(len(now) if names is None else names)
    if len(roster) != len(now):
        raise InputError(f"{len(now)} utilities of {len(roster)} agents", field="agents")
    if not np.isfinite(now).all():
        agent = roster.name(int(np.flatnonzero(~np.isfinite(now))[0]))
        raise InputError(
            f"the utility of agent {agent!r} is not finite", agent=agent, field="utilities"
        )
    return roster, np.ascontiguousarray(now)


def _rivals(rivals: Any, agents: Roster) -> tuple[list[Any], _Floats, bool]:
    """Names and utilities of rivals, and whether there was only one vector."""
    names: list[Any] | None = None
    if isinstance(rivals, Mapping):
        names = list(rivals)
        rivals = [_ordered(rivals[name], agents) for name in names]
    elif hasattr(rivals, "columns"):
        names = list(rivals.index)
        if list(rivals.columns) != agents.names and set(rivals.columns) == set(agents.names):
            rivals = rivals[agents.names]
        elif set(rivals.columns) != set(agents.names) and agents.names != list(range(len(agents))):
            raise InputError(
                f"the columns of `rivals` are {list(rivals.columns)}, the agents {agents.names}",
                field="rivals",
            )
    else:
        rivals = _ordered(rivals, agents)
    table = as_floats(rivals, "rivals")
    single = table.ndim == 1 and names is None
    table = table.reshape(1, -1) if single else table
    if table.ndim != 2 or table.shape[1] != len(agents):
        raise InputError(
            f"`rivals` has the shape {table.shape}; there are {len(agents)} agents",
            field="rivals",
            hint="one row per rival, one column per agent",
        )
    names = list(range(len(table))) if names is None else names
    if len(set(names)) != len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two rivals are called {double!r}", field="rivals")
    return names, table, single


def _ordered(values: Any, agents: Roster) -> Any:
    """Numbers in the order of agents, where they are named."""
    if _labelled(values):
        values = dict(zip(values.index, values, strict=True))
        if agents.names == list(range(len(agents))):
            return list(values.values())
    return agents.numbers(values, "rivals") if isinstance(values, Mapping) else values


def _labelled(values: Any) -> bool:
    """Whether this is a Series; lists have an `index`, too."""
    return hasattr(values, "index") and not callable(values.index)
