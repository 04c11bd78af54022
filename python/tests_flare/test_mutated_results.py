"""Thousands of results that somebody changed: only errors of ours come out, whatever is in them."""

import random

import numpy as np
from nvflare.app_common.abstract.fl_model import FLModel, ParamsType

from corefed import CorefedError
from corefed._federation.model import Model
from corefed.flare.reply import read_measures, read_training

CASES = 4000
PARTS = {"w": np.ones((2, 3)), "b": np.zeros(3, np.float32), "n": np.array([1])}
ODD = [
    None, True, "", "\x1b[2J", b"\xff", [], [1.0], {}, {"w": 1}, -1, 0, 1.5, float("nan"),
    float("inf"), -float("inf"), 1e300, 10**400, 2**70, np.float32("nan"), np.int8(-3),
    np.array(1.0), np.array(["a"]), np.array([None]), np.ones((2, 3), complex), np.ones(10),
    np.ones((2, 3), np.int64), np.datetime64("2020-01-01"), object(),
]  # fmt: skip


def changed(whole, draw):
    """A dictionary in which one thing is not as it was, or something else altogether."""
    if draw.random() < 0.1:
        return draw.choice(ODD)
    whole = dict(whole)
    key = draw.choice([*whole, "other", "\x1b", 7])
    if draw.random() < 0.2:
        whole.pop(key, None)
    else:
        whole[key] = draw.choice(ODD)
    return whole


def test_only_errors_of_ours_come_out_of_a_changed_result():
    draw, before = random.Random(7), Model({name: part.copy() for name, part in PARTS.items()})
    reasons, good = [], 0
    for _ in range(CASES):
        told = {
            "params": PARTS,
            "metrics": {"loss_before": 0.5, "accuracy": 0.25},
            "meta": {"samples": 10},
        }
        for name in draw.sample(list(told), draw.randint(1, 2)):
            told[name] = changed(told[name], draw)
        sent = FLModel(params=PARTS, params_type=ParamsType.DIFF)
        sent.params, sent.metrics, sent.meta = told["params"], told["metrics"], told["meta"]
        for read, told in ((read_training, (sent, before)), (read_measures, (sent.metrics,))):
            try:
                read(*told)
                good += 1
            except CorefedError as why:
                reasons.append(why.message)
    assert all(reasons)
    assert min(good, len(reasons)) > CASES / 20
