"""Who sent what in a round."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from corefed._agents import Roster, as_floats
from corefed._errors import InputError
from corefed._rules import RULES


def cohort(
    updates: Any, agents: Iterable[Hashable] | None, roster: Roster
) -> tuple[list[Any], list[Any]]:
    """Give names and updates, in one order."""
    if isinstance(updates, Mapping):
        if agents is not None:
            raise InputError("`updates` already says who sent what", field="agents")
        return list(updates.keys()), list(updates.values())
    deltas = list(updates)
    names = roster.names if agents is None else list(agents)
    if len(names) != len(deltas):
        raise InputError(
            f"there are {len(deltas)} updates of {len(names)} agents",
            field="updates" if agents is None else "agents",
            hint="say with `agents` who sent updates, or pass a dictionary",
        )
    return list(names), deltas


def numbered(names: list[Any], roster: Roster) -> list[int]:
    """Give agents their numbers, and strangers some beyond, which are refused with a reason."""
    strangers = {name: len(roster) + at for at, name in enumerate(names)}
    return [roster.index.get(name, strangers[name]) for name in names]


def losses_of(rule: str, losses: Any, names: list[Any]) -> list[float]:
    """Give the losses of those named, in their order; zeros where the rule needs none."""
    if losses is None:
        if RULES[rule].needs_losses:
            raise InputError(
                f"the rule `{rule}` needs `losses`",
                field="losses",
                hint="each agent's loss at the model it received, before training",
            )
        return [0.0] * len(names)
    if isinstance(losses, Mapping):
        missing = [name for name in names if name not in losses]
        if missing:
            raise InputError(
                f"there is no loss of agent {missing[0]!r}", agent=missing[0], field="losses"
            )
        losses = [losses[name] for name in names]
    found = as_floats(losses, "losses")
    if found.shape != (len(names),):
        raise InputError(
            f"`losses` has the shape {found.shape}; there are {len(names)} updates",
            field="losses",
        )
    numbers: list[float] = found.tolist()
    return numbers
