"""One agent of a secure sum: it seals a message, and opens it once everybody's has arrived."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy.typing as npt
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from corefed._errors import InputError
from corefed.secure.agreement import Agreement
from corefed.secure.memory import Memory
from corefed.secure.ring import Words
from corefed.secure.streams import KEY_BYTES, add_stream, pair_key, seal_key

#: Gives bytes that nobody can guess.
Draw = Callable[[int], bytes]


@dataclass(frozen=True)
class Party:
    """An agent with its key, and what it must not forget.

    Attributes
    ----------
    key
        Its private key.
    memory
        Tickets that it used, and for whom it opened what.
    pins
        Public keys that it expects by name; others it believes the server.
    draw
        Where seeds come from.
    """

    key: X25519PrivateKey
    memory: Memory
    pins: Mapping[str, bytes] | None = None
    draw: Draw = secrets.token_bytes

    @property
    def public(self) -> bytes:
        """Its public key."""
        return self.key.public_key().public_bytes_raw()

    def name(self, agreement: Agreement) -> str:
        """Under which name its key is in the session."""
        public = self.public
        for name, key in agreement.keys.items():
            if key == public:
                return name
        raise InputError("this agent's key is not among those of the session", field="keys")

    def seal(self, agreement: Agreement, values: npt.ArrayLike, models: list[str]) -> Words:
        """Mask numbers for one sum; `models` are digests of the models that they are about."""
        own = self.name(agreement)
        if own not in agreement.cohort:
            raise InputError(f"agent `{own}` is not of the cohort", agent=own, field="cohort")
        self._compare(agreement)
        words = agreement.ring().encode(values)
        seed, context = self.draw(KEY_BYTES), agreement.context()
        # Before anything is sent: a ticket that might have been used is used.
        self.memory.take(agreement, seed, models)
        add_stream(words, seal_key(seed, context))
        for name in agreement.cohort:
            if name != own:
                shared = pair_key(self.key, agreement.keys[name], context)
                # Of two agents one adds what the other subtracts.
                add_stream(words, shared, subtract=self.public > agreement.keys[name])
        return words

    def open(self, agreement: Agreement) -> bytes:
        """The seed of the seal, where it has not been opened for others about the same model."""
        self._compare(agreement)
        return self.memory.show(agreement)

    def _compare(self, agreement: Agreement) -> None:
        for name, key in (self.pins or {}).items():
            if agreement.keys.get(name, key) != key:
                raise InputError(
                    f"the public key of agent `{name}` is not the one that is pinned",
                    agent=name,
                    field="pins",
                    hint="ask that agent: somebody may sit between you",
                )
        if self.pins is not None:
            strangers = [name for name in agreement.keys if name not in self.pins]
            if strangers:
                raise InputError(
                    f"no key is pinned for agents {strangers}", agent=strangers[0], field="pins"
                )
