"""The exact audit over the network: agents answer questions about points, and sign the proof."""

from __future__ import annotations

import json
from dataclasses import dataclass
from logging import INFO, WARNING
from typing import TYPE_CHECKING, Any

import numpy as np
from flwr.app import ConfigRecord, RecordDict

from corefed import _corefed
from corefed._errors import CertificateError, CohortError, InputError
from corefed.flower.asking import ask
from corefed.flower.ceilings import ball_radius, declared_policy, depends_on_ball
from corefed.flower.layout import Layout, OwnLayout
from corefed.flower.logged import log
from corefed.flower.parties import Party, ask_parties
from corefed.flower.protocol import ASK, ATTEST, ATTESTATION, CERTIFICATE, ROUND
from corefed.flower.questioning import Questioning
from corefed.flower.trained import take_model

if TYPE_CHECKING:
    from corefed.flower.strategy import RuleStrategy


@dataclass(frozen=True)
class Exact:
    """How an exact audit asks.

    Parameters
    ----------
    radius
        Rivals lie in a ball of this radius about zero; the strategy's own, or 10, without it.
    train
        Whether the model of largest log-welfare is found first, in a few rounds of questions. It
        replaces the last model, and is written as one more round.
    hessians
        When Hessians are asked for: ``on-demand``, ``always`` or ``first``. They only propose
        points; no bound rests on them.
    own
        Whether agents are asked for the best predictor of their own rows. It saves rounds.
    stop
        ``exact``: once kappa is known as closely as an audit of pooled rows would know it;
        ``verdict``: as soon as the verdict is.
    rounds, points
        The most rounds of questions, and the most points in one of them.
    """

    radius: float | None = None
    train: bool = False
    hessians: str = "on-demand"
    own: bool = True
    stop: str = "exact"
    rounds: int = 40
    points: int = 2000


def audit_exactly(strategy: RuleStrategy, how: Exact, timeout: float) -> dict[str, Any]:
    """Ask all agents until the verdict is proven, and have them sign; see :class:`Exact`."""
    if not strategy.begun or strategy.history.path is None:
        raise InputError(
            "an exact audit comes after `start`, and is written to a run folder",
            field="run",
            hint="pass `run='runs/first'` to the strategy",
        )
    parties, away = ask_parties(strategy, timeout)
    if not parties:
        raise _nobody(away)
    layout = _layout(strategy, next(iter(parties.values())))
    if how.train and strategy.model.dtype != np.float64:
        raise InputError("training by questions needs a model in float64", field="train")
    radius = _radius(strategy, how)
    setup = _setup(strategy, parties, layout, radius, how)
    questioning = Questioning(strategy, setup, away, radius, timeout)
    found = questioning.run()
    if len(found["absent"]) == len(strategy.terms.names):
        raise _nobody(questioning.left_out)
    keys = [parties[name].key if name in parties else None for name in strategy.terms.names]
    # On rows an agent finds out itself; a program that contradicts itself may well agree with it.
    doubted = questioning.contradicted if isinstance(layout, OwnLayout) else set()
    proven = questioning.certificate(keys)
    certificate, unsigned = _signed(strategy, proven, doubted, timeout)
    if how.train:
        # Last: until then a server that is started again asks the same.
        take_model(strategy, layout, json.loads(certificate))
    answered = _answered(strategy, parties, found, questioning.left_out, unsigned)
    strategy.history.save_model(strategy.model)
    audit = strategy.history.attested(certificate, found["ended"], answered)
    strategy.history.finish(strategy.done, strategy._tensors(), strategy._state())
    signed = [own for own in json.loads(certificate)["attestations"] if own["signature"]]
    log(
        INFO,
        "exact audit: %s after %d rounds of questions, kappa between %s and %s; signed by %d of %d",
        audit["verdict"],
        found["rounds"],
        *audit["kappa"].values(),
        len(signed),
        len(strategy.terms.names),
    )
    return audit


def _radius(strategy: RuleStrategy, how: Exact) -> float:
    """Of the ball of rivals; ceilings that depend on it were declared for that of the run."""
    usual, policy = ball_radius(strategy), declared_policy(strategy.ceilings)
    if how.radius in (None, usual):
        return usual
    if policy is not None and depends_on_ball(policy):
        raise InputError(
            f"ceilings by `{policy}` were declared for a ball of radius {usual:g}, "
            f"not {how.radius:g}",
            field="radius",
            hint="leave `radius` out, or choose ceilings that do not depend on the ball",
        )
    return float(how.radius)


