"""Ceilings of a run: numbers, multiples of first losses, or by what agents declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flwr.app import ConfigRecord, RecordDict

from corefed import _corefed
from corefed._errors import CohortError
from corefed._federation.terms import Ceilings, named, resolve_ceilings
from corefed.flower.asking import ask
from corefed.flower.parties import Party, check_same, read_party
from corefed.flower.protocol import ASK, DECLARE, DECLARED, POLICY, RADIUS, ROUND
from corefed.flower.reply import ReplyError

if TYPE_CHECKING:
    from flwr.app import Message

    from corefed.flower.run import FederatedRun

#: Radius of the ball of rivals where a strategy has none.
_USUAL_RADIUS = 10.0


def ball_radius(run: FederatedRun) -> float:
    """Radius of the ball that models of a run lie in, as far as its strategy says."""
    return float(run.settings.get("radius", _USUAL_RADIUS))


def declared_policy(ceilings: Ceilings) -> str | None:
    """The policy, if ceilings follow from what agents declare."""
    if not isinstance(ceilings, str):
        return None
    facts = _corefed.ceiling_facts(ceilings)
    return ceilings if facts is not None and facts[0] else None


def depends_on_ball(policy: str) -> bool:
    """Whether another radius gives other ceilings."""
    facts = _corefed.ceiling_facts(policy)
    return facts is not None and facts[1]


def agreed_ceilings(
    run: FederatedRun, names: list[str], losses: list[float], weights: list[float]
) -> list[float]:
    """The ceiling of every agent; `losses` are those at the first model."""
    policy = declared_policy(run.ceilings)
    if policy is None:
        first = run.guards.first_losses(run.ceilings, names, losses)
        return resolve_ceilings(run.ceilings, names, first)
    config = ConfigRecord({ASK: DECLARE, ROUND: 0, POLICY: policy, RADIUS: ball_radius(run)})
    questions = dict.fromkeys(names, RecordDict({"config": config}))
    replies, reasons = ask(run, questions, run.timeout, "what ceilings go by")
    parties: dict[str, Party] = {}
    told: dict[str, list[float]] = {}
    for name, reply in replies.items():
        try:
            parties[name], told[name] = read_party(name, reply), _numbers(reply)
        except ReplyError as why:
            reasons[name] = why
    if reasons:
        listed = "; ".join(f"{name}: {why}" for name, why in reasons.items())
        raise CohortError(
            f"ceilings go by `{policy}`, and not everybody has declared what they go by ({listed})",
            agent=next(iter(reasons)),
            field="ceilings",
            hint="have their apps use `answer_audits`, or choose a number or `initial:F`",
        )
    check_same(parties)
    party = parties[names[0]]
    classes = len(party.encoding["classes"]) if party.encoding is not None else 0
    declared = [told[name] for name in names]
    with named(names):
        settled = _corefed.settle_ceilings(policy, party.model, classes, names, weights, declared)
    return run.guards.declared_ceilings(names, settled)


def _numbers(reply: Message) -> list[float]:
    record = reply.content.config_records.get(DECLARED)
    numbers = None if record is None else record.get(DECLARED)
    if not isinstance(numbers, list) or not all(isinstance(n, int | float) for n in numbers):
        raise ReplyError("it declares no numbers")
    return [float(str(number)) for number in numbers]
