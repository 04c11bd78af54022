"""Settings of secure sums, and which strategies can do with sums alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from corefed._errors import InputError
from corefed._rules import RULES
from corefed.secure import FEWEST, Ring

if TYPE_CHECKING:
    from corefed.flower.told import Told


@dataclass(frozen=True)
class Secure:
    """Settings of secure sums.

    Attributes
    ----------
    limit
        No number of an agent's message may be as large as this. The larger it is, the fewer digits
        remain: 63 bits are for the limit, the number of agents and the digits after the point.
    """

    limit: float = 4096.0

    def settings(self) -> dict[str, Any]:
        """What a resume compares."""
        return asdict(self)


def check_secure(told: Told, secure: Secure) -> None:
    """Refuse what sums alone cannot do."""
    Ring(FEWEST, secure.limit)
    rule = RULES[told.rule]
    if rule.needs_each is not None:
        *first, last = (other.title for other in RULES.values() if other.needs_each is None)
        raise InputError(
            f"the rule `{told.rule}` needs {rule.needs_each}: it cannot do with secure sums",
            field="secure",
            hint=f"{', '.join(first)} and {last} can",
        )
    field = rule.weighs_by
    said = getattr(told, field)
    wrong = {
        "ceilings": (
            isinstance(told.ceilings, str),
            f"`ceilings={told.ceilings!r}` rests on everybody's first loss",
            "agree on numbers: one for all, or a dictionary by agent",
        ),
        field: (
            said == "samples",
            f"`{field}='samples'` rests on everybody's number of rows",
            f"pass {field}='equal' or a dictionary that all agents know",
        ),
        "fraction_train": (
            told.fraction_train < 1.0,
            "sums over groups that change tell what changes between them",
            "pass fraction_train=1.0",
        ),
        "correction": (
            told.correction == "control",
            "a correction of local steps rests on everybody's update",
            "pass correction='none'",
        ),
        "step_length": (
            told.settings.get("step_length", "normalised") != "normalised",
            "only the normalised step follows from sums alone",
            "pass step_length='normalised'",
        ),
        "at_ceiling": (
            told.settings.get("at_ceiling", "floor") != "floor",
            "a warm-up or a raised ceiling rests on everybody's loss",
            "pass at_ceiling='floor'",
        ),
    }
    for keyword, (is_wrong, why, hint) in wrong.items():
        if is_wrong:
            raise InputError(f"{why}: it cannot do with secure sums", field=keyword, hint=hint)
