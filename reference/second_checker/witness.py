"""Lower ends: a rival that really gives a coalition what is claimed."""

import math

from .enclosure import enclose
from .refusal import Refused, require


def check_witness(room, setting, claim, witness):
    """Why `kappa` is at least `lo`."""
    lo = claim["kappa"]["lo"]
    if witness is None:
        require(lo == 0, "kappa is above zero without a witness")
        return
    members = check_members(witness, len(setting.agents))
    require(len(members) < len(setting.agents), "the witness is everybody")
    then = check_gains(room, setting, witness)
    for i in members:
        if lo == math.inf:
            require(setting.has_nothing(i), f"member {i} has something to lose")
            room.above_zero(then[i], f"member {i} gets nothing from the rival")
        else:
            require(setting.has_something(i), f"member {i} has nothing, and kappa is finite")
            reached, needed = then[i] * setting.share(members), setting.now[i] * lo
            room.at_most(needed, reached, f"member {i} does not reach kappa")


def check_improvement(room, setting, claim, improvement):
    """Why `everybody` is at least `lo`."""
    lo = claim["everybody"]["lo"]
    if improvement is None:
        require(lo <= 1, "everybody gains without an improvement")
        stay = all(setting.has_something(i) for i in setting.agents)
        require(lo == 0 or stay, "staying gives somebody nothing, and there is no improvement")
        return
    members = check_members(improvement, len(setting.agents))
    require(len(members) == len(setting.agents), "the improvement leaves somebody out")
    then = check_gains(room, setting, improvement)
    for i in members:
        if setting.has_something(i):
            require(lo != math.inf, f"member {i} has something, and everybody is infinite")
            room.at_most(setting.now[i] * lo, then[i], f"member {i} does not improve as claimed")
        else:
            require(setting.has_nothing(i), f"whether member {i} has anything is not proven")
            room.above_zero(then[i], f"member {i} gets nothing from the improvement")


def check_members(witness, agents):
    """Agents by index, ascending, at least one; a gain for each."""
    members = witness["coalition"]
    require(members, "a coalition is empty")
    require(all(a < b for a, b in zip(members, members[1:])), "a coalition does not ascend")
    require(members[-1] < agents, "a coalition has an unknown member")
    require(len(witness["gains"]) == len(members), "there is not one gain per member")
    return members


def check_gains(room, setting, witness):
    """The members' utilities with the rival, if nobody gains less than is stated."""
    require("parameters" in witness["rival"], "the rival of a predictor has no parameters")
    rival = setting.point(witness["rival"]["parameters"], "the rival's parameters")
    then = {i: setting.utility(i, rival) for i in witness["coalition"]}
    for i, gain in zip(witness["coalition"], witness["gains"], strict=True):
        check_gain(room, i, (setting.now[i], then[i]), gain)
    return then


def check_gain(room, i, utilities, stated):
    """The exact gain is at least the one stated."""
    now, then = map(enclose, utilities)
    reason = f"member {i} gains less than is stated"
    if now.lo > 0:
        require(stated != math.inf, f"member {i} has something, and gains infinitely")
        room.at_most(now * stated, then, reason)
    elif now.hi <= 0:
        if stated > 0:
            room.above_zero(then, reason)
    else:
        raise Refused(f"whether member {i} has anything is not proven")
