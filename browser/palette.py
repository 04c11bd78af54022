"""A screenshot with a palette: a page has few colours, and a picture in a repository should be small."""

import struct
import zlib
from collections import Counter

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def with_palette(png: bytes, colours: int = 64) -> bytes:
    """The same picture in its most frequent colours, others replaced by the nearest of these."""
    width, height, channels, data = _read(png)
    rows = _pixels(data, width, height, channels)
    counts = Counter(pixel for row in rows for pixel in row)
    kept = [colour for colour, _ in counts.most_common(colours)]
    place = {colour: k for k, colour in enumerate(kept)}
    for colour in counts:
        if colour not in place:
            distances = [sum((a - b) ** 2 for a, b in zip(colour, other, strict=True)) for other in kept]
            place[colour] = distances.index(min(distances))
    lines = b"".join(b"\x00" + bytes(place[pixel] for pixel in row) for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    palette = b"".join(bytes(colour) for colour in kept)
    parts = [(b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]
    return SIGNATURE + b"".join(_chunk(kind, body) for kind, body in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _read(png: bytes) -> tuple[int, int, int, bytes]:
    """Width, height, channels and filtered lines of a picture with eight bits to a channel."""
    at, packed, header = len(SIGNATURE), b"", b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        header, packed = (body if kind == b"IHDR" else header), packed + (body if kind == b"IDAT" else b"")
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", header[:10])
    if depth != 8 or colour not in (2, 6) or header[12]:
        raise ValueError("the screenshot is not an 8-bit picture of red, green and blue")
    return width, height, 3 if colour == 2 else 4, zlib.decompress(packed)


def _pixels(data: bytes, width: int, height: int, channels: int) -> list[list[tuple[int, ...]]]:
    """Undoes the filters of PNG; transparency is left out."""
    stride, above, rows = width * channels, bytearray(width * channels), []
    for y in range(height):
        start = y * (stride + 1)
        kind, line = data[start], bytearray(data[start + 1 : start + 1 + stride])
        for k in range(stride):
            left = line[k - channels] if k >= channels else 0
            corner = above[k - channels] if k >= channels else 0
            line[k] = (line[k] + _predicted(kind, left, above[k], corner)) & 255
        rows.append([tuple(line[k : k + 3]) for k in range(0, stride, channels)])
        above = line
    return rows


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 4:  # Paeth: whichever is nearest to left + up - corner.
        guess = left + up - corner
        return min((left, up, corner), key=lambda value: abs(guess - value))
    return (0, left, up, (left + up) // 2)[kind]