def _layout(strategy: RuleStrategy, party: Party) -> Layout | OwnLayout:
    size = sum(part.size for part in strategy.model.floats.values())
    if party.encoding is None:
        if size != party.parameters or len(strategy.model.floats) != len(strategy.model.parts):
            raise InputError(
                f"the model has {size} numbers; the agents' own has {party.parameters} parameters",
                field="initial_arrays",
                hint="start from `ConvexClient.zero()`",
            )
        return OwnLayout(list(strategy.model.parts.values()))
    features, classes = len(party.encoding["features"]), len(party.encoding["classes"])
    layout = Layout(party.model, classes, size)
    if size != features * layout.blocks or len(strategy.model.parts) != 2:
        raise InputError(
            f"the model has {size} numbers in {len(strategy.model.parts)} parts; a {party.model} "
            f"model of the agents' {features} features has {features * layout.blocks} in two",
            field="initial_arrays",
            hint="start from `LinearClient.zero()`",
        )
    return layout


def _setup(
    strategy: RuleStrategy,
    parties: dict[str, Party],
    layout: Layout | OwnLayout,
    radius: float,
    how: Exact,
) -> dict[str, Any]:
    """What the session is about; see `Setup` of `corefed-remote`."""
    terms, party = strategy.terms, next(iter(parties.values()))
    model: dict[str, Any] = (
        {"own": party.model}
        if party.encoding is None
        else {"family": party.model, "encoding": party.encoding}
    )
    policy = declared_policy(strategy.ceilings)
    # A ceiling that a guard raised is a number: the agent's own rows give another.
    raised = {row["agent"] for row in terms.replaced if row["what"] == "ceiling"}
    agents = zip(terms.names, terms.weights, terms.ceilings, terms.samples, strict=True)
    return {
        "predictor": model
        | {
            "l2": party.l2,
            "radius": radius,
            "parameters": layout.engine(list(strategy.model.parts.values())).tolist(),
        },
        "agents": [
            {
                "name": name,
                "weight": weight,
                "ceiling": {"absolute": ceiling}
                if policy is None or name in raised
                else {"settled": {"value": ceiling, "policy": policy}},
                "samples": parties[name].samples if name in parties else samples,
            }
            for name, weight, ceiling, samples in agents
        ],
        "tolerance": strategy.tolerance,
        "task": "train" if how.train else "audit",
        "options": {
            "hessians": how.hessians,
            "stop": how.stop,
            "own": how.own,
            "rounds": how.rounds,
            "points": how.points,
        },
    }


def _signed(
    strategy: RuleStrategy, certificate: str, doubted: set[str], timeout: float
) -> tuple[str, dict[str, str]]:
    """The certificate with the signatures of those who signed, and why others did not."""
    terms = json.loads(certificate)
    answered = zip(strategy.terms.names, terms["attestations"], strict=True)
    named = [name for name, own in answered if own["leaves"]]
    names = [name for name in named if name not in doubted]
    question = ConfigRecord({ASK: ATTEST, ROUND: strategy.done, CERTIFICATE: certificate})
    questions = {name: RecordDict({"config": question}) for name in names}
    replies, failed = ask(strategy, questions, timeout, "the signatures")
    unsigned = {name: str(why) for name, why in failed.items()} | dict.fromkeys(
        (name for name in named if name in doubted), "its answers contradict each other"
    )
    for name, reply in replies.items():
        try:
            attestation = str(reply.content.config_records[ATTESTATION][ATTESTATION])
            certificate = _corefed.merge_attestation(certificate, attestation)
        except KeyError:
            unsigned[name] = "it sent no attestation"
        except CertificateError as error:
            unsigned[name] = error.message
    for name, why in unsigned.items():
        log(WARNING, "agent `%s` has not signed: %s", name, why)
    return certificate, unsigned


def _answered(
    strategy: RuleStrategy,
    parties: dict[str, Party],
    found: dict[str, Any],
    left_out: dict[str, str],
    unsigned: dict[str, str],
) -> dict[str, Any]:
    """How much every agent told, as `answered.json` has it."""
    agents = []
    for name, traffic in zip(strategy.terms.names, found["traffic"], strict=True):
        told = {
            "name": name,
            "cells": parties[name].cells if name in parties else None,
            "answered": [round_["answered"] for round_ in traffic],
            "sent": [round_["sent"] for round_ in traffic],
        }
        reasons = {"left_out": left_out.get(name), "unsigned": unsigned.get(name)}
        agents.append(told | {key: why for key, why in reasons.items() if why})
    counts = {key: found[key] for key in ("rounds", "training_rounds", "points")}
    return counts | {"agents": agents}


def _nobody(reasons: dict[str, str]) -> CohortError:
    told = "; ".join(f"{name}: {why}" for name, why in reasons.items())
    return CohortError(f"nobody answers an exact audit ({told})", field="agents")
