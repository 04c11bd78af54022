"""Every rule as a Flower strategy. What they share is in `strategy.py`."""

from __future__ import annotations

from typing import Unpack

from corefed._federation.terms import Ceilings
from corefed._rules import DEFAULTS, default
from corefed.flower.common import AtCeiling, Common, StepLength
from corefed.flower.strategy import RuleStrategy

__all__ = ["AFL", "QFFL", "TERM", "CoreFed", "FedAvg", "FedMGDA", "NashMTL", "PropFair"]


_STEP_LENGTH: StepLength = default("corefed", "step_length")


class CoreFed(RuleStrategy):
    """Updates weighed by one over utility: log-welfare, the core.

    Parameters
    ----------
    ceilings
        The loss at which an agent gets nothing: one for all, a dictionary by agent, or
        ``"initial:F"`` for F times each agent's loss at the first model (once without ``:F``).
    step_length
        ``normalised`` (FedAvg's length), ``printed`` (the paper's) or ``dynamic`` (shrinks close to
        a ceiling; needs `learning_rate`).
    memory
        Share of this round in the utilities that weigh, averaged over rounds; 1: earlier rounds do
        not matter.
    at_ceiling, floor, weight_cap
        Safeguards close to a ceiling, see :class:`corefed.Server`.
    **common
        See :class:`RuleStrategy`.
    """

    rule = "corefed"

    def __init__(
        self,
        *,
        ceilings: Ceilings,
        step_length: StepLength = _STEP_LENGTH,
        memory: float = default("corefed", "memory"),
        at_ceiling: AtCeiling = DEFAULTS["at_ceiling"],
        floor: float = DEFAULTS["floor"],
        weight_cap: float = DEFAULTS["weight_cap"],
        **common: Unpack[Common],
    ) -> None:
        settings = {
            "step_length": step_length,
            "memory": memory,
            "at_ceiling": at_ceiling,
            "floor": floor,
            "weight_cap": weight_cap,
        }
        super().__init__(ceilings=ceilings, settings=settings, **common)


class FedAvg(RuleStrategy):
    """The mean of updates, weighed by samples unless `average` says otherwise."""

    rule = "fedavg"

    def __init__(self, *, ceilings: Ceilings, **common: Unpack[Common]) -> None:
        super().__init__(ceilings=ceilings, settings={}, **common)


class PropFair(RuleStrategy):
    """Agents climb the log of their mini-batches' utility, the server averages.

    The request tells each agent its ceiling and the floor; it multiplies the gradient of a
    mini-batch by :func:`corefed.log_slope` of the mini-batch's loss.
    """

    rule = "propfair"

    def __init__(
        self, *, ceilings: Ceilings, floor: float = DEFAULTS["floor"], **common: Unpack[Common]
    ) -> None:
        super().__init__(ceilings=ceilings, settings={"floor": floor}, **common)


class AFL(RuleStrategy):
    """Multipliers on the simplex follow the losses: min-max; `gamma` is their step per nat."""

    rule = "afl"

    def __init__(
        self,
        *,
        ceilings: Ceilings,
        gamma: float = default("afl", "gamma"),
        **common: Unpack[Common],
    ) -> None:
        super().__init__(ceilings=ceilings, settings={"gamma": gamma}, **common)


class QFFL(RuleStrategy):
    """Losses to the power `q` weigh: zero is FedAvg, large is min-max. Needs `learning_rate`."""

    rule = "qffl"

    def __init__(
        self, *, ceilings: Ceilings, q: float = default("qffl", "q"), **common: Unpack[Common]
    ) -> None:
        super().__init__(ceilings=ceilings, settings={"q": q}, **common)


class TERM(RuleStrategy):
    """Weights ``exp(t loss)``: zero is FedAvg, large is min-max, negative ignores the worst."""

    rule = "term"

    def __init__(
        self, *, ceilings: Ceilings, t: float = default("term", "t"), **common: Unpack[Common]
    ) -> None:
        super().__init__(ceilings=ceilings, settings={"t": t}, **common)


class FedMGDA(RuleStrategy):
    """The shortest convex combination of normalised updates; `spread` limits it, in [0, 1]."""

    rule = "fedmgda"

    def __init__(
        self,
        *,
        ceilings: Ceilings,
        spread: float = default("fedmgda", "spread"),
        **common: Unpack[Common],
    ) -> None:
        super().__init__(ceilings=ceilings, settings={"spread": spread}, **common)


class NashMTL(RuleStrategy):
    """The Nash bargain over directions: everybody gains to first order, or nobody steps."""

    rule = "nash-mtl"

    def __init__(self, *, ceilings: Ceilings, **common: Unpack[Common]) -> None:
        super().__init__(ceilings=ceilings, settings={}, **common)
