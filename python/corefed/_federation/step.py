"""What a server's step does to a round: lengths before it, shares and refusals after it."""

from __future__ import annotations

from logging import WARNING

from corefed._errors import CohortError
from corefed._federation.guards import Guards
from corefed._federation.history import Round
from corefed._federation.model import Model, Parts, norm
from corefed._federation.movement import Movement
from corefed._federation.order import in_order
from corefed._rules import RULES
from corefed._server_state import Aggregated


def measure_lengths(
    current: Round, rule: str, updates: dict[str, Parts], guards: Guards
) -> list[str]:
    """Note how long updates are, and shorten those that are far longer; says whose."""
    for name, update in updates.items():
        current.norms[name] = norm(update)
    # Under PropFair honest agents close to their ceilings send long updates on purpose.
    if RULES[rule].ceilings == "training":
        return []
    return guards.shorten(updates, current.norms)


def refuse_all(current: Round, updates: dict[str, Parts]) -> None:
    """Leave everybody out after a step that nobody was left for."""
    for name in updates:
        current.refuse(name, "its update is not finite")


def refuse_odd(current: Round, done: Aggregated, guards: Guards) -> None:
    """Leave those out whom the step left out."""
    for name, why in done.rejected:
        current.refuse(name, why)
        tell_refusal(current, name, why, guards)


def take_step(
    current: Round,
    done: Aggregated,
    updates: dict[str, Parts],
    shortened: list[str],
    guards: Guards,
) -> None:
    """Note a step that counts: what everybody weighed, and on whom a safeguard acted."""
    current.weights = dict.fromkeys(updates, 0.0) | done.weights
    current.parts |= dict.fromkeys(done.weights, "trained")
    current.acted = {
        "warm_up": done.warm_up,
        "floored": done.floored,
        "raised": done.raised,
        "capped": done.capped,
        "clipped": in_order({*done.clipped, *shortened}),
    }
    guards.tell(current.number, current.acted)


def doubt(
    current: Round,
    rule: str,
    movement: Movement,
    moved: Model,
    downhill: dict[str, Parts],
    guards: Guards,
) -> None:
    """Name agents whose losses go against their own updates, where losses weigh."""
    if RULES[rule].needs_losses:
        doubted = movement.round(current.before, moved, current.losses, downhill)
        guards.doubt(current.number, doubted)
        current.contradicted = in_order({*current.contradicted, *doubted})


def leave_out(
    current: Round, usable: list[str], needed: int, on_too_few: str, guards: Guards, hint: str
) -> None:
    """A round with too few usable replies does not count, or ends the run."""
    why = f"the round needs {needed} usable replies and has {len(usable)}"
    if on_too_few == "fail":
        told = "; ".join(f"{a}: {r}" for a, r in sorted(current.rejections.items()))
        raise CohortError(
            f"round {current.number}: {why}" + (f" ({told})" if told else ""),
            field="min_replies",
            hint=hint,
        )
    guards.log(WARNING, "round %d is left out: %s", current.number, why)
    for name in usable:
        current.refuse(name, why)
    current.weights = {}


def tell_refusal(current: Round, name: str, why: str, guards: Guards) -> None:
    """Log whose reply is refused, and why."""
    told = "round %d: the reply of agent `%s` is refused: %s"
    guards.log(WARNING, told, current.number, name, why)
