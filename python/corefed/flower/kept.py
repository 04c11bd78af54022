"""What an agent keeps beside its rows: its key, and how much it has told."""

from __future__ import annotations

import hashlib
import json
import secrets
from pathlib import Path

from corefed import _corefed
from corefed._errors import InputError
from corefed._writing import private_folder, replace_text


class Kept:
    """A folder of the agent's own. Its key is drawn when it is first needed."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = private_folder(Path(folder))
        self.key = self._folder / "key.json"
        self._account = self._folder / "answered.json"

    def public_key(self) -> str:
        """The public half of its key."""
        public: str = _corefed.public_key(
            str(self.key), list(secrets.token_bytes(32)), list(secrets.token_bytes(32))
        )
        return public

    def answered(self, question: str) -> int:
        """Numbers told by now; those told to this very question do not count again."""
        told = self._told()
        return sum(told.values()) - told.get(question, 0)

    def book(self, question: str, numbers: int) -> None:
        """Note how many numbers a question is answered with."""
        told = self._told() | {question: numbers}
        replace_text(self._account, json.dumps(told, indent=1) + "\n", private=True)

    def _told(self) -> dict[str, int]:
        if not self._account.exists():
            return {}
        try:
            found = json.loads(self._account.read_text(encoding="utf-8"))
            return {str(question): int(numbers) for question, numbers in found.items()}
        except (ValueError, AttributeError, TypeError, RecursionError) as why:
            raise InputError(
                f"`{self._account}` cannot be read: {why}",
                field="keep",
                hint="without it nobody knows how much was told: restore it from a copy",
            ) from why


def question_digest(*parts: object) -> str:
    """A name for a question by which it is known again."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part if isinstance(part, bytes) else repr(part).encode())
        whole.update(b"\0")
    return whole.hexdigest()
