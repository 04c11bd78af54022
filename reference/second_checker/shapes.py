"""What a JSON value may look like: a reader per shape, which returns the value or refuses it."""

import math

from .refusal import Refused, require


def text(value, where):
    require(isinstance(value, str), f"{where} is not a text")
    # A lone half of a surrogate pair is not a character.
    require(not any("\ud800" <= c <= "\udfff" for c in value), f"{where} is not Unicode")
    return value


def number(value, where):
    """A finite double."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    require(is_number, f"{where} is not a number")
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    require(math.isfinite(value), f"{where} is not finite")
    return value


def number_or_inf(value, where):
    return math.inf if value == "inf" else number(value, where)


def whole(value, where):
    """A count or an index."""
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
    require(fits, f"{where} is not a whole number")
    return value


def one_of(*choices):
    def read(value, where):
        require(type(value) in (str, int) and value in choices, f"{where} is none of {choices}")
        return value

    return read


def nullable(shape):
    return lambda value, where: None if value is None else shape(value, where)


def many(shape):
    def read(value, where):
        require(isinstance(value, list), f"{where} is not a list")
        return [shape(entry, f"{where}[{k}]") for k, entry in enumerate(value)]

    return read


def record(optional=None, **fields):
    """An object with exactly these fields, and perhaps the optional ones."""
    optional = optional or {}

    def read(value, where):
        require(isinstance(value, dict), f"{where} is not an object")
        for name in value:
            require(name in fields or name in optional, f"{where} has an unknown field `{name}`")
        for name in fields:
            require(name in value, f"{where} lacks the field `{name}`")
        shapes = fields | optional
        found = {name: shapes[name](entry, f"{where}.{name}") for name, entry in value.items()}
        return {name: None for name in optional} | found

    return read


def tagged(**kinds):
    """An object whose `kind` decides what else it has."""

    def read(value, where):
        require(isinstance(value, dict), f"{where} is not an object")
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in kinds:
            raise Refused(f"{where} has an unknown kind")
        return kinds[kind](value, where)

    return read
