"""Terms and attestations as bytes."""

import hashlib
import struct


def count(value):
    return struct.pack("<Q", value)


def number(value):
    return struct.pack("<d", value)


def text(value):
    encoded = value.encode("utf-8")
    return count(len(encoded)) + encoded


def many(values, write):
    return count(len(values)) + b"".join(write(value) for value in values)


def optional(value, write):
    return b"\0" if value is None else b"\1" + write(value)


def feature(value):
    kind = value["kind"]
    if kind == "numeric":
        numbers = number(value["mean"]) + number(value["scale"])
        return text(kind) + text(value["column"]) + numbers + optional(value["missing"], number)
    if kind == "level":
        return text(kind) + text(value["column"]) + text(value["level"])
    return text(kind)


def scale(value):
    return number(value["mean"]) + number(value["scale"])


def encoding(value):
    intake = value["intake"] or {"na": None, "dates": None, "rows": None}
    dates = [text(date["column"]) + text(date["becomes"]) for date in intake["dates"] or []]
    return b"".join(
        [
            text(value["agent_column"]),
            text(value["target_column"]),
            optional(value["exposure_column"], text),
            many(value["classes"], text),
            optional(value["target_scale"], scale),
            many(intake["na"] or [], text),
            many(dates, bytes),
            text(intake["rows"] or "all"),
            many(value["features"], feature),
        ]
    )


def predictor(value):
    if "own" in value:
        numbers = number(value["l2"]) + number(value["radius"])
        return text("own") + text(value["own"]) + numbers + many(value["parameters"], number)
    return b"".join(
        [
            text(value["family"]),
            number(value["l2"]),
            number(value["radius"]),
            encoding(value["encoding"]),
            many(value["parameters"], number),
        ]
    )


def party(value):
    return b"".join(
        [
            text(value["name"]),
            number(value["weight"]),
            number(value["ceiling"]),
            text(value["policy"]),
            optional(value["key"], text),
        ]
    )


def terms_digest(terms):
    parts = [text("corefed-terms-1"), predictor(terms["predictor"]), many(terms["agents"], party)]
    return hashlib.sha256(b"".join(parts) + number(terms["tolerance"])).digest()


def gradient(value):
    return many(value["values"], number) + number(value["margin"])


def message(terms, name, rows, own, points):
    """What an agent signs; `terms` and `rows` are digests."""

    def leaf(value):
        point = b"".join(number(x) for x in points[value["point"]])
        numbers = number(value["loss"]) + number(value["margin"])
        place = count(value["point"]) + hashlib.sha256(point).digest()
        return place + numbers + optional(value["gradient"], gradient)

    parts = [b"corefed-attest-1", terms, text(name), rows, count(own["samples"])]
    return b"".join(parts) + many(own["leaves"], leaf) + optional(own["worst_loss"], number)
