"""All rounds of a run in which the server sees sums only."""

from __future__ import annotations

from collections.abc import Callable
from logging import INFO, WARNING
from typing import TYPE_CHECKING

from flwr.app import ArrayRecord, ConfigRecord, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result

from corefed import _corefed
from corefed._errors import CohortError
from corefed._federation.history import Round
from corefed.flower.logged import log
from corefed.flower.model import record_of
from corefed.flower.protocol import ROUND, RULE
from corefed.flower.reply import GoneError
from corefed.flower.secure_begin import begin_secure
from corefed.flower.share import MEASURES, SCALARS
from corefed.flower.sum_step import (
    Sums,
    first_order_bound,
    floor_of,
    parameters,
    stepper,
    update_of,
)
from corefed.flower.summing import Summed, Summing

if TYPE_CHECKING:
    from corefed.flower.strategy import RuleStrategy

#: Parts of a step that are compared, the whole one first.
_PARTS = (1.0, 0.5, 0.25)


def start_secure(
    run: RuleStrategy,
    grid: Grid,
    arrays: ArrayRecord,
    rounds: int,
    timeout: float,
    train_config: ConfigRecord | None,
    evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None] | None,
) -> Result:
    """Run all rounds, or those that are left."""
    run.patience, run.train_config = timeout, train_config or ConfigRecord()
    run.summary()
    told = "secure sums: floor and clip are for agents to follow; share_cap, norm_cap, weight_cap"
    log(INFO, f"{told} and ceiling_spread compare agents, and are off")
    result = Result()
    run.sums = secure = SecureRounds(run, grid, arrays, rounds)
    result.arrays = record_of(run.model)
    for number in range(run.done + 1, rounds + 1):
        log(INFO, "[ROUND %s/%s]", number, rounds)
        result.train_metrics_clientapp[number] = secure.round(number)
        result.arrays = record_of(run.model)
        if evaluate_fn and (found := evaluate_fn(number, result.arrays)) is not None:
            result.evaluate_metrics_serverapp[number] = found
    secure.finish()
    return result


