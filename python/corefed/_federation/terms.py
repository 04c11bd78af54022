"""What is fixed about a federation once it is known who takes part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from corefed import _corefed
from corefed._errors import InputError
from corefed._rules import RULES

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
    #: What agents reported and was not taken as it was: `guards` of `run.json`.
    replaced: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of_header(cls, header: Mapping[str, Any]) -> Terms:
        """Take what `run.json` says of the agents."""
        agents = header["agents"]
        return cls(
            names=[agent["name"] for agent in agents],
            samples=[agent["samples"] for agent in agents],
            held_out=[agent["held_out_samples"] for agent in agents],
            weights=[agent["weight"] for agent in agents],
            average=[agent["average"] for agent in agents],
            ceilings=[agent["ceiling"] for agent in agents],
            replaced=header.get("guards", []),
        )

    def index(self, name: str) -> int:
        """Where an agent stands."""
        return self.names.index(name)

    def say(self, rule: str) -> list[float]:
        """The weights that a rule goes by."""
        return self.weights if RULES[rule].weighs_by == "weights" else self.average


def resolve_ceilings(ceilings: Ceilings, names: list[str], losses: list[float]) -> list[float]:
    """The ceiling of every agent; `losses` are those at the first model."""
    if isinstance(ceilings, Mapping):
        told: str | list[float] = _by_name(ceilings, names, "ceilings")
    else:
        told = ceilings if isinstance(ceilings, str) else repr(float(ceilings))
    with named(names):
        return _corefed.resolve_ceilings(told, names, losses)


def resolve_weights(
    weights: Weights,
    names: list[str],
    samples: list[int],
    field: str,
    sent_as: str = "`num-examples`",
) -> list[float]:
    """The weight of every agent; `sent_as` is what it should have sent its samples as."""
    if weights == "samples":
        for name, count in zip(names, samples, strict=True):
            if count < 1:
                raise InputError(
                    f"`{field}` goes by samples, and agent `{name}` sent no {sent_as}",
                    agent=name,
                    field=field,
                    hint=f"let its app send them, or pass {field}='equal'",
                )
    told = _by_name(weights, names, field) if isinstance(weights, Mapping) else weights
    with named(names):
        return _corefed.resolve_weights(told, names, samples, field)


def _by_name(values: Mapping[str, float], names: list[str], field: str) -> list[float]:
    for name in names:
        if name not in values:
            raise InputError(f"`{field}` has nothing for agent `{name}`", agent=name, field=field)
    return [float(values[name]) for name in names]


@contextmanager
def named(names: list[str]) -> Iterator[None]:
    """Have errors speak of agents by name."""
    try:
        yield
    except InputError as error:
        if isinstance(error.agent, int):
            error.agent = names[error.agent]
        raise
