"""All parties of a secure sum in one process: what a test or a simulation needs."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from corefed._errors import InputError
from corefed.secure.agreement import Agreement
from corefed.secure.memory import Memory
from corefed.secure.party import Draw, Party
from corefed.secure.ring import Numbers, Words
from corefed.secure.streams import KEY_BYTES
from corefed.secure.total import total


def secure_sum(
    values: Mapping[str, npt.ArrayLike],
    *,
    limit: float = 4096.0,
    terms: Mapping[str, Any] | None = None,
    draw: Draw = secrets.token_bytes,
) -> Numbers:
    """Add the numbers of agents as they would over a network, seals and masks included.

    Parameters
    ----------
    values
        Numbers of every agent by name, equally many of each, three agents at least.
    limit
        No number may be as large as this.
    terms
        What is public about everybody.
    draw
        Where keys and seeds come from.

    Examples
    --------
    >>> secure_sum({"north": [1.0, 2.0], "east": [0.5, 0.25], "south": [-1.0, 0.0]})
    array([0.5 , 2.25])
    """
    sizes = {name: np.asarray(own).size for name, own in values.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"agents have different numbers of values: {sizes}", field="values")
    parties = {
        name: Party(X25519PrivateKey.from_private_bytes(draw(KEY_BYTES)), Memory(), draw=draw)
        for name in values
    }
    agreement = Agreement(
        session=draw(16).hex(),
        ticket=1,
        keys={name: party.public for name, party in parties.items()},
        cohort=list(values),
        terms=terms or {},
        question="",
        limit=limit,
    )
    sealed: dict[str, Words] = {
        name: party.seal(agreement, values[name], []) for name, party in parties.items()
    }
    seeds = {name: party.open(agreement) for name, party in parties.items()}
    return total(agreement, sealed, seeds)
