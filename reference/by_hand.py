"""Certificates of version 2 written by hand, where the answer is known on paper.

Two agents with one row each: losses `t^2` and `(t-1)^2`, or the two logistic ones, over `|t| <= R`.
"""

import hashlib
import json
import math
import struct
from fractions import Fraction

from cases import write


def below(exact):
    """The largest double that is not above."""
    near = float(exact)
    return near if Fraction(near) <= exact else math.nextafter(near, -math.inf)


def above(exact):
    """The smallest double that is not below."""
    return -below(-exact)


def around(exact):
    return {"lo": below(exact), "hi": above(exact)}


def signed(certificate, path):
    """The certificate with the digests of its data and parameters, as any forger would have it."""
    numbers = certificate["subject"].get("parameters")
    if numbers is None:
        numbers = [agent["utility"] for agent in certificate["agents"]]
    bits = struct.pack(f"<{len(numbers)}d", *numbers)
    certificate["digests"] = {
        "data": hashlib.sha256(path.read_bytes()).hexdigest(),
        "parameters": hashlib.sha256(bits).hexdigest(),
    }
    return certificate


def text_of(certificate):
    return json.dumps(certificate)


def agent(name, ceiling, utility, margin=0.0, weight=1.0, samples=1):
    fields = ("name", "samples", "weight", "ceiling", "utility", "margin")
    values = (name, samples, weight, ceiling, utility, margin)
    return dict(zip(fields, values, strict=True))


def document(path, claim, agents, subject, evidence, witness=None, improvement=None):
    certificate = {
        "format": "corefed-certificate",
        "version": 2,
        "claim": claim,
        "agents": agents,
        "subject": subject,
        "witness": witness,
        "improvement": improvement,
        "evidence": evidence,
        "assumptions": [
            {"statement": "every loss is convex", "status": "checked", "detail": "by its form"}
        ],
        "digests": {},
    }
    return signed(certificate, path)


def claim(verdict, kappa, everybody, tolerance=1e-6):
    return {"verdict": verdict, "kappa": kappa, "everybody": everybody, "tolerance": tolerance}


def predictor(family, parameters, radius, classes=(), l2=0.0):
    feature = {"kind": "numeric", "column": "x", "mean": 0.0, "scale": 1.0}
    encoding = {
        "agent_column": "agent",
        "target_column": "y",
        "classes": list(classes),
        "features": [feature],
    }
    return {
        "kind": "predictor",
        "family": family,
        "l2": l2,
        "radius": radius,
        "encoding": encoding,
        "parameters": list(parameters),
    }


def leave(coalition, gains, *parameters):
    rival = {"parameters": list(parameters)}
    return {"coalition": list(coalition), "gains": list(gains), "rival": rival}


def conflict(agents, point, bound, **sphere):
    multipliers = [1.0] * len(agents)
    fields = {"agents": list(agents), "multipliers": multipliers, "point": list(point)}
    return fields | {"bound": bound} | sphere


def parabola_file(folder):
    return write(folder / "parabolas.csv", ["agent", "x", "y"], [["a", 1, 0], ["b", 1, 1]])


def curved_bound(ceiling, top, nu):
    """At its own top an agent's slope is zero, so `h = nu y` and `H = 2`; the ball has radius 2."""
    utility = Fraction(ceiling) - Fraction(1, 4)
    lift = (nu * top) ** 2 / (2 * (2 + nu))
    return (Fraction(ceiling) + nu / 2 * (4 - top**2) + lift) / utility


def parabolas(folder, ceiling, verdict, **sphere):
    """`theta = 1/2` on `|t| <= 2`: each agent alone reaches `M / (M - 1/4)`, both together 1."""
    path = parabola_file(folder)
    utility = Fraction(ceiling) - Fraction(1, 4)
    alone, nu = Fraction(ceiling) / utility, Fraction(sphere.get("sphere", 0))
    bounds = [above(curved_bound(ceiling, top, nu)) for top in (0, 1)]
    tops = [conflict([k], [float(k)], bound, **sphere) for k, bound in enumerate(bounds)]
    both = conflict([0, 1], [0.5], 1.0)
    evidence = {"kind": "conflicts", "conflicts": [*tops, both], "hopeless": []}
    kappa = {"lo": below(alone / 2), "hi": max(bounds) / 2}
    agents = [agent(name, ceiling, float(utility), 1e-17) for name in "ab"]
    return path, document(
        path,
        claim(verdict, kappa, {"lo": 1.0, "hi": 1.0}),
        agents,
        predictor("linear", [0.5], 2.0),
        evidence,
        leave([0], [below(alone)], 0.0),
    )


def corrected(folder):
    """The stable parabolas with points beside the optima, and corrections that lead there exactly."""
    path, certificate = parabolas(folder, 0.6, "stable")
    for proof in certificate["evidence"]["conflicts"]:
        off = 0.25
        proof["point"], proof["correction"] = [proof["point"][0] + off], [-off]
    return path, certificate


def logistic_pair(folder):
    """`log(1 + exp(-t))` against `log(1 + exp(t))` on `|t| <= 1`, ceilings 1, from `theta = 0`."""
    path = write(folder / "coins.csv", ["agent", "x", "y"], [["a", 1, "yes"], ["b", 1, "no"]])
    now, then = 1 - math.log(2), 1 - math.log1p(math.exp(-1))
    alone, room = then / now, 1e-12
    evidence = {
        "kind": "conflicts",
        "conflicts": [
            conflict([0], [1.0], alone + room),
            conflict([1], [-1.0], alone + room),
            conflict([0, 1], [0.0], 1 + room),
        ],
        "hopeless": [],
    }
    kappa = {"lo": alone / 2 - room, "hi": alone / 2 + room}
    return path, document(
        path,
        claim("blocked", kappa, {"lo": 1.0, "hi": 1 + room}),
        [agent(name, 1.0, now, 1e-15) for name in "ab"],
        predictor("logistic", [0.0], 1.0, ["no", "yes"]),
        evidence,
        leave([0], [alone - room], 1.0),
    )


def softmax_pair(folder):
    """The same coins with one parameter per class: `t = theta_yes - theta_no`, `|t| <= sqrt(2) R`."""
    path = write(folder / "coins.csv", ["agent", "x", "y"], [["a", 1, "yes"], ["b", 1, "no"]])
    now, then = 1 - math.log(2), 1 - math.log1p(math.exp(-1))
    alone, room = then / now, 1e-12
    # |(-1/2, 1/2)| = 1/sqrt(2); the radius is a little more.
    radius = math.nextafter(math.sqrt(0.5), 1)
    evidence = {
        "kind": "conflicts",
        "conflicts": [
            conflict([0], [-0.5, 0.5], alone + room),
            conflict([1], [0.5, -0.5], alone + room),
            conflict([0, 1], [0.0, 0.0], 1 + room),
        ],
        "hopeless": [],
    }
    kappa = {"lo": alone / 2 - room, "hi": alone / 2 + room}
    return path, document(
        path,
        claim("blocked", kappa, {"lo": 1.0, "hi": 1 + room}),
        [agent(name, 1.0, now, 1e-15) for name in "ab"],
        predictor("softmax", [0.0, 0.0], radius, ["no", "yes"]),
        evidence,
        leave([0], [alone - room], -0.5, 0.5),
    )
