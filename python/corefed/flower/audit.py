"""An audit over the network: agents measure rivals, coalitions are formed at the server."""

from __future__ import annotations

from collections.abc import Mapping
from logging import INFO, WARNING
from typing import TYPE_CHECKING, Any

from flwr.app import ArrayRecord, MessageType

from corefed._errors import CohortError, InputError
from corefed._federation.model import Model
from corefed.flower.census import locate, node_of
from corefed.flower.logged import log
from corefed.flower.losses import ask_losses
from corefed.flower.model import model_of, record_of
from corefed.flower.reply import ReplyError, read_training

if TYPE_CHECKING:
    from corefed.flower.strategy import RuleStrategy

#: The audited model among the rivals.
FINAL = "final"


def audit(
    strategy: RuleStrategy,
    rivals: Mapping[str, ArrayRecord],
    *,
    zero: bool,
    local: bool,
    timeout: float,
) -> dict[str, Any]:
    """Ask all agents what they lose with the last model and with rivals, and judge it by that.

    Parameters
    ----------
    strategy
        One whose rounds are over, or at least one of them.
    rivals
        Other models by name: another rule's, an earlier one.
    zero
        Whether the model whose numbers are all zero is a rival.
    local
        Whether agents train once more, each for itself, and every such model is a rival of all.
    timeout
        Seconds for an exchange.
    """
    if not strategy.begun:
        raise InputError("there is nothing to audit before `start`", field="strategy")
    listed = {FINAL: strategy.model}
    for name, record in rivals.items():
        rival = model_of(record)
        if odd := strategy.model.difference(rival):
            raise InputError(
                f"the rival `{name}` is not of the model's form: {odd}", field="rivals"
            )
        listed[name] = rival
    if FINAL in rivals:
        raise InputError(f"a rival cannot be called `{FINAL}`", field="rivals")
    if zero:
        listed.setdefault("zero", strategy.model.zero())
    left_out: dict[str, str] = {}
    if local:
        listed |= _trained_alone(strategy, timeout, left_out)
    losses = _losses(strategy, listed, timeout)
    others = [(name, losses[name]) for name in listed if name != FINAL]
    strategy.history.save_model(strategy.model)
    found = strategy.history.audit(losses[FINAL], others, left_out)
    strategy.history.finish(strategy.done, strategy._tensors(), strategy._state())
    log(
        INFO,
        "audit: %s, kappa between %s and %s, everybody between %s and %s, tolerance %s",
        found["verdict"],
        *found["kappa"].values(),
        *found["everybody"].values(),
        found["tolerance"],
    )
    return found


def _losses(
    strategy: RuleStrategy, models: Mapping[str, Model], timeout: float
) -> dict[str, list[float]]:
    """The loss of every agent with every model."""
    names = strategy.terms.names
    found, reasons = ask_losses(strategy, models, names, timeout, "the audit")
    if reasons:
        told = "; ".join(f"{name}: {why}" for name, why in reasons.items())
        first = next(iter(reasons))
        raise CohortError(f"an audit needs everybody ({told})", agent=first, field="agents")
    return {model: [found[name][model] for name in names] for model in models}


def _trained_alone(
    strategy: RuleStrategy, timeout: float, left_out: dict[str, str]
) -> dict[str, Model]:
    """Models that agents reach by training for themselves, from the last model.

    Those that there are not, because an agent is away or its training failed, are put into
    `left_out` with the reason.
    """
    arrays = record_of(strategy.model)
    nodes = locate(strategy.grid, strategy.exchange, strategy.roster, timeout)
    asked = [
        strategy._message(
            nodes[name],
            arrays,
            strategy._config(strategy.train_config, strategy.done + 1, name),
            MessageType.TRAIN,
        )
        for name in strategy.terms.names
        if name in nodes
    ]
    found = {}
    reasons = dict.fromkeys(strategy.terms.names, "it did not answer")
    for reply in strategy.exchange(asked, timeout, "training alone"):
        name = strategy.roster.agent(node_of(reply, asked))
        if name not in reasons:
            continue
        try:
            answer = read_training(reply, strategy.model, strategy.loss_key, needs_loss=False)
        except ReplyError as why:
            reasons[name] = str(why)
            continue
        del reasons[name]
        values = strategy.model.values()
        moved = {part: values[part] + answer.update[part] for part in values}
        found[f"trained by {name}"] = strategy.model.moved(moved)
    for name, reason in reasons.items():
        log(WARNING, "audit: agent `%s` trained no model of its own: %s", name, reason)
        left_out[f"trained by {name}"] = reason
    return {name: found[name] for name in sorted(found)}
