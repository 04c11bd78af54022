"""The public check: a document in, accepted or refused out."""

import math
import struct
from fractions import Fraction
from itertools import chain, combinations

from ..claim import check_intervals, check_verdict
from ..enclosure import enclose
from ..refusal import Refused, require
from ..writing import BLANK
from .answers import Answers
from .document import read_attested
from .ed25519 import decompress, fits
from .layout import message, terms_digest


def judge_attested(document):
    """None, or why the document is refused."""
    try:
        check(read_attested(document))
    except Refused as refusal:
        return str(refusal)
    return None


def check(certificate):
    claim = certificate["claim"]
    check_intervals(claim)
    check_verdict(claim)
    check_terms(certificate)
    check_points(certificate)
    check_signatures(certificate)
    answers = Answers(certificate)
    answers.check_convexity()
    check_witness(answers, claim, certificate["witness"])
    check_improvement(answers, claim, certificate["improvement"])
    check_evidence(answers, certificate)


def hexadecimal(text, size):
    plain = len(text) == 2 * size and set(text) <= set("0123456789abcdef")
    return bytes.fromhex(text) if plain else None


def check_terms(certificate):
    terms = certificate["terms"]
    predictor, agents = terms["predictor"], terms["agents"]
    require(same(terms["tolerance"], certificate["claim"]["tolerance"]), "two tolerances")
    require(predictor["radius"] > 0 and predictor["l2"] >= 0, "radius or ridge")
    if "own" in predictor:
        require(predictor["own"].strip(BLANK), "a model without a name")
    else:
        intake = predictor["encoding"]["intake"] or {}
        require(intake.get("written") is None, "agents have files of their own")
    require(len(agents) >= 2, "fewer than two agents")
    names = [agent["name"] for agent in agents]
    require(len(set(names)) == len(names), "two agents have one name")
    require(all(name.strip(BLANK) for name in names), "a blank name")
    require(all(agent["weight"] > 0 for agent in agents), "a weight is not positive")
    keys = [agent["key"] for agent in agents if agent["key"] is not None]
    require(len(set(keys)) == len(keys), "two agents have one key")
    for key in keys:
        point = hexadecimal(key, 32)
        require(point is not None and decompress(point) is not None, "no public key")


def same(a, b):
    return struct.pack("<d", a) == struct.pack("<d", b)


def parameters_of(predictor):
    """How many there are: as many as are stated of a model of the agents' own."""
    if "own" in predictor:
        return len(predictor["parameters"])
    blocks = len(predictor["encoding"]["classes"]) if predictor["family"] == "softmax" else 1
    return len(predictor["encoding"]["features"]) * blocks


def check_points(certificate):
    predictor, points = certificate["terms"]["predictor"], certificate["points"]
    size = parameters_of(predictor)
    require(points and size > 0, "no points")
    for point in points:
        require(len(point) == size, "a point has another length")
        square = sum(Fraction(x) ** 2 for x in point)
        require(square <= Fraction(predictor["radius"]) ** 2, "a point lies outside the ball")
    parameters = predictor["parameters"]
    require(len(parameters) == size, "the predictor has another length")
    require(all(map(same, points[0], parameters)), "the first point is not the predictor")
    require(len(certificate["attestations"]) == len(certificate["terms"]["agents"]), "agents")
    used = set()
    for own in certificate["attestations"]:
        at = [leaf["point"] for leaf in own["leaves"]]
        require(all(a < b for a, b in zip(at, at[1:])), "answers do not ascend")
        require(all(point < len(points) for point in at), "an answer is about no point")
        used.update(at)
        if not at:
            rest = (own["rows"], own["worst_loss"], own["signature"])
            require(own["samples"] == 0 and rest == (None,) * 3, "an absent agent stands for something")
            continue
        require(at[0] == 0 and own["samples"] > 0, "no answer at the predictor, or no rows")
        for leaf in own["leaves"]:
            require(leaf["margin"] >= 0, "a margin is negative")
            if leaf["gradient"] is not None:
                require(leaf["gradient"]["margin"] >= 0, "a margin is negative")
                require(len(leaf["gradient"]["values"]) == size, "a gradient has another length")
    require(used, "nobody answered")
    require(used == set(range(len(points))), "a point that nobody answered")


def check_signatures(certificate):
    terms = terms_digest(certificate["terms"])
    for party, own in zip(certificate["terms"]["agents"], certificate["attestations"], strict=True):
        if own["signature"] is None and own["rows"] is None:
            continue
        require(own["signature"] is not None and own["rows"] is not None, "half a signature")
        require(party["key"] is not None, "a signature without a key")
        rows, signature = hexadecimal(own["rows"], 32), hexadecimal(own["signature"], 64)
        require(rows is not None and signature is not None, "no signature")
        signed = message(terms, party["name"], rows, own, certificate["points"])
        require(
            fits(bytes.fromhex(party["key"]), signed, signature),
            f"`{party['name']}` did not sign this",
        )


def check_gains(answers, witness, what):
    members = witness["coalition"]
    require(members and all(a < b for a, b in zip(members, members[1:])), f"{what}: no coalition")
    require(members[-1] < answers.count, f"{what}: an unknown member")
    require(len(witness["gains"]) == len(members), f"{what}: not one gain per member")
    for i, gain in zip(members, witness["gains"], strict=True):
        require(gain >= 0, f"{what}: a negative gain")
        now, then = answers.now[i], answers.utility(i, witness["point"], what)
        require(now is not None, f"{what}: an absent member")
        if gain == math.inf:
            require(now.hi <= 0 < then.lo, f"{what}: no infinite gain")
        elif now.lo > 0:
            require(Fraction(gain) * now.hi <= then.lo, f"{what}: gains less")
        else:
            raise Refused(f"{what}: a gain that means nothing")
    return members


