"""All rounds of a run, from wherever it stands."""

from __future__ import annotations

from collections.abc import Callable
from logging import INFO

from flwr.app import ArrayRecord, ConfigRecord, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result, Strategy

from corefed._errors import InputError
from corefed.flower.logged import log
from corefed.flower.strategy import RuleStrategy


def start(
    strategy: Strategy,
    grid: Grid,
    initial_arrays: ArrayRecord,
    num_rounds: int = 3,
    timeout: float = 600,
    train_config: ConfigRecord | None = None,
    evaluate_config: ConfigRecord | None = None,
    evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None] | None = None,
) -> Result:
    """Run all rounds of a strategy, or those that are left of a run that was interrupted.

    Parameters
    ----------
    strategy
        A strategy of this package, or one of Flower's wrappers around it.
    grid, initial_arrays, num_rounds, timeout, train_config, evaluate_config, evaluate_fn
        As in ``Strategy.start`` of Flower, whose `timeout` is an hour. It is for one exchange: who
        has not answered by then is missing in that round. How long nodes may take to connect is
        `timeout` of the strategy.
    """
    inner = rule_of(strategy)
    if inner.secure is not None and inner is strategy:
        from corefed.flower.secure_rounds import start_secure

        told = initial_arrays, num_rounds, timeout, train_config, evaluate_fn
        return start_secure(inner, grid, *told)
    inner.wrapped, inner.patience = inner is not strategy, timeout
    inner.train_config = train_config = train_config or ConfigRecord()
    evaluate_config = evaluate_config or ConfigRecord()
    strategy.summary()
    done, arrays = inner.begin(grid, initial_arrays, num_rounds, evaluate_config)
    exchange = inner.exchange
    result = Result()
    result.arrays = arrays
    if evaluate_fn and done == 0:
        _centrally(evaluate_fn, 0, arrays, result)
    for number in range(done + 1, num_rounds + 1):
        if inner.private is not None and not inner.private.allows(number):
            break
        log(INFO, "[ROUND %s/%s]", number, num_rounds)
        asked = strategy.configure_train(number, arrays, train_config, grid)
        replies = exchange(asked, timeout, f"the training of round {number}")
        moved, metrics = strategy.aggregate_train(number, replies)
        if moved is not None:
            result.arrays = arrays = moved
        if metrics is not None:
            result.train_metrics_clientapp[number] = metrics
            log(INFO, "\t└──> %s", metrics)
        asked = strategy.configure_evaluate(number, arrays, evaluate_config, grid)
        replies = exchange(asked, timeout, f"the evaluation of round {number}")
        metrics = strategy.aggregate_evaluate(number, replies)
        if metrics is not None:
            result.evaluate_metrics_clientapp[number] = metrics
            log(INFO, "\t└──> %s", metrics)
        if evaluate_fn:
            _centrally(evaluate_fn, number, arrays, result)
    inner.finish()
    return result


def rule_of(strategy: Strategy) -> RuleStrategy:
    """The strategy of ours inside wrappers."""
    seen: object = strategy
    while not isinstance(seen, RuleStrategy):
        seen = getattr(seen, "strategy", None)
        if not isinstance(seen, Strategy):
            raise InputError(
                f"there is no strategy of `corefed.flower` in {type(strategy).__name__}",
                field="strategy",
            )
    return seen


def _centrally(
    evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None],
    number: int,
    arrays: ArrayRecord,
    result: Result,
) -> None:
    found = evaluate_fn(number, arrays)
    if found is not None:
        result.evaluate_metrics_serverapp[number] = found
        log(INFO, "\t└──> %s", found)
