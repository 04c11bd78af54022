"""Gaussian noise that nobody can compute again without a secret."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from corefed.secure.streams import KEY_BYTES, add_stream


def normal(secret: bytes, what: str, size: int) -> npt.NDArray[np.float64]:
    """Standard normal numbers of a secret and a name, by ChaCha20 and Box-Muller.

    A noise that follows from a public seed can be taken away again by everybody.
    """
    key = HKDF(SHA256(), KEY_BYTES, salt=None, info=f"corefed noise 1 {what}".encode()).derive(
        secret
    )
    half = (size + 1) // 2
    words = np.zeros(2 * half, dtype=np.uint64)
    add_stream(words, key)
    # 53 bits each, in (0, 1].
    uniform = np.ldexp((words >> np.uint64(11)).astype(np.float64) + 1.0, -53)
    length, angle = np.sqrt(-2 * np.log(uniform[:half])), 2 * np.pi * uniform[half:]
    return np.concatenate([length * np.cos(angle), length * np.sin(angle)])[:size]