def check_witness(answers, claim, witness):
    lo = claim["kappa"]["lo"]
    if witness is None:
        require(lo == 0, "kappa is above zero without a witness")
        return
    members = check_gains(answers, witness, "witness")
    require(len(members) < answers.count, "the witness is everybody")
    if lo == math.inf:
        require(all(answers.has_nothing(i) for i in members), "a member has something to lose")
        return
    nothing = [answers.has_nothing(i) for i in members]
    if all(nothing):
        return
    require(not any(nothing), "a member would leave alone")
    least = min(Fraction(gain) for gain in witness["gains"])
    require(Fraction(lo) <= least * answers.share(members), "the witness does not reach kappa")


def check_improvement(answers, claim, improvement):
    lo = claim["everybody"]["lo"]
    everybody = range(answers.count)
    if improvement is None:
        staying = 1 if all(answers.has_something(i) for i in everybody) else 0
        require(lo <= staying, "everybody gains without an improvement")
        return
    members = check_gains(answers, improvement, "improvement")
    require(len(members) == answers.count, "the improvement is not everybody's")
    gains = zip(members, improvement["gains"], strict=True)
    finite = [gain for i, gain in gains if answers.has_something(i)]
    staying = 1 if len(finite) == answers.count else 0
    require(lo <= max(staying, min(finite, default=math.inf)), "everybody does not reach")


def check_evidence(answers, certificate):
    evidence, claim = certificate["evidence"], certificate["claim"]
    kappa, everybody = claim["kappa"]["hi"], claim["everybody"]["hi"]
    kind, absent = evidence["kind"], answers.absent
    if kind == "unbounded":
        require(kappa == everybody == math.inf, "an upper end has no evidence")
        return
    require(kappa != math.inf, "an infinite end with evidence")
    require((everybody == math.inf) == bool(absent), "everybody's end, and who is absent")
    require(not absent or kind == "tangents", f"`{kind}` needs everybody")
    if kind == "tangents":
        check_tangents(answers, evidence, kappa, everybody)
        return
    for i in range(answers.count):
        require(answers.has_something(i), f"agent {i} has nothing")
    if kind == "headroom":
        require(answers.nonnegative, "losses may be negative")
        most = [(enclose(m) / u).hi for m, u in zip(answers.ceilings, answers.now, strict=True)]
        for members in coalitions(answers, range(answers.count)):
            reached = answers.share(members) * min(most[i] for i in members)
            require(reached <= Fraction(kappa), f"{members} could reach more")
        require(min(most) <= Fraction(everybody), "everybody could gain more")
        return
    for party, own in zip(answers.parties, certificate["attestations"], strict=True):
        worst = own["worst_loss"]
        require(worst is not None and worst <= party["ceiling"], "the premise fails")
    violated = any(entry["status"] == "violated" for entry in certificate["assumptions"])
    require(not violated, "an assumption is violated")
    require(answers.gap().hi <= Fraction(evidence["gap"]), "the gap is larger")
    limit = 1 + Fraction(evidence["gap"]) / sum(answers.weights)
    require(limit <= Fraction(kappa) and limit <= Fraction(everybody), "the gap proves less")


def coalitions(answers, candidates):
    """All but the empty one and everybody."""
    candidates = list(candidates)
    require(len(candidates) <= 12, "too large: coalitions are not enumerated")
    sizes = range(1, len(candidates) + 1)
    every = chain.from_iterable(combinations(candidates, k) for k in sizes)
    return [members for members in every if len(members) < answers.count]


def check_tangents(answers, evidence, kappa, everybody):
    hopeless = [entry["agent"] for entry in evidence["hopeless"]]
    require(all(a < b for a, b in zip(hopeless, hopeless[1:])), "hopeless agents do not ascend")
    for entry in evidence["hopeless"]:
        i, what = entry["agent"], "a hopeless agent"
        require(i < answers.count and answers.has_nothing(i), f"{what} has something")
        require(all(t["agent"] == i for t in entry["tangents"]), f"{what} is proven by others")
        require(answers.largest(entry["tangents"], what) <= 0, f"{what} may get something")
    without = answers.absent.union(hopeless)
    candidates = [i for i in range(answers.count) if i not in without]
    for i in candidates:
        require(answers.has_something(i), f"agent {i} has nothing and is not hopeless")
    masks = []
    for k, conflict in enumerate(evidence["conflicts"]):
        what = f"conflict {k}"
        own = conflict["tangents"]
        require(all(t["agent"] in candidates for t in own), f"{what} has an agent that it cannot")
        held = sum(Fraction(t["multiplier"]) * answers.now[t["agent"]] for t in own)
        proven = enclose(answers.largest(own, what)) / held
        require(proven.hi <= Fraction(conflict["bound"]), f"{what} does not prove its bound")
        masks.append(({t["agent"] for t in own}, Fraction(conflict["bound"])))
    for members in coalitions(answers, candidates):
        inside = [bound for agents, bound in masks if agents <= set(members)]
        require(inside, f"coalition {members} contains no conflict")
        reached = answers.share(members) * min(inside)
        require(reached <= Fraction(kappa), f"coalition {members} is not covered")
    if not hopeless and not answers.absent:
        least = min(bound for _, bound in masks)
        require(max(least, 0) <= Fraction(everybody), "everybody could gain more")
