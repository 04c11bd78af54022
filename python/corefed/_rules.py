"""The table of rules: names, knobs, and what each rule needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corefed import _corefed
from corefed._errors import InputError


@dataclass(frozen=True)
class Knob:
    """What a user may turn about a rule.

    Attributes
    ----------
    name
        The keyword of :class:`Server` and the key of a spec.
    default
        Its value unless told.
    takes
        Which values it takes, in words.
    about
        What it means.
    """

    name: str
    default: float | str
    takes: str
    about: str


@dataclass(frozen=True)
class RuleInfo:
    """One rule, and what it needs.

    Attributes
    ----------
    name, title, about
        Its name in specs and Python, its name in prose, and what it does.
    knobs
        Its knobs.
    needs_losses
        Whether a step needs the losses that agents report.
    needs_each
        What it needs of every single agent; ``None`` where sums over agents are enough.
    needs_learning_rate
        Whether a step needs the learning rate of local training, whatever the knobs are.
    ceilings
        Where it looks at ceilings: ``nowhere``, in local ``training``, or in the server's ``step``.
    weighs_by
        Which weights it goes by: ``weights`` or ``average`` of a spec, `weights` or `samples` of a
        :class:`Server`.
    corrects, searches
        Whether local steps can be corrected for drift, and whether several steps can be compared.
    """

    name: str
    title: str
    about: str
    knobs: tuple[Knob, ...]
    needs_losses: bool
    needs_each: str | None
    needs_learning_rate: bool
    ceilings: str
    weighs_by: str
    corrects: bool
    searches: bool


def _row(row: dict[str, Any]) -> RuleInfo:
    return RuleInfo(**row | {"knobs": tuple(Knob(**knob) for knob in row["knobs"])})


#: Every rule by name, as the compiled half knows them.
RULES: dict[str, RuleInfo] = {row["name"]: _row(row) for row in _corefed.rules()}
#: Safeguards and the server's step of a user who names none.
DEFAULTS: dict[str, Any] = _corefed.server_defaults()


def rules() -> list[RuleInfo]:
    """List the rules with their knobs and what they need.

    Examples
    --------
    >>> [rule.name for rule in rules() if rule.ceilings == "step"]
    ['corefed', 'newton']
    """
    return list(RULES.values())


def default(rule: str, knob: str) -> Any:
    """Give the default of a rule's knob."""
    return next(known.default for known in RULES[rule].knobs if known.name == knob)


def check_knobs(knobs: Mapping[str, Any]) -> None:
    """Refuse what is a knob of no rule."""
    known = [knob.name for rule in RULES.values() for knob in rule.knobs]
    for name in knobs:
        if name not in known:
            listed = ", ".join(f"`{knob}`" for knob in known)
            raise InputError(f"no rule has a knob `{name}`; there are {listed}", field=name)
