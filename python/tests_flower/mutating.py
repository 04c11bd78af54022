"""Replies of which something was changed, by a seed."""

import copy
import random

from flwr.app import Array, ArrayRecord, ConfigRecord, MetricRecord

#: Numbers that a record can hold, whatever they mean.
NUMBERS = [float("nan"), float("inf"), -1.0, -1, 0, 1e300, 10**30, -(2**70), 0.5, [1.0, 2.0], [3]]
WORDS = ["", "\x1b[2J", "a\nb", "\u202e", "{", "[" * 5000, "null", "[]", "1e999", "nan", "-3"]
OTHERS = [b"", b"\xff\x00", True, [], ["a", "b"], [b"x"]]
TYPES = [
    "float64",
    "float32",
    "int64",
    "uint64",
    "bool",
    "<U5",
    "object",
    "no type",
    "<f8,<i4",
    "O",
]


def mutated(content, draw: random.Random):
    """A copy of the records of a reply in which one to three things are not as they were."""
    changed = copy.deepcopy(content)
    for _ in range(draw.randint(1, 3)):
        if not list(changed):
            break
        key = draw.choice(list(changed))
        record = changed[key]
        way = draw.random()
        if way < 0.1:
            del changed[key]
        elif way < 0.2:
            changed[draw.choice(["arrays", "x", "corefed", key + "2"])] = copy.deepcopy(record)
        elif way < 0.25:
            changed[key] = draw.choice([ArrayRecord(), ConfigRecord(), MetricRecord()])
        elif isinstance(record, ArrayRecord):
            _mutate_arrays(record, draw)
        else:
            _mutate_values(record, draw)
    return changed


def _mutate_values(record, draw):
    names = list(record)
    name = draw.choice(names) if names and draw.random() < 0.9 else "other"
    if names and draw.random() < 0.15:
        del record[draw.choice(names)]
        return
    numbers = isinstance(record, MetricRecord)
    record[name] = draw.choice(NUMBERS if numbers else [*NUMBERS, *WORDS, *OTHERS])


def _mutate_arrays(record, draw):
    names = list(record)
    if not names:
        return
    name = draw.choice(names)
    part = record[name]
    if draw.random() < 0.1:
        del record[name]
        return
    if draw.random() < 0.1:
        record["\x1b" + name] = part
        return
    data = bytearray(part.data)
    for _ in range(draw.randint(0, 4)):
        if data:
            data[draw.randrange(len(data))] = draw.randrange(256)
    if draw.random() < 0.2:
        data = data[: draw.randrange(len(data) + 1)]
    dtype = draw.choice(TYPES) if draw.random() < 0.2 else part.dtype
    shape = draw.choice([(), (0,), (-1,), (10**9,), (2, 2)]) if draw.random() < 0.2 else part.shape
    stype = draw.choice(["numpy.ndarray", "pickle", ""]) if draw.random() < 0.1 else part.stype
    record[name] = Array(dtype=dtype, shape=tuple(shape), stype=stype, data=bytes(data))
