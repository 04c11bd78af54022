"""The second checker on every kind of evidence but plain conflicts, by hand."""

import copy
import math
from fractions import Fraction

import pytest

from by_hand import (
    above,
    agent,
    around,
    claim,
    conflict,
    document,
    leave,
    parabola_file,
    parabolas,
    predictor,
)
from judged import accepted, refused


def everywhere(folder, evidence, kappa, everybody, ceiling=9.25):
    """Parabolas under ceilings that no loss on `|t| <= 2` exceeds: the worst are 4 and 9."""
    path = parabola_file(folder)
    utility = ceiling - 0.25
    agents = [agent(name, ceiling, utility) for name in "ab"]
    intervals = ({"lo": 0.0, "hi": kappa}, {"lo": 1.0, "hi": everybody})
    stable = max(kappa, everybody) <= 1 + 1e-6
    says = claim("stable" if stable else "undecided", *intervals)
    return path, document(path, says, agents, predictor("linear", [0.5], 2.0), evidence)


def frank_wolfe(folder):
    """At 1/2 the slopes cancel: gap zero. `(t-1)^2 <= 9` by the multiplier 3/2: 1 + 6 + 2 = 9."""
    losses = [{"bound": 5.0, "multiplier": 1.25}, {"bound": 9.0, "multiplier": 1.5}]
    evidence = {"kind": "frank-wolfe", "gap": 0.0, "worst_losses": losses}
    return everywhere(folder, evidence, 1.0, 1.0)


def test_a_gap_of_zero_is_proven_exactly(tmp_path):
    accepted(*frank_wolfe(tmp_path))


@pytest.mark.parametrize(
    ("agent_index", "field", "value"),
    [(1, "bound", math.nextafter(9.0, 0)), (1, "bound", 9.5), (0, "multiplier", 1.0),
     (1, "multiplier", 1.4), (1, "multiplier", None)],
)
def test_worst_losses_need_room_and_a_multiplier(tmp_path, agent_index, field, value):
    path, certificate = frank_wolfe(tmp_path)
    certificate["evidence"]["worst_losses"][agent_index][field] = value
    refused(path, certificate)


def test_frank_wolfe_rests_on_its_premises(tmp_path):
    path, certificate = frank_wolfe(tmp_path)
    certificate["assumptions"][0]["status"] = "violated"
    refused(path, certificate, "violated")
    path, certificate = frank_wolfe(tmp_path)
    certificate["evidence"]["gap"] = 1e-300
    refused(path, certificate, "does not prove")
    certificate["evidence"]["gap"] = -1e-300
    refused(path, certificate, "gap is larger")


def test_headroom_is_the_ceiling_over_the_utility(tmp_path):
    """9.25/9 for both: half of it alone."""
    alone = Fraction(9.25) / 9
    evidence = {"kind": "headroom"}
    accepted(*everywhere(tmp_path, evidence, above(alone / 2), above(alone)))
    refused(*everywhere(tmp_path, evidence, math.nextafter(above(alone / 2), 0), above(alone)))
    refused(*everywhere(tmp_path, evidence, 1.0, math.nextafter(above(alone), 0)))


def hopeless(folder):
    """At 3/2 with ceilings -1 and 1/2: `a` has -13/4 and never more than -1, `b` has its 1/4."""
    path = parabola_file(folder)
    agents = [agent("a", -1.0, -3.25), agent("b", 0.5, 0.25)]
    evidence = {
        "kind": "conflicts",
        "conflicts": [conflict([1], [1.0], 2.0)],
        "hopeless": [{"agent": 0, "point": [0.0]}],
    }
    says = claim("stable", {"lo": 1.0, "hi": 1.0}, {"lo": 0.0, "hi": 0.0})
    subject, witness = predictor("linear", [1.5], 2.0), leave([1], [2.0], 1.0)
    return path, document(path, says, agents, subject, evidence, witness)


def test_a_hopeless_agent_joins_nobody(tmp_path):
    path, certificate = hopeless(tmp_path)
    accepted(path, certificate)
    certificate["evidence"]["hopeless"] = []
    refused(path, certificate, "neither hopeless")
    path, certificate = hopeless(tmp_path)
    certificate["evidence"]["hopeless"][0]["point"] = [1e9]
    refused(path, certificate, "outside")
    path, certificate = hopeless(tmp_path)
    certificate["evidence"]["hopeless"][0]["agent"] = 1
    refused(path, certificate, "has something")


def test_somebody_with_nothing_gains_infinitely(tmp_path):
    """At 3/2 under ceilings 1/2, `a` has -7/4 and would have 1/2 at zero."""
    path = parabola_file(tmp_path)
    agents = [agent("a", 0.5, -1.75), agent("b", 0.5, 0.25)]
    endless = {"lo": "inf", "hi": "inf"}
    certificate = document(
        path,
        claim("blocked", endless, {"lo": 1.0, "hi": "inf"}),
        agents,
        predictor("linear", [1.5], 2.0),
        {"kind": "unbounded"},
        leave([0], ["inf"], 0.0),
        leave([0, 1], ["inf", 1.0], 0.5),
    )
    accepted(path, certificate)
    forged = copy.deepcopy(certificate)
    forged["improvement"] = None
    refused(path, forged, "nothing")
    forged = copy.deepcopy(certificate)
    forged["witness"]["coalition"] = [1]
    refused(path, forged, "infinitely")
    forged = copy.deepcopy(certificate)
    forged["witness"]["rival"]["parameters"] = [0.75]
    refused(path, forged, "gains less")


def test_an_incumbent_is_not_its_own_rival(tmp_path):
    """At tolerance zero not even the smallest number is given away."""
    path, certificate = parabolas(tmp_path, 0.6, "blocked")
    certificate["claim"]["tolerance"] = 0.0
    certificate["claim"]["kappa"] = {"lo": 1.0 + 2**-52, "hi": 1.0 + 2**-52}
    for members in ([0], [1]):
        certificate["witness"] = leave(members, [1.0], 0.5)
        refused(path, certificate, "does not reach kappa")
    improvable = copy.deepcopy(certificate)
    improvable["claim"] = claim("improvable", {"lo": 0.0, "hi": 1.0}, around(Fraction(1)), 0.0)
    improvable["claim"]["everybody"]["lo"] = improvable["claim"]["everybody"]["hi"] = 1 + 2**-52
    improvable["witness"] = None
    improvable["improvement"] = leave([0, 1], [1.0, 1.0], 0.5)
    refused(path, improvable, "does not improve")


@pytest.mark.parametrize("far", [1e18, -6e152, 1e300])
def test_points_far_away_prove_nothing(tmp_path, far):
    """In doubles their bounds are rounding, or minus infinity where squares overflow."""
    path, certificate = parabolas(tmp_path, 0.4, "stable")
    certificate["claim"]["kappa"] = {"lo": 0.0, "hi": 0.5}
    certificate["witness"] = None
    for entry in certificate["evidence"]["conflicts"][:2]:
        entry.update(point=[far], bound=1.0)
    refused(path, certificate, "outside")
    certificate["subject"]["radius"] = abs(far)
    refused(path, certificate, "does not prove")
