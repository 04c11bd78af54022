"""What a site sends back: what can be used of it, or why not and what to do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from nvflare.app_common.abstract.fl_model import FLModel, ParamsType

from corefed._errors import InputError
from corefed._federation.measured import Measured
from corefed._federation.model import Model, Parts
from corefed.flare.protocol import ACCURACY, LOSS, LOSS_BEFORE, SAMPLES

#: What to do about a loss that is missing or odd.
_REPORT = "send it by `corefed.flare.report(received, trained, loss=...)`"
_FORMAT = "server_expected_format=ExchangeFormat.NUMPY of the recipe has arrays travel as NumPy's"

#: Beyond it doubles do not count.
_MOST = 2**53


@dataclass(frozen=True)
class Reply:
    """A site's training in one round."""

    update: Parts
    measured: Measured


def model_of(params: Any, whose: str) -> Model:
    """Parameters of an ``FLModel``, which are arrays by name."""
    if not isinstance(params, Mapping):
        kind = type(params).__name__
        raise InputError(f"{whose} is a {kind}, not arrays by name", field="params")
    parts: Parts = {}
    for name, part in params.items():
        if not isinstance(part, np.ndarray | np.generic):
            told = f"{whose} has a {type(part).__name__} as its part `{name}`"
            raise InputError(told, field="params", hint=_FORMAT)
        parts[str(name)] = np.asarray(part)
    return Model(parts)


def read_training(sent: FLModel, before: Model) -> Reply:
    """What a result tells of a site's training."""
    if sent.params_type != ParamsType.DIFF:
        raise InputError(
            "it sent its whole model (FULL) instead of what training did to it (DIFF)",
            field="params_type",
            hint="use `CoreFedRecipe`, `corefed.flare.report`, or "
            "params_transfer_type=TransferType.DIFF",
        )
    moved = model_of(sent.params, "its update")
    if odd := before.difference(moved):
        told = "send every part of the model that was received, under its name and in its shape"
        raise InputError(odd, field="params", hint=told)
    update = {name: part.astype(before.dtype) for name, part in moved.floats.items()}
    samples = _count(_mapping(sent.meta, "meta").get(SAMPLES))
    return Reply(update, read_measures(sent.metrics, (LOSS_BEFORE,), samples))


def read_measures(
    metrics: Mapping[str, Any] | None,
    keys: tuple[str, ...] = (LOSS_BEFORE, LOSS),
    samples: int | None = None,
) -> Measured:
    """What metrics tell of the model that was sent; the first of `keys` that is there counts."""
    told = _mapping(metrics, "metrics")
    key = next((key for key in keys if key in told), None)
    if key is None:
        raise InputError(
            f"it sent no metric `{keys[0]}`, only {sorted(map(str, told))}",
            field=keys[0],
            hint=_REPORT,
        )
    loss = _number(told[key])
    if loss is None or not math.isfinite(loss) or loss < 0:
        raise InputError(f"its `{key}` is {told[key]!r}", field=key, hint=_REPORT)
    accuracy = _number(told.get(ACCURACY))
    if accuracy is not None and not math.isfinite(accuracy):
        accuracy = None
    return Measured(loss=loss, samples=samples, accuracy=accuracy)


def _mapping(value: Any, field: str) -> Mapping[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise InputError(f"its `{field}` are a {kind}, not values by name", field=field)
    return value


def _number(value: Any) -> float | None:
    known = isinstance(value, int | float | np.integer | np.floating)
    try:
        return float(value) if known and not isinstance(value, bool) else None
    except OverflowError:
        # Python's whole numbers have no end.
        return None


def _count(value: Any) -> int | None:
    if value is None:
        return None
    number = _number(value)
    if number is None or not number.is_integer() or not 1 <= number <= _MOST:
        raise InputError(
            f"its `{SAMPLES}` are {value!r}, not a number of rows", field=SAMPLES, hint=_REPORT
        )
    return int(number)
