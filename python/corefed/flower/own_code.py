"""An agent's own program, called so that what it says when it fails stays with the agent."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from logging import ERROR

from corefed._errors import InputError
from corefed.flower.logged import log

#: All that the server is told of it.
FAILED = "its app failed; its own log says why"


@contextmanager
def own_code() -> Iterator[None]:
    """Call what the agent wrote. Errors may quote rows, so that nobody else gets their text.

    That goes for our own errors, too: the loss function may use this package on its rows.
    """
    try:
        yield
    except Exception as why:
        raise kept_back(why) from None


def kept_back(why: Exception) -> InputError:
    """Log an error at the agent; gives the one that may leave it."""
    for line in "".join(traceback.format_exception(why)).splitlines():
        log(ERROR, "%s", line)
    return InputError(FAILED)


def kept_back_reason(reason: str) -> InputError:
    """The same for a reply that is an error, or that cannot be used."""
    log(ERROR, "the reply of the app cannot be used: %s", reason)
    return InputError(FAILED)
