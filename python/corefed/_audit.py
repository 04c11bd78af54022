"""Audits of utilities: an incumbent against rivals that are listed."""

from __future__ import annotations

from collections.abc import Mapping
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
    found = _scan(agents, now, table, agents.numbers(weights, "weights", 1.0), exact=False)
    return float(found.kappas[0]) if single else found.kappas


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
    found = _scan(roster, now, table, say, exact)
    most = float(found.kappas[found.rival]) if len(names) else 0.0
    all_gain = float(found.everybody.max()) if len(names) else 0.0
    if top is None:
        head, scope = None, _count(len(names))
        kappas, everybody = Interval(most, most), Interval(all_gain, all_gain)
    else:
        head, _, room = _corefed.scan_ceilings(now.tolist(), top, say)
        scope = "every rival"
        # Where everybody has something, everybody can stay.
        all_gain = max(all_gain, 1.0 if (now > 0.0).all() else 0.0)
        kappas, everybody = Interval(most, max(head, most)), Interval(all_gain, max(room, all_gain))
    status = _corefed.judge(kappas, everybody, float(tolerance))
    if tolerance == 0.0 and found.blocking is not None:
        status = "blocked"
    elif tolerance == 0.0 and found.improvement is not None:
        status = "improvable"
    elif tolerance == 0.0 and top is None:
        status = "stable"
    rival: int | None = None
    members: list[int] = []
    if status == "blocked":
        rival, members = found.blocking or (found.rival, found.coalition)
    elif status == "improvable":
        rival = found.improvement
    gaining = range(len(roster)) if status == "improvable" else members
    then = None if rival is None else table[rival]
    gains = {} if then is None else {roster.name(i): _gain(now[i], then[i]) for i in gaining}
    return Verdict(
        status=status,
        kappa=kappas,
        everybody=everybody,
        tolerance=float(tolerance),
        scope=scope,
        agents=roster.names,
        utilities=now,
        weights=np.asarray(say),
        ceilings=None if top is None else np.asarray(top),
        headroom=head,
        coalition=[roster.name(i) for i in members],
        gains=gains,
        rival=None if rival is None else names[rival],
        rivals={
            "rival": names,
            "kappa": found.kappas,
            "everybody": found.everybody,
            "mean_gain": found.mean_gains,
        },
        obstacle="not every rival was tried; list more" if status == "undecided" else None,
        assumptions=_assumptions(top is not None),
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


def _assumptions(by_ceilings: bool) -> list[dict[str, Any]]:
    said = [("utilities are those given", "they are not recomputed from data")]
    if by_ceilings:
        said.append(("losses are not negative", "nobody can have more than its ceiling"))
    else:
        said.append(("rivals are those listed", "a model that is not listed may still block"))
    return [
        {"statement": statement, "status": "assumed", "detail": detail}
        for statement, detail in said
    ]


def _count(rivals: int) -> str:
    return "the listed rival" if rivals == 1 else f"the {rivals} listed rivals"


def _gain(now: float, then: float) -> float:
    if now > 0.0:
        return float(then / now)
    return float("inf") if then > 0.0 else 0.0


def _scan(
    agents: Roster, now: _Floats, table: _Floats, weights: list[float], exact: bool
) -> _corefed.Scanned:
    try:
        return _corefed.scan_rivals(now, table, weights, exact)
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
