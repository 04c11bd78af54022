"""Whether a claim agrees with itself, and the agents with their data."""

from fractions import Fraction

from .enclosure import enclose
from .refusal import require
from .writing import BLANK


def verdict_of(claim):
    """The first verdict that the intervals allow."""
    limit = 1 + Fraction(claim["tolerance"])
    kappa, everybody = claim["kappa"], claim["everybody"]
    if kappa["lo"] > limit:
        return "blocked"
    if everybody["lo"] > limit:
        return "improvable"
    if kappa["hi"] <= limit and everybody["hi"] <= limit:
        return "stable"
    return "undecided"


def check_intervals(claim):
    for name in ("kappa", "everybody"):
        require(0 <= claim[name]["lo"] <= claim[name]["hi"], f"{name} is not an interval from zero up")
    require(0 <= claim["tolerance"] <= 0.1, "the tolerance is not between 0 and 0.1")


def check_verdict(claim):
    follows = verdict_of(claim)
    require(claim["verdict"] == follows, f"the intervals say `{follows}`")


def check_statements(agents):
    """What the document says about agents, before any data are read."""
    require(len(agents) >= 2, "there are fewer than two agents")
    names = [agent["name"] for agent in agents]
    require(len(set(names)) == len(names), "two agents have one name")
    require(all(name.strip(BLANK) for name in names), "an agent has a blank name")
    require(all(agent["weight"] > 0 for agent in agents), "a weight is not positive")
    require(all(agent["margin"] >= 0 for agent in agents), "a margin is negative")


def check_utility(room, agent, exact):
    """The exact utility lies within the margin of the one stated."""
    stated, margin = enclose(agent["utility"]), enclose(agent["margin"])
    reason = f"the utility of `{agent['name']}` is not within its margin"
    room.at_most(exact, stated + margin, reason)
    room.at_most(stated - margin, exact, reason)
