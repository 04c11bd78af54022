"""Certificates about tables of utilities: everything is an exact decimal, and nothing is rounded."""

import math
import struct
from fractions import Fraction
from itertools import chain, combinations

from .cells import decimal
from .claim import check_utility, check_verdict
from .evidence import MOST_AGENTS
from .federation import digest
from .refusal import require
from .witness import check_gain, check_members


def read_table(cells):
    """Utilities by model, in the order of the file."""
    require(cells.columns[0] == "model", "the first column is not `model`")
    require(len(cells.columns) >= 3, "a table needs two agents")
    models = [row[0] for row in cells.rows]
    require("" not in models, "a model has no name")
    require(len(set(models)) == len(models), "two models have one name")
    return {row[0]: [decimal(cell) for cell in row[1:]] for row in cells.rows}


def row_digest(row):
    """Of the doubles nearest to the decimals."""
    return digest(b"".join(struct.pack("<d", nearest(utility)) for utility in row))


def nearest(value):
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def gain(now, then):
    """Utilities at or below zero count as nothing."""
    if then <= 0:
        return Fraction(0)
    return then / now if now > 0 else math.inf


def blocks(share, now, then):
    """The strict rule: nobody loses, somebody gains, and anybody who has nothing gets something."""
    pairs = list(zip(now, then, strict=True))
    if any(u <= 0 and v <= 0 for u, v in pairs):
        return False
    left = [share * v - max(u, 0) for u, v in pairs]
    return all(x >= 0 for x in left) and any(x > 0 for x in left)


class Scan:
    """The incumbent against every other row and every coalition."""

    def __init__(self, now, rivals, weights):
        self.now, self.rivals, self.weights = now, rivals, weights
        self.everyone = tuple(range(len(now)))
        sizes = range(1, len(now))
        self.proper = list(chain.from_iterable(combinations(self.everyone, k) for k in sizes))

    def share(self, members):
        return sum(self.weights[i] for i in members) / sum(self.weights)

    def factor(self, members, row):
        return self.share(members) * min(gain(self.now[i], row[i]) for i in members)

    def best(self, coalitions):
        """The largest factor; staying is not a rival, so it may be zero."""
        factors = (self.factor(members, row) for row in self.rivals for members in coalitions)
        return max(factors, default=Fraction(0))

    def blocks(self, members, row):
        pick = [[values[i] for i in members] for values in (self.now, row)]
        return blocks(self.share(members), *pick)

    def some_block(self, coalitions):
        return any(self.blocks(members, row) for row in self.rivals for members in coalitions)


def tightest(value):
    """The doubles on either side of an exact number, equal where it is one."""
    middle = nearest(value)
    below = middle if middle <= value else math.nextafter(middle, -math.inf)
    above = middle if middle >= value else math.nextafter(middle, math.inf)
    return {"lo": below, "hi": above}


def strict_verdict(scan):
    if scan.some_block(scan.proper):
        return "blocked"
    return "improvable" if scan.some_block([scan.everyone]) else "stable"


def check_table(room, certificate, cells):
    """Judges a certificate whose subject is a row of these cells."""
    claim, agents, name = (certificate[k] for k in ("claim", "agents", "subject"))
    name = name["incumbent"]
    require(certificate["evidence"]["kind"] == "listed", "the evidence about a table is its list")
    rows = read_table(cells)
    require([agent["name"] for agent in agents] == cells.columns[1:], "the agents are others")
    require(name in rows, f"there is no row `{name}`")
    now = rows[name]
    stated = row_digest([agent["utility"] for agent in agents])
    require(certificate["digests"]["parameters"] == stated, "the row is another")
    for agent, exact in zip(agents, now, strict=True):
        require(agent["samples"] == 0, "agents of a table have no samples")
        require(agent["ceiling"] is None, "agents of a table have no ceilings")
        check_utility(room, agent, exact)
    require(len(now) <= MOST_AGENTS, f"too large: coalitions of {len(now)} are not enumerated")
    rivals = {model: row for model, row in rows.items() if model != name}
    scan = Scan(now, list(rivals.values()), [Fraction(agent["weight"]) for agent in agents])
    for end, coalitions in (("kappa", scan.proper), ("everybody", [scan.everyone])):
        exact = tightest(scan.best(coalitions))
        require(claim[end] == exact, f"{end} is {exact}")
    if claim["tolerance"] > 0:
        check_verdict(claim)
    else:
        exact = strict_verdict(scan)
        require(claim["verdict"] == exact, f"the verdict is `{exact}`")
    check_leavers(room, scan, rivals, certificate["witness"], claim["verdict"] == "blocked", False)
    improvable = claim["verdict"] == "improvable"
    check_leavers(room, scan, rivals, certificate["improvement"], improvable, True)


def check_leavers(room, scan, rivals, witness, must_block, everybody):
    """A witness or an improvement; where the verdict rests on it, it blocks by the strict rule."""
    require(witness is not None or not must_block, "the verdict has no witness")
    if witness is None:
        return
    members = check_members(witness, len(scan.now))
    require((len(members) == len(scan.now)) == everybody, "the coalition has the wrong size")
    require("row" in witness["rival"], "the rival of a row has no name")
    require(witness["rival"]["row"] in rivals, "the rival is not another row")
    row = rivals[witness["rival"]["row"]]
    for i, stated in zip(members, witness["gains"], strict=True):
        check_gain(room, i, (scan.now[i], row[i]), stated)
    require(not must_block or scan.blocks(members, row), "the coalition does not block")
