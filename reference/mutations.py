"""How a forger changes a certificate: each function edits one in place, at random."""

import math

import numpy as np

SPECIAL = [0.0, -0.0, 5e-324, 1e-300, 1e-9, 0.5, 1.0, 1 + 2**-52, -1.0, 6e152, 1e300, 1.7e308]


def pick(rng, entries):
    return entries[int(rng.integers(len(entries)))]


def nudge(rng, value):
    """A number a little, or a lot, away; sometimes the very next one."""
    draw = rng.random()
    if draw < 0.3:
        return math.nextafter(value, pick(rng, [-math.inf, math.inf]))
    if draw < 0.9:
        return value * (1 + pick(rng, [-1, 1]) * 10 ** rng.uniform(-16, 0))
    return pick(rng, SPECIAL)


def alter(rng, holder, key):
    """Nudges a number where there is one; `"inf"` becomes finite now and then."""
    value = holder[key]
    if isinstance(value, float | int) and not isinstance(value, bool):
        holder[key] = nudge(rng, float(value))
    elif value == "inf" and rng.random() < 0.5:
        holder[key] = 10 ** rng.uniform(0, 9)


def proofs(certificate):
    evidence = certificate["evidence"]
    return [*evidence.get("conflicts", []), *evidence.get("hopeless", [])]


def one_proof(rng, certificate):
    entries = proofs(certificate)
    return pick(rng, entries) if entries else None


def far_point(rng, certificate):
    """Where doubles have no digits left; sometimes the ball grows to contain it."""
    proof = one_proof(rng, certificate)
    if proof:
        scale = 10 ** pick(rng, [rng.uniform(0, 20), 152.0, 300.0])
        proof["point"] = (scale * rng.normal(size=len(proof["point"]))).tolist()
        subject = certificate["subject"]
        if rng.random() < 0.3 and "radius" in subject:
            subject["radius"] = float(np.abs(proof["point"]).sum())


def near_point(rng, certificate):
    proof = one_proof(rng, certificate)
    if proof:
        proof["point"] = in_ball(rng, certificate, proof["point"])


def in_ball(rng, certificate, numbers):
    """A step from a point, not out of the ball."""
    radius = certificate["subject"].get("radius", 1.0)
    step = radius * 10 ** rng.uniform(-9, 0) * rng.normal(size=len(numbers))
    point = np.array(numbers, float) + step
    length = np.linalg.norm(point)
    if length > radius:
        point *= radius / length * (1 - 1e-15)
    return point.tolist()


def bound(rng, certificate):
    proof = one_proof(rng, certificate)
    if proof and "bound" in proof:
        alter(rng, proof, "bound")


def multipliers(rng, certificate):
    proof = one_proof(rng, certificate)
    if proof and "multipliers" in proof:
        fresh = 10 ** rng.uniform(-3, 3, size=len(proof["multipliers"]))
        fresh = fresh / fresh.sum() if rng.random() < 0.7 else fresh * 10.0 ** rng.integers(-300, 300)
        proof["multipliers"] = fresh.tolist()


def sphere(rng, certificate):
    proof = one_proof(rng, certificate)
    if not proof:
        return
    proof.pop("sphere", None)
    if rng.random() < 0.7:
        proof["sphere"] = float(pick(rng, [0.0, 10 ** rng.uniform(-12, 6), 5e-324]))


def membership(rng, certificate):
    """Another set of agents for a proof, or a proof less, or one twice."""
    conflicts = certificate["evidence"].get("conflicts")
    if not conflicts:
        return
    k, draw = int(rng.integers(len(conflicts))), rng.random()
    if draw < 0.4:
        conflicts.pop(k)
    elif draw < 0.6:
        conflicts.append({**pick(rng, conflicts)})
    else:
        agents = random_members(rng, certificate)
        conflicts[k]["agents"], conflicts[k]["multipliers"] = agents, [1.0] * len(agents)


def random_members(rng, certificate):
    count = len(certificate["agents"])
    inside = rng.random(count) < 0.5
    return [i for i in range(count) if inside[i]] or [int(rng.integers(count))]


def worst_losses(rng, certificate):
    entries = certificate["evidence"].get("worst_losses")
    if entries:
        alter(rng, pick(rng, entries), pick(rng, ["bound", "multiplier"]))


def gap(rng, certificate):
    if "gap" in certificate["evidence"]:
        alter(rng, certificate["evidence"], "gap")


def ends(rng, certificate):
    alter(rng, certificate["claim"][pick(rng, ["kappa", "everybody"])], pick(rng, ["lo", "hi"]))


def tolerance(rng, certificate):
    certificate["claim"]["tolerance"] = float(pick(rng, [0.0, 1e-16, 1e-6, 0.1, rng.random() / 9]))


def verdict(rng, certificate):
    certificate["claim"]["verdict"] = pick(rng, ["stable", "blocked", "improvable", "undecided"])


def ceiling(rng, certificate):
    """Moved together with the utility, so that they still fit each other."""
    agent = pick(rng, certificate["agents"])
    if agent["ceiling"] is not None:
        step = float(rng.normal()) * 10 ** rng.uniform(-12, 1)
        agent["ceiling"], agent["utility"] = agent["ceiling"] + step, agent["utility"] + step
        agent["margin"] = max(agent["margin"], 1e-12)


def utility(rng, certificate):
    agent = pick(rng, certificate["agents"])
    alter(rng, agent, "utility")
    if rng.random() < 0.7:
        agent["margin"] = float(10 ** rng.uniform(-17, 3))


def weight(rng, certificate):
    alter(rng, pick(rng, certificate["agents"]), "weight")


def leavers(rng, certificate):
    """Another rival, coalition or gain for the witness or the improvement."""
    witness = certificate[pick(rng, ["witness", "improvement"])]
    if witness is None:
        return
    draw = rng.random()
    if draw < 0.5 and "parameters" in witness["rival"]:
        witness["rival"]["parameters"] = in_ball(rng, certificate, witness["rival"]["parameters"])
    elif draw < 0.8:
        alter(rng, witness["gains"], int(rng.integers(len(witness["gains"]))))
    else:
        witness["coalition"] = random_members(rng, certificate)
        witness["gains"] = [0.0] * len(witness["coalition"])


def own_rival(rng, certificate):
    """The incumbent as its own rival."""
    if "parameters" in certificate["subject"]:
        members = random_members(rng, certificate)
        rival = {"parameters": list(certificate["subject"]["parameters"])}
        gains = [1.0] * len(members)
        certificate["witness"] = {"coalition": members, "gains": gains, "rival": rival}


def subject(rng, certificate):
    """Another model under the same claim."""
    if "parameters" in certificate["subject"]:
        certificate["subject"]["parameters"] = in_ball(
            rng, certificate, certificate["subject"]["parameters"]
        )


def ball(rng, certificate):
    if "radius" in certificate["subject"]:
        alter(rng, certificate["subject"], pick(rng, ["radius", "l2"]))


def kind(rng, certificate):
    certificate["evidence"] = {"kind": pick(rng, ["headroom", "unbounded", "listed"])}


PROOF = [near_point, near_point, bound, multipliers, sphere, worst_losses, gap, far_point, leavers]
ALL = [
    *PROOF, membership, ends, ends, tolerance, verdict, ceiling, utility, weight,
    own_rival, subject, ball, kind,
]  # fmt: skip
