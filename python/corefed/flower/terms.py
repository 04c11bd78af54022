"""What is fixed about a federation once it is known who takes part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from corefed._errors import InputError

#: One number for all, numbers by agent, or a rule that makes numbers of what agents report.
Ceilings = float | str | Mapping[str, float]
Weights = str | Mapping[str, float]


@dataclass(frozen=True)
class Terms:
    """The agents in order, and one number each."""

    names: list[str]
    samples: list[int]
    held_out: list[int]
    weights: list[float]
    average: list[float]
    ceilings: list[float]

    def index(self, name: str) -> int:
        """Where an agent stands."""
        return self.names.index(name)


def resolve_ceilings(ceilings: Ceilings, names: list[str], losses: list[float]) -> list[float]:
    """The ceiling of every agent; `losses` are those at the first model."""
    if isinstance(ceilings, Mapping):
        return _by_name(ceilings, names, "ceilings")
    if isinstance(ceilings, str):
        kind, _, factor = ceilings.partition(":")
        try:
            times = float(factor or "1.5")
        except ValueError:
            kind = ""
        if kind != "initial":
            raise InputError(
                f"`ceilings` is {ceilings!r}",
                field="ceilings",
                hint="a number, a dictionary by agent, or 'initial:1.5'",
            )
        return [times * loss for loss in losses]
    return [float(ceilings)] * len(names)


def resolve_weights(
    weights: Weights, names: list[str], samples: list[int], field: str
) -> list[float]:
    """The weight of every agent."""
    if isinstance(weights, Mapping):
        return _by_name(weights, names, field)
    if weights == "equal":
        return [1.0] * len(names)
    if weights == "samples":
        for name, count in zip(names, samples, strict=True):
            if count < 1:
                raise InputError(
                    f"`{field}` goes by samples, and agent `{name}` sent no `num-examples`",
                    agent=name,
                    field=field,
                    hint=f"let its app send them, or pass {field}='equal'",
                )
        return [float(count) for count in samples]
    raise InputError(
        f"`{field}` is {weights!r}",
        field=field,
        hint="'equal', 'samples' or a dictionary by agent",
    )


def _by_name(values: Mapping[str, float], names: list[str], field: str) -> list[float]:
    for name in names:
        if name not in values:
            raise InputError(f"`{field}` has nothing for agent `{name}`", agent=name, field=field)
    for name, value in values.items():
        if not math.isfinite(value):
            raise InputError(f"`{field}` of agent `{name}` is {value}", agent=name, field=field)
    return [float(values[name]) for name in names]
