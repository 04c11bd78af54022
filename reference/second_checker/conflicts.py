"""Dual proofs that between them bound every coalition."""

from fractions import Fraction

from .enclosure import dot, enclose, norm, total
from .matrices import add_to_diagonal, solve_positive_definite
from .refusal import Refused, require


def check_conflicts(room, setting, claim, evidence, coalitions):
    """Every proof holds, and every coalition is covered by one or has a hopeless member."""
    for k, conflict in enumerate(evidence["conflicts"]):
        check_conflict(room, setting, conflict, f"conflict {k}")
    for entry in evidence["hopeless"]:
        check_hopeless(room, setting, entry)
    hopeless = {entry["agent"] for entry in evidence["hopeless"]}
    for i in setting.agents:
        proven = i in hopeless or setting.has_something(i)
        require(proven, f"agent {i} is neither hopeless nor has it something")
    for members in coalitions:
        if not hopeless.intersection(members):
            check_cover(room, setting, claim, evidence["conflicts"], members)
    if not hopeless:
        least = min(conflict["bound"] for conflict in evidence["conflicts"])
        require(least <= claim["everybody"]["hi"], "everybody could gain more than is claimed")


def check_conflict(room, setting, conflict, what):
    agents, multipliers = conflict["agents"], [Fraction(p) for p in conflict["multipliers"]]
    require(agents, f"{what} has no agents")
    require(all(a < b for a, b in zip(agents, agents[1:])), f"the agents of {what} do not ascend")
    require(agents[-1] < len(setting.agents), f"{what} has an unknown agent")
    require(len(multipliers) == len(agents), f"{what} has not one multiplier per agent")
    require(all(p > 0 for p in multipliers), f"a multiplier of {what} is not positive")
    for i in agents:
        require(setting.has_something(i), f"agent {i} of {what} has nothing")
    factors = {i: enclose(p) for i, p in zip(agents, multipliers, strict=True)}
    held = total(p * setting.now[i] for i, p in factors.items())
    proven = largest(setting, factors, conflict, what) / held
    room.at_most(proven, conflict["bound"], f"{what} does not prove its bound")


def check_hopeless(room, setting, entry):
    i = entry["agent"]
    what = f"the proof that agent {i} is hopeless"
    require(i < len(setting.agents), "a hopeless agent is unknown")
    require(setting.has_nothing(i), f"agent {i} is called hopeless and has something")
    factors = {i: enclose(1)}
    room.at_most(largest(setting, factors, entry, what), 0, f"{what} fails")


def largest(setting, factors, proof, what):
    """A bound of `sum_i factor_i u_i` over the ball: by ceilings, or by what a point proves."""
    ceilings = total(f * setting.ceilings[i] for i, f in factors.items())
    at_point = largest_at(setting, factors, proof, what)
    return ceilings if at_point is None or ceilings.hi < at_point.hi else at_point


def largest_at(setting, factors, proof, what):
    """The bound from the tangent or the curvature at a point; none where the losses are flat."""
    numbers, sphere = f"the numbers of the point of {what}", proof["sphere"]
    point = setting.point(proof["point"], numbers, proof["correction"])
    value = total(f * setting.utility(i, point) for i, f in factors.items())
    gradients = [setting.federation.gradient(i, point) for i in factors]
    columns = zip(*gradients, strict=True)
    slope = [total(f * g for f, g in zip(factors.values(), c, strict=True)) for c in columns]
    if sphere is None:
        return value + dot(slope, point) + norm(slope) * setting.radius
    nu = Fraction(sphere)
    require(nu >= 0, f"the sphere of {what} is negative")
    lifted = [g + nu * x for g, x in zip(slope, point, strict=True)]
    room_left = setting.radius**2 - sum(x * x for x in point)
    form = inverse_form(setting, factors, nu, lifted)
    return None if form is None else value + nu / 2 * room_left + form / 2


def inverse_form(setting, factors, nu, vector):
    """`h'(H + nu I)^-1 h` for the curvature `H` that the losses are sure to have, if it is definite."""
    losses = setting.federation.losses
    if all(losses[i].curves_by_rows for i in factors):
        # Utilities of a linear model are exact, and so is all of this.
        size = range(len(vector))
        parts = [(f.lo, losses[i].curvature()) for i, f in factors.items()]
        matrix = [[sum(f * part[r][c] for f, part in parts) for c in size] for r in size]
        exact = [h.lo for h in vector]
        solution = solve_positive_definite(add_to_diagonal(matrix, nu), exact)
        if solution is None:
            return None
        return enclose(sum(h * s for h, s in zip(exact, solution, strict=True)))
    curve = total(factors.values()) * setting.federation.l2 + nu
    return total(h.square() for h in vector) / curve if curve.lo > 0 else None


def check_cover(room, setting, claim, conflicts, members):
    """Some conflict within the coalition bounds it by `kappa.hi`."""
    share, hi = setting.share(members), claim["kappa"]["hi"]
    inside = [c["bound"] for c in conflicts if set(c["agents"]) <= set(members)]
    if not inside:
        raise Refused(f"coalition {members} contains no conflict")
    reached = min(Fraction(bound) for bound in inside) * share
    room.at_most(reached, hi, f"coalition {members} is not covered")
