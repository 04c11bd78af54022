"""Ed25519 as RFC 8032 writes it, in whole numbers: slow, and meant to be read."""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def recover_x(y, odd):
    """The `x` of a point, by the sign in its text; none if there is no such point."""
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and odd):
        return None
    return P - x if x % 2 != odd else x


def extended(x, y):
    """A point as `(X, Y, Z, T)` with `x = X/Z`, `y = Y/Z`, `xy = T/Z`: adding then needs no division."""
    return x, y, 1, x * y % P


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = extended(recover_x(BASE_Y, 0), BASE_Y)
NEUTRAL = extended(0, 1)


def add(a, b):
    minus = (a[1] - a[0]) * (b[1] - b[0]) % P
    plus = (a[1] + a[0]) * (b[1] + b[0]) % P
    crossed, scaled = 2 * D * a[3] * b[3] % P, 2 * a[2] * b[2] % P
    e, f, g, h = plus - minus, scaled - crossed, scaled + crossed, plus + minus
    return e * f % P, g * h % P, f * g % P, e * h % P


def same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def times(point, factor):
    result = NEUTRAL
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def compress(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decompress(text):
    """A point from its only text, if it generates a group worth signing with."""
    number = int.from_bytes(text, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    if y >= P:
        return None
    x = recover_x(y, odd)
    return None if x is None or same(times(extended(x, y), 8), NEUTRAL) else extended(x, y)


def hashed(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def fits(public, message, signature):
    """Whether a signature fits, without cofactors: one key, one message, one signature."""
    key, commitment = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or s >= ORDER:
        return False
    challenge = hashed(signature[:32], public, message) % ORDER
    return same(times(BASE, s), add(commitment, times(key, challenge)))


def expanded(secret):
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | 1 << 254
    return scalar, digest[32:]


def public_of(secret):
    return compress(times(BASE, expanded(secret)[0]))


def sign(secret, message):
    scalar, prefix = expanded(secret)
    public = compress(times(BASE, scalar))
    nonce = hashed(prefix, message) % ORDER
    commitment = compress(times(BASE, nonce))
    challenge = hashed(commitment, public, message) % ORDER
    return commitment + ((nonce + challenge * scalar) % ORDER).to_bytes(32, "little")
