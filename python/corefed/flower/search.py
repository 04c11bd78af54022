"""Several steps compared by everybody before one is taken (ledger E49)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from corefed import _corefed
from corefed._federation.history import Round
from corefed._federation.model import Model, Parts
from corefed._server import Server
from corefed._server_state import Aggregated
from corefed.flower.losses import ask_losses

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun


@dataclass(frozen=True)
class Chosen:
    """The step that everybody together likes best."""

    direction: str
    part: float
    #: The rule's round, with the weights of the step that was chosen.
    done: Aggregated
    model: Model
    losses: dict[str, float]


def fedavg_beside(run: FederatedRun) -> Server:
    """FedAvg with the step and the safeguards of another rule."""
    terms, settings = run.terms, run.settings
    shared = {key: settings[key] for key in ("clip", "server_step")}
    return Server(
        "fedavg", agents=terms.names, samples=terms.average, ceilings=terms.ceilings, **shared
    )


def search(
    run: FederatedRun,
    current: Round,
    updates: dict[str, Parts],
    losses: dict[str, float],
    taken: float,
) -> Chosen | None:
    """The best of all steps, or ``None`` if somebody does not say what it loses with them.

    `taken` is the part of a step that is a whole one in this round.
    """
    servers = {"rule": (run.server, run.state)}
    if run.rule != "fedavg":
        # It remembers nothing, so that its state is always the first.
        servers["fedavg"] = (fedavg_beside(run), None)
    tried = _corefed.compared_steps(len(servers))
    done: list[Aggregated] = []
    for direction, part in tried[:-1]:
        server, state = servers[direction]
        done.append(
            server.aggregate(
                current.before.values(),
                updates,
                losses=losses,
                learning_rate=current.learning_rate,
                part=taken * part,
                state=state,
            )
        )
    models = [current.before.moved(step.model) for step in done]
    names = run.terms.names
    asked = {str(at): model for at, model in enumerate(models)}
    what = f"the comparison of steps in round {current.number}"
    found, missing = ask_losses(run, asked, names, run.patience, what, broken=inf)
    if missing:
        for name, why in missing.items():
            current.refuse(name, f"it did not compare steps: {why}")
        return None
    table = [[found[name][at] for name in names] for at in asked]
    table.append([losses[name] for name in names])
    best = run.server.choose(table)
    direction, part = tried[best]
    whole = done[0]
    weights = dict.fromkeys(whole.weights, 0.0) if best == len(done) else done[best].weights
    return Chosen(
        direction,
        part,
        replace(whole, weights=weights),
        current.before if best == len(done) else models[best],
        dict(zip(names, table[best], strict=True)),
    )
