"""What a training script sends, in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import nvflare.client as flare
from nvflare.app_common.abstract.fl_model import FLModel, ParamsType

from corefed._errors import InputError
from corefed.flare.protocol import ACCURACY, CEILINGS, LOSS, LOSS_BEFORE, SAMPLES


def report(
    received: FLModel,
    trained: Mapping[str, Any] | None = None,
    *,
    loss: float | None = None,
    samples: int | None = None,
    accuracy: float | None = None,
) -> None:
    """Answer what FLARE asks of a site: its training, its loss with a model, or its own model.

    Parameters
    ----------
    received
        What ``nvflare.client.receive()`` gave.
    trained
        Parameters after training, by name; not needed where a model is only evaluated.
    loss
        The mean loss on the site's own rows at the model as it was received, *before* training.
    samples
        How many rows that is.
    accuracy
        The share of right answers on them, for the records.
    """
    if flare.is_submit_model():
        flare.send(FLModel(params=dict(_trained(trained)), params_type=ParamsType.FULL))
        return
    if loss is None or not math.isfinite(loss) or loss < 0:
        raise InputError(
            f"the loss before training is {loss}",
            agent=flare.get_site_name(),
            field="loss",
            hint="pass the mean loss on the site's own rows at the model that was received",
        )
    numbers = {} if accuracy is None else {ACCURACY: float(accuracy)}
    if flare.is_evaluate():
        flare.send(FLModel(metrics={LOSS: float(loss)} | numbers))
        return
    after, before = _trained(trained), received.params
    if after.keys() != before.keys():
        odd = sorted(after.keys() ^ before.keys())
        raise InputError(f"the trained model and the received differ in {odd}", field="trained")
    flare.send(
        FLModel(
            params={name: after[name] - before[name] for name in before},
            params_type=ParamsType.DIFF,
            metrics={LOSS_BEFORE: float(loss)} | numbers,
            meta={} if samples is None else {SAMPLES: int(samples)},
        )
    )


def told_ceiling(received: FLModel) -> float:
    """The ceiling of this site under ``propfair``, by which it trains (:func:`log_slope`)."""
    site = flare.get_site_name()
    told = (received.meta or {}).get(CEILINGS, {})
    if site not in told:
        raise InputError(
            f"the server told no ceiling of site `{site}`",
            agent=site,
            field="ceilings",
            hint="only the rule `propfair` tells ceilings",
        )
    return float(told[site])


def _trained(trained: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if trained is None:
        raise InputError("there is no trained model to send", field="trained")
    return trained
