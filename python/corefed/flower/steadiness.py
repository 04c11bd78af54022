"""What holds a training over Flower steady: decided once, before the first round."""

from __future__ import annotations

from dataclasses import dataclass
from logging import WARNING
from typing import TYPE_CHECKING

from corefed import _corefed
from corefed._errors import InputError
from corefed.flower.logged import log

if TYPE_CHECKING:
    from corefed.flower.run import FederatedRun


#: Why neither works inside a wrapper, which may be there for privacy.
_PAST = "corrections and compared steps tell agents of updates past it"


@dataclass(frozen=True)
class Steadiness:
    """Whether local steps are corrected for drift, and whether several steps are compared."""

    corrects: bool
    searches: bool

    def header(self) -> dict[str, str]:
        """Give what `run.json` says of it."""
        return {
            "correction": "control" if self.corrects else "none",
            "search": "on" if self.searches else "off",
        }

    def check(self, *, wrapped: bool) -> None:
        """Refuse what a strategy around this one would not know of."""
        if wrapped and (self.corrects or self.searches):
            field = "correction" if self.corrects else "search"
            raise InputError(
                f"there is a strategy around this one: {_PAST}",
                field=field,
                hint="pass correction='none' and search='off'",
            )

    @classmethod
    def of_header(cls, told: dict[str, str]) -> Steadiness:
        """Take what :meth:`header` gave."""
        return cls(told["correction"] == "control", told["search"] == "on")


def settle(run: FederatedRun, willing: dict[str, bool]) -> Steadiness:
    """What a run does; `willing` says whose apps can correct for drift."""
    names, model = run.terms.names, run.model
    corrects, searches = _corefed.steadiness(
        run.rule,
        run.correction,
        run.search,
        run.cohort_size(),
        len(names),
        sum(part.size for part in model.floats.values()),
        model.dtype.itemsize == 8,
        run.settings["server_momentum"],
    )
    if run.first_step < 1.0 and run.rounds is None:
        raise InputError(
            "`first_step` grows over the rounds that are planned, and a wrapper's `start` does not "
            "tell how many",
            field="first_step",
            hint="call `corefed.flower.start(wrapper, grid, ...)`, not `wrapper.start(...)`",
        )
    unable = [name for name in names if not willing[name]]
    if corrects and run.correction == "auto" and (unable or run.wrapped):
        why = f"the apps of {unable} do not say that they can" if unable else _PAST
        log(WARNING, "local steps are not corrected for drift: %s", why)
        corrects = False
    if corrects and unable:
        raise InputError(
            f"drift cannot be corrected: the apps of {unable} do not say that they can",
            agent=unable[0],
            field="correction",
            hint="use `corefed.flower.Correction` in their training, and say so by "
            "`report_loss(loss, corrects=True)`; or pass correction='none'",
        )
    found = Steadiness(corrects, searches)
    found.check(wrapped=run.wrapped)
    return found
