"""What an aggregator is told, checked before a job is sent anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from corefed._errors import InputError
from corefed._federation.explosion import check_factor
from corefed._federation.settings import settings_text
from corefed._rules import RULES
from corefed._server import Server

if TYPE_CHECKING:
    from corefed.flare.aggregator import CoreFedAggregator

#: Keywords of :class:`corefed.Server` that have a keyword of the aggregator's own.
_OWN = ("rule", "agents", "weights", "samples", "ceilings", "share_cap")


def check_told(told: CoreFedAggregator) -> None:
    """Refuse what no round could use."""
    for keyword in told.settings or {}:
        if keyword in _OWN:
            raise InputError(
                f"`{keyword}` is not for `settings`: the aggregator has a keyword for it",
                field="settings",
            )
    if told.on_too_few not in ("skip", "fail"):
        raise InputError(
            f"`on_too_few` is {told.on_too_few!r}; expected 'skip' or 'fail'", field="on_too_few"
        )
    check_factor(told.loss_factor)
    if told.min_replies < 1:
        raise InputError(
            f"`min_replies` is {told.min_replies}; expected 1 or more", field="min_replies"
        )
    if told.last_timeout < 1:
        raise InputError(
            f"`last_timeout` is {told.last_timeout}; expected 1 second or more",
            field="last_timeout",
        )
    # The engine's own checks of rule, knobs and safeguards.
    server = server_of(told, ["a", "b"], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0])
    if told.learning_rate is None and server.needs_learning_rate:
        raise InputError(
            f"the step of `{told.rule}` depends on the learning rate of local training",
            field="learning_rate",
            hint="pass `learning_rate=`",
        )
    if RULES[told.rule].ceilings == "training" and not known_ceilings(told):
        raise InputError(
            f"under `{told.rule}` sites train by their ceilings, before they have reported a loss",
            field="ceilings",
            hint="pass a dictionary by site, or one number for all together with `sites`",
        )


def known_ceilings(told: CoreFedAggregator) -> dict[str, float]:
    """Ceilings by site, where they are known before the first round."""
    if isinstance(told.ceilings, Mapping):
        return {site: float(told.ceilings[site]) for site in told.sites or told.ceilings}
    if isinstance(told.ceilings, str):
        return {}
    return {site: float(told.ceilings) for site in told.sites or []}


def server_of(
    told: CoreFedAggregator,
    names: list[str],
    weights: list[float],
    average: list[float],
    ceilings: list[float],
) -> Server:
    """The server of a federation."""
    return Server(
        told.rule,
        agents=names,
        weights=weights,
        samples=average,
        ceilings=ceilings,
        share_cap=told.share_cap,
        **told.settings or {},
    )


def spec_text(told: CoreFedAggregator) -> str:
    """The settings of a run, as its folder keeps them."""
    chosen: dict[str, Any] = {
        "rule": told.rule,
        "sites": told.sites or [],
        "ceilings": told.ceilings,
        "weights": told.weights,
        "average": told.average,
        "settings": told.settings or {},
        "learning_rate": told.learning_rate,
        "share_cap": told.share_cap,
        "loss_factor": told.loss_factor,
        "min_replies": told.min_replies,
        "on_too_few": told.on_too_few,
        **told.guards.settings(),
    }
    return settings_text(chosen, "flare")
