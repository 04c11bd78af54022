"""What a server remembers between rounds, and what one step gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corefed._agents import as_floats
from corefed._errors import InputError


@dataclass(frozen=True, eq=False)
class ServerState:
    """What a server remembers between rounds: plain arrays, to be kept with a checkpoint.

    Attributes
    ----------
    multipliers
        AFL's multiplier of each agent; empty under other rules.
    ceilings
        The ceiling of each agent, raised ones included.
    velocity
        Momentum's memory, one number per parameter; empty without momentum.
    utilities
        The utility of each agent, averaged over rounds; empty unless CoreFed has a memory.
    """

    multipliers: np.ndarray[Any, np.dtype[np.float64]]
    ceilings: np.ndarray[Any, np.dtype[np.float64]]
    velocity: np.ndarray[Any, np.dtype[np.floating[Any]]]
    utilities: np.ndarray[Any, np.dtype[np.float64]] = field(default_factory=lambda: np.zeros(0))

    def to_dict(self) -> dict[str, np.ndarray[Any, Any]]:
        """Give the arrays by name."""
        return {
            "multipliers": self.multipliers,
            "ceilings": self.ceilings,
            "velocity": self.velocity,
            "utilities": self.utilities,
        }

    @classmethod
    def from_dict(cls, arrays: Mapping[str, Any]) -> ServerState:
        """Take what :meth:`to_dict` gave."""
        try:
            return cls(
                multipliers=as_floats(arrays["multipliers"], "state"),
                ceilings=as_floats(arrays["ceilings"], "state"),
                velocity=np.asarray(arrays["velocity"]),
                utilities=as_floats(arrays.get("utilities", np.zeros(0)), "state"),
            )
        except KeyError as missing:
            raise InputError(f"the state has no {missing}", field="state") from None


@dataclass(frozen=True, eq=False)
class Aggregated:
    """One server step.

    Attributes
    ----------
    model
        The new model, in the structure of the old one.
    state
        What the next round starts from.
    weights
        What each accepted agent's update was multiplied by; the server's step size and momentum
        come on top.
    rejected
        Who was left out, and why.
    floored, capped, clipped
        Agents on whom a safeguard acted.
    raised
        Agents whose ceiling was raised, with the new ceiling.
    warm_up
        Whether the whole round was FedAvg's, because somebody was below the floor.
    no_pull
        Whether nobody accepted had any pull, so that the model stayed where it was.
    """

    model: Any
    state: ServerState
    weights: dict[Any, float]
    rejected: list[tuple[Any, str]] = field(default_factory=list)
    floored: list[Any] = field(default_factory=list)
    capped: list[Any] = field(default_factory=list)
    clipped: list[Any] = field(default_factory=list)
    raised: dict[Any, float] = field(default_factory=dict)
    warm_up: bool = False
    no_pull: bool = False


def plain(state: ServerState | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Give a state, however it was kept, as arrays by name."""
    if isinstance(state, Mapping):
        state = ServerState.from_dict(state)
    return None if state is None else state.to_dict()


def aggregated(model: Any, done: Any, known: Mapping[int, Any]) -> Aggregated:
    """Take what the compiled half did, with the names of those who took part."""
    return Aggregated(
        model=model,
        state=ServerState(done.multipliers, done.ceilings, done.velocity, done.utilities),
        weights={known[at]: weight for at, weight in done.weights},
        rejected=[(known[at], reason) for at, reason in done.rejected],
        floored=[known[at] for at in done.floored],
        capped=[known[at] for at in done.capped],
        clipped=[known[at] for at in done.clipped],
        raised={known[at]: ceiling for at, ceiling in done.raised},
        warm_up=done.warm_up,
        no_pull=done.no_pull,
    )
