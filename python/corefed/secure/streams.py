"""Streams of masks: from two keys that agree, or from a seed that its owner may show."""

from __future__ import annotations

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from corefed._errors import InputError
from corefed.secure.ring import Words

#: Bytes of a key, public or private, and of a seed.
KEY_BYTES = 32
#: One stream for every key, so that a constant will do.
_NONCE = bytes(16)
#: Bytes of a stream that are made at a time.
_CHUNK = 1 << 20


def pair_key(own: X25519PrivateKey, other: bytes, context: bytes) -> bytes:
    """The key of the stream that two agents share for one message, and nobody else knows.

    `context` is a digest of all that the two must agree on. Where a server told them different
    things, their streams differ and do not cancel.
    """
    try:
        shared = own.exchange(X25519PublicKey.from_public_bytes(other))
    except ValueError as why:
        raise InputError(f"a public key cannot be used: {why}", field="keys") from why
    return HKDF(SHA256(), KEY_BYTES, salt=context, info=b"corefed pair mask 1").derive(shared)


def seal_key(seed: bytes, context: bytes) -> bytes:
    """The key of the stream that hides one message until its owner shows the seed."""
    if len(seed) != KEY_BYTES:
        raise InputError(f"a seed of {len(seed)} bytes; expected {KEY_BYTES}", field="seed")
    return HKDF(SHA256(), KEY_BYTES, salt=context, info=b"corefed seal 1").derive(seed)


def add_stream(words: Words, key: bytes, *, subtract: bool = False) -> None:
    """Add a stream to words, in place and modulo 2^64."""
    cipher = Cipher(ChaCha20(key, _NONCE), mode=None).encryptor()
    chunk = min(_CHUNK, words.nbytes)
    zeros, made = bytes(chunk), bytearray(chunk)
    step = _CHUNK // words.itemsize
    for first in range(0, words.size, step):
        part = words[first : first + step]
        cipher.update_into(zeros[: part.nbytes], made)
        stream = np.frombuffer(made, dtype="<u8", count=part.size)
        if subtract:
            part -= stream
        else:
            part += stream
