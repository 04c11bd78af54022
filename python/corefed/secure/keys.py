"""An agent's key in a file of its own, and files of keys that are expected."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from corefed._errors import InputError
from corefed._writing import private_folder, replace_text
from corefed.secure.party import Draw
from corefed.secure.streams import KEY_BYTES


def own_key(path: str | Path, draw: Draw = secrets.token_bytes) -> X25519PrivateKey:
    """The private key of a file; it is drawn when it is first needed."""
    path = Path(path)
    if not path.exists():
        private_folder(path.parent)
        replace_text(path, draw(KEY_BYTES).hex() + "\n", private=True)
    return X25519PrivateKey.from_private_bytes(_key(path.read_text(encoding="utf-8"), path))


def read_pins(path: str | Path) -> dict[str, bytes]:
    """Public keys by agent, from a JSON object of names and hexadecimal keys."""
    path = Path(path)
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as why:
        raise InputError(f"`{path}` cannot be read: {why}", field="pins") from why
    if not isinstance(told, dict):
        raise InputError(f"`{path}` is not an object of names and keys", field="pins")
    return {name: _key(key, path) for name, key in told.items()}


def _key(text: object, path: Path) -> bytes:
    try:
        key = bytes.fromhex(str(text).strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise InputError(
            f"`{path}` has a key that is not {2 * KEY_BYTES} hexadecimal digits", field="keys"
        )
    return key
