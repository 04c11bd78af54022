"""Replies of clients: what can be used of them, or why not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from flwr.app import ConfigRecord, Message
from flwr.common.constant import ErrorCode

from corefed._federation.measured import Measured
from corefed._federation.model import Model, Parts
from corefed.flower.model import model_of
from corefed.flower.protocol import (
    ABOUT,
    ACCURACY,
    AGENT,
    CORRECTS,
    EXAMPLES,
    LOSS,
    MOMENTUM,
    PARTS,
    RATE,
    REFUSAL,
    SAMPLES,
    STALE,
    STEPS,
    WALK,
)

#: Errors that the SuperLink makes in place of an agent that is not there.
_GONE = (
    ErrorCode.MESSAGE_UNAVAILABLE,
    ErrorCode.REPLY_MESSAGE_UNAVAILABLE,
    ErrorCode.NODE_UNAVAILABLE,
)
#: Beyond it nothing is finite.
_LARGEST = 1e308
#: Beyond it doubles do not count.
_MOST_ROWS = 2**53


class ReplyError(Exception):
    """A reply that cannot be used, and why."""


class GoneError(ReplyError):
    """No reply, or one that the SuperLink made in place of an agent that did not answer."""


class FailedError(ReplyError):
    """An error of the agent's app in place of its reply."""


class StaleError(ReplyError):
    """An agent has used the ticket of a sum already."""


class LossError(ReplyError):
    """A loss that a rule cannot go by."""

    def __init__(self, key: str, loss: float) -> None:
        super().__init__(f"its `{key}` is {loss}")
        #: Whether it is beyond all numbers, not merely a wrong one.
        self.infinite = not loss <= _LARGEST and loss != -math.inf


class NoMetricError(ReplyError):
    """A reply without the metric that a rule goes by."""

    def __init__(self, key: str, there: Iterable[str]) -> None:
        super().__init__(f"it sent no metric `{key}`, only {sorted(there)}")


@dataclass(frozen=True)
class Walk:
    """The steps that an agent took, and the parts of the model in which they were corrected."""

    steps: int
    rate: float
    momentum: float
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Trained:
    """An agent's training in one round."""

    loss: float | None
    update: Parts
    metrics: dict[str, float] = field(default_factory=dict)
    #: Where the server corrects for drift.
    walk: Walk | None = None


def declared_agent(reply: Message) -> str | None:
    """Who a reply says it is from."""
    if reply.has_error() or ABOUT not in reply.content.config_records:
        return None
    name = reply.content.config_records[ABOUT].get(AGENT)
    return None if name is None else str(name)


def check_error(reply: Message) -> None:
    """Refuse a reply that is an error, or that says why there is no answer."""
    if not reply.has_error():
        if REFUSAL in reply.content.config_records:
            told = reply.content.config_records[REFUSAL]
            why = str(told.get(REFUSAL, "")).strip()
            # By a key of its own: words are for people, and change.
            kind = StaleError if told.get(STALE) is True else ReplyError
            raise kind(why or "it refused, and does not say why")
        return
    reason = str(reply.error.reason or f"code {reply.error.code}").strip()
    if reply.error.code in _GONE:
        raise GoneError("it is not there any more")
    # A trace of somebody else's program can be long; the first line names the error.
    raise FailedError(f"its app failed: {reason.splitlines()[0][:300]}")


def metrics(reply: Message) -> dict[str, float]:
    """All single numbers of a reply, whatever record they are in."""
    return dict(_numbers(reply))


def _numbers(reply: Message) -> Iterator[tuple[str, float]]:
    for record in reply.content.metric_records.values():
        for key, value in record.items():
            if isinstance(value, int | float):
                # Python's whole numbers have no end; no number of ours is that large.
                yield key, value if abs(value) < _LARGEST else float("inf")


def read_measures(
    reply: Message, loss_key: str = LOSS, held_out: tuple[str, str] | None = None
) -> Measured:
    """What a reply tells of the model that was sent."""
    check_error(reply)
    found = measures(metrics(reply), loss_key, held_out)
    about = reply.content.config_records.get(ABOUT, ConfigRecord())
    return replace(found, corrects=about.get(CORRECTS) is True)


def measures(
    numbers: dict[str, float], loss_key: str = LOSS, held_out: tuple[str, str] | None = None
) -> Measured:
    """The same of a record of numbers."""
    if loss_key not in numbers:
        raise NoMetricError(loss_key, numbers)
    loss = float(numbers[loss_key])
    if not math.isfinite(loss) or loss < 0:
        raise LossError(loss_key, loss)
    aside_loss, aside_accuracy = held_out or ("", "")
    # The app's own `num-examples` may count the rows that it validates on.
    examples = numbers.get(SAMPLES, numbers.get(EXAMPLES))
    return Measured(
        loss=loss,
        samples=None if examples is None else _count(examples),
        accuracy=_finite(numbers.get(ACCURACY)),
        held_out_loss=_finite(numbers.get(aside_loss)),
        held_out_accuracy=_finite(numbers.get(aside_accuracy)),
    )


def read_training(reply: Message, model: Model, loss_key: str, *, needs_loss: bool) -> Trained:
    """What a reply tells of an agent's training."""
    check_error(reply)
    numbers = metrics(reply)
    if needs_loss and loss_key not in numbers:
        raise NoMetricError(loss_key, numbers)
    records = list(reply.content.array_records.values())
    if len(records) != 1:
        raise ReplyError(f"it sent {len(records)} ArrayRecords instead of one")
    try:
        after = model_of(records[0])
    except Exception as error:  # whatever the bytes of a stranger do
        raise ReplyError(f"its arrays cannot be read: {error}") from error
    if odd := model.difference(after):
        raise ReplyError(odd)
    loss = numbers.get(loss_key)
    return Trained(None if loss is None else float(loss), model.update(after), numbers)


def read_walk(reply: Message, model: Model) -> Walk:
    """What a reply tells of steps that were corrected for drift."""
    told = reply.content.config_records.get(WALK)
    if told is None:
        raise ReplyError(f"it did not correct for drift: it sent no record `{WALK}`")
    steps, rate, momentum = (told.get(key) for key in (STEPS, RATE, MOMENTUM))
    if not (isinstance(steps, int) and steps >= 0):
        raise ReplyError(f"its `{STEPS}` are {steps!r}, not a number of steps")
    if not (isinstance(rate, float) and math.isfinite(rate) and rate > 0):
        raise ReplyError(f"its `{RATE}` is {rate!r}, not a size of steps")
    if not (isinstance(momentum, float) and 0 <= momentum < 1):
        raise ReplyError(f"its `{MOMENTUM}` is {momentum!r}; expected [0, 1)")
    listed = told.get(PARTS)
    parts = tuple(str(part) for part in listed) if isinstance(listed, list) else ()
    if odd := sorted(set(parts) - model.floats.keys()):
        raise ReplyError(f"it corrected parts {odd} that are not of the model")
    return Walk(steps, rate, momentum, parts)


def _count(rows: float) -> int:
    if not 0 <= rows <= _MOST_ROWS:
        raise ReplyError(f"its number of rows is {rows}")
    return int(rows)


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
