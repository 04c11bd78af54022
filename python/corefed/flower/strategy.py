"""A rule of CoreFed as a strategy of Flower: agents by name, records, checkpoints, no surprises."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from logging import INFO, WARNING
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result

from corefed._errors import InputError
from corefed._federation.history import Round
from corefed._federation.measured import Measured
from corefed._federation.order import in_order
from corefed.flower.census import locate
from corefed.flower.combine import CombiningRun
from corefed.flower.logged import log
from corefed.flower.model import model_of, record_of
from corefed.flower.protocol import LOSS
from corefed.flower.reply import LossError, ReplyError

if TYPE_CHECKING:
    from corefed.flower.exact import Exact

#: Seconds between two looks at who is connected.
_PAUSE = 0.5


class RuleStrategy(CombiningRun):
    """What all rules share.

    Parameters
    ----------
    ceilings
        The loss at which an agent gets nothing: one for all, a dictionary by agent,
        ``"initial:F"`` for F times each agent's loss at the first model (once without ``:F``), or
        by what agents declare in round 0 (:func:`answer_audits`): ``constant:F``,
        ``pooled-constant:F``, ``baseline:F``, ``alone:F`` or ``worst``, as in a spec.
    agents
        Names of the agents. The run begins when all of them are there, and nobody else takes part.
        Without it, those that answer until nobody new has come for 20 seconds, or within `gather`
        seconds, are the federation, `min_agents` at least. Anybody who connects later is named in
        the log and does not take part.
    weights
        The say of each agent: ``equal``, ``samples`` or a dictionary.
    average
        Weights of rules that only average, and of warm-ups: the same choices.
    fraction_train
        Part of the agents that train in a round, drawn by `seed` and round.
    evaluate_every
        All agents measure the model after this many rounds each, and after the last; 0: never.
    min_agents, min_replies, on_too_few
        How many agents a federation needs at least; how many usable replies a round needs, and
        whether a round with fewer is left out (``skip``) or ends the run (``fail``).
    learning_rate
        Of local training, where the rule needs it; told to the clients as ``lr`` if given.
    loss_factor
        A median loss this many times the first one is an explosion, and ends the run with the last
        model whose losses were in order; ``None``: never.
    clip, server_step, server_momentum
        See :class:`corefed.Server`.
    share_cap, norm_cap, ceiling_spread, rows_spread
        Guards against what one agent alone can do; ``None`` switches one off. No share of a step
        exceeds `share_cap` times the agent's fair one, under rules that go by reported losses. No
        update counts with more than `norm_cap` times the median length of the cohort's. Ceilings of
        ``"initial:F"`` go by first losses within `ceiling_spread` times their median; those by what
        agents declare are no lower than their median over the square of it. Where weights go by
        samples, no agent counts with more than `rows_spread` times their median.
    correction
        ``control``: local steps are corrected for drift, which needs apps that use
        :class:`Correction`; ``none``; ``auto``: where the rule, everybody's app and
        `fraction_train` allow it. `run.json` says what was done.
    search
        ``on``: everybody compares the rule's and FedAvg's step, whole, half and quarter, and the
        best by the rule's objective is taken. Everybody is needed in every round.
    first_step
        Part of the server's step in the first round, in (0, 1]; it grows to all of it.
    secure
        ``True`` or :class:`Secure`: agents answer in secure sums, and the server sees nothing else.
        Apps need :func:`secure_sums`. Rules that need single answers refuse.
    privacy
        A :class:`Privacy`: noise and a budget for the models of the run.
    seed
        What cohorts are drawn by; also told to the clients as ``seed``.
    run, name
        Folder to write, and its name for people. A folder that is there is resumed.
    changed_spec
        Whether a folder is resumed although settings or `train_config` were changed, as far as they
        do not say what the run is; `changes.json`, summary and report then say which, and when.
    timeout, gather
        Seconds to wait for agents to connect; seconds during which more than `min_agents` may join,
        where `agents` does not say who is expected. ``None``: until 20 seconds after the last
        newcomer, and no time in a simulation, whose nodes are all there.
    loss_key, held_out_keys
        Metrics under which replies carry the loss before training, and loss and accuracy on rows
        held out.
    """

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Choose a cohort and send it the model."""
        if not self.begun:
            self.wrapped = True
            _, arrays = self.begin(grid, arrays, None, config)
        self.train_config = config
        self._round = current = Round(server_round, model_of(arrays))
        chosen = self._draw(server_round)
        nodes = self._present(chosen)
        current.parts = dict.fromkeys(chosen, "dropped")
        current.cohort = {nodes[name]: name for name in chosen if name in nodes}
        current.learning_rate = self._rate(config)
        everybody = len(self.terms.names)
        log(INFO, "round %d: %d of %d agents train", server_round, len(current.cohort), everybody)
        self._name_strangers()
        self._asked = [
            self._message(node, arrays, self._config(config, server_round, name), MessageType.TRAIN)
            for node, name in current.cohort.items()
        ]
        self.steady.correct(current, self._asked)
        return self._asked

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Turn the cohort's replies into one step; in the order of agents, however they came."""
        current = self._current(server_round)
        current.heard = True
        trained = self._sift(current, replies)
        known = {name: measured.loss for name, measured in self.measured.items()}
        current.contradicted = self.guards.compare(server_round, known, current.losses)
        moved = None
        if len(trained) >= self.min_replies:
            moved = self._combine(current, trained)
        if moved is None:
            self._too_few(current, trained)
            return None, self._train_metrics(current)
        return record_of(moved), self._train_metrics(current)

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Have everybody measure the model that the round ended with."""
        current = self._current(server_round)
        current.after = model_of(arrays)
        if not current.heard:
            for name in current.cohort.values():
                current.refuse(name, "the strategy around this one left the round out")
        self._asked = []
        if self._is_due(server_round):
            self.roster.look(grid)
            nodes = self.roster.nodes()
            self._asked = [
                self._message(
                    nodes[name],
                    arrays,
                    self._config(config, server_round, name),
                    MessageType.EVALUATE,
                )
                for name in self.terms.names
                # Who did not answer a minute ago is not waited for again.
                if name in nodes
                and not (name in current.cohort.values() and current.parts[name] == "dropped")
            ]
        return self._asked

    def aggregate_evaluate(
        self, server_round: int, replies: Iterable[Message]
    ) -> MetricRecord | None:
        """Write the round down, with what agents measured after it."""
        current = self._current(server_round)
        found: dict[str, Measured] = {}
        beyond: dict[str, float] = {}
        for reply in replies:
            name = self._speaker(reply)
            try:
                if name is not None:
                    found[name] = self._read_measures(reply)
            except ReplyError as why:
                if name is not None and isinstance(why, LossError) and why.infinite:
                    beyond[name] = inf
                log(
                    WARNING,
                    "round %d: agent `%s` did not measure the model: %s",
                    server_round,
                    name,
                    why,
                )
        losses = {name: own.loss for name, own in found.items()} | beyond
        self.explosion.check(losses, server_round, current.after or current.before)
        self.measured = found
        return self._write(current, found)

    def summary(self) -> None:
        """Say what this strategy does."""
        log(INFO, "\t├──> Rule: %s", self.rule)
        log(INFO, "\t├──> Ceilings: %s", self.ceilings)
        held = (self.correction, self.search, self.first_step)
        log(INFO, "\t├──> Correction: %s; search: %s; first step: %g", *held)
        log(INFO, "\t├──> Usable replies: at least %d, else %s", self.min_replies, self.on_too_few)
        log(INFO, "\t└──> Run folder: %s", self.history.path)

    def start(
        self,
        grid: Grid,
        initial_arrays: ArrayRecord,
        num_rounds: int = 3,
        timeout: float = 600,
        train_config: ConfigRecord | None = None,
        evaluate_config: ConfigRecord | None = None,
        evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None] | None = None,
    ) -> Result:
        """Run all rounds, or those that are left of a run that was interrupted.

        `timeout` is for one exchange; that of the strategy is for agents to connect.
        """
        from corefed.flower.rounds import start

        return start(
            self,
            grid,
            initial_arrays,
            num_rounds,
            timeout,
            train_config,
            evaluate_config,
            evaluate_fn,
        )

    def audit(
        self,
        rivals: Mapping[str, ArrayRecord] | None = None,
        *,
        zero: bool = True,
        local: bool = False,
        exact: bool | Exact = False,
        timeout: float = 600.0,
    ) -> dict[str, Any]:
        """Ask all agents what they lose with rival models, and judge the last model by it.

        With `exact` every model of a ball is a rival: see :class:`Exact`.
        """
        if self.secure is not None:
            raise InputError(
                "an audit needs everybody's losses, and this run sees sums only",
                field="secure",
                hint="`bound` gives an upper bound of kappa from sums",
            )
        if exact:
            from corefed.flower.exact import Exact, audit_exactly

            if rivals or local:
                raise InputError("an exact audit needs no list of rivals", field="rivals")
            return audit_exactly(self, Exact() if exact is True else exact, timeout)
        from corefed.flower.audit import audit

        return audit(self, rivals or {}, zero=zero, local=local, timeout=timeout)

    def bound(self, radius: float) -> float:
        """Give an upper bound of kappa over a ball, from secure sums alone (ledger E6).

        It holds where losses are convex and no utility is negative anywhere in the ball. Nobody
        checks that here.
        """
        if self.sums is None:
            raise InputError("there are no secure sums before `start`", field="secure")
        return self.sums.bound(radius)

    def _draw(self, number: int) -> list[str]:
        drawn = random.Random(f"{self.seed}/{number}").sample(self.terms.names, self.cohort_size())
        return in_order(drawn)

    def _present(self, chosen: Sequence[str]) -> dict[str, int]:
        """Nodes of agents; waits while too few of the chosen are connected, or not all at first."""
        end, told = time.monotonic() + self.timeout, False
        needed = len(chosen) if self.gathers else self.min_replies
        self.gathers = False
        while True:
            nodes = locate(self.grid, self.exchange, self.roster, max(1.0, end - time.monotonic()))
            self.known_keys.compare(self.terms.names, self.roster.keys)
            missing = [name for name in chosen if name not in nodes]
            if len(chosen) - len(missing) >= needed or time.monotonic() > end:
                return nodes
            if not told:
                log(WARNING, "waiting %g s for agents to connect: %s", self.timeout, missing)
                self._name_strangers()
                told = True
            time.sleep(_PAUSE)

    def _name_strangers(self) -> None:
        """Say once of every node that is not of the federation that it takes no part."""
        self.strangers.tell(self.done + 1, self.roster.strangers())

    def _rate(self, config: ConfigRecord) -> float | None:
        rate = self.learning_rate if self.learning_rate is not None else config.get("lr")
        return float(rate) if isinstance(rate, int | float) and rate > 0 else None

    def _current(self, number: int) -> Round:
        if self._round is None or self._round.number != number:
            raise InputError(f"round {number} was not configured", field="server_round")
        return self._round

    def _train_metrics(self, current: Round) -> MetricRecord:
        counts = {
            part: sum(p == part for p in current.parts.values())
            for part in ("trained", "dropped", "rejected")
        }
        told = MetricRecord()
        for part, count in counts.items():
            told[part] = count
        known = [name for name in self.terms.names if name in current.losses]
        if known:
            shares = np.array([self.terms.average[self.terms.index(name)] for name in known])
            losses = np.array([current.losses[name] for name in known])
            told[LOSS] = float(shares @ losses / shares.sum())
        return told