class SecureRounds:
    """The rounds of one run."""

    def __init__(self, run: RuleStrategy, grid: Grid, arrays: ArrayRecord, rounds: int) -> None:
        self._run = run
        self.book = begin_secure(run, grid, arrays, rounds)
        terms = {
            "rule": run.rule,
            "weights": dict(zip(run.terms.names, run.terms.say(run.rule), strict=True)),
            "ceilings": dict(zip(run.terms.names, run.terms.ceilings, strict=True)),
            "floor": floor_of(run),
            "memory": run.settings.get("memory", 1.0),
            "clip": run.settings["clip"],
        }
        self.ask = Summing(run, self.book, terms)
        self._step = stepper(run)

    def round(self, number: int) -> MetricRecord:
        """One round: an exchange for sealed messages, one for seeds, and perhaps a comparison."""
        run = self._run
        current = Round(number, run.model)
        current.learning_rate = run._rate(run.train_config)
        current.parts = dict.fromkeys(run.terms.names, "dropped")
        # Waits while too few are connected: a round that is left out is lost.
        run._present(run.terms.names)
        run._name_strangers()
        size = parameters(run.model) + len(SCALARS)
        summed = self.ask(
            "train",
            {run.arrayrecord_key: record_of(run.model)},
            self._config(number),
            size,
            f"the training of round {number}",
            need=run.min_replies,
        )
        for name, why in summed.absent.items():
            gone = isinstance(why, GoneError)
            current.refuse(name, str(why), "dropped" if gone else "rejected")
        sums = None
        if summed.numbers is not None:
            sums = Sums.of(summed, run.model, run.terms, run.rule)
            if odd := sums.impossible(run.terms, floor_of(run), run.rule):
                log(WARNING, "round %d: %s", number, odd)
                sums = None
                for name in summed.cohort:
                    current.refuse(name, odd)
        if sums is None:
            self._too_few(current, summed)
        else:
            current.parts |= dict.fromkeys(summed.cohort, "trained")
            self._move(current, sums, summed)
        row = sums.row() if sums is not None else {"agents": 0, "cohort": []}
        self.book.append({"round": number - 1, **row})
        run._write(current, {})
        told = MetricRecord({"agents": len(summed.cohort) if sums is not None else 0})
        if sums is not None:
            told["log-welfare-before"] = sums.log_welfare
        log(INFO, "\t└──> %s", told)
        return told

    def finish(self) -> None:
        """Measure the last model, and close the folder."""
        run = self._run
        if run.evaluate_every > 0 and run.done not in [row["round"] for row in self.book.rows]:
            summed = self.ask(
                "measure",
                {run.arrayrecord_key: record_of(run.model)},
                self._config(run.done),
                len(MEASURES),
                "the last model",
            )
            if summed.numbers is not None:
                sums = Sums.measured(summed, run.terms, run.rule)
                self.book.append({"round": run.done, **sums.row()})
        run.finish()

    def bound(self, radius: float) -> float:
        """Upper bound of kappa over a ball from the sum of weighed gradients (E6)."""
        run = self._run
        summed = self.ask(
            "gradient",
            {run.arrayrecord_key: record_of(run.model)},
            self._config(run.done),
            parameters(run.model),
            "the gradients of the last model",
            need=len(run.terms.names),
        )
        if summed.numbers is None:
            told = "; ".join(f"{n}: {w}" for n, w in summed.absent.items())
            raise CohortError(f"a bound needs everybody ({told})", field="agents")
        # Weights in the sum are of mean one.
        agents = float(len(run.terms.names))
        return first_order_bound(summed.numbers, run.model, agents, radius)

    def _move(self, current: Round, sums: Sums, summed: Summed) -> None:
        run = self._run
        part = _corefed.step_part(run.first_step, current.number, run.rounds or 1)
        update = update_of(sums, current.before)
        taken = [self._step(current.before, update, part, run.state)]
        if run.search == "on":
            taken += [self._step(current.before, update, part * p, run.state) for p in _PARTS[1:]]
            models = {f"model-{at}": record_of(step.model) for at, step in enumerate(taken)}
            compared = self.ask(
                "compare",
                models,
                self._config(current.number),
                len(models),
                f"the comparison of steps in round {current.number}",
                need=len(summed.cohort),
                of=summed.cohort,
            )
            if compared.numbers is None:
                log(WARNING, "round %d: steps were not compared; the model stays", current.number)
                current.chosen = ("stay", 0.0)
                return
            values = [*(compared.numbers.tolist()), sums.welfare]
            best = values.index(max(values))
            if best == len(taken):
                current.chosen = ("stay", 0.0)
                return
            current.chosen = ("rule", _PARTS[best])
            taken = [taken[best]]
        run.state, current.after = taken[0].state, taken[0].model

    def _too_few(self, current: Round, summed: Summed) -> None:
        run = self._run
        why = f"the round needs the sum over {run.min_replies} agents, and there is none"
        if run.on_too_few == "fail":
            told = "; ".join(f"{name}: {why}" for name, why in sorted(summed.absent.items()))
            raise CohortError(
                f"round {current.number}: {why} ({told})",
                field="min_replies",
                hint="restart the agents and resume the same folder, or pass on_too_few='skip'",
            )
        log(WARNING, "round %d is left out: %s", current.number, why)
        for name in summed.cohort:
            current.refuse(name, current.rejections.get(name, why))

    def _config(self, number: int) -> ConfigRecord:
        """What everybody is told: the same words, or masks would not cancel."""
        run = self._run
        told = {**run.train_config, ROUND: number, RULE: run.rule, "seed": run.seed}
        if run.learning_rate is not None:
            told["lr"] = run.learning_rate
        return ConfigRecord(told)
