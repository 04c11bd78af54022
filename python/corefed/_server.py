"""The server step of every rule, on arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corefed import _corefed
from corefed._agents import Roster, as_floats
from corefed._errors import CorefedError, InputError
from corefed._parts import copied, flat_update
from corefed._rules import DEFAULTS, RULES, RuleName, check_knobs

#: Locals of ``Server.__init__`` that are not keywords of it.
_NOT_SETTINGS = frozenset({"self", "knobs"})


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


class Server:
    """A rule, its safeguards and what is fixed about a federation.

    Parameters
    ----------
    rule
        The name of a rule that combines updates; :func:`corefed.rules` lists them.
    agents
        How many agents there are, or their names.
    weights
        The say of each agent; equal unless told. A list in the order of agents or a dictionary.
    samples
        Rows of each agent, by which ``fedavg``, ``propfair`` and every warm-up weigh; `weights`
        unless told.
    ceilings
        The loss at which an agent gets nothing: one for all, a list or a dictionary. Needed by
        ``corefed``.
    at_ceiling, floor, weight_cap, clip
        Safeguards: what happens close to a ceiling (``floor``, ``warm-up`` or ``raise``), the
        smallest utility used as it is as a fraction of the ceiling, the largest ratio of pulls, and
        the norm to which longer updates are shortened.
    server_step, server_momentum
        What the combined update is multiplied by, and heavy-ball momentum over rounds.
    **knobs
        The knobs of rules, such as ``q`` of ``qffl`` and ``step_length`` of ``corefed``;
        :func:`corefed.rules` lists them with their defaults. Those of other rules do not matter.

    Examples
    --------
    >>> import numpy as np
    >>> server = Server("corefed", agents=["north", "south"], ceilings=3.0)
    >>> updates = {"north": np.array([5.0, 0.0]), "south": np.array([0.0, 5.0])}
    >>> done = server.aggregate(np.ones(2), updates, losses={"north": 1.0, "south": 2.5})
    >>> done.weights  # utilities 2 and 1/2
    {'north': 0.2, 'south': 0.8}
    >>> done.model
    array([2., 5.])
    """

    def __init__(
        self,
        rule: RuleName = "corefed",
        *,
        agents: int | Iterable[Hashable],
        weights: Any = None,
        samples: Any = None,
        ceilings: Any = None,
        at_ceiling: str = DEFAULTS["at_ceiling"],
        floor: float = DEFAULTS["floor"],
        weight_cap: float = DEFAULTS["weight_cap"],
        clip: float | None = None,
        server_step: float = DEFAULTS["server_step"],
        server_momentum: float = DEFAULTS["server_momentum"],
        **knobs: float | str,
    ) -> None:
        # Everything but the instance, to build the same server elsewhere.
        settings = {name: value for name, value in locals().items() if name not in _NOT_SETTINGS}
        settings |= knobs
        check_knobs(knobs)
        self.rule = rule
        self.roster = Roster(agents)
        self._settings = settings | {"agents": self.roster.names}
        if ceilings is None and rule in RULES and RULES[rule].ceilings == "step":
            raise InputError(
                f"the rule `{rule}` needs `ceilings`",
                field="ceilings",
                hint="the loss at which an agent gets nothing; 1.5 times the loss of the first "
                "model is a start",
            )
        own = self.roster.numbers(weights, "weights", 1.0)
        average = own if samples is None else self.roster.numbers(samples, "samples")
        with self._named():
            self._raw = _corefed.Server(
                rule,
                knobs,
                {
                    "at_ceiling": at_ceiling,
                    "floor": floor,
                    "weight_cap": weight_cap,
                    "clip": math.inf if clip is None else clip,
                },
                server_step,
                server_momentum,
                own,
                average,
                self.roster.numbers(ceilings, "ceilings", 1.0),
            )

    def aggregate(
        self,
        model: Any,
        updates: Any,
        *,
        losses: Any = None,
        agents: Iterable[Hashable] | None = None,
        learning_rate: float | None = None,
        part: float = 1.0,
        state: ServerState | Mapping[str, Any] | None = None,
    ) -> Aggregated:
        """Take one step.

        Arrays are read where they lie (those with gaps in memory are copied first), the interpreter
        is free meanwhile, and besides the new model no memory of the model's size is used, however
        many agents there are. The result depends neither on the order of updates nor on threads.

        Parameters
        ----------
        model
            Parameters that agents received: an array, a list of arrays or a dictionary of arrays,
            all float32 or all float64.
        updates
            What training did to them, in the same structure: a dictionary by agent, or a list in
            the order of `agents`.
        losses
            The loss of each agent at the received model, *before* training, likewise.
        agents
            Who sent `updates`; everybody, in order, unless told. Not beside a dictionary.
        learning_rate
            The rate of local training. Needed by ``qffl`` and ``corefed`` with ``dynamic`` steps.
        part
            How much of the step is taken, in (0, 1].
        state
            The state after the previous round, or ``None`` in the first.
        """
        names, deltas = _cohort(updates, agents, self.roster)
        # Strangers get numbers beyond the federation, and are left out with a reason.
        strangers = {name: len(self.roster) + at for at, name in enumerate(names)}
        numbers = [self.roster.index.get(name, strangers[name]) for name in names]
        known = dict(zip(numbers, names, strict=True))
        flat, rebuilt = copied(model)
        parts = [flat_update(delta, model, name) for name, delta in zip(names, deltas, strict=True)]
        double = bool(flat) and flat[0].dtype == np.float64
        apply = self._raw.apply_f64 if double else self._raw.apply_f32
        with self._named(known):
            done = apply(
                flat,
                parts,
                numbers,
                self._losses(losses, names),
                self._rate(learning_rate),
                part,
                _plain(state),
            )
        return Aggregated(
            model=rebuilt(),
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

    def mix(
        self,
        controls: Any,
        *,
        losses: Mapping[Any, float],
        state: ServerState | Mapping[str, Any] | None = None,
    ) -> np.ndarray[Any, np.dtype[np.floating[Any]]]:
        """Mix what agents know of their gradients by the weights of a round.

        Control variates: an agent that adds the mixture less its own row to every gradient follows
        the rule's direction instead of its own. Rules whose weights follow from updates have none.

        Parameters
        ----------
        controls
            One row per agent in their order, float32 or float64.
        losses
            Losses at the model that is about to be sent, of those who take part, by agent.
        state
            The state after the previous round, or ``None`` in the first; it stays as it is.

        Examples
        --------
        >>> import numpy as np
        >>> server = Server("corefed", agents=["north", "south"], ceilings=3.0)
        >>> server.mix(np.array([[5.0], [10.0]]), losses={"north": 1.0, "south": 2.5})
        array([9.])
        """
        if not RULES[self.rule].corrects:
            raise InputError(f"the rule `{self.rule}` has no weights before updates", field="rule")
        rows = np.ascontiguousarray(controls)
        mix = self._raw.mix_f64 if rows.dtype == np.float64 else self._raw.mix_f32
        names = list(losses)
        missing = [name for name in names if name not in self.roster.index]
        if missing:
            raise InputError(f"there is no agent {missing[0]!r}", agent=missing[0], field="losses")
        with self._named():
            return mix(
                rows,
                [self.roster.index[name] for name in names],
                self._losses(losses, names),
                _plain(state),
            )

    def choose(self, models: Iterable[Iterable[float]]) -> int:
        """Give the place of the model that the rule's own objective likes best.

        Parameters
        ----------
        models
            For each model the losses of all agents with it, in their order. Of equals the first is
            chosen; one with a loss that is not finite only if it is the last and none is better.

        Examples
        --------
        >>> server = Server("corefed", agents=2, ceilings=3.0)
        >>> server.choose([[1.0, 1.0], [0.5, 2.0]])  # utilities 2 and 2, and 2.5 and 1
        0
        """
        return self._raw.choose([self._losses(losses, self.roster.names) for losses in models])

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive the way to another process."""
        return (_build, (self._settings,))

    def _rate(self, learning_rate: float | None) -> float:
        if learning_rate is None and self._raw.needs_learning_rate:
            raise InputError(
                f"the rule `{self.rule}` needs `learning_rate`, that of local training",
                field="learning_rate",
            )
        return 1.0 if learning_rate is None else float(learning_rate)

    def _losses(self, losses: Any, names: list[Any]) -> list[float]:
        if losses is None:
            if RULES[self.rule].needs_losses:
                raise InputError(
                    f"the rule `{self.rule}` needs `losses`",
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

    @contextmanager
    def _named(self, known: Mapping[int, Any] | None = None) -> Any:
        """Errors speak of agents by name."""
        try:
            yield
        except CorefedError as error:
            if isinstance(error.agent, int):
                names = dict(enumerate(self.roster.names)) if known is None else known
                error.agent = names.get(error.agent, error.agent)
            raise


def _plain(state: ServerState | Mapping[str, Any] | None) -> dict[str, Any] | None:
    if isinstance(state, Mapping):
        state = ServerState.from_dict(state)
    return None if state is None else state.to_dict()


def _build(settings: dict[str, Any]) -> Server:
    return Server(**settings)


def aggregate(
    rule: RuleName,
    model: Any,
    updates: Any,
    *,
    losses: Any = None,
    samples: Any = None,
    weights: Any = None,
    ceilings: Any = None,
    learning_rate: float | None = None,
    state: ServerState | Mapping[str, Any] | None = None,
    **settings: Any,
) -> Aggregated:
    """Take one step of a rule in which the whole federation takes part.

    A :class:`Server` of those who sent updates, used once; its keywords are accepted here.

    Examples
    --------
    >>> import numpy as np
    >>> updates = [np.array([5.0, 0.0]), np.array([0.0, 5.0])]
    >>> aggregate("fedavg", np.zeros(2), updates, samples=[100, 300]).model
    array([1.25, 3.75])
    """
    agents = list(updates) if isinstance(updates, Mapping) else len(updates)
    server = Server(
        rule, agents=agents, weights=weights, samples=samples, ceilings=ceilings, **settings
    )
    return server.aggregate(model, updates, losses=losses, learning_rate=learning_rate, state=state)


def log_slope(loss: float, ceiling: float, floor: float = DEFAULTS["floor"]) -> float:
    """Give what an agent multiplies a mini-batch's gradient by under ``propfair``.

    Parameters
    ----------
    loss
        Mean loss of the mini-batch.
    ceiling
        The loss at which the agent gets nothing.
    floor
        The log is a line below this part of the ceiling.

    Examples
    --------
    >>> log_slope(1.5, ceiling=2.0)
    2.0
    """
    return _corefed.log_slope(loss, ceiling, floor)


def _cohort(
    updates: Any, agents: Iterable[Hashable] | None, roster: Roster
) -> tuple[list[Any], list[Any]]:
    """Who sent what."""
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
