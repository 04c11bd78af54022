"""Files that are whole or not there, in folders where somebody else may have put a link."""

from __future__ import annotations

import os
from pathlib import Path

#: Windows has no such flags, and no links that everybody may make.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def replace_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file whole or not at all; `private`: readable by its owner only.

    What is beside it under the name of the unfinished file is removed, never opened: it is what a
    killed process left, or a link to somebody's file. What has the name itself is replaced, even a
    link.
    """
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    mode = 0o600 if private else 0o666
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, mode)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def append_line(path: Path, line: str, *, private: bool = False) -> None:
    """Add a line to a file, which is made where there is none; a link is not followed.

    `private`: readable by its owner only, also where it was not before.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK
    handle = os.open(path, flags, 0o600 if private else 0o666)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        if private and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), 0o600)
        file.write(line + "\n")


def private_folder(path: Path) -> Path:
    """Make an agent's own folder; one that is there keeps the rights that its owner gave it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path
