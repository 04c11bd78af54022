"""Certificates of agents that keep their rows, known on paper, and issued without the binary."""

import copy
import hashlib
import json
import math

from second_checker.attested.document import CERTIFICATE
from second_checker.attested.ed25519 import public_of, sign
from second_checker.attested.layout import message, terms_digest

NAMES = ["left", "right", "middle"]
SECRETS = [bytes([i + 1]) * 32 for i in range(3)]
KEYS = [public_of(secret).hex() for secret in SECRETS]
# Bounds are stated a little above what is proven.
ROOM = 1 + 1e-12


def answers(target, points, margin=1e-15):
    def leaf(k, t):
        gradient = {"values": [2 * (t - target)], "margin": margin}
        return {"point": k, "loss": (t - target) ** 2, "margin": margin, "gradient": gradient}

    leaves = [leaf(k, t) for k, t in enumerate(points)]
    return {"samples": 1, "rows": None, "leaves": leaves, "worst_loss": None, "signature": None}


def draft(targets, ceilings, points):
    """Agents with `L_i = (t - a_i)^2` on `|t| <= 2`; nothing is claimed yet."""
    numeric = {"kind": "numeric", "column": "x", "mean": 0.0, "scale": 1.0}
    encoding = {"agent_column": "agent", "target_column": "y", "classes": [], "features": [numeric]}
    predictor = {
        "family": "linear",
        "l2": 0.0,
        "radius": 2.0,
        "encoding": encoding,
        "parameters": [points[0]],
    }
    parties = [
        {"name": name, "weight": 1.0, "ceiling": ceiling, "policy": "agreed", "key": key}
        for name, ceiling, key in zip(NAMES, ceilings, KEYS, strict=False)
    ]
    unknown = {"lo": 0.0, "hi": "inf"}
    return {
        "format": "corefed-attested-certificate",
        "version": 1,
        "claim": {
            "verdict": "undecided",
            "kappa": dict(unknown),
            "everybody": dict(unknown),
            "tolerance": 1e-6,
        },
        "terms": {"predictor": predictor, "agents": parties, "tolerance": 1e-6},
        "points": [[t] for t in points],
        "attestations": [answers(target, points) for target in targets],
        "witness": None,
        "improvement": None,
        "evidence": {"kind": "unbounded"},
        "assumptions": [],
    }


def tangent(agent, point, multiplier=1.0):
    return {"agent": agent, "point": point, "multiplier": multiplier}


def halfway(ceiling):
    """`t = 1/2` for targets 0 and 1: alone an agent gains `M/(M - 1/4)`, both together nothing."""
    certificate = draft([0.0, 1.0], [ceiling] * 2, [0.5, 0.0, 1.0])
    alone = ceiling / (ceiling - 0.25)
    conflicts = [
        {"tangents": [tangent(0, 1)], "bound": alone * ROOM},
        {"tangents": [tangent(1, 2)], "bound": alone * ROOM},
        {"tangents": [tangent(0, 0), tangent(1, 0)], "bound": ROOM},
    ]
    certificate["evidence"] = {"kind": "tangents", "conflicts": conflicts, "hopeless": []}
    gain = alone / ROOM
    certificate["witness"] = {"coalition": [0], "gains": [gain], "point": 1}
    lo = math.nextafter(gain / 2, 0)
    certificate["claim"] = {
        "verdict": "blocked" if lo > 1 + 1e-6 else "stable",
        "kappa": {"lo": lo, "hi": max(lo, alone * ROOM / 2) * ROOM},
        "everybody": {"lo": 1.0, "hi": ROOM},
        "tolerance": 1e-6,
    }
    return signed(certificate)


def first_order():
    """`M = 9.5` is above the worst losses 4 and 9; at `t = 1/2` gradients cancel."""
    certificate = draft([0.0, 1.0], [9.5] * 2, [0.5])
    for own, worst in zip(certificate["attestations"], [4.0, 9.0], strict=True):
        own["worst_loss"] = worst
    certificate["evidence"] = {"kind": "frank-wolfe", "gap": 1e-12}
    certificate["claim"] = {
        "verdict": "stable",
        "kappa": {"lo": 0.0, "hi": ROOM},
        "everybody": {"lo": 1.0, "hi": ROOM},
        "tolerance": 1e-6,
    }
    return signed(certificate)


