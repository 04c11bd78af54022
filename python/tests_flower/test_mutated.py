"""Thousands of replies that somebody changed: only errors of ours come out, whatever is in them."""

import random

import numpy as np
import pytest
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from inprocess import arrays
from mutating import mutated

from corefed import CorefedError
from corefed.flower.ceilings import _numbers
from corefed.flower.model import model_of
from corefed.flower.parties import read_party
from corefed.flower.questioning import _read
from corefed.flower.reply import ReplyError, check_error, read_measures, read_training, read_walk
from corefed.flower.secure_begin import read_key
from corefed.flower.sum_question import read_question, round_of
from corefed.flower.summing import _words
from corefed.secure import Agreement, total

CASES = 1500
MODEL = model_of(arrays(weight=np.ones((2, 3)), bias=np.zeros(3), steps=np.array([1, 2])))
METRICS = MetricRecord({"loss-before": 0.5, "num-examples": 10, "accuracy": 0.5, "eval_loss": 1.0})
ABOUT = ConfigRecord({"agent": "Aachen", "corrects": True})
WALK = ConfigRecord({"steps": 5, "rate": 0.1, "momentum": 0.5, "parts": ["weight"]})
KEYS = {name: bytes([at]) * 32 for at, name in enumerate("abc", 1)}
TERMS = ConfigRecord(
    {
        "rows-of": "Aachen",
        "model": "logistic",
        "l2": "0.1",
        "encoding": '{"features": [], "classes": []}',
    }
    | {"samples": "10", "cells": "30", "key": "00"}
)


def parts():
    return ArrayRecord({name: Array(part) for name, part in MODEL.parts.items()})


def answer():
    return {
        "answers": ArrayRecord(
            {"losses": Array(np.ones(2)), "gradients": Array(np.ones((2, 3)))}
            | {"hessians": Array(np.ones((0, 9))), "own": Array(np.ones(3))}
        ),
        "oracle": ConfigRecord({"server-round": 1, "points": "00"}),
    }


def question():
    told = {
        "session": "00",
        "ticket": 1,
        "keys": '{"a": "' + "01" * 32 + '", "b": "' + "02" * 32 + '", "c": "' + "03" * 32 + '"}',
        "cohort": ["a", "b", "c"],
        "terms": '{"rule": "corefed"}',
        "question": "00",
        "limit": 4096.0,
        "kind": "train",
    }
    config = ConfigRecord({"corefed-ask": "seal", "server-round": 1})
    return {"corefed-secure": ConfigRecord(told), "config": config, "arrays": parts()}


def asked(reply):
    found = read_question(reply)
    return round_of(found), found.agreement.context(), found.agreement.ring()


READERS = {
    "measures": (lambda: {"metrics": METRICS, "corefed": ABOUT}, read_measures),
    "training": (
        lambda: {"metrics": METRICS, "arrays": parts(), "corefed": ABOUT},
        lambda reply: read_training(reply, MODEL, "loss-before", needs_loss=True),
    ),
    "walk": (lambda: {"corefed-walk": WALK}, lambda reply: read_walk(reply, MODEL)),
    "party": (lambda: {"terms": TERMS}, lambda reply: read_party("Aachen", reply)),
    "declared": (lambda: {"declared": ConfigRecord({"declared": [0.5]})}, _numbers),
    "answers": (answer, _read),
    "refusal": (lambda: {"corefed-refusal": ConfigRecord({"corefed-refusal": "no"})}, check_error),
    "public key": (lambda: {"public": ConfigRecord({"public": bytes(32)})}, read_key),
    "sealed": (
        lambda: {"sealed": ArrayRecord({"sealed": Array(np.ones(4, np.uint64))})},
        lambda reply: _words(reply, 4),
    ),
    "question": (question, asked),
}


@pytest.mark.parametrize("kind", list(READERS))
def test_only_errors_of_ours_come_out_of_a_changed_reply(kind):
    made, read = READERS[kind]
    draw = random.Random(f"{kind} 7")
    sent = Message(RecordDict(), 1, "train")
    reasons, good = [], 0
    for _ in range(CASES):
        content = mutated(RecordDict(made()), draw)
        try:
            read(Message(content, reply_to=sent))
            good += 1
        except (ReplyError, CorefedError) as why:
            reasons.append(str(why))
    assert all(reasons)
    # Both happen, or nothing was tried.
    assert min(good, len(reasons)) > CASES / 100


def test_sums_of_changed_seals_are_numbers_or_errors_of_ours():
    draw, reasons = random.Random(11), []
    agreement = Agreement("00", 1, KEYS, list("abc"), {}, "00", 4096.0)
    for _ in range(CASES):
        sealed = {
            name: np.frombuffer(draw.randbytes(8 * draw.choice([4, 4, 4, 5])), np.uint64).copy()
            for name in draw.choice(["abc", "abc", "ab", ""])
        }
        seeds = {name: draw.randbytes(draw.choice([32, 32, 32, 31, 0])) for name in "abc"}
        try:
            assert np.isfinite(total(agreement, sealed, seeds)).all()
        except CorefedError as why:
            reasons.append(str(why))
    assert all(reasons)
    assert 0 < len(reasons) < CASES
