"""A rule of CoreFed as a strategy of Flower: agents by name, records, checkpoints, no surprises."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from logging import INFO, WARNING
from math import isfinite
from typing import Any

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result
from flwr.supercore import log

from corefed._errors import CohortError, InputError
from corefed._rules import RULES
from corefed.flower.census import locate, node_of
from corefed.flower.history import Round
from corefed.flower.model import Model, norm
from corefed.flower.protocol import LOSS
from corefed.flower.reply import (
    GoneError,
    Measured,
    ReplyError,
    Trained,
    read_training,
    read_walk,
)
from corefed.flower.roster import in_order
from corefed.flower.run import FederatedRun

#: Seconds between two looks at who is connected.
_PAUSE = 0.5


class RuleStrategy(FederatedRun):
    """What all rules share.

    Parameters
    ----------
    ceilings
        The loss at which an agent gets nothing: one for all, a dictionary by agent, or
        ``"initial:F"`` for F times each agent's loss at the first model (once without ``:F``).
    agents
        Names of the agents. The run begins when all of them are there, and nobody else takes part.
        Without it, the first `min_agents` or more that answer are the federation.
    weights
        The say of each agent: ``equal``, ``samples`` or a dictionary.
    average
        Weights of rules that only average, and of warm-ups: the same choices.
    fraction_train
        Part of the agents that train in a round, drawn by `seed` and round.
    evaluate_every
        All agents measure the model after every so many rounds, and after the last; 0: never.
    min_agents, min_replies, on_too_few
        How many agents a federation needs at least; how many usable replies a round needs, and
        whether a round with fewer is left out (``skip``) or ends the run (``fail``).
    learning_rate
        Of local training, where the rule needs it; told to the clients as ``lr`` if given.
    clip, server_step, server_momentum
        See :class:`corefed.Server`.
    correction
        ``control``: local steps are corrected for drift, which needs apps that use
        :class:`Correction`; ``none``; ``auto``: where the rule, everybody's app and
        `fraction_train` allow it. `run.json` says what was done.
    search
        ``on``: everybody compares the rule's and FedAvg's step, whole, half and quarter, and the
        best by the rule's objective is taken. Everybody is needed in every round.
    first_step
        Part of the server's step in the first round, in (0, 1]; it grows to all of it.
    seed
        What cohorts are drawn by; also told to the clients as ``seed``.
    run, name
        Folder to write, and its name for people. A folder that is there is gone on with.
    timeout
        Seconds to wait for agents to connect.
    loss_key, held_out_keys
        Metrics under which replies carry the loss before training, and loss and accuracy on rows
        kept aside.
    """

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Choose a cohort and send it the model."""
        if not self.begun:
            self.wrapped = True
            _, arrays = self.begin(grid, arrays, None, config)
        self.train_config = config
        self._round = current = Round(server_round, Model.of(arrays))
        chosen = self._draw(server_round)
        nodes = self._present(chosen)
        current.parts = dict.fromkeys(chosen, "dropped")
        current.cohort = {nodes[name]: name for name in chosen if name in nodes}
        current.learning_rate = self._rate(config)
        log(INFO, "round %d: %d of %d agents train", server_round, len(current.cohort), len(nodes))
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
        moved = None
        if len(trained) >= self.min_replies:
            moved = self._combine(current, trained)
        if moved is None:
            self._too_few(current, trained)
            return None, self._train_metrics(current)
        return moved.record(), self._train_metrics(current)

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Have everybody measure the model that the round ended with."""
        current = self._current(server_round)
        current.after = Model.of(arrays)
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
        for reply in replies:
            name = self._speaker(reply)
            try:
                if name is not None:
                    found[name] = self._read_measures(reply)
            except ReplyError as why:
                log(
                    WARNING,
                    "round %d: agent `%s` did not measure the model: %s",
                    server_round,
                    name,
                    why,
                )
        self.measured = found
        return self._write(current, found)

    def summary(self) -> None:
        """Say what this strategy does."""
        log(INFO, "\t├──> Rule: %s", self.rule)
        log(INFO, "\t├──> Ceilings: %s", self.ceilings)
        log(INFO, "\t├──> Usable replies: at least %d, else %s", self.min_replies, self.on_too_few)
        log(INFO, "\t└──> Run folder: %s", self.history.path)

    def start(
        self,
        grid: Grid,
        initial_arrays: ArrayRecord,
        num_rounds: int = 3,
        timeout: float = 3600,
        train_config: ConfigRecord | None = None,
        evaluate_config: ConfigRecord | None = None,
        evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None] | None = None,
    ) -> Result:
        """Run all rounds, or those that are left of a run that was interrupted."""
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
        timeout: float = 3600.0,
    ) -> dict[str, Any]:
        """Ask all agents what they lose with rival models, and judge the last model by it."""
        from corefed.flower.audit import audit

        return audit(self, rivals or {}, zero=zero, local=local, timeout=timeout)

    def _sift(self, current: Round, replies: Iterable[Message]) -> dict[str, Trained]:
        """Usable replies by agent; everybody else is left out with a reason."""
        trained: dict[str, Trained] = {}
        without = 0
        for reply in replies:
            name = self._speaker(reply)
            if name is None or name not in current.parts:
                continue
            try:
                answer = self._read_training(reply, current.before)
            except GoneError as error:
                current.refuse(name, str(error), "dropped")
            except ReplyError as error:
                without += f"no metric `{self.loss_key}`" in str(error)
                current.refuse(name, str(error))
            else:
                trained[name] = answer
                if answer.loss is not None:
                    current.losses[name] = answer.loss
                    if not isfinite(answer.loss) or answer.loss < 0:
                        what = "negative" if isfinite(answer.loss) else "not finite"
                        current.refuse(name, f"its loss is {what}")
                        del trained[name], current.losses[name]
        if without and not trained:
            raise self._no_metric(current)
        for name, why in sorted(current.rejections.items()):
            log(
                WARNING,
                "round %d: the reply of agent `%s` is refused: %s",
                current.number,
                name,
                why,
            )
        for name in in_order(
            n for n, part in current.parts.items() if part == "dropped" and n not in trained
        ):
            log(WARNING, "round %d: agent `%s` did not answer", current.number, name)
        return trained

    def _combine(self, current: Round, trained: dict[str, Trained]) -> Model | None:
        """The rule's step; ``None`` if too few updates can be used."""
        updates = {name: answer.update for name, answer in trained.items()}
        for name, update in updates.items():
            current.norms[name] = norm(update)
        losses = {
            name: answer.loss if answer.loss is not None else 0.0
            for name, answer in trained.items()
        }
        try:
            chosen = self.steady.step(current, updates, losses)
        except CohortError:
            for name in updates:
                current.refuse(name, "its update is not finite")
            return None
        if chosen is None:
            return None
        done = chosen.done
        for name, why in done.rejected:
            current.refuse(name, why)
            log(
                WARNING,
                "round %d: the reply of agent `%s` is refused: %s",
                current.number,
                name,
                why,
            )
        if len(done.weights) < self.min_replies:
            return None
        self.state = done.state
        self.steady.learn(current, trained, done.weights)
        current.weights = dict.fromkeys(updates, 0.0) | done.weights
        current.parts |= dict.fromkeys(done.weights, "trained")
        current.acted = {
            "warm_up": done.warm_up,
            "floored": done.floored,
            "raised": done.raised,
            "capped": done.capped,
            "clipped": done.clipped,
        }
        return chosen.model

    def _too_few(self, current: Round, trained: dict[str, Trained]) -> None:
        """A round that does not count."""
        usable = [name for name in trained if name not in current.rejections]
        why = f"the round needs {self.min_replies} usable replies and has {len(usable)}"
        if self.on_too_few == "fail":
            told = "; ".join(f"{a}: {r}" for a, r in sorted(current.rejections.items()))
            raise CohortError(
                f"round {current.number}: {why}" + (f" ({told})" if told else ""),
                field="min_replies",
                hint="restart the agents and go on with the same folder, or pass on_too_few='skip'",
            )
        log(WARNING, "round %d is left out: %s", current.number, why)
        for name in usable:
            current.refuse(name, why)
        current.weights = {}

    def _read_training(self, reply: Message, before: Model) -> Trained:
        needs_loss = RULES[self.rule].needs_losses or self.steady.what.searches
        trained = read_training(reply, before, self.loss_key, needs_loss=needs_loss)
        if not self.steady.what.corrects:
            return trained
        return replace(trained, walk=read_walk(reply, before))

    def _draw(self, number: int) -> list[str]:
        drawn = random.Random(f"{self.seed}/{number}").sample(self.terms.names, self.cohort_size())
        return in_order(drawn)

    def _present(self, chosen: Sequence[str]) -> dict[str, int]:
        """Nodes of agents; waits while too few of the chosen are connected."""
        end, told = time.monotonic() + self.timeout, False
        while True:
            nodes = locate(self.grid, self.exchange, self.roster, max(1.0, end - time.monotonic()))
            missing = [name for name in chosen if name not in nodes]
            if len(chosen) - len(missing) >= self.min_replies or time.monotonic() > end:
                return nodes
            if not told:
                log(WARNING, "waiting for agents to connect: %s", missing)
                told = True
            time.sleep(_PAUSE)

    def _rate(self, config: ConfigRecord) -> float | None:
        rate = self.learning_rate if self.learning_rate is not None else config.get("lr")
        return float(rate) if isinstance(rate, int | float) and rate > 0 else None

    def _speaker(self, reply: Message) -> str | None:
        """The agent behind a reply, if it is one of ours."""
        said = self.roster.learn(node_of(reply, self._asked), reply)
        return said if said in self.terms.names else None

    def _current(self, number: int) -> Round:
        if self._round is None or self._round.number != number:
            raise InputError(f"round {number} was not configured", field="server_round")
        return self._round

    def _no_metric(self, current: Round) -> InputError:
        first = in_order(current.rejections)[0]
        return InputError(
            f"round {current.number}: agent `{first}` sent no metric `{self.loss_key}`",
            agent=first,
            field=self.loss_key,
            hint="the rule needs the loss before training: ClientApp(mods=[report_loss(f)])",
        )

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
