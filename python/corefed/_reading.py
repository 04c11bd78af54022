"""Files of a run folder: whatever is wrong with one, it is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corefed._corefed import one_line
from corefed._errors import CorefedError, RunError


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Blame a file for everything that goes wrong while it is read."""
    try:
        yield
    except RunError:
        raise
    except (CorefedError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(
            one_line(f"`{path}` is damaged: {error}"),
            field="run_dir",
            hint="restore it from a copy; resuming a training writes what it made again",
        ) from error
