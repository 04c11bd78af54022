"""What agents lose with several models, in one message to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING

from flwr.app import ConfigRecord, MetricRecord, RecordDict

from corefed._federation.model import Model
from corefed.flower.asking import ask
from corefed.flower.model import record_of
from corefed.flower.protocol import ASK, LOSS, LOSSES, ROUND
from corefed.flower.reply import ReplyError, declared_agent, measures

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun


def ask_losses(
    run: FederatedRun,
    models: Mapping[str, Model],
    names: Iterable[str],
    timeout: float,
    what: str,
    *,
    broken: float | None = None,
) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Losses of some agents by agent and model, and why others have none.

    A loss that is not finite counts as `broken`; where there is no such number, the reply is
    refused.
    """
    # Names of records cannot be the models' own: those may be anything.
    keys = {f"model-{at}": name for at, name in enumerate(models)}
    records = {key: record_of(models[name]) for key, name in keys.items()}
    config = ConfigRecord({ASK: LOSSES, ROUND: run.done})
    question = RecordDict({**records, "config": config})
    replies, failed = ask(run, dict.fromkeys(names, question), timeout, what)
    reasons = {name: str(why) for name, why in failed.items()}
    found: dict[str, dict[str, float]] = {}
    for name, reply in replies.items():
        try:
            if declared_agent(reply) is None:
                raise ReplyError(
                    "its app does not measure several models: it needs `report_loss` among its mods"
                )
            records_of = reply.content.metric_records
            found[name] = {
                model: _loss(_numbers(records_of[key]), broken) for key, model in keys.items()
            }
        except (ReplyError, KeyError) as why:
            reasons[name] = str(why)
    return found, reasons


def _loss(numbers: dict[str, float], broken: float | None) -> float:
    if broken is not None and not isfinite(numbers.get(LOSS, 0.0)):
        return broken
    return measures(numbers).loss


def _numbers(record: MetricRecord) -> dict[str, float]:
    return {key: value for key, value in record.items() if isinstance(value, int | float)}
