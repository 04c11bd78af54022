"""Files of a run folder: whatever is wrong with one, it is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corefed._errors import CorefedError, RunError

_RESTORE = "restore it from a copy; resuming a training writes what it made again"

#: Bytes of a document, and of a spec; longer files are not read to their end.
LARGEST_DOCUMENT = 256 << 20
LARGEST_SPEC = 1 << 20


def text_of(path: Path, most: int) -> str:
    """Read a text that somebody else may have made, if it is not too large."""
    with path.open("rb") as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise ValueError(f"it is larger than {most >> 20} MiB, the most that such a file may have")
    return found.decode("utf-8")


@contextmanager
def reading(path: Path, hint: str = _RESTORE) -> Iterator[None]:
    """Blame a file for everything that goes wrong while it is read."""
    try:
        yield
    except RunError:
        raise
    except (
        CorefedError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        # Brackets within brackets, a thousand deep.
        RecursionError,
    ) as error:
        why = error.message if isinstance(error, CorefedError) else str(error)
        raise RunError(
            f"`{path}` is damaged: {why or type(error).__name__}",
            field="run_dir",
            hint=hint,
        ) from error
