"""Sums of which nobody sees a summand: fixed point, pairwise masks, seals."""

from __future__ import annotations

try:
    import cryptography as _cryptography  # noqa: F401
except ImportError as missing:
    raise ImportError("corefed.secure needs a cipher: pip install 'corefed[secure]'") from missing

from corefed.secure.agreement import FEWEST, Agreement
from corefed.secure.keys import own_key, read_pins
from corefed.secure.memory import Memory
from corefed.secure.party import Party
from corefed.secure.play import secure_sum
from corefed.secure.ring import Ring
from corefed.secure.total import total

__all__ = [
    "FEWEST",
    "Agreement",
    "Memory",
    "Party",
    "Ring",
    "own_key",
    "read_pins",
    "secure_sum",
    "total",
]
