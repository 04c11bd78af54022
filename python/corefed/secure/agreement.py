"""What all agents of a sum must have been told alike, for their masks to cancel."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corefed._errors import InputError
from corefed.secure.ring import Ring
from corefed.secure.streams import KEY_BYTES

#: A sum over two tells each of them the other's numbers.
FEWEST = 3


@dataclass(frozen=True)
class Agreement:
    """One sum: in which session, over whom, about what.

    Attributes
    ----------
    session
        Name of the run, drawn once.
    ticket
        Number of the sum in the session. No agent uses one twice.
    keys
        Public keys of all agents of the session by name, in their order.
    cohort
        Names of those who are summed over.
    terms
        What is public about everybody: weights, ceilings, limits.
    question
        Digest of what was asked: the kind, the model, the configuration.
    limit
        Largest magnitude of a number that is sent.
    """

    session: str
    ticket: int
    keys: Mapping[str, bytes]
    cohort: Sequence[str]
    terms: Mapping[str, Any]
    question: str
    limit: float

    def __post_init__(self) -> None:
        for name, key in self.keys.items():
            if len(key) != KEY_BYTES:
                raise InputError(
                    f"the public key of agent `{name}` has {len(key)} bytes", agent=name
                )
        if len(set(self.keys.values())) != len(self.keys):
            raise InputError("two agents have the same public key", field="keys")
        unknown = [name for name in self.cohort if name not in self.keys]
        if unknown or len(set(self.cohort)) != len(self.cohort):
            listed = list(self.cohort)
            raise InputError(f"the cohort {listed} is not of the session", field="cohort")
        if len(self.cohort) < FEWEST:
            raise InputError(
                f"a sum over {len(self.cohort)} agents would tell too much of each",
                field="cohort",
                hint=f"{FEWEST} agents at least",
            )

        try:
            self.roster()
        except (TypeError, ValueError, RecursionError) as why:
            # Terms come over the wire, and may hold what has no digest.
            raise InputError(f"the terms of a sum cannot be read: {why}", field="terms") from why

    def ring(self) -> Ring:
        """Fixed point of the session, the same if somebody is missing."""
        return Ring(len(self.keys), self.limit)

    def roster(self) -> str:
        """Digest of names, keys and terms, to be compared by telephone."""
        return _digest([[n, k.hex()] for n, k in self.keys.items()], self.terms, self.limit)

    def members(self) -> str:
        """Digest of the cohort."""
        return _digest(sorted(self.cohort))

    def context(self) -> bytes:
        """Digest of everything, by which every stream is another one."""
        told = (self.session, self.ticket, self.roster(), self.members(), self.question)
        return bytes.fromhex(_digest(*told))


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