def headroom():
    certificate = draft([0.0, 1.0], [0.6] * 2, [0.5])
    certificate["evidence"] = {"kind": "headroom"}
    alone = 0.6 / 0.35
    certificate["claim"]["kappa"] = {"lo": 0.0, "hi": alone / 2 * ROOM}
    certificate["claim"]["everybody"] = {"lo": 1.0, "hi": alone * ROOM}
    return signed(certificate)


def hopeless():
    """Agent 1 has the ceiling 0 and never has anything."""
    certificate = draft([0.0, 1.0], [0.25, 0.0], [0.0, 1.0])
    certificate["evidence"] = {
        "kind": "tangents",
        "conflicts": [{"tangents": [tangent(0, 0)], "bound": ROOM}],
        "hopeless": [{"agent": 1, "tangents": [tangent(1, 1)]}],
    }
    certificate["claim"]["kappa"] = {"lo": 0.0, "hi": ROOM / 2}
    certificate["claim"]["everybody"] = {"lo": 0.0, "hi": 0.0}
    certificate["claim"]["verdict"] = "stable"
    return signed(certificate)


def without_middle():
    """The third agent did not answer, and nothing is known about everybody."""
    certificate = draft([0.0, 1.0], [0.6] * 3, [0.5, 0.0, 1.0])
    absent = {"samples": 0, "rows": None, "leaves": [], "worst_loss": None, "signature": None}
    certificate["attestations"].append(absent)
    certificate["evidence"] = halfway(0.6)["evidence"]
    certificate["claim"]["kappa"] = {"lo": 0.0, "hi": 2 / 3 * ROOM * ROOM}
    return signed(certificate)


def ridge():
    """`L_i = t^2/2` and nothing else: the ridge tells all of it from one tangent."""
    certificate = draft([0.0, 0.0], [4.0, 4.0], [1.0])
    certificate["terms"]["predictor"]["l2"] = 1.0
    for own in certificate["attestations"]:
        own["leaves"][0]["loss"] = 0.5
        own["leaves"][0]["gradient"]["values"] = [1.0]
    # Both want t = 0, where they have 4 instead of 3.5.
    bound = 4 / 3.5 * ROOM
    conflicts = [{"tangents": [tangent(i, 0)], "bound": bound} for i in range(2)]
    certificate["evidence"] = {"kind": "tangents", "conflicts": conflicts, "hopeless": []}
    certificate["claim"]["kappa"] = {"lo": 0.0, "hi": bound / 2 * ROOM}
    certificate["claim"]["everybody"] = {"lo": 1.0, "hi": bound}
    return signed(certificate)


def own_model():
    """The parabolas of `halfway`, about which nothing is known but the answers."""
    certificate = halfway(0.6)
    certificate["version"] = 2
    named = {"own": "parabola", "l2": 0.0, "radius": 2.0, "parameters": [0.5]}
    certificate["terms"]["predictor"] = named
    return signed(certificate)


def own_model_below_zero():
    """`L_i = t^2/2 - 1`: both have 5 at `t = 0`, which is more than their ceilings."""
    certificate = ridge()
    certificate["version"] = 2
    named = {"own": "parabola", "l2": 1.0, "radius": 2.0, "parameters": [1.0]}
    certificate["terms"]["predictor"] = named
    for own in certificate["attestations"]:
        own["leaves"][0]["loss"] = -0.5
    bound = 5 / 4.5 * ROOM
    for conflict in certificate["evidence"]["conflicts"]:
        conflict["bound"] = bound
    certificate["claim"]["kappa"] = {"lo": 0.0, "hi": bound / 2 * ROOM}
    certificate["claim"]["everybody"] = {"lo": 1.0, "hi": bound}
    return signed(certificate)


def signed(certificate):
    """Signed by everybody who answered."""
    certificate = copy.deepcopy(certificate)
    read = CERTIFICATE(certificate, "the document")
    terms = terms_digest(read["terms"])
    for i, own in enumerate(certificate["attestations"]):
        if own["leaves"]:
            rows = hashlib.sha256(NAMES[i].encode()).digest()
            text = message(terms, NAMES[i], rows, read["attestations"][i], read["points"])
            own["rows"], own["signature"] = rows.hex(), sign(SECRETS[i], text).hex()
    return certificate


def text_of(certificate):
    return json.dumps(certificate)
