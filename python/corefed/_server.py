"""The server step of every rule, on arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from corefed import _corefed
from corefed._agents import Roster
from corefed._cohort import cohort, losses_of, numbered
from corefed._errors import InputError
from corefed._parts import copied, flat_update
from corefed._rules import DEFAULTS, RULES, check_knobs
from corefed._server_state import Aggregated, ServerState, aggregated, plain

#: Locals of ``Server.__init__`` that are not keywords of it.
_NOT_SETTINGS = frozenset({"self", "knobs"})


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
    at_ceiling, floor, weight_cap, share_cap, clip
        Safeguards: what happens close to a ceiling (``floor``, ``warm-up`` or ``raise``), the
        smallest utility used as it is as a fraction of the ceiling, the largest ratio of pulls, the
        largest share of a step as a multiple of the agent's fair one (its weight's), and the norm
        to which longer updates are shortened. Where agents are strangers pass ``share_cap=3``, as
        strategies over Flower do: without it one false loss can take a whole step.
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
        rule: str = "corefed",
        *,
        agents: int | Iterable[Hashable],
        weights: Any = None,
        samples: Any = None,
        ceilings: Any = None,
        at_ceiling: str = DEFAULTS["at_ceiling"],
        floor: float = DEFAULTS["floor"],
        weight_cap: float = DEFAULTS["weight_cap"],
        share_cap: float | None = None,
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
        with self.roster.named():
            self._raw = _corefed.Server(
                rule,
                knobs,
                {
                    "at_ceiling": at_ceiling,
                    "floor": floor,
                    "weight_cap": weight_cap,
                    "share_cap": math.inf if share_cap is None else share_cap,
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
        names, deltas = cohort(updates, agents, self.roster)
        numbers = numbered(names, self.roster)
        known = dict(zip(numbers, names, strict=True))
        flat, rebuilt = copied(model)
        parts = [flat_update(delta, model, name) for name, delta in zip(names, deltas, strict=True)]
        double = bool(flat) and flat[0].dtype == np.float64
        apply = self._raw.apply_f64 if double else self._raw.apply_f32
        with self.roster.named(known):
            done = apply(
                flat,
                parts,
                numbers,
                losses_of(self.rule, losses, names),
                self._rate(learning_rate),
                part,
                plain(state),
            )
        return aggregated(rebuilt(), done, known)

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
        with self.roster.named():
            return mix(
                rows,
                [self.roster.index[name] for name in names],
                losses_of(self.rule, losses, names),
                plain(state),
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
        names = self.roster.names
        return self._raw.choose([losses_of(self.rule, losses, names) for losses in models])

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive the way to another process."""
        return (_build, (self._settings,))

    @property
    def needs_learning_rate(self) -> bool:
        """Whether a step needs the learning rate of local training."""
        return self._raw.needs_learning_rate

    def _rate(self, learning_rate: float | None) -> float:
        if learning_rate is None and self.needs_learning_rate:
            raise InputError(
                f"the rule `{self.rule}` needs `learning_rate`, that of local training",
                field="learning_rate",
            )
        return 1.0 if learning_rate is None else float(learning_rate)


def _build(settings: dict[str, Any]) -> Server:
    return Server(**settings)
