"""What can go wrong, as classes that can be caught."""

from __future__ import annotations

from typing import Any

from corefed import _corefed


class CorefedError(Exception):
    """Anything that this package refuses.

    Names of agents, parts and files in a message are other people's. What is hidden in them, like
    controls, line breaks and marks of direction, is shown by its number, here and nowhere else.
    `lines` says that a message is a list of ours, whose line breaks stay.

    Attributes
    ----------
    agent
        The agent it is about, by the name or index under which the caller knows it, or ``None``.
    field
        The argument it is about, or ``None``.
    hint
        What to do about it, or ``None``.
    """

    def __init__(
        self,
        message: str,
        *,
        agent: Any = None,
        field: str | None = None,
        hint: str | None = None,
        lines: bool = False,
    ) -> None:
        self.message = _shown(message, lines)
        super().__init__(self.message)
        self.agent = agent
        self.field = field
        self.hint = None if hint is None else _shown(hint, lines)
        self.lines = lines

    def __str__(self) -> str:
        """Tell the message, and the hint on a line of its own."""
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive the way to another process."""
        told = (self.message, self.agent, self.field, self.hint, self.lines)
        return (_rebuild, (type(self), *told))


class InputError(CorefedError, ValueError):
    """An argument that cannot be used."""


class CohortError(CorefedError):
    """A round in which nobody is left."""


class InfeasibleError(CorefedError, ValueError):
    """Ceilings under which no predictor serves everybody."""


class CertificateError(CorefedError):
    """A certificate that does not hold."""


class RunError(CorefedError):
    """A run that could not be started, continued or read, or whose training explodes."""


class EditedWarning(UserWarning):
    """Records or settings of a run that were edited after they were written."""


class BallWarning(UserWarning):
    """The best parameters lie on the boundary of the ball: a larger radius would change them."""


class AgentsWarning(UserWarning):
    """A fit without owners: all rows belong to one agent, and there is nothing to audit."""


def _rebuild(
    kind: type[CorefedError],
    message: str,
    agent: Any,
    field: str | None,
    hint: str | None,
    lines: bool,
) -> CorefedError:
    return kind(message, agent=agent, field=field, hint=hint, lines=lines)


def _shown(text: str, lines: bool) -> str:
    # JSON can name half of a character, which no other text can.
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return _corefed.shown_lines(whole) if lines else _corefed.one_line(whole)
