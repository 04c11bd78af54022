"""What follows from sums alone: a step, log-welfare, a bound of kappa (ledger E5, E6, E22)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from corefed._federation.model import Model, Parts
from corefed._federation.terms import Terms
from corefed._rules import DEFAULTS
from corefed._server import Server
from corefed._server_state import ServerState
from corefed.flower.share import MEASURES, SCALARS, by_utility
from corefed.flower.summing import Summed
from corefed.secure.ring import Numbers

if TYPE_CHECKING:
    from corefed.flower.strategy import RuleStrategy

#: What rounding may add to a sum of pulls, relative to it.
_SLACK = 1e-9


@dataclass(frozen=True)
class Sums:
    """Sums over a cohort; weights in them are of mean one over the federation."""

    cohort: list[str]
    #: Whether nobody is missing, so that the sums are about the federation.
    everybody: bool
    #: Sum of the federation's weights over the number of agents.
    unit: float
    #: Sum of the cohort's weights.
    say: float
    welfare: float
    ratio: float
    floored: int
    pull: float | None = None
    clipped: int | None = None
    pulled: Numbers | None = None

    @classmethod
    def of(cls, summed: Summed, model: Model, terms: Terms, rule: str) -> Sums:
        """Read the sum of a training."""
        assert summed.numbers is not None, "there is a sum"
        count = parameters(model)
        told = dict(zip(SCALARS, summed.numbers[count:].tolist(), strict=True))
        return cls(
            **_about(summed, terms, rule),
            pulled=summed.numbers[:count],
            welfare=told["welfare"],
            ratio=told["ratio"],
            floored=round(told["floored"]),
            pull=told["pull"],
            clipped=round(told["clipped"]),
        )

    @classmethod
    def measured(cls, summed: Summed, terms: Terms, rule: str) -> Sums:
        """Read the sum of measures."""
        assert summed.numbers is not None, "there is a sum"
        told = dict(zip(MEASURES, summed.numbers.tolist(), strict=True))
        return cls(
            **_about(summed, terms, rule),
            welfare=told["welfare"],
            ratio=told["ratio"],
            floored=round(told["floored"]),
        )

    @property
    def log_welfare(self) -> float:
        """The sum of weighted logs of utility, lines below floors."""
        return self.welfare * self.unit

    def row(self) -> dict[str, Any]:
        """A line of `sums.jsonl`: nothing in it is about one agent."""
        proven = self.everybody and self.floored == 0
        return {
            "agents": len(self.cohort),
            "cohort": self.cohort,
            "log_welfare": self.log_welfare,
            # The mean of ceiling over utility: losses are not negative (E5, E8).
            "kappa_bound": self.ratio / self.say if proven else None,
            "floored": self.floored,
            "clipped": self.clipped,
        }

    def impossible(self, terms: Terms, floor: float, rule: str) -> str | None:
        """Say why no honest cohort has these sums, if none has."""
        smallest = min(terms.ceilings)
        weights = terms.say(rule)
        mean = sum(weights) / len(weights)
        low = high = 0.0
        for name in self.cohort:
            at = terms.index(name)
            own = weights[at] / mean
            scale = smallest / terms.ceilings[at] if by_utility(rule) else 1.0
            low += own * scale
            high += own * scale / (floor if by_utility(rule) else 1.0)
        everybody = range(len(self.cohort) + 1)
        counts = self.floored in everybody and self.clipped in everybody
        pull = self.pull if self.pull is not None else 0.0
        if counts and low * (1 - _SLACK) <= pull <= high * (1 + _SLACK):
            return None
        return "somebody's message is not what was agreed, and nobody can tell whose"


def _about(summed: Summed, terms: Terms, rule: str) -> dict[str, Any]:
    weights = terms.say(rule)
    mean = sum(weights) / len(weights)
    return {
        "cohort": summed.cohort,
        "everybody": summed.cohort == terms.names,
        "unit": mean,
        "say": sum(weights[terms.index(name)] for name in summed.cohort) / mean,
    }


def parameters(model: Model) -> int:
    """How many numbers of a model move."""
    return sum(part.size for part in model.floats.values())


def shaped(flat: Numbers, model: Model) -> Parts:
    """A flat vector in the parts and the type of a model."""
    parts: Parts = {}
    at = 0
    for name, part in model.floats.items():
        parts[name] = flat[at : at + part.size].reshape(part.shape).astype(model.dtype)
        at += part.size
    return parts


def update_of(sums: Sums, model: Model) -> Parts:
    """The mean of updates by pulls."""
    assert sums.pulled is not None, "these are sums of a training"
    assert sums.pull is not None, "these are sums of a training"
    return shaped(sums.pulled / sums.pull, model)


def floor_of(run: RuleStrategy) -> float:
    """The floor of a rule, or that of a user who names none."""
    return float(run.settings.get("floor", DEFAULTS["floor"]))


@dataclass(frozen=True)
class Taken:
    """A step that may be taken."""

    model: Model
    state: ServerState


def stepper(run: RuleStrategy) -> Callable[[Model, Parts, float, ServerState | None], Taken]:
    """The server's step: its size, its momentum, and a clip that honest sums never feel."""
    shared = {key: run.settings[key] for key in ("clip", "server_step", "server_momentum")}
    server = Server("fedavg", agents=["sum"], ceilings=1.0, **shared)

    def step(before: Model, update: Parts, part: float, state: ServerState | None) -> Taken:
        done = server.aggregate(before.values(), {"sum": update}, part=part, state=state)
        return Taken(before.moved(done.model), done.state)

    return step


def first_order_bound(gradient: Numbers, model: Model, weight: float, radius: float) -> float:
    """Upper bound of kappa from the gradient of log-welfare (E6)."""
    point = np.concatenate([part.reshape(-1).astype(np.float64) for part in model.floats.values()])
    gap = radius * float(np.linalg.norm(gradient)) - float(gradient @ point)
    return 1.0 + gap / weight
