"""What an agent must not forget between two sums: tickets it used, and what it opened for whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from corefed._errors import InputError
from corefed._writing import private_folder, replace_text
from corefed.secure.agreement import Agreement


class StaleTicketError(InputError):
    """A ticket that was used already: the server counts from an old copy of its folder."""


class Memory:
    """The memory of one agent, in a file of its own where a folder is given.

    A mask that hides two messages hides neither, so a ticket is used once. And two sums about one
    model over different groups tell the difference between the groups, so that a seal is opened for
    one group only.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._sessions: dict[str, dict[str, Any]] = {}

    def take(self, agreement: Agreement, seed: bytes, models: list[str]) -> None:
        """Use a ticket. What was sealed before and not opened can never be opened any more."""
        known = self._load(agreement.session)
        roster = agreement.roster()
        if known.setdefault("roster", roster) != roster:
            raise InputError(
                "names, keys or terms of the session have changed since it began",
                field="keys",
                hint="a session has one list of agents; start a new run",
            )
        if agreement.ticket <= known["last"]:
            raise StaleTicketError(
                f"ticket {agreement.ticket} is not a new one: {known['last']} has been used",
                field="ticket",
                hint="the server must count on from there; is its run folder an old copy?",
            )
        self._refuse_other_groups(known, agreement, models)
        known["last"] = agreement.ticket
        known["sealed"] = {
            "ticket": agreement.ticket,
            "context": agreement.context().hex(),
            "seed": seed.hex(),
            "models": models,
        }
        self._store(agreement.session, known)

    def show(self, agreement: Agreement) -> bytes:
        """The seed of the message that was sealed last; from now on its models are this group's."""
        known = self._load(agreement.session)
        sealed = known.get("sealed")
        if sealed is None or sealed["context"] != agreement.context().hex():
            raise InputError(
                f"there is no sealed message with ticket {agreement.ticket} to open",
                field="ticket",
            )
        self._refuse_other_groups(known, agreement, sealed["models"])
        known["opened"] |= dict.fromkeys(sealed["models"], agreement.members())
        self._store(agreement.session, known)
        return bytes.fromhex(sealed["seed"])

    def _refuse_other_groups(
        self, known: dict[str, Any], agreement: Agreement, models: list[str]
    ) -> None:
        for model in models:
            if known["opened"].get(model, agreement.members()) != agreement.members():
                raise InputError(
                    "this model was answered for another group, and two sums would tell the "
                    "difference",
                    field="cohort",
                    hint="ask the same group again, or move the model first",
                )

    def _load(self, session: str) -> dict[str, Any]:
        if self._folder is not None and session not in self._sessions:
            path = self._path(session)
            if path.exists():
                self._sessions[session] = _read(path)
        fresh: dict[str, Any] = {"last": 0, "opened": {}, "sealed": None}
        return dict(self._sessions.get(session, fresh))

    def _store(self, session: str, known: dict[str, Any]) -> None:
        if self._folder is not None:
            private_folder(self._folder)
            text = json.dumps(known, indent=1) + "\n"
            replace_text(self._path(session), text, private=True)
        self._sessions[session] = known

    def _path(self, session: str) -> Path:
        if self._folder is None:
            raise InputError("this memory has no folder", field="keep")
        if not (session.isalnum() and session.isascii()):
            raise InputError(f"a session cannot be called {session!r}", field="session")
        return self._folder / f"{session}.sums.json"


def _read(path: Path) -> dict[str, Any]:
    """What was remembered; an agent that forgot would use a ticket twice."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        sealed = known["sealed"]
        fits = isinstance(known["last"], int) and isinstance(known["opened"], dict)
        if sealed is not None:
            bytes.fromhex(sealed["seed"])
            fits = (
                fits and isinstance(sealed["context"], str) and isinstance(sealed["models"], list)
            )
        if not fits:
            raise ValueError("its numbers are of another kind")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as why:
        raise InputError(
            f"`{path}` cannot be read: {why}",
            field="keep",
            hint="without it tickets could be used twice: take part in a new run",
        ) from why
    return dict(known)
