"""Upper ends: why no coalition does better than is claimed."""

import math
from fractions import Fraction
from itertools import chain, combinations

from .conflicts import check_conflicts
from .enclosure import enclose, norm, total
from .refusal import Refused, require

# Coalitions are enumerated one by one.
MOST_AGENTS = 12


def check_evidence(room, setting, claim, evidence, assumptions):
    kind = evidence["kind"]
    ends = (claim["kappa"]["hi"], claim["everybody"]["hi"])
    if kind == "unbounded":
        require(ends == (math.inf, math.inf), "an upper end has no evidence")
        return
    require(math.inf not in ends, f"`{kind}` proves no infinite upper end")
    if kind == "conflicts":
        check_conflicts(room, setting, claim, evidence, proper_coalitions(setting))
        return
    for i in setting.agents:
        require(setting.has_something(i), f"agent {i} has nothing, and `{kind}` needs more")
    if kind == "headroom":
        check_headroom(room, setting, claim)
    elif kind == "frank-wolfe":
        violated = any(assumption["status"] == "violated" for assumption in assumptions)
        require(not violated, "an assumption is violated")
        check_frank_wolfe(room, setting, claim, evidence)
    else:
        raise Refused(f"`{kind}` is not evidence about a predictor")


def proper_coalitions(setting):
    """All but the empty one and everybody."""
    count = len(setting.agents)
    require(count <= MOST_AGENTS, f"too large: coalitions of {count} agents are not enumerated")
    return list(chain.from_iterable(combinations(range(count), k) for k in range(1, count)))


def check_headroom(room, setting, claim):
    """Losses are not negative, so nobody gets more than its ceiling."""
    most = [enclose(m) / u for m, u in zip(setting.ceilings, setting.now, strict=True)]
    for members in proper_coalitions(setting):
        least = min(most[i].hi for i in members)
        reached = least * setting.share(members)
        room.at_most(reached, claim["kappa"]["hi"], f"{members} could reach more than kappa")
    least = min(gain.hi for gain in most)
    room.at_most(least, claim["everybody"]["hi"], "everybody could gain more than is claimed")


def check_frank_wolfe(room, setting, claim, evidence):
    """The linear bound of log-welfare, where utilities are nowhere negative."""
    worst = evidence["worst_losses"]
    require(len(worst) == len(setting.agents), "there is not one worst loss per agent")
    for i, entry in enumerate(worst):
        multiplier = None if entry["multiplier"] is None else Fraction(entry["multiplier"])
        proven = setting.federation.losses[i].worst(setting.radius, multiplier)
        room.at_most(proven, entry["bound"], f"the loss of agent {i} may exceed its bound")
        require(entry["bound"] <= setting.ceilings[i], f"agent {i} may have less than nothing")
    gradients = [setting.federation.gradient(i, setting.theta) for i in setting.agents]
    factors = [setting.weights[i] / setting.now[i] for i in setting.agents]
    columns = zip(*gradients, strict=True)
    slope = [-total(f * g for f, g in zip(factors, column, strict=True)) for column in columns]
    inner = total(g * x for g, x in zip(slope, setting.theta, strict=True))
    room.at_most(norm(slope) * setting.radius - inner, evidence["gap"], "the gap is larger")
    limit = 1 + Fraction(evidence["gap"]) / sum(setting.weights)
    for name in ("kappa", "everybody"):
        room.at_most(limit, claim[name]["hi"], f"the gap does not prove {name}")
